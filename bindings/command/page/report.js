/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a report (bindings/command/page/sections.c) has to show.  A book is what all kinds of data become:
 *
 *   kind, title, command, facts, remarks, doubts     the head
 *   sections     [{group, columns, views, ...}]      one for each group of counts
 *     columns    [{id, title, unit, about, text(value, largest, view, node), bar, shown}]
 *     views      [{id, title, make()}]               what can stand in the rows of the table
 *
 * A view is made when it is looked at: {n, name[n], parent[n] (-1 none), row[n] (of the section's sums, -1
 * none), entity[n] (index of a thread or process, or -1), cells: {column id: [n]}}.  A parent stands before
 * what is in it.  null is not known.
 */

const FLAGS = {
	overlap: ["overlap", "ended after the region around it: its own part cannot be told"],
	recursive: ["recursive", "was entered while it was open: shortest and longest are of outermost calls"],
	direct: ["", "and never by way of another region"],
	flat: ["by name", "beyond the limit of regions: kept by its name, without the regions around it"],
	no_self: ["no self", "what is its own, without nested regions, cannot be known"],
	open: ["open", "had begun, but not ended"],
	interrupted: ["interrupts", "interrupts came in it: instructions may be too high by as many"],
	short: ["short", "calls are so short that more than a tenth of them was the library's own work"],
	team: ["for others", "work for a region that another thread had open"],
	program: ["program", "stands around the regions of a program's processes"],
};

/* Words that stand behind a name in the table; the sign tells them without colour. */
function marksOf(flags) {
	return flags.filter(flag => FLAGS[flag] && FLAGS[flag][0] && !(flag === "no_self" && flags.includes("program")));
}

function meanOf(times, calls) {
	return times.map((time, i) => time === null || !calls[i] ? null : time / calls[i]);
}

/* --- columns --- */

function timeColumn(id, title, about, shown) {
	return { id, title, unit: "", about, shown, text: value => format.time(value) };
}

function countColumn(id, title, unit, about, shown) {
	return { id, title, unit: unit === "ns" || unit === "uJ" ? "" : unit, about, shown,
		text: (value, largest) => format.measured(value, unit, largest) };
}

function valueColumn(id, title, unit, about, shown) {
	return { id, title, unit, about, shown, text: value => format.value(value) };
}

function shareColumn(id, title, about, shown) {
	return { id, title, unit: "", about, shown, bar: true, text: value => format.share(value) };
}

/* A count of some of the calls, and what it tells of all of them. */
function estimateColumn(k, count) {
	return {
		id: "estimate." + k, title: "~" + count.name, unit: count.unit === "ns" || count.unit === "uJ" ? "" : count.unit,
		about: "an estimate for all calls, from those that were measured in this group; ± holds the true value in 95 of 100 cases",
		shown: k < 4,
		text: (value, largest) => isKnown(value) ? "~" + format.measured(Math.round(value), count.unit, largest) : NONE,
	};
}

const COUNTS_SHOWN = 5;
const METRICS_SHOWN = 6;

function scopeOf(count) {
	return count.scope ? "; counted for the whole " + count.scope : "";
}

function rankColumns(group, k) {
	const { name, unit } = group.counts[k];

	return [countColumn("net." + k, name, unit, "with nested regions; the sum over threads", true),
		shareColumn("share", name === "instructions" ? "% instr." : "share", "of what outermost regions have", true),
		countColumn("self." + k, name + ", self", unit, "without nested regions", true)];
}

function columnsOf(data, group, section) {
	const rows = section.rows, threaded = data.threads.length > 1 || data.parts || data.over_ranks;

	const ranked = section.ranked >= 0 ? rankColumns(group, section.ranked) : [], isRanked = new Set(ranked.map(column => column.id));
	const columns = [
		timeColumn("time_ns", "time", "with nested regions; the sum over threads", true),
		...(rows.cpu_ns.some(isKnown) ? [
			timeColumn("cpu_ns", "CPU", "of the time, on a processor", true),
			timeColumn("blocked_ns", "blocked", "of the time, off it: asleep, or waiting for something", false),
			timeColumn("runnable_ns", "runnable", "of the time, off it: waiting for a processor", false)] : []),
		section.byCpu ? shareColumn("share", "% CPU", "of all threads' CPU time", true) :
			shareColumn("share", "% time", "of all threads' measured time", true),
		timeColumn("self_ns", "self", "time without nested regions", !section.byCpu),
		timeColumn("self_cpu_ns", "self CPU", "of that, on a processor", section.byCpu),
		countColumn("calls", "calls", "", "begin/end pairs that have ended", true),
		rows.all_calls.some(calls => calls !== null) &&
			countColumn("all_calls", "all calls", "", "also those that other groups have counted", false),
		timeColumn("mean_ns", "a call", "time of a call on average", true),
		timeColumn("min_ns", "shortest", "of the calls", false),
		timeColumn("max_ns", "longest", "of the calls", false),
		timeColumn("sd_ns", "spread", "standard deviation of a call's time", false),
		...(rows.percentiles ? ["p50", "p90", "p99", "p99.9"].map(name =>
			timeColumn(name, name, "so many of a hundred calls did not take longer; right to 8 percent", false)) : []),
		...group.metrics.map((metric, k) => valueColumn("metric." + k, metric.name, metric.unit,
			metric.formula || "", k < METRICS_SHOWN)),
		threaded && countColumn("n_threads", "threads", "", "that were in it, or worked for it at the same time", true),
		threaded && !section.inTurns && shareColumn("imbalance", "imbalance",
			"how much longer than the mean the longest thread was in it; of a job of ranks, the longest rank", true),
		...(rows.estimates ? group.counts.map((count, k) => estimateColumn(k, count)) : []),
		...group.counts.map((count, k) => countColumn("net." + k, count.name, count.unit,
			"without the library's own cost" + scopeOf(count), k < COUNTS_SHOWN)),
		...group.counts.map((count, k) => countColumn("self." + k, count.name + ", self", count.unit,
			"without nested regions" + scopeOf(count), false)),
		...(rows.least ? group.counts.map((count, k) => countColumn("least." + k, count.name + ", least", count.unit,
			"the least that any call counted", k === 0)) : []),
		countColumn("open", "open", "", "begins without an end so far", false),
	];

	return [...ranked, ...columns.filter(column => column && !isRanked.has(column.id))];
}

/* --- the head --- */

function sourceOf(data) {
	return data.source.name + (data.source.detail ? ", " + data.source.detail : "");
}

function endOf(run) {
	if (!run)
		return "";
	return (isKnown(run.signal) ? "killed by signal " + run.signal :
		run.status ? "exit status " + run.status : "exit status 0");
}

/* A source whose times are not the program's. */
function isSimulated(source) {
	return source === "valgrind";
}

function reportFacts(data) {
	const run = data.run, simulated = isSimulated(data.source.name);

	return [
		["machine", data.machine.description, data.machine.cpu],
		["counts from", sourceOf(data), "what made the counts"],
		["groups", data.groups.map(group => group.name).join(", ")],
		[data.attached ? "watched" : "took", (run ? format.time(run.elapsed_ns) : format.time(data.duration_ns)) + (simulated ? " under valgrind, which is not the program's time" : ""),
			run ? "from start to end of the command" : data.attached ? "by pmu attach, while it ran" : "from the library's start to its end"],
		["CPU time", run && !simulated ? format.time(run.user_ns) + " user, " + format.time(run.system_ns) + " system" : ""],
		["peak memory", run && run.max_rss_bytes ? format.bytes(run.max_rss_bytes) : "", "of the largest process"],
		["ended", endOf(run)],
		["began", format.date(data.start_unix_ns)],
		["host", data.host],
		["process", data.parts ? plural(data.parts.length, "process") : data.pid ? String(data.pid) : ""],
		["rank", isKnown(data.rank) ? data.rank + (isKnown(data.ranks) ? " of " + data.ranks : "") : ""],
		["ranks", data.over_ranks ? String(data.over_ranks.ranks) : ""],
		[data.attached && data.pid === 0 ? "processors" : "threads", data.threads.length && !(data.over_ranks && !data.parts) ? format.exact(data.threads.length) : ""],
		["pinning", data.pinning],
		["clock", simulated ? "" : data.clock.name + (isKnown(data.clock.hz) ? ", " + fixed(data.clock.hz / 1e9, 3) + " GHz" : "")],
		["libpmu", data.version],
	];
}

/* What is missing and why: sources that were not used, in front of what the report has to add. */
function refusedRemarks(refused) {
	const sources = new Map();

	for (const one of refused) {
		const text = one.why + (one.mend ? " — " + one.mend : "");

		sources.set(text, [...sources.get(text) || [], one.source]);
	}
	return [...sources].map(([text, names]) => ({
		sign: "missing", text: names.join(", ") + (names.length > 1 ? " were" : " was") + " not used: " + text,
	}));
}

function reportRemarks(data) {
	const died = data.died ? [{ sign: "died", text: data.died }] : [];

	for (const part of data.parts || [])
		if (part.died)
			died.push({ sign: "died", text: part.label + ": " + part.died });
	return [...died, ...refusedRemarks(data.refused), ...data.notes.map(text => ({ sign: "note", text }))];
}

/* "path" of a doubt is the last 8 names of it */
function doubtsByRow(doubts, rows) {
	const found = new Map(), wanted = new Set(doubts.map(doubt => doubt.region).filter(Boolean));

	for (let i = 0; wanted.size && i < rows.n; i++)
		if (wanted.has(lastNames(rows.path[i], 8))) {
			const key = lastNames(rows.path[i], 8);

			found.set(i, doubts.filter(doubt => doubt.region === key));
		}
	return found;
}

/* Names of a path are joined by '/'; one that is part of a name has a '\' before it. */
function namesOf(path) {
	return path.match(/(?:\\.|[^/\\])*(?=\/|$)|\//gs).filter((name, i, all) => name !== "/" && (name || all.length < 2));
}

function lastNames(path, most) {
	let at = path.length;

	for (let n = 0; n < most && at > 0; n++) {
		at = path.lastIndexOf("/", at - 1);
		while (at > 0 && path[at - 1] === "\\")
			at = path.lastIndexOf("/", at - 1);
		if (at < 0)
			return path;
	}
	return path.slice(at + 1);
}

function whereOf(data, doubt) {
	const where = [];

	if (doubt.region)
		where.push(doubt.region);
	if (isKnown(doubt.part))
		where.push(data.parts[doubt.part] ? data.parts[doubt.part].label : "process " + doubt.part);
	if (doubt.parts)
		where.push(doubt.parts.map(part => data.parts[part] ? data.parts[part].label : part).join(", "));
	if (isKnown(doubt.thread))
		where.push("thread " + doubt.thread);
	return where.join(", ");
}

/* --- all of it --- */

function reportSection(data, section, index) {
	const rows = section.rows, group = data.groups[index];

	section.inTurns = Boolean(group.in_turns);
	section.byCpu = group.share_of === "cpu_ns";
	/* the count that stands in the place of time; -1: time does */
	section.ranked = group.counts.findIndex(count => count.name === group.share_of);
	rows.name.forEach((name, i) => { rows.name[i] = name || "(no name)"; });
	return {
		group: section.group, index, data: section, counts: group.counts, metrics: group.metrics, readNs: group.read_ns,
		columns: columnsOf(data, group, section),
		views: reportViews(data, section),
		doubts: doubtsByRow(data.doubts, rows),
	};
}

function reportBook(data) {
	return {
		kind: "report",
		data,
		title: data.program || "several programs",
		command: data.command,
		facts: reportFacts(data),
		remarks: reportRemarks(data),
		doubts: data.doubts.map(doubt => ({
			text: doubt.text, where: whereOf(data, doubt), region: doubt.region, count: doubt.count, thread: doubt.thread,
		})),
		sections: data.sections.map((section, index) => reportSection(data, section, index)),
	};
}
