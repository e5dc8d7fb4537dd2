/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands above everything: of what this is, what is missing and why, and where the time goes. */

const REMARKS_SHOWN = 4;
const HOT_SHOWN = 6;

/* The sign is a word, and a shape: colour comes after. */
const SIGNS = {
	died: "✖ died", missing: "○ missing", note: "ℹ note", disturbs: "△ disturbs", "worth knowing": "ℹ worth knowing", quiet: "✓ quiet",
};

function drawRemark({ sign, text }) {
	return make("li.remark.is-" + sign.split(" ")[0], null, make("b", null, SIGNS[sign] || "ℹ " + sign), " ", make("span", { text }));
}

function drawRemarks(remarks) {
	const first = remarks.slice(0, REMARKS_SHOWN), rest = remarks.slice(REMARKS_SHOWN);

	return remarks.length ? [
		make("ul.remarks", null, first.map(drawRemark)),
		rest.length ? make("details", null, make("summary", null, plural(rest.length, "more remark")),
			make("ul.remarks", null, rest.map(drawRemark))) : null,
	] : null;
}

/* Those of regions also stand at these. */
function drawDoubts(book, on) {
	return book.doubts.length ? make("details.doubts", null,
		make("summary", null, make("b", null, "? " + plural(book.doubts.length, "doubt")), " about these numbers"),
		make("ul", null, book.doubts.map(doubt => make("li", null, doubt.text,
			isKnown(doubt.count) ? " (" + format.exact(doubt.count) + " times)" : "",
			doubt.where ? [" — ", doubt.region ? button(named(doubt.where), "show the region", () => on.select(doubt.region), { class: "link" }) :
				named(doubt.where)] : null)))) : null;
}

/* --- where the time goes --- */

/* What a region says of why: the first that is known of what can be said. */
function reasonOf(book, section, i, path) {
	const words = [], topdown = book.kind === "report" ? topdownWord(book.data, path) : "";
	const roof = book.data.roofline && book.data.roofline.rows.find(row => book.data.sections[row.section].rows.path[row.row] === path);

	if (topdown)
		words.push(topdown);
	if (waitsForOthers(section.data.rows, i))
		words.push("other threads worked for it: in its own time it may have waited for them");
	if (roof && roof.bound)
		words.push("bound by " + roof.bound + ", " + format.share(roof.reached) + " reached");
	for (const [k, metric] of section.metrics.entries())
		if (words.length < 3 && isKnown(section.data.rows.metrics[k][i]) && !topdown)
			words.push(metric.name + " " + format.value(section.data.rows.metrics[k][i]) + (metric.unit ? " " + metric.unit : ""));
	return words.join(" · ");
}

/* Did others do more for it meanwhile than half of what it took by itself? */
function waitsForOthers(rows, i) {
	const team = rows.team && rows.team[i];

	return Boolean(team && team.others && isKnown(team.time_ns) && isKnown(rows.self_ns[i]) && team.time_ns - rows.time_ns[i] > rows.self_ns[i] / 2);
}

/* Regions that took most by themselves; where that is not known of any, with what is nested in them. */
function hotRegions(section, view) {
	const own = [section.data ? rankSelfId(section.data) : "self_ns", view.sorted && view.sorted.startsWith("all.") ? view.sorted.replace("all", "self") : "self_ns"]
		.map(id => view.cells[id]).find(Boolean) || [];
	const list = [];
	let sum = 0;

	for (let i = 0; i < view.n; i++) {
		const flags = view.flags ? view.flags[i] : [];

		if (isKnown(own[i]) && own[i] > 0 && !flags.includes("program")) {
			sum += own[i];
			list.push(i);
		}
	}
	list.sort((a, b) => own[b] - own[a]);
	return { list: list.slice(0, HOT_SHOWN), left: list.length - HOT_SHOWN, own, sum };
}

/* What is shown there: time, or what a simulation has in its place. */
function rankOf(section, view) {
	const column = section.columns.find(one => one.id === view.sorted);
	const isCount = Boolean(column && !["time_ns", "cpu_ns"].includes(view.sorted) && column.title !== "time");

	return { title: isCount ? column.title : view.sorted === "cpu_ns" ? "CPU time" : "time", isCount, text: isCount ? column.text : value => format.time(value) };
}

/* Of repeated runs: how well it is known. */
function sureness(view, i) {
	const half = (view.cells[view.sorted.replace("all", "half")] || [])[i];

	return isKnown(half) ? "± " + format.share(half) + " with what is nested in it" : "";
}

function drawHot(book, section, view, on) {
	const { list, left, own, sum } = hotRegions(section, view), imbalance = view.cells.imbalance || [];

	if (!list.length)
		return null;
	const twice = new Set(list.map(i => view.name[i]).filter((name, k, all) => all.indexOf(name) !== k));
	const rest = sum - list.reduce((total, i) => total + own[i], 0);

	const some = book.kind === "report" && Boolean(section.data.inTurns);
	const rank = rankOf(section, view);

	return make("section.hot", { "aria-label": "where the " + rank.title + " goes" },
		make("h2", null, "Where the " + rank.title + (rank.isCount ? " are" : " goes")),
		make("p.note", null, rank.title + " of the regions themselves, without what is nested in them, of " + (some ? "the calls that were measured" : "all that was measured in regions")),
		make("ol", null, list.map(i => {
			const bar = make("span.barfill"), reason = book.kind === "report" ?
				reasonOf(book, section, i, section.data.rows.path[i]) : sureness(view, i);
			const uneven = isKnown(imbalance[i]) && imbalance[i] > 0.1 ? "uneven: the longest thread" + (book.data.over_ranks ? ", or rank," : "") + " has " + format.share(imbalance[i]) + " more than the mean" : "";

			bar.style.width = 100 * own[i] / sum + "%";
			const around = twice.has(view.name[i]) && view.parent[i] >= 0 ? make("small", null, named(view.name[view.parent[i]]), " / ") : null;

			return make("li", null, button([make("span.hotname", null, around, named(view.name[i])), make("span.bartrack", { "aria-hidden": "true" }, bar),
				make("span.barvalue", null, format.share(own[i] / sum), make("small", null, " " + rank.text(own[i]))),
				make("span.why", null, [reason, uneven].filter(Boolean).join(" · "))],
			view.path(i), () => on.select(view.path(i)), { class: "hotspot" }));
		})),
		left > 0 ? make("p.note", null, plural(left, "more region") + ": " + format.share(rest / sum)) : null);
}

/* Of ranks that made their report together: how long each computed, and was in MPI. */
function drawRanks(data) {
	const over = data.over_ranks;

	if (!over)
		return null;
	const line = (name, spread) => spread ? [name, ...["min", "mean", "max"].map(which => [format.time(spread[which]),
		which === "mean" ? null : make("small", null, " rank " + spread[which + "_rank"])]), format.share(spread.imbalance)] : null;

	return make("details.ranks", { open: true }, make("summary", null, "Over " + plural(over.ranks, "rank")),
		plainTable(["of a rank", "least", "mean", "most", "imbalance"],
			[line("in regions", over.time_ns), line("computing", over.computing_ns), line("in MPI", over.mpi_ns)].filter(Boolean)),
		over.longest && over.longest.length ? [make("p.note", null, "Those that compute longest:"), drawBars(over.longest.map(one => ({
			name: "rank " + one.rank + (one.host ? " on " + one.host : ""), value: one.computing_ns,
			text: format.time(one.computing_ns) + ", in MPI " + format.time(one.mpi_ns),
		})), over.computing_ns ? { mean: over.computing_ns.mean } : {})] : null);
}

function drawHead(book, on) {
	return [
		make("div.titles", null,
			make("div", null, make("h1", null, named(book.title)), book.command ? make("p.command", null, make("code", null, named(book.command))) : null,
				book.summary ? make("p.summary", null, book.summary) : null),
			make("div.buttons", null,
				button("◐", "dark or light", on.theme, { id: "theme", "aria-label": "dark or light" }),
				button("?", "keys, and what signs mean", on.help, { id: "helpbutton", "aria-label": "help" }))),
		make("details.about", { open: window.innerWidth > 700 }, make("summary", null, "about this " + (book.kind === "diff" ? "comparison" : "run")),
			facts(book.facts, "facts")),
		drawRemarks(book.remarks), drawDoubts(book, on),
	];
}
