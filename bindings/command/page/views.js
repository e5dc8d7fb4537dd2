/* SPDX-License-Identifier: BSD-3-Clause */
/* What can stand in the table's rows: regions; threads, sockets or processes with the regions each was in. */

/* What rows are ordered by: time; of a simulation, whose times are not the program's, a count. */
function rankId(section) {
	return section.ranked >= 0 ? "net." + section.ranked : section.byCpu ? "cpu_ns" : "time_ns";
}

function rankSelfId(section) {
	return section.ranked >= 0 ? "self." + section.ranked : section.byCpu ? "self_cpu_ns" : "self_ns";
}

/* Of rows, or of threads' rows. */
function rankCells(section, rows) {
	return section.ranked >= 0 ? rows.net[section.ranked] : rows.time_ns;
}

function matrixCells(cells, name, matrix) {
	(matrix || []).forEach((column, k) => { cells[name + "." + k] = column; });
}

/* How the threads' rows from @from to @to differ: largest over mean, less 1.  Those of a thread are neighbours. */
function spreadOfThreads(section, from, to) {
	const { time_ns, flags, thread } = section.threads;
	let n = 0, sum = 0, most = 0, own = 0, before = -1;

	for (let k = from; k < to; k++) {
		if (thread[k] >= section.nThreads || (flags[k].length && flags[k].includes("team")))
			continue;
		if (time_ns[k] === null)
			return null;
		own = (thread[k] === before ? own : 0) + time_ns[k];
		n += thread[k] !== before;
		before = thread[k];
		sum += time_ns[k];
		most = Math.max(most, own);
	}
	return n > 1 && sum > 0 ? most * n / sum - 1 : null;
}

/*
 * Of its threads; of a team what the library has made of it; of a job how its ranks differ.  Of a group
 * that takes turns nobody knows: one thread had more of the calls that were measured by chance.
 */
function imbalances(section) {
	const start = section.threads.start;

	return section.rows.name.map((_, i) => {
		const over = section.over && section.over[i] && section.over[i].over_ranks;

		if (section.rows.team && section.rows.team[i])
			return section.rows.team[i].imbalance;
		if (over && over.time_ns)
			return over.time_ns.imbalance;
		return section.inTurns ? null : spreadOfThreads(section, start[i], start[i + 1]);
	});
}

function regionView(section) {
	const rows = section.rows, cells = {};

	for (const name of ["calls", "all_calls", "time_ns", "cpu_ns", "blocked_ns", "runnable_ns", "self_ns", "self_cpu_ns", "min_ns", "max_ns", "sd_ns", "share", "open", "n_threads"])
		cells[name] = rows[name];
	if (rows.team)
		cells.n_threads = rows.n_threads.map((n, i) => rows.team[i] && isKnown(rows.team[i].n_threads) ? rows.team[i].n_threads : n);
	cells.mean_ns = meanOf(rows.time_ns, rows.calls);
	cells.imbalance = imbalances(section);
	matrixCells(cells, "net", rows.net);
	matrixCells(cells, "self", rows.self);
	matrixCells(cells, "metric", rows.metrics);
	matrixCells(cells, "least", rows.least);
	(rows.percentiles || []).forEach((column, k) => { cells[["p50", "p90", "p99", "p99.9"][k]] = column; });
	if (rows.estimates)
		rows.net.forEach((_, k) => { cells["estimate." + k] = rows.estimates.map(of => of && of[k][0]); });
	return {
		n: rows.n, name: rows.name, path: i => rows.path[i], sorted: rankId(section), parent: rows.parent.map(parent => parent === null ? -1 : parent),
		row: rows.name.map((_, i) => i), entity: null, flags: rows.flags, cells,
	};
}

/*
 * Functions of a row's samples as frames: below what called them, where that is known, else right below the region.
 * @take: (name, the frame around: -1 the region, samples): the frame
 */
function functionFrames(samples, take) {
	const frames = [];

	if (!samples.callers) {
		samples.functions.forEach(one => take(one.name, -1, one.n));
		return;
	}
	for (const [caller, at, n] of samples.callers.calls)
		frames.push(take(samples.callers.functions[at].name, caller ? frames[caller - 1] : -1, n));
}

/*
 * Regions, and nested in each the functions in which samples saw it by itself.  A function is of its region's
 * row; frames of it are all that it has.
 * @view: regionView()'s
 */
function functionView(section, view) {
	const rows = section.rows, samples = view.row.map(() => 0);
	const names = [...view.name], parent = [...view.parent], row = [...view.row];

	rows.samples.forEach((of, i) => of && functionFrames(of, (name, around, n) => {
		parent.push(around < 0 ? i : around);
		row.push(i);
		samples.push(n);
		return names.push(name) - 1;
	}));
	for (let i = names.length - 1; i >= 0; i--)
		if (parent[i] >= 0)
			samples[parent[i]] += samples[i];
	return {
		n: names.length, name: names, parent, row, functionsFrom: rows.n, called: rows.samples.some(of => of && of.callers), entity: null, sorted: "samples", cells: { samples },
		path: i => i < rows.n ? rows.path[i] : rows.path[row[i]] + ": " + stackOf(names, parent, i, rows.n),
	};
}

/* The functions that are around one, it the last: of many the innermost few. */
function stackOf(names, parent, i, functionsFrom) {
	const stack = [];

	for (let at = i; at >= functionsFrom; at = parent[at])
		stack.unshift(names[at]);
	return (stack.length > 8 ? ["…", ...stack.slice(-8)] : stack).join(" › ");
}

/* --- by entity: an entity's own row, and below it the regions it was in --- */

/* Rows of threads that are told apart: lists of [row of sums, index into section.threads], by entity. */
function rowsByEntity(section, n, entityOf) {
	const { start, thread } = section.threads, lists = Array.from({ length: n }, () => []);

	for (let i = 0; i < section.rows.n; i++)
		for (let k = start[i]; k < start[i + 1]; k++) {
			const entity = entityOf(thread[k]);

			if (entity >= 0)
				lists[entity].push([i, k]);
		}
	return lists;
}

/* null where any of both is */
function plus(a, b) {
	return a === null || a === undefined || b === null || b === undefined ? null : a + b;
}

function entityColumns(section) {
	const columns = { calls: section.threads.calls, time_ns: section.threads.time_ns, self_ns: section.threads.self_ns };

	section.threads.net.forEach((column, k) => { columns["net." + k] = column; });
	return columns;
}

/*
 * @entities: [{name, time_ns}]; @entityOf: of an index of threads and sockets, -1 none.
 * Several rows of an entity at the same region are added up; their metrics are of no use then.  What a thread
 * did for a region that another one had open is in no sum, and stands by itself; of several threads
 * (@together) it is left out.
 */
function entityView(section, entities, entityOf, together) {
	const view = { n: 0, name: [], parent: [], row: [], entity: [], flags: [], cells: {} };
	const columns = entityColumns(section), metrics = section.threads.metrics;
	const cells = view.cells, nodes = [new Int32Array(section.rows.n), new Int32Array(section.rows.n)]; /* own, for others */

	for (const id of [...Object.keys(columns), "share", "mean_ns", ...metrics.map((_, k) => "metric." + k)])
		cells[id] = [];

	function add(name, parent, row, entity, flags) {
		view.name.push(name);
		view.parent.push(parent);
		view.row.push(row);
		view.entity.push(entity);
		view.flags.push(flags);
		for (const id in cells)
			cells[id].push(null);
		return view.n++;
	}

	rowsByEntity(section, entities.length, entityOf).forEach((list, entity) => {
		const root = add(entities[entity].name, -1, -1, entity, []);
		if (section.ranked < 0)
			cells.time_ns[root] = entities[entity].time_ns;
		nodes.forEach(last => last.fill(-1));
		for (const [i, k] of list) {
			const parent = section.rows.parent[i], flags = section.threads.flags[k];
			const forOthers = flags.length > 0 && flags.includes("team") ? 1 : 0, last = nodes[forOthers];
			let node = last[i];

			if (forOthers && together)
				continue;
			const around = parent === null ? -1 : last[parent] >= 0 ? last[parent] : nodes[1 - forOthers][parent];

			/* a row that only stands around others: there is nothing to be known */
			const empty = forOthers && !section.threads.calls[k] && !rankCells(section, section.threads)[k];

			if (node < 0) {
				node = last[i] = add(section.rows.name[i], around >= 0 ? around : root, i, entity, flags);
				for (const id in columns)
					cells[id][node] = empty ? null : columns[id][k];
				metrics.forEach((column, m) => { cells["metric." + m][node] = column[k]; });
			} else {
				for (const id in columns)
					cells[id][node] = plus(cells[id][node], columns[id][k]);
				metrics.forEach((_, m) => { cells["metric." + m][node] = null; });
			}
			const whole = entities[entity].time_ns;

			cells.share[node] = whole && cells.time_ns[node] !== null ? cells.time_ns[node] / whole : null;
			cells.mean_ns[node] = cells.calls[node] && cells.time_ns[node] !== null ? cells.time_ns[node] / cells.calls[node] : null;
		}
	});
	view.sorted = "order"; /* as it stands: longest first */
	view.path = i => entities[view.entity[i]].name + (view.row[i] < 0 ? "" : ": " + section.rows.path[view.row[i]]);
	return view;
}

/* --- who they are --- */

function threadName(data, thread) {
	const part = data.parts && data.parts[thread.part], names = [];

	if (part)
		names.push(part.label);
	names.push(thread.merged ? plural(thread.merged, "thread") + " together" : "thread " + thread.thread);
	if (thread.name)
		names.push(thread.name);
	if (isKnown(thread.cpu))
		names.push("CPU " + thread.cpu + (thread.core_type ? " (" + thread.core_type + ")" : ""));
	return names.join(" · ");
}

function shortThreadName(data, thread) {
	const part = data.parts && data.parts[thread.part];

	return (part ? part.label + ", " : "") + (thread.merged ? plural(thread.merged, "thread") : "thread " + thread.thread);
}

function socketName(data, socket) {
	const part = data.parts && data.parts[socket.part];

	return (part ? part.label + " · " : "") + (socket.socket === "process" ? "the whole process" :
		isKnown(socket.socket) ? "socket " + socket.socket : "socket unknown");
}

/* Its threads' time: that of the process would hide how many they are. */
function partsOf(data) {
	const time = data.parts.map(() => 0);

	for (const thread of data.threads)
		time[thread.part] += thread.time_ns;
	return data.parts.map((part, i) => ({ name: part.label || part.program, time_ns: time[i] }));
}

function reportViews(data, section) {
	const n = data.threads.length, sockets = data.sockets || [];
	const ranked = data.parts && data.parts.every(part => isKnown(part.rank));

	section.nThreads = n;
	const views = [{ id: "regions", title: "regions", make: () => regionView(section) }];

	if (n && section.threads.thread.length)
		views.push({
			id: "threads", title: "threads", make: () => entityView(section,
				data.threads.map(thread => ({ name: threadName(data, thread), time_ns: thread.time_ns })),
				index => index < n ? index : -1),
		});
	if (data.parts)
		views.push({
			id: "parts", title: ranked ? "ranks" : "processes", make: () => entityView(section, partsOf(data),
				index => index < n ? data.threads[index].part : -1, true),
		});
	if (sockets.length)
		views.push({
			id: "sockets", title: "sockets", make: () => entityView(section,
				sockets.map(socket => ({ name: socketName(data, socket), time_ns: socket.time_ns })),
				index => index >= n ? index - n : -1),
		});
	return views;
}
