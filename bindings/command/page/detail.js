/* SPDX-License-Identifier: BSD-3-Clause */
/* All that a report has on the region that was chosen. */

const THREADS_SHOWN = 64; /* bars; the longest and shortest of more */

/* --- the same region in all groups --- */

function rowsOfPath(book, path, isFlat) {
	const found = [];

	for (const section of book.sections) {
		const rows = section.data.rows;

		for (let i = rows.path.indexOf(path); i >= 0; i = rows.path.indexOf(path, i + 1))
			if (rows.flags[i].includes("flat") === isFlat) {
				found.push([section, i]);
				break;
			}
	}
	return found;
}

/* --- numbers --- */

/* Of a simulation: what stands in the place of time. */
function rankFacts(section, i) {
	const rows = section.data.rows, k = section.data.ranked, { name, unit } = section.counts[k];
	const whole = rows.net[k][i], own = rows.self[k][i], calls = rows.calls[i];

	return facts([
		["calls", format.exact(calls), "begin/end pairs that have ended"],
		["open", rows.open[i] ? format.exact(rows.open[i]) : "", "begins without an end so far"],
		["in all", format.measured(whole, unit) + " " + name + (isKnown(rows.share[i]) ? " (" + format.share(rows.share[i]) + ")" : ""),
			"with nested regions, the sum over threads; share of what outermost regions have"],
		["self", format.measured(own, unit) + (isKnown(own) && whole ? " (" + format.share(own / whole) + " of it)" : ""), "without nested regions"],
		["a call", isKnown(whole) && calls ? format.measured(Math.round(whole / calls), unit) : NONE, "on average"],
	], "numbers");
}

function timeFacts(section, i) {
	const rows = section.data.rows, calls = rows.calls[i], own = rows.own_ns[i], time = rows.time_ns[i];
	const share = isKnown(rows.share[i]) ? " (" + format.share(rows.share[i]) + ")" : "";

	if (section.data.ranked >= 0)
		return rankFacts(section, i);
	return facts([
		["calls", format.exact(calls) + (isKnown(rows.all_calls[i]) ? " of " + format.exact(rows.all_calls[i]) : ""),
			isKnown(rows.all_calls[i]) ? "the others were counted by other groups" : "begin/end pairs that have ended"],
		["open", rows.open[i] ? format.exact(rows.open[i]) : "", "begins without an end so far"],
		["time", format.time(time) + (section.data.byCpu ? "" : share),
			"with nested regions, the sum over threads; share of all threads' measured time"],
		["CPU", isKnown(rows.cpu_ns[i]) && time ? format.time(rows.cpu_ns[i]) + (section.data.byCpu ? share : " (" + format.share(rows.cpu_ns[i] / time) + " of it)") : "",
			section.data.byCpu ? "on a processor; share of all threads' CPU time" : "on a processor"],
		["blocked", isKnown(rows.blocked_ns[i]) ? format.time(rows.blocked_ns[i]) : "", "asleep, or waiting for something"],
		["runnable", isKnown(rows.runnable_ns[i]) ? format.time(rows.runnable_ns[i]) : "", "waiting for a processor"],
		["self", format.time(rows.self_ns[i]) + (isKnown(rows.self_ns[i]) && time ? " (" + format.share(rows.self_ns[i] / time) + " of it)" : ""),
			"without nested regions"],
		["a call", isKnown(time) && calls ? format.time(time / calls) : NONE, "on average"],
		["shortest", format.time(rows.min_ns[i])],
		["longest", format.time(rows.max_ns[i])],
		["spread", format.time(rows.sd_ns[i]), "standard deviation of a call's time"],
		["overhead", isKnown(own) && time ? format.share(own / time) : "", "how much of the time was the library's own work; it is not taken out of times, but of counts"],
	], "numbers");
}

function teamFacts(team) {
	return team ? [make("h4", null, "All threads that worked for it"), facts([
		["threads", format.exact(team.n_threads), "most that were at it at the same time"],
		["time", isKnown(team.time_ns) ? format.time(team.time_ns) : "", "of all of them together"],
		["share", format.share(team.share)],
		["imbalance", isKnown(team.imbalance) || isKnown(team.time_ns) ? format.share(team.imbalance) : "", "how much longer than the mean the slowest was at work for it"],
		["efficiency", isKnown(team.efficiency) || isKnown(team.time_ns) ? format.share(team.efficiency) : "", "their time on a processor, of so many threads times the time of who opened it"],
	], "numbers")] : null;
}

function metricTable(section, i) {
	const rows = section.data.rows, team = rows.team && rows.team[i];

	if (!section.metrics.length)
		return null;
	return plainTable(team ? ["metric", "opener", "team", ""] : ["metric", "value", ""], section.metrics.map((metric, k) => [
		make("span", { title: metric.formula || false }, metric.name),
		format.value(rows.metrics[k][i]),
		...(team ? [format.value(team.metrics[k])] : []),
		metric.unit,
	]), "metrics");
}

/* @estimate: [value, margin]; null */
function estimateOf(estimate, unit) {
	if (!estimate || !isKnown(estimate[0]))
		return "";
	return "~" + format.measured(Math.round(estimate[0]), unit) +
		(isKnown(estimate[1]) ? " ± " + format.measured(Math.round(estimate[1]), unit) : " ± ?");
}

function countTable(section, i) {
	const rows = section.data.rows, team = rows.team && rows.team[i], calls = rows.calls[i];

	if (!section.counts.length)
		return null;
	const columns = [
		["count", (count) => make("span", { title: count.scope ? "counted for the whole " + count.scope : false },
			count.name, count.scope ? make("small", null, " (" + count.scope + ")") : null)],
		["total", (count, k) => cellOf(rows.net[k][i], count.unit)],
		["self", (count, k) => cellOf(rows.self[k][i], count.unit)],
		["a call", (count, k) => isKnown(rows.net[k][i]) && calls ? format.measured(Math.round(10 * rows.net[k][i] / calls) / 10, count.unit) : ""],
		team && ["team", (count, k) => cellOf(team.net[k], count.unit)],
		rows.least && ["least", (count, k) => cellOf(rows.least[k][i], count.unit)],
		rows.estimates && rows.estimates[i] && ["~ all calls", (count, k) => estimateOf(rows.estimates[i][k], count.unit)],
	].filter(Boolean);
	const missing = section.counts.some((_, k) => !isKnown(rows.net[k][i]));

	return [
		plainTable(columns.map(column => column[0]), section.counts.map((count, k) =>
			columns.map(column => column[1](count, k))), "counts"),
		missing ? make("p.note", null, "A blank is a count that is not known: it was not counted, or not all of it; it is not 0.") : null,
	];
}

function cellOf(value, unit) {
	return isKnown(value) ? make("span", { title: format.exact(value) }, format.measured(value, unit)) : "";
}

/* --- where in its code it was --- */

const FUNCTIONS_SHOWN = 20, LINES_SHOWN = 10; /* with a hundredth of the samples at least */

function lineName(line) {
	return (line.file ? line.file.replace(/^.*\/(?=.)/s, "") : "?") + (line.line ? ":" + line.line : "");
}

function shareBars(samples, list, name, about) {
	return drawBars(list.map(one => ({
		name: name(one), value: one.n, text: format.share(one.n / samples.n), about: about(one) + ": " + plural(one.n, "sample"),
	})), { whole: samples.n });
}

function linesOf(samples, functions) {
	const lines = functions.flatMap(one => (one.lines || []).map(line => ({ ...line, of: one.name })))
		.filter(line => line.n >= samples.n / 100).sort((a, b) => b.n - a.n).slice(0, LINES_SHOWN);

	return lines.length ? [make("h4", null, "On which lines"),
		shareBars(samples, lines, lineName, line => (line.file || "?") + ", " + line.of)] : null;
}

/* As an event's interrupt may be late: perf_event_open(2), precise_ip. */
const SKID = ["with skid", "constant skid", "precise", "precise"];

function sampledEach(samples) {
	if (samples.event)
		return ", one each " + format.exact(samples.period) + " " + samples.event + " (" + SKID[samples.precise] + ")";
	return samples.period_ns ? ", one each " + format.time(samples.period_ns) + " of CPU time" : "";
}

function sampleBars(book, section, i) {
	const samples = section.data.rows.samples && section.data.rows.samples[i];

	if (!samples || !samples.n)
		return null;
	const shown = samples.functions.filter(one => one.n >= samples.n / 100).slice(0, FUNCTIONS_SHOWN);
	const left = samples.functions.length - shown.length;

	return [
		make("h4", null, samples.event ? "Where its own " + samples.event + " were" : "Where its own time went"),
		make("p.note", null, "estimated: shares of " + plural(samples.n, "sample") + " of what it did by itself" +
			sampledEach(samples) +
			(left > 0 ? "; " + plural(left, "function") + " more" : "")),
		samples.n < 30 ? null : [shareBars(samples, shown, one => one.name, one => one.name + (one.object ? ", " + one.object : "")),
			linesOf(samples, shown)],
		annotationsOf(book, section, i),
	];
}

/* --- over threads, and over processes --- */

function threadBars(book, section, i) {
	const { start, thread, flags, calls, metrics } = section.data.threads, list = [];
	const threads = book.data.threads, value = rankCells(section.data, section.data.threads);
	const text = section.data.ranked >= 0 ? n => format.measured(isKnown(n) ? Math.round(n) : n, section.counts[section.data.ranked].unit) : format.time;

	for (let k = start[i]; k < start[i + 1]; k++) {
		const forOthers = flags[k].includes("team");

		if (thread[k] >= threads.length)
			continue;
		list.push({
			name: shortThreadName(book.data, threads[thread[k]]), value: value[k], text: text(value[k]),
			sign: forOthers ? "for others" : "",
			about: threadName(book.data, threads[thread[k]]) + ": " + plural(calls[k], "call") + section.metrics.slice(0, 4).map((metric, m) =>
				", " + metric.name + " " + format.value(metrics[m][k])).join(""),
		});
	}
	if (list.length < 2)
		return null;
	const known = list.filter(one => isKnown(one.value) && one.value > 0);
	const mean = known.reduce((sum, one) => sum + one.value, 0) / (known.length || 1);
	const most = known.reduce((a, b) => b.value > a.value ? b : a, known[0]);
	const shown = list.length > THREADS_SHOWN ? extremes(list) : list;
	/* which thread has more of them is chance */
	const some = Boolean(section.data.inTurns);

	if (most && known.length > 1 && !some)
		most.sign = [most.sign, "longest"].filter(Boolean).join(", ");
	return [
		make("h4", null, "Over threads"),
		make("p.note", null, plural(list.length, "thread") + ", " + text(mean) + " on average (the line); " +
			(some ? "of the calls that were measured" : "the longest " + format.share(most && mean ? most.value / mean - 1 : null) + " more") +
			(shown.length < list.length ? "; the " + THREADS_SHOWN / 2 + " longest and shortest are shown" : "")),
		drawBars(shown, { mean }),
	];
}

function extremes(list) {
	const sorted = [...list].sort((a, b) => (b.value || 0) - (a.value || 0));

	return [...sorted.slice(0, THREADS_SHOWN / 2), ...sorted.slice(-THREADS_SHOWN / 2)];
}

/* What of each rank, or process, there is no row: least, mean and most. */
function overTable(book, section, i) {
	const over = section.data.over && section.data.over[i], of = over && (over.over_ranks || over.over_parts);

	if (!of)
		return null;
	const ranked = Boolean(over.over_ranks), word = ranked ? "rank" : "process";
	const who = (spread, which) => ranked ? "rank " + spread[which + "_rank"] :
		(book.data.parts[spread[which + "_part"]] || { label: "" }).label;
	const line = (name, spread, unit) => spread ? [name,
		[format.measured(spread.min, unit), make("small", null, " ", who(spread, "min"))],
		format.measured(Math.round(spread.mean), unit),
		[format.measured(spread.max, unit), make("small", null, " ", who(spread, "max"))],
		format.share(spread.imbalance)] : null;
	const rows = [line("time", of.time_ns, "ns"), ranked ? line("self", of.self_ns, "ns") : null,
		...section.counts.map(count => line(count.name, of.net[count.name], count.unit))].filter(Boolean);

	return rows.length ? [make("h4", null, ranked ? "Over ranks" : "Over processes"),
		plainTable([word === "rank" ? "of a rank" : "of a process", "least", "mean", "most", "imbalance"], rows)] : null;
}

/* --- how long calls were --- */

function callTimes(section, i) {
	const rows = section.data.rows, buckets = rows.histogram && rows.histogram[i];

	if (!buckets || !buckets.length || rows.calls[i] < 2)
		return null;
	const percentiles = ["p50", "p90", "p99", "p99.9"].map((name, k) => [name, rows.percentiles[k][i]]);

	return [
		make("h4", null, "How long its calls were"),
		drawHistogram(buckets, percentiles.slice(0, 3)),
		facts(percentiles.map(([name, ns]) => [name, format.time(ns), "so many of a hundred calls did not take longer"]), "numbers"),
	];
}

/* --- roofline --- */

function roofFacts(book, path) {
	const roofline = book.data.roofline;
	const row = roofline && roofline.rows.find(one => book.data.sections[one.section].rows.path[one.row] === path);

	return row ? [make("h4", null, "Roofline"), facts([
		["computes", fixed(row.flop_rate / 1e9, 2) + " GFLOP/s", "of all its threads together"],
		["moves", isKnown(row.byte_rate) ? fixed(row.byte_rate / 1e9, 2) + " GB/s" : ""],
		["intensity", Number(row.intensity.toPrecision(3)) + " FLOP/byte"],
		["bound by", row.bound ? row.bound + ", " + format.share(row.reached) + " reached" : "", "of what that allows"],
	], "numbers")] : null;
}

/* --- a region --- */

function flagRemarks(flags) {
	return marksOf(flags).map(flag => make("p.remark", null, make("b", null, "△ " + FLAGS[flag][0] + ": "), FLAGS[flag][1] + "."));
}

function doubtRemarks(book, path) {
	return book.doubts.filter(doubt => doubt.region && doubt.region === lastNames(path, 8)).map(doubt =>
		make("p.remark.doubt", null, make("b", null, "? doubt: "), doubt.text, isKnown(doubt.thread) ? ", thread " + doubt.thread : "",
			isKnown(doubt.count) ? " (" + format.exact(doubt.count) + " times)" : ""));
}

function crumbs(path) {
	return make("p.path", null, namesOf(path).map((name, i) => [i ? make("span.slash", null, " / ") : null, named(name.replace(/\\(.)/gs, "$1"))]));
}

/* Of the first group all; of others what they have counted, and of how many calls. */
function groupDetail(book, section, i, first, several) {
	const rows = section.data.rows, isTree = book.data.topdown && book.data.topdown.of[section.index];

	return make("section.group", null,
		first ? [timeFacts(section, i), teamFacts(rows.team && rows.team[i]), drawTopdownSection(book, rows.path[i]),
			roofFacts(book, rows.path[i])] : null,
		several ? make("h3", null, "group ", named(section.group), first ? null :
			make("small", null, ", " + plural(rows.calls[i], "call") + (isKnown(rows.time_ns[i]) ? ", " + format.time(rows.time_ns[i]) : ""))) : null,
		sampleBars(book, section, i),
		/* the tree has them */
		isTree ? null : metricTable(section, i), countTable(section, i), overTable(book, section, i),
		first ? [threadBars(book, section, i), callTimes(section, i)] : null);
}

function entityFacts(book, view, node) {
	const view_ = view.id, entity = view.entity[node];

	if (view_ === "parts") {
		const part = book.data.parts[entity];

		return facts([["program", part.program], ["command", part.command], ["host", part.host],
			["process", isKnown(part.pid) ? String(part.pid) : ""], ["rank", isKnown(part.rank) ? String(part.rank) : ""],
			["took", format.time(part.duration_ns)], ["died", part.died]], "numbers");
	}
	if (view_ === "sockets")
		return facts([["time", format.time(book.data.sockets[entity].time_ns)]], "numbers");
	const thread = book.data.threads[entity];

	return facts([
		["name", thread.name], ["number in the system", isKnown(thread.tid) ? String(thread.tid) : ""],
		["CPU", isKnown(thread.cpu) ? String(thread.cpu) : "", "that it was pinned to"],
		["measured", isKnown(thread.time_ns) ? format.time(thread.time_ns) : "", "from its first region to its end, or this report"],
		["on a CPU", isKnown(thread.cpu_ns) ? format.time(thread.cpu_ns) + (thread.time_ns ?
			" (" + format.share(thread.cpu_ns / thread.time_ns) + ")" : "") : "", "the rest it waited"],
		["page faults", isKnown(thread.minor_faults) ? format.exact(thread.minor_faults) + " minor, " + format.exact(thread.major_faults) + " major" : ""],
		["switches", isKnown(thread.voluntary_switches) ? format.exact(thread.voluntary_switches) + " voluntary, " +
			format.exact(thread.involuntary_switches) + " not" : "", "voluntary: it waited; not: another one was let run"],
		["ended", thread.finished ? "yes" : "not before the report"],
	], "numbers");
}

/* What an entity's own row at a region has: of the columns that the view has. */
function entityNumbers(section, view, node) {
	return facts(section.columns.filter(column => view.cells[column.id] && isKnown(view.cells[column.id][node])).map(column =>
		[column.title + (column.unit ? " [" + column.unit + "]" : ""), column.text(view.cells[column.id][node]), column.about]), "numbers.wider");
}

function reportDetail(book, section, view, node) {
	const i = view.row[node];

	if (i < 0)
		return [make("h2", null, named(view.name[node])), entityFacts(book, view, node)];
	const rows = section.data.rows, found = rowsOfPath(book, rows.path[i], rows.flags[i].includes("flat"));
	const entity = view.entity ? view.entity[node] : -1;

	return [
		make("h2", null, named(rows.name[i])),
		rows.parent[i] !== null ? crumbs(rows.path[i]) : null,
		doubtRemarks(book, rows.path[i]), flagRemarks(rows.flags[i]),
		entity >= 0 ? [make("h3", null, "in ", named(view.name[rootOf(view, node)])), entityNumbers(section, view, node),
			make("h3", null, "in all")] : null,
		/* the group that is looked at first */
		[...found].sort((a, b) => (b[0] === section) - (a[0] === section)).map(([one, k], at) =>
			groupDetail(book, one, k, at === 0, book.sections.length > 1)),
	];
}

function drawTopdownSection(book, path) {
	const tree = drawTopdown(book.data, path);

	return tree ? [make("h4", null, "Where the slots of the pipeline went"), tree] : null;
}

function rootOf(view, node) {
	let at = node;

	while (view.parent[at] >= 0)
		at = view.parent[at];
	return at;
}
