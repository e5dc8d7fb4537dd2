/* SPDX-License-Identifier: BSD-3-Clause */
/* Repeated runs (bindings/command/series/json.c): medians in the table, every run beside it. */

function seriesText(measure) {
	return measure.kind === "metric" ? value => format.value(value) :
		(value, largest) => format.measured(isKnown(value) ? Math.round(value) : value, measure.unit, largest);
}

/* How far from the median the interval reaches, of it: ±2%. */
function halfWidth(value) {
	return isKnown(value.low) && isKnown(value.high) && value.median ?
		Math.max(value.high - value.median, value.median - value.low) / Math.abs(value.median) : null;
}

/* What regions are ordered by: time, or, of a simulation, instructions, else the first count; -1. */
function seriesRank(data, group) {
	const first = test => group.measures.findIndex(test);
	const named = first(measure => measure.kind === "count" && measure.name === "instructions");

	if (!isSimulated(data.source))
		return first(measure => measure.kind === "time");
	return named >= 0 ? named : first(measure => measure.kind === "count");
}

function seriesColumns(data, group) {
	const columns = [], rank = seriesRank(data, group);

	group.measures.forEach((measure, m) => {
		const text = seriesText(measure), shown = m < 8, unit = ["ns", "uJ"].includes(measure.unit) ? "" : measure.unit;

		columns.push({ id: "all." + m, title: measure.name, unit, about: "median of the runs", shown, text });
		if (m === rank)
			columns.push(shareColumn("share", measure.kind === "time" ? "% time" : "share", "of what the outermost regions have", true));
		if (measure.kind === "time" || measure.kind === "count")
			columns.push({ id: "self." + m, title: measure.name + ", self", unit, about: "median, without nested regions", shown: m === rank, text });
		if (measure.kind !== "calls")
			columns.push({ id: "half." + m, title: "± " + measure.name, unit: "", shown: m === rank,
				about: "the median is so near in 95 of 100 cases; blank: too few runs", text: value => "±" + format.share(value) });
	});
	return columns;
}

function seriesView(data, group) {
	const regions = group.regions, index = new Map(), cells = { share: [] }, view = {
		n: regions.length, name: regions.map(region => region.name || "(no name)"), parent: [], row: regions.map((_, i) => i),
		path: i => regions[i].path, entity: null, flags: regions.map(region => region.flat ? ["flat"] : []), cells,
	};
	const rank = seriesRank(data, group);
	let whole = 0;

	regions.forEach((region, i) => {
		view.parent.push(region.parent === null || !index.has(region.parent) ? -1 : index.get(region.parent));
		if (!region.flat)
			index.set(region.path, i);
	});
	group.measures.forEach((_, m) => {
		cells["all." + m] = regions.map(region => region.values[m].median);
		cells["self." + m] = regions.map(region => region.values[m].self ? region.values[m].self.median : null);
		cells["half." + m] = regions.map(region => halfWidth(region.values[m]));
	});
	if (rank >= 0) {
		view.sorted = "all." + rank;
		regions.forEach((_, i) => { whole += view.parent[i] < 0 ? cells[view.sorted][i] || 0 : 0; });
		cells.share = cells[view.sorted].map(value => isKnown(value) && whole ? value / whole : null);
	}
	return view;
}

function seriesDetail(book, section, view, node) {
	const region = section.group_.regions[view.row[node]], text = section.group_.measures.map(seriesText);
	const picture = make("div");
	const show = m => {
		const value = region.values[m];

		picture.replaceChildren(make("h4", null, section.group_.measures[m].name + " of each run"),
			value.runs.some(isKnown) ? drawRuns(value.runs, value.median, value.low, value.high, text[m]) : make("p", null, "No run has it."));
	};

	show(Math.max(0, seriesRank(book.data, section.group_)));
	return [
		make("h2", null, named(region.name)), region.parent !== null ? crumbs(region.path) : null,
		book.doubts.filter(doubt => doubt.region === region.path).map(doubt =>
			make("p.remark.doubt", null, make("b", null, "? doubt: "), doubt.text + " (" + plural(doubt.count, "run") + ")")),
		picture,
		make("p.note", null, "The line is the median, the band where it is in 95 of 100 cases; a measure's name shows its runs."),
		plainTable(["measure", "median", "from", "to", "self"], region.values.map((value, m) => [
			button(section.group_.measures[m].name, "show its runs", () => show(m), { class: "link" }),
			text[m](value.median), isKnown(value.low) ? text[m](value.low) : "", isKnown(value.high) ? text[m](value.high) : "",
			value.self ? text[m](value.self.median) : "",
		]), "counts"),
	];
}

function seriesBook(data) {
	const elapsed = data.runs.map(run => run.end ? run.end.elapsed_ns : run.duration_ns).filter(isKnown);

	return {
		kind: "series", data, title: data.program, command: data.command,
		facts: [
			["runs", format.exact(data.runs.length) + (data.warmup ? ", after " + data.warmup + " to warm up" : "")],
			["machine", data.machine, data.cpu],
			["counts from", data.source + (data.source_detail ? ", " + data.source_detail : "")],
			["took", elapsed.length ? format.time(Math.min(...elapsed)) + " to " + format.time(Math.max(...elapsed)) +
				(isSimulated(data.source) ? " under valgrind, which is not the program's time" : "") : ""],
			["began", data.runs.length ? format.date(data.runs[0].start_unix_ns) : ""],
			["host", data.host], ["settings", data.settings], ["pinning", data.pinning], ["clock", isSimulated(data.source) ? "" : data.clock], ["libpmu", data.version],
			["runs differ in", data.differs.join(", ")],
		],
		remarks: [...refusedRemarks(data.refused), ...data.noise.map(one => ({
			sign: one.severity, text: one.text + (one.mend ? " — " + one.mend : ""),
		})), ...data.notes.map(note => ({ sign: "note", text: note.text + (note.runs < data.runs.length ? " (" + plural(note.runs, "run") + ")" : "") }))],
		doubts: data.doubts.map(doubt => ({ text: doubt.text, where: doubt.region, region: doubt.region, count: doubt.runs })),
		sections: data.groups.map((group, index) => ({
			group: group.name, index, counts: [], metrics: [], group_: group, columns: seriesColumns(data, group), doubts: new Map(),
			views: [{ id: "regions", title: "regions", make: () => seriesView(data, group) }],
		})),
	};
}
