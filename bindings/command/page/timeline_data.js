/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the timeline shows (bindings/command/page/timeline.c has the format): regions, and for each thread
 * tracks of calls that do not overlap, in the order of their begins.  What is narrower than a pixel is drawn
 * together; prefix sums tell what is in it, so that a frame costs as much as it has pixels, not calls.
 */

const SLICE_PART = 1, SLICE_OPEN = 2, SLICE_BESIDE = 4, SLICE_AGAIN = 8, SLICE_COUNTS = 16, SLICE_FLAGS = 32;

/* Numbers of any size, 7 bits a byte, the lowest first; 0 behind the last. */
class Varints {
	constructor(base64) {
		const text = atob(base64 || "");

		this.bytes = new Uint8Array(text.length);
		this.at = 0;
		for (let i = 0; i < text.length; i++)
			this.bytes[i] = text.charCodeAt(i);
	}

	next() {
		const { bytes } = this;
		let byte = bytes[this.at++], value = byte & 127;

		for (let unit = 128; byte & 128; unit *= 128) {
			byte = bytes[this.at++];
			value += (byte & 127) * unit;
		}
		return value;
	}
}

/* --- search --- */

/* The first of the ascending @list from @from on that is more than @value; galloping: mostly it is near. */
function firstAbove(list, value, from, until) {
	let low = from, step = 1;

	while (low + step < until && list[low + step] <= value) {
		low += step;
		step *= 2;
	}
	for (let high = Math.min(low + step, until); low < high;) {
		const middle = (low + high) >> 1;

		if (list[middle] <= value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* --- a track --- */

class Track {
	constructor(n) {
		this.n = 0;
		this.begin = new Float64Array(n); /* ns since the timeline's begin */
		this.end = new Float64Array(n);
		this.covered = new Float64Array(n + 1); /* the lengths of all before it */
		this.region = new Uint32Array(n);
		this.slice = new Uint32Array(n); /* index in its thread */
		this.marked = [null, null]; /* [which][n + 1] how many before it are marked */
	}

	add(begin, end, region, slice) {
		const i = this.n++;

		this.begin[i] = begin;
		this.end[i] = end;
		this.covered[i + 1] = this.covered[i] + end - begin;
		this.region[i] = region;
		this.slice[i] = slice;
	}

	/* @wanted: [regions] 1 or 0; null: none is marked */
	mark(which, wanted) {
		if (!wanted) {
			this.marked[which] = null;
			return;
		}
		const marked = this.marked[which] = this.marked[which] || new Uint32Array(this.n + 1);

		for (let i = 0; i < this.n; i++)
			marked[i + 1] = marked[i] + wanted[this.region[i]];
	}

	nMarked(which, i, j) {
		return this.marked[which] ? this.marked[which][j] - this.marked[which][i] : 0;
	}

	/*
	 * each() - what is to be drawn from time @from on, from left to right
	 * @scale: pixels a nanosecond
	 * @put: (left, right, i, j, part): calls i to j - 1; part: how much of the pixels they cover
	 */
	each(from, scale, width, put) {
		const { begin, end, covered, n } = this;

		for (let i = firstAbove(end, from, 0, n), j; i < n; i = j) {
			const left = (begin[i] - from) * scale;

			if (left >= width)
				break;
			j = i + 1;
			if ((end[i] - begin[i]) * scale >= 1) {
				put(Math.max(left, -2), Math.min((end[i] - from) * scale, width + 2), i, j, 1);
				continue;
			}
			const pixel = Math.max(0, Math.floor(left));

			j = Math.max(j, firstAbove(begin, from + (pixel + 1) / scale, i, n));
			if (j > i + 1 && (end[j - 1] - begin[j - 1]) * scale >= 1)
				j--; /* the last one reaches further */
			put(pixel, pixel + 1, i, j, Math.min(1, (covered[j] - covered[i]) * scale));
		}
	}

	/* Of a part of a call: is more behind it than a thousandth?  At a program's end less than that is. */
	isCut(i) {
		const { begin, end, region, n } = this;
		let last = i;

		while (last + 1 < n && region[last + 1] === region[i] && begin[last + 1] === end[last])
			last++;
		return last === i || end[last] - end[i] > 0.001 * (end[last] - begin[i]);
	}

	/* Calls that overlap a time, as [first, behind the last]. */
	at(from, until) {
		const i = firstAbove(this.end, from, 0, this.n), j = Math.max(i, firstAbove(this.begin, until, i, this.n));

		return [i, j];
	}

	/* The one that is nearest to a time; -1: there is none. */
	nearest(time) {
		const i = firstAbove(this.end, time, 0, this.n);

		if (i >= this.n || (i > 0 && time - this.end[i - 1] < this.begin[i] - time))
			return i - 1;
		return i;
	}

	longest(i, j) {
		let best = i;

		for (let k = i + 1; k < j; k++)
			if (this.end[k] - this.begin[k] > this.end[best] - this.begin[best])
				best = k;
		return best;
	}
}

/* --- regions --- */

/* Of all threads and processes, those of the same path once. */
class TimelineRegions {
	constructor() {
		this.name = [];
		this.path = [];
		this.parent = [];
		this.index = new Map();
	}

	add(parent, name) {
		const key = parent + "\n" + name;
		let i = this.index.get(key);

		if (i === undefined) {
			i = this.name.length;
			this.index.set(key, i);
			this.name.push(name);
			this.parent.push(parent);
			this.path.push((parent < 0 ? "" : this.path[parent] + "/") + name.replace(/[\\/]/g, "\\$&"));
		}
		return i;
	}

	/* Paths as the report has them, of which the longest are cut. */
	findIn(sections) {
		for (const { data: { rows } } of sections) {
			const index = new Map(), of = [];

			for (let i = 0; i < rows.n; i++) {
				const key = (rows.parent[i] === null ? -1 : rows.parent[i]) + "\n" + rows.name[i];

				if (!index.has(key))
					index.set(key, i);
			}
			for (let i = 0; i < this.name.length; i++) {
				const parent = this.parent[i], around = parent < 0 ? -1 : of[parent];

				of[i] = around === undefined ? undefined : index.get(around + "\n" + this.name[i]);
				if (of[i] !== undefined)
					this.path[i] = rows.path[of[i]];
			}
		}
	}
}

/* --- a thread --- */

class Lane {
	/* @inProgram: regions stand below their programs */
	constructor(process, thread, regions, inProgram) {
		this.process = process;
		this.thread = thread;
		this.folded = false;
		this.rows = []; /* {region, group, forOthers} */
		this.readRows(regions, inProgram ? regions.add(-1, process.program) : -1);
		this.readSlices();
	}

	rowOf(slice) {
		return this.rows[this.row[slice]];
	}

	get title() {
		return "thread " + this.thread.number + (this.thread.name ? " · " + this.thread.name : "");
	}

	readRows(regions, outermost) {
		const list = new Varints(this.thread.rows);

		for (let i = 0; i < this.thread.n_rows; i++) {
			const name = this.process.names[list.next()] || "(no name)", parent = list.next(), group = list.next();

			this.rows.push({ region: regions.add(parent && this.rows[parent - 1] ? this.rows[parent - 1].region : outermost, name),
				group: Math.floor(group / 2), forOthers: group % 2 > 0 });
		}
	}

	readSlices() {
		const { n } = this.thread, begins = new Varints(this.thread.begin), lengths = new Varints(this.thread.length);
		const rows = new Varints(this.thread.row), kinds = new Varints(this.thread.kind);
		const agains = new Varints(this.thread.again), sizes = new Map(), trackOf = new Uint32Array(n);

		this.n = n;
		this.calls = 0; /* what has not ended is none, nor is a part, or work for others */
		this.row = new Uint32Array(n);
		this.flags = new Uint8Array(n);
		for (let i = 0; i < n; i++) {
			const kind = kinds.next();

			this.row[i] = rows.next();
			this.flags[i] = kind % SLICE_FLAGS;
			this.calls += kind & (SLICE_PART | SLICE_OPEN) || this.rows[this.row[i]].forOthers ? 0 : 1;
			this.calls += kind & SLICE_AGAIN ? agains.next() : 0;
			/* what is beside others has a track for each region, behind those of any depth */
			trackOf[i] = kind & SLICE_BESIDE ? 0x10000 + this.row[i] : Math.floor(kind / SLICE_FLAGS);
			sizes.set(trackOf[i], (sizes.get(trackOf[i]) || 0) + 1);
		}
		const tracks = new Map([...sizes].sort((a, b) => a[0] - b[0]).map(([id, size]) => [id, new Track(size)]));
		let begin = 0;

		for (let i = 0; i < n; i++) {
			begin += begins.next();
			tracks.get(trackOf[i]).add(begin, begin + lengths.next(), this.rows[this.row[i]].region, i);
		}
		this.tracks = [...tracks.values()];
	}

	/* Of the columns that only some calls have a value in, that of @slice; @sizeOf: how many it has. */
	sparse(base64, flag, slice, sizeOf) {
		const list = new Varints(base64), values = [];

		for (let i = 0; i <= slice; i++) {
			if (!(this.flags[i] & flag))
				continue;
			for (let k = sizeOf(i); k > 0; k--) {
				const value = list.next();

				if (i === slice)
					values.push(value);
			}
		}
		return values;
	}

	/* Calls of the same region in it: no slices, as only when they ended is known. */
	again(slice) {
		return this.flags[slice] & SLICE_AGAIN ? this.sparse(this.thread.again, SLICE_AGAIN, slice, () => 1)[0] : 0;
	}

	/* [{name, unit, value}], value null: missing.  Written as 0: missing, then 0, -1, 1, -2 ... */
	counts(slice) {
		if (!(this.flags[slice] & SLICE_COUNTS))
			return null;
		const groupOf = i => this.process.groups[this.rowOf(i).group];

		return this.sparse(this.thread.counts, SLICE_COUNTS, slice, i => groupOf(i).counts.length).map((written, k) => ({
			...groupOf(slice).counts[k],
			value: !written ? null : (written - 1) % 2 ? -written / 2 : (written - 1) / 2,
		}));
	}
}

/* --- all of it --- */

class TimelineData {
	constructor(data, sections) {
		this.data = data;
		const inProgram = sections.some(({ data: { rows } }) => rows.flags.some(flags => flags.includes("program")));

		this.regions = new TimelineRegions();
		this.lanes = data.processes.flatMap(process => process.threads.map(thread => new Lane(process, thread, this.regions, inProgram)));
		this.regions.findIn(sections);
		this.hue = this.regions.name.map(hueOf);
		this.calls = this.lanes.reduce((sum, lane) => sum + lane.calls, 0);
		this.length = this.lanes.reduce((length, lane) => lane.tracks.reduce((most, track) => Math.max(most, track.end[track.n - 1]), length), 1);
	}

	mark(which, wanted) {
		for (const lane of this.lanes)
			for (const track of lane.tracks)
				track.mark(which, wanted);
	}
}

/* Several of a program have the same name. */
function processTitle(data, process) {
	return process.name + (isKnown(process.pid) && data.processes.some(one => one !== process && one.name === process.name) ? ", process " + process.pid : "");
}

/* What is not in a timeline, as sentences. */
function timelineLosses(data) {
	const losses = [];

	for (const process of data.processes) {
		const where = data.processes.length > 1 ? " of " + processTitle(data, process) : "";

		for (const thread of process.threads) {
			if (thread.lost)
				losses.push(plural(thread.lost, "call") + " of thread " + thread.number + where + " " + (thread.lost === 1 ? "is" : "are") +
					" not here: the ring was full; a larger PMU_TRACE_SIZE keeps more");
			if (thread.left_out)
				losses.push(plural(thread.left_out, "call") + " of thread " + thread.number + where + " " + (thread.left_out === 1 ? "is" : "are") +
					" not here: shorter than PMU_TRACE_MIN");
		}
		if (process.lost)
			losses.push(plural(process.lost, "call") + where + " of threads that had no room are not here");
		if (process.damaged)
			losses.push(plural(process.damaged, "thread") + where + " made no sense: not here");
	}
	if (data.not_shown)
		losses.push(plural(data.not_shown, "call") + " of at most " + format.time(data.not_shown_ns) +
			" are not in this page, which has the longest; .pftrace has all");
	if (data.without_counts)
		losses.push("the counts of " + plural(data.without_counts, "call") + " of at most " + format.time(data.without_counts_ns) +
			" are not in this page; .pftrace has all");
	if (data.untraced)
		losses.push(plural(data.untraced, "process") + " without a trace: not in the timeline");
	return losses;
}
