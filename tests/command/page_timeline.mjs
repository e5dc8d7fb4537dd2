// SPDX-License-Identifier: BSD-3-Clause
// Puts a timeline of calls that never were into a page: page_timeline.mjs PAGE.html OUT.html KIND
import { readFileSync, writeFileSync } from "node:fs";

const [, , from, to, kind] = process.argv;
const PART = 1, OPEN = 2, BESIDE = 4, AGAIN = 8, COUNTS = 16, FLAGS = 32; // as timeline.c has them

class Varints {
	constructor() {
		this.bytes = Buffer.alloc(1 << 24);
		this.n = 0;
	}

	put(value) {
		for (; value >= 128; value = Math.floor(value / 128))
			this.bytes[this.n++] = value % 128 + 128;
		this.bytes[this.n++] = value;
	}

	toString() {
		return this.bytes.toString("base64", 0, this.n);
	}
}

// @slices: [[begin, length, row, depth, flags, [counts], again]], by their begins; @rows: [[name, 1 + parent, 2 * group]]
function thread(number, rows, slices, more) {
	const column = Object.fromEntries(["rows", "begin", "length", "row", "kind", "again", "counts"].map(name => [name, new Varints()]));
	let before = 0, n = 0;

	rows.flat().forEach(value => column.rows.put(value));
	for (const [begin, length, row, depth, flags = 0, counts = [], again = 0] of slices) {
		column.begin.put(begin - before);
		column.length.put(length);
		column.row.put(row);
		column.kind.put(depth * FLAGS + flags);
		if (flags & AGAIN)
			column.again.put(again);
		if (flags & COUNTS)
			counts.forEach(value => column.counts.put(value === null ? 0 : value < 0 ? -2 * value : 2 * value + 1));
		before = begin;
		n++;
	}
	return { number, name: "worker", tid: 100 + number, lost: 0, left_out: 0, n, n_rows: rows.length,
		...Object.fromEntries(Object.entries(column).map(([name, list]) => [name, String(list)])), ...more };
}

const GROUPS = [{ name: "CORE", counts: [{ name: "instructions", unit: "" }, { name: "cycles", unit: "" }, { name: "energy", unit: "uJ" }] }];
const process_ = (name, names, threads) => ({ name, program: name, names, groups: GROUPS, lost: 0, damaged: 0, threads });
const timeline = (...processes) => ({ not_shown: 0, not_shown_ns: 0, without_counts: 0, without_counts_ns: 0, untraced: 0, processes });

function usual() {
	const names = ["", "main", "solve", "exchange", "read", "write"];
	const rows = [[1, 0, 0], [2, 1, 0], [3, 2, 0], [4, 1, 0], [5, 1, 0]];
	const first = [
		[0, 1e9, 0, 0, COUNTS, [4e9, 2e9, 5e6]], [1e6, 1e8, 3, 1, COUNTS, [null, -3, 0]],
		[2e8, 5e8, 1, 1, COUNTS | AGAIN, [1e9, 7e8, 0], 3], [3e8, 1e8, 2, 2], [5e8, 1e8, 2, 2, PART],
		[6e8, 3e8, 4, 2, BESIDE], [9e8, 1e8, 4, 1, OPEN],
	];
	const second = [];

	for (let i = 0; i < 5000; i++)
		second.push([2e8 + i * 1e5, 4e4, 1, 0]);
	return timeline(process_("usual", names, [thread(0, rows, first), thread(1, rows, second, { lost: 1234, left_out: 1 })]));
}

// A region for each name, in each process.
function hostile() {
	const report = JSON.parse(readFileSync(from, "utf8").match(/id="data-report">(.*?)<\/script>/s)[1]);
	const names = report.sections[0].rows.name;

	return { ...timeline(...["rank 0: </script><img src=x onerror=\"window.broken=1\">", "rank 1"].map(program => process_(program, names, [
		thread(0, names.map((_, i) => [i, 0, 0]), names.map((_, i) => [i * 1e6, 1e6, i, 0, COUNTS, [1, 2, 3]]), { name: "</b>\u202e" }),
		thread(1, [[0, 0, 0]], []),
	]))), untraced: 1, not_shown: 5, not_shown_ns: 7 };
}

// 1,000,000 calls of 16 threads, nested, from 50 ns to a second.
function large() {
	const names = ["", "step", "a", "b", "inner"], rows = [[1, 0, 0], [2, 1, 0], [3, 1, 0], [4, 2, 0]], threads = [];
	let seed = 1;
	const random = () => (seed = seed * 16807 % 2147483647) / 2147483647;

	for (let t = 0; t < 16; t++) {
		const slices = [];
		let at = 0;

		while (slices.length < 62500) {
			const begin = at, step = slices.length, children = Math.min(62500 - step - 1, 24);

			slices.push([begin, 0, 0, 0]);
			at += 100;
			for (let k = 0; k < children; k++) {
				const length = Math.floor(50 + 2000 * random() ** 6 * (k % 3 === 2 ? 1 : 30));

				slices.push(k % 3 === 2 ? [at - 40, 30, 3, 2] : [at, length, 1 + k % 2, 1]);
				at += k % 3 === 2 ? 20 : length + 60;
			}
			slices[step][1] = at - begin;
			at += Math.floor(1e5 * random() ** 8);
		}
		slices.sort((a, b) => a[0] - b[0] || a[3] - b[3]);
		threads.push(thread(t, rows, slices));
	}
	return timeline(process_("large", names, threads));
}

const json = JSON.stringify({ usual, hostile, large }[kind]()).replace(/[<>&\u2028\u2029]/g, c => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));

writeFileSync(to, readFileSync(from, "utf8").replace(/(<\/script>\n)(<script>)/, (_, end, begin) =>
	end + "<script type=\"application/json\" id=\"data-timeline\">" + json + "</script>\n" + begin));
