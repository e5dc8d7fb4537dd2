/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A comparison (bindings/command/diff/others.c): a row for each region, below it one for each measure; or of
 * one measure a row for each region.  Functions that samples saw are values too, whose changes are in points.
 */

const VERDICTS = {
	differs: ["differs", "by more than noise"],
	unknown: ["unknown", "too few runs to tell it from noise"],
	same: ["same", "not more than noise"],
	new: ["new", "A has no such region"],
	gone: ["gone", "B has no such region"],
};

const MOST_FUNCTIONS = 20; /* in a region's detail */
const SHARE = { name: "", unit: "", kind: "share", compared: true };
const PACES = {
	slower: "it takes more CPU time for each call of the region",
	faster: "it takes less CPU time for each call of the region",
	same: "its CPU time for each call of the region is not another one by more than noise: others take more, or less",
};

/* Of a region: [value, measure] of each function that was compared. */
function functionsOf(region, all) {
	const functions = region.samples ? region.samples.functions : [];

	return functions.filter(one => all ? isKnown(one.p) : !["same", "unknown"].includes(one.verdict))
		.map(one => [{ ...one, own: true, points: true }, { ...SHARE, name: one.object ? one.name + "  " + one.object : one.name }]);
}

function pointsText(change) {
	return (change > 0 ? "+" : "") + fixed(100 * change, 1) + " pts";
}

function paceAbout(time) {
	return PACES[time.verdict] + "; estimated: " + format.time(time.a) + " and " + format.time(time.b) + ", in 95 of 100 cases a change between " +
		format.time(time.low) + " and " + format.time(time.high);
}

/* Colour is the third to say it: a sign and an arrow do before. */
function changeText(value, measure) {
	if (!isKnown(value.change))
		return NONE;
	if (value.change === 0)
		return "0";
	const arrow = value.change > 0 ? "▲ " : "▼ ";

	if (value.points)
		return arrow + pointsText(value.change);

	/* of a few events more or less it is their number that tells */
	if (!isKnown(value.a) || value.a === 0 || (Number.isInteger(value.change) && !measure.unit && Math.abs(value.change) < 0.001 * Math.abs(value.a)))
		return arrow + format.signed(value.change, format.measured(value.change, measure.unit));
	return arrow + percentText(value.change / value.a);
}

function percentText(part) {
	const percent = 100 * part, size = Math.abs(percent);

	return (percent > 0 ? "+" : "") + (size >= 0.005 || !size ? fixed(percent, size < 10 ? 2 : size < 1000 ? 1 : 0) : percent.toPrecision(1)) + "%";
}

/* Whether more is worse is known of time alone; of all else it is just more or less. */
function changeName(value, measure) {
	if (!isKnown(value.change) || value.change === 0 || value.verdict !== "differs")
		return "change";
	return "change " + (value.change > 0 ? "more" : "less") + (measure.unit === "ns" ? " slower" : "");
}

function partOf(value, change) {
	if (value.points)
		return change;
	return isKnown(value.a) && value.a !== 0 && isKnown(change) ? change / value.a : null;
}

function intervalAbout(value) {
	const low = partOf(value, value.low), high = partOf(value, value.high);

	if (!isKnown(low) || !isKnown(high))
		return "too few runs for an interval";
	if (value.points)
		return "in 95 of 100 cases between " + pointsText(low) + " and " + pointsText(high);
	return "in 95 of 100 cases between " + percentText(low) + " and " + percentText(high) + " of A";
}

/* The axis of all intervals: what they fit into, but no more than from none to twice as much. */
function intervalScale(group) {
	let most = 0.02;

	for (const region of group.regions)
		for (const value of region.values)
			for (const change of [value.low, value.high, value.change])
				if (isKnown(partOf(value, change)) && value.verdict === "differs")
					most = Math.max(most, Math.abs(partOf(value, change)));
	return Math.min(1, most);
}

/* Is a value worth a line where only differences are shown? */
function isDifference(value, measure) {
	if (!isKnown(value.a) && !isKnown(value.b))
		return false;
	return measure.compared && value.verdict !== "same" && (value.verdict !== "unknown" ||
		(isKnown(value.a) && isKnown(value.b) && value.change !== 0));
}

/* @show: (value, measure) => what a cell shows; nothing in a region's own row */
function diffCell(show) {
	return (_, node, view) => view.values[node] ? show(...view.values[node]) : "";
}

function sideText(value, measure, side) {
	return measure.kind === "share" ? format.share(value[side]) : measure.kind === "metric" ? format.value(value[side]) : format.measured(value[side], measure.unit);
}

function pictureOf(value, scale) {
	return isKnown(value.change) ? drawInterval(partOf(value, value.change), partOf(value, value.low),
		partOf(value, value.high), scale, intervalAbout(value)) : "";
}

function boundText(value, bound) {
	const part = partOf(value, value[bound]);

	return isKnown(part) ? value.points ? pointsText(part) : percentText(part) : "";
}

function diffColumns(scale) {
	const own = "median; a region's own, without what is nested in it";

	return [
		{ id: "change", title: "change", about: "B against A, in percent of A", shown: true,
			mid: true, key: value => isKnown(value) ? Math.abs(value) : null, draw: diffCell(changeText), name: diffCell(changeName) },
		{ id: "interval", title: "in 95 of 100 cases", about: "where the change is; right of the line is more; the edge is " +
			percentText(scale), shown: true, wide: true, draw: diffCell(value => pictureOf(value, scale)) },
		{ id: "a", title: "A", about: own, shown: true, draw: diffCell((value, measure) => sideText(value, measure, "a")) },
		{ id: "b", title: "B", about: own, shown: true, draw: diffCell((value, measure) => sideText(value, measure, "b")) },
		{ id: "low", title: "from", about: "of the change", shown: false, draw: diffCell(value => boundText(value, "low")) },
		{ id: "high", title: "to", about: "of the change", shown: false, draw: diffCell(value => boundText(value, "high")) },
		{ id: "verdict", title: "verdict", about: "more than noise?", shown: true,
			draw: diffCell((value, measure) => measure.compared ? make("span", { title: VERDICTS[value.verdict][1] }, value.verdict) : ""),
			name: diffCell(value => "verdict " + value.verdict) },
		{ id: "p", title: "p", about: "of no difference; adjusted for all that was compared", shown: false,
			draw: diffCell(value => isKnown(value.p) ? String(Number(value.p.toPrecision(2))) : "") },
	];
}

/* @which: "differs", "all", or the index of a measure.  Its values: [value, measure] of each node, or null. */
function diffView(group, which) {
	const values = [], view = { values, n: 0, name: [], parent: [], row: [], entity: null, title: "region", cells: { a: [], b: [], change: [], low: [], high: [], p: [] } };
	const regionOf = [];

	function add(name, parent, row, value, measure) {
		view.name.push(name);
		view.parent.push(parent);
		view.row.push(row);
		values.push(value ? [value, measure] : null);
		regionOf.push(row);
		view.cells.a.push(value ? value.a : null);
		view.cells.b.push(value ? value.b : null);
		view.cells.change.push(value ? partOf(value, value.change) ?? value.change : null);
		view.cells.low.push(value ? partOf(value, value.low) : null);
		view.cells.high.push(value ? partOf(value, value.high) : null);
		view.cells.p.push(value ? value.p : null);
		return view.n++;
	}

	group.regions.forEach((region, row) => {
		const name = region.path ? region.name : "(all of it)";

		if (typeof which === "number") {
			if (isKnown(region.values[which].a) || isKnown(region.values[which].b))
				add(name, -1, row, region.values[which], group.measures[which]);
			return;
		}
		const lines = region.values.map((value, m) => [value, group.measures[m]]).filter(([value, measure], m) =>
			which === "all" ? isKnown(value.a) || isKnown(value.b) :
				isDifference(value, measure) || (!region.path && !m && measure.compared))
			.concat(functionsOf(region, which === "all"));

		if (!lines.length)
			return;
		const root = add(name, -1, row, null, null);

		for (const [value, measure] of lines)
			add(measure.name, root, row, value, measure);
		/* a region stands where what changed most in it does */
		for (const id of ["a", "b", "p"])
			view.cells[id][root] = lines[0][0][id];
		view.cells.change[root] = Math.max(...lines.map((_, k) => Math.abs(view.cells.change[root + 1 + k] || 0)));
	});
	view.path = node => group.regions[regionOf[node]].path || "(all of it)";
	view.marks = node => {
		const region = group.regions[view.row[node]];

		if (values[node] && region.path && !values[node][0].own && !["calls", "metric"].includes(values[node][1].kind) && typeof which !== "number")
			return [["with nested", "its own, without nested regions, is not known"]];
		if (values[node] && values[node][0].points && values[node][0].time)
			return [[values[node][0].time.verdict, paceAbout(values[node][0].time)]];
		return values[node] && typeof which !== "number" ? [] : !region.a ? [["new", VERDICTS.new[1], "verdict"]] :
			!region.b ? [["gone", VERDICTS.gone[1], "verdict"]] : [];
	};
	view.cells.interval = view.cells.change;
	view.cells.verdict = values.map(value => value ? Object.keys(VERDICTS).indexOf(value[0].verdict) : null);
	view.byPath = true;
	view.sorted = "weight";
	view.none = "Nothing differs by more than noise: choose “all measures” to see what was compared.";
	return view;
}

function diffSection(group, index) {
	const scale = intervalScale(group);
	const views = [["differs", "what differs"], ["all", "all measures"], ...group.measures.map((measure, m) => [m, measure.name])];

	const nDiffer = group.regions.reduce((n, region) => n + region.values.filter(value => value.verdict === "differs").length +
		functionsOf(region).length, 0);

	return {
		group: group.name || "the whole command", found: nDiffer ? nDiffer + (nDiffer > 1 ? " differ" : " differs") : "", index, counts: [], metrics: [], group_: group,
		columns: diffColumns(scale),
		views: views.map(([which, title]) => ({ id: String(which), title, make: () => diffView(group, which) })),
		doubts: new Map(),
	};
}

function diffDetail(book, section, view, node) {
	const region = section.group_.regions[view.row[node]];
	const lines = region.values.map((value, m) => [value, section.group_.measures[m]]).filter(([value]) => isKnown(value.a) || isKnown(value.b));
	const scale = Math.max(0.01, ...lines.flatMap(([value]) => [value.low, value.high, value.change].map(change =>
		Math.abs(partOf(value, change) || 0))));

	return [
		make("h2", null, region.path ? named(region.name) : "all of it"),
		region.path ? crumbs(region.path) : null,
		!region.a ? make("p.remark", null, "New: A has no such region.") : !region.b ? make("p.remark", null, "Gone: B has no such region.") : null,
		plainTable(["", "A", "B", "change", ""], lines.map(([value, measure]) => [
			measure.name, sideText(value, measure, "a"), sideText(value, measure, "b"),
			[make("span." + changeName(value, measure).replaceAll(" ", "."), null, changeText(value, measure)), pictureOf(value, Math.min(scale, 4))],
			measure.compared ? value.verdict : "",
		]), "changes"),
		make("p.note", null, "Own work of the region, without what is nested in it, as medians of the runs; below a change where it is in 95 of 100 cases: the middle is none, the edge " +
			percentText(Math.min(scale, 4)) + "."),
		...functionDetail(region),
	];
}

function functionDetail(region) {
	const functions = functionsOf(region, true);

	if (!functions.length)
		return [];
	return [
		make("h3", null, region.samples.event ? "Where its own " + region.samples.event + " were" : "Where its own time went"),
		plainTable(["", "A", "B", "points", region.samples.event ? "" : "CPU time per call"], functions.slice(0, MOST_FUNCTIONS).map(([value, measure]) => [
			visible(measure.name), sideText(value, measure, "a"), sideText(value, measure, "b"),
			make("span." + changeName(value, measure).replaceAll(" ", "."), { title: intervalAbout(value) }, changeText(value, measure).replace(" pts", "")),
			[value.verdict, value.time ? make("small", { title: paceAbout(value.time) }, format.time(value.time.a) + " → " + format.time(value.time.b) + ", " + value.time.verdict) : null],
		]), "changes"),
		make("p.note", null, "Estimated: shares of " + plural(region.samples.a, "sample") + " and " + plural(region.samples.b, "sample") +
			", of all runs of a side; “differs”: by more than noise among all functions" +
			(functions.length > MOST_FUNCTIONS ? "; and " + plural(functions.length - MOST_FUNCTIONS, "function") + " more." : ".")),
	];
}

function sideFacts(name, side) {
	return [name, [named(side.command || side.program), make("small", null, " — " + plural(side.runs, "run") + ", " +
		side.machine + ", counts from " + side.source)]];
}

function diffBook(data) {
	const sections = data.groups.map((group, index) => diffSection(group, index));

	return {
		kind: "diff", data, title: "A against B", command: "",
		summary: data.summary,
		facts: [sideFacts("A", data.a), sideFacts("B", data.b),
			data.compared ? ["compared", plural(data.compared, "value"), "tests that were made"] : ["", ""],
			data.functions_compared ? ["functions", plural(data.functions_compared, "share"), "of samples, a family of tests of their own"] : ["", ""],
			["“differs”", "by more than noise: of comparisons without any difference, " + fixed(100 * data.alpha, 0) + " in 100 say so of any value"],
			data.pairs ? ["in turns", plural(data.pairs, "pair") + ": each run of B is compared with the run of A beside it"] : ["", ""]],
		remarks: data.notes.map(text => ({ sign: "note", text })),
		doubts: [], sections,
		/* the whole command is of interest where nothing else is */
		first: Math.max(0, sections.findIndex(section => section.group_.regions.some(region => region.path))),
	};
}
