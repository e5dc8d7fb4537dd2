// SPDX-License-Identifier: BSD-3-Clause
// Reports of a machine that is none, for the page's test: page_data.mjs FOLDER
import { openSync, writeSync, closeSync, writeFileSync } from "node:fs";

const S = 1e9;
const HOSTILE = [
	"</script><img src=x onerror=\"window.broken=1\">", "<!--<script>", "'\"`${window.broken=1}", "a&lt;b&amp;c",
	"\u0001\u0007\u001b[31mred\r\n\ttab", "\u202eright to left\u202c", "\u05e9\u05dc\u05d5\u05dd \u0639\u0631\u0628\u064a", "\u2028line\u2029paragraph",
	"javascript:window.broken=1", "a/b", "__proto__", "constructor", "\ufffd\u{1f600}", " ",
];

const GROUPS = {
	CORE: { counts: ["instructions", "cycles", "energy"], units: ["", "", "uJ"], metrics: [["IPC", "", "instructions / cycles"], ["clock", "GHz", "cycles / time / 1e9"]] },
	FLOPS_DP: { counts: ["d"], units: [""], metrics: [["double precision", "GFLOP/s", "d / time / 1e9"]] },
	MEM: { counts: ["r", "w"], units: ["", ""], metrics: [["memory read", "GB", "r / 1e9"], ["memory written", "GB", "w / 1e9"]] },
	TOPDOWN: {
		counts: ["slots", "fe", "bad", "be", "mem", "core", "ret"], units: ["", "", "", "", "", "", ""],
		metrics: [["front-end bound", "fe"], ["bad speculation", "bad"], ["back-end bound", "be"], ["memory bound", "mem"], ["core bound", "core"], ["retiring", "ret"]]
			.map(([name, count]) => [name, "%", "100 * " + count + " / slots"]),
	},
	TIME: { counts: [], units: [], metrics: [] },
};

function head(program, threads, more) {
	return {
		pmu_report: 1, version: "0.1.0", program, command: "./" + program, host: "here", pid: 4711, rank: null, ranks: null,
		nth: 1, start_unix_ns: 1795522617734089972, duration_ns: 10 * S, machine: { description: "Made Up 9000, 4 cores", cpu: "MadeUp-1-2-3" },
		clock: { name: "TSC", hz: 2.5e9 }, source: { name: "perf", detail: "made up" }, refused: [], pinning: "none", died: null, notes: [],
		groups: [], threads: Array.from({ length: threads }, (_, t) => ({
			thread: t, name: program, tid: 4711 + t, cpu: t, merged: 0, finished: true, time_ns: 10 * S, minor_faults: 3, major_faults: 0,
			voluntary_switches: 1, involuntary_switches: 2, cpu_ns: 9 * S,
		})), doubts: [], regions: [], ...more,
	};
}

function group(name) {
	const { counts, units, metrics } = GROUPS[name];

	return { name, read_ns: 30, counts: counts.map((count, i) => ({ name: count, unit: units[i] })), metrics: metrics.map(([metric, unit, formula]) => ({ name: metric, unit, formula })) };
}

// What a row and a thread's row have in common.
function values(of, of_group, share) {
	const { counts } = GROUPS[of_group];
	const net = Object.fromEntries(counts.map((count, i) => [count, of.counts && of.counts[i] !== null && of.counts[i] !== undefined ? Math.round(of.counts[i] * share) : null]));

	return {
		calls: Math.max(1, Math.round(of.calls * share)), time_ns: Math.round(of.time * share), self_ns: of.self === null ? null : Math.round((of.self ?? of.time) * share), time_own_ns: 10,
		time_min_ns: 10, time_mean_ns: of.time / of.calls, time_max_ns: Math.round(of.time), time_sd_ns: 5, share: of.time / (40 * S), open: 0, flags: of.flags || [],
		...(of.histogram ? { time_p50_ns: 100, time_p90_ns: 500, time_p99_ns: 900, time_p99_9_ns: 1000, histogram: of.histogram } : {}),
		raw: net, net, self: net, metrics: {}, // of the counts, by their formulas
	};
}

function region(path, of_group, of, threads) {
	const names = path.match(/(?:\\.|[^/\\])+/gs), n = threads.length;

	return {
		name: names[names.length - 1].replace(/\\(.)/gs, "$1"), path, group: of_group, depth: names.length - 1, parent: names.slice(0, -1).join("/") || null, n_threads: n,
		...values(of, of_group, 1), threads: threads.map((share, t) => ({ thread: t, ...values(of, of_group, share) })),
	};
}

function write(folder, name, report) {
	const file = openSync(folder + "/" + name + ".json", "w");
	const { regions, doubts, ...rest } = report;
	let text = JSON.stringify(rest).slice(0, -1) + ",\"regions\":[", first = true;

	for (const one of regions) {
		text += (first ? "" : ",\n") + JSON.stringify(one);
		first = false;
		if (text.length > 1e6) {
			writeSync(file, text);
			text = "";
		}
	}
	writeSync(file, text + "],\"doubts\":" + JSON.stringify(doubts) + "}\n");
	closeSync(file);
}

const even = [0.25, 0.25, 0.25, 0.25];

// more: calls of "write" that were counted and not measured
function usual() {
	const report = head("usual", 4, {
		doubts: [{ text: "time ran backwards", region: "main/solve", thread: 2, count: 3 }],
		refused: [{ source: "msr", why: "no rights", mend: "as root" }], notes: ["a note to be read"],
	});

	for (const name of ["CORE", "FLOPS_DP", "MEM", "TOPDOWN"]) {
		const of = {
			CORE: [[4e9, 8e9, 5e6]], FLOPS_DP: [[2e9]], MEM: [[3e9, 1e9]], TOPDOWN: [[1e9, 8e7, 4e7, 61e7, 52e7, 9e7, 27e7]],
		}[name];

		report.groups.push(group(name));
		report.regions.push(
			region("main", name, { calls: 4, time: 9 * S, self: 0.2 * S, counts: of[0] }, even),
			region("main/solve", name, { calls: 120, time: 6 * S, self: 4 * S, counts: of[0],
				histogram: [[20, 40], [30, 30], [60, 20], [200, 25], [900, 5]] }, [0.55, 0.15, 0.15, 0.15]),
			region("main/solve/exchange", name, { calls: 1000, time: 2 * S, counts: of[0].map(() => null), flags: ["short"] }, even),
			region("main/read", name, { calls: 3, time: 1 * S, counts: [7, 0, 1] }, [1]),
			region("main/write", name, { calls: 3, time: 0.5 * S, self: null, counts: of[0], flags: ["no_self"] }, [1]));
	}
	return report;
}

// The same with other numbers: more calls and instructions, a region that came and one that went.
function changed() {
	const report = usual();

	report.program = "changed";
	report.regions = report.regions.filter(one => one.name !== "read");
	for (const one of report.regions) {
		for (const row of [one, ...one.threads]) {
			row.calls *= one.name === "exchange" ? 2 : 1;
			if (one.name === "solve" && row.net.instructions)
				row.net.instructions = row.net.instructions * 3 / 4;
		}
		if (one.name === "write") {
			one.name = "store";
			one.path = "main/store";
		}
	}
	return report;
}

// Where in their code regions were: functions, and lines where they are known.
function sampled() {
	const report = head("sampled", 2, {});
	const functions = (...list) => ({ n: list.reduce((sum, one) => sum + one[2], 0), period_ns: 1e6,
		functions: list.map(([name, object, n, lines]) => ({ name, object, n, ...(lines ? { lines } : {}) })) });

	report.groups.push(group("CORE"));
	report.regions.push(
		region("main", "CORE", { calls: 1, time: 9 * S, self: 3 * S, counts: [9, 9, 9] }, [0.5, 0.5]),
		region("main/solve", "CORE", { calls: 5, time: 6 * S, counts: [6, 6, 6] }, [1]),
		region("main/rest", "CORE", { calls: 1, time: 1e6, counts: [1, 1, 1] }, [1]));
	report.regions[0].samples = functions(["memcpy", "libc.so.6", 60], [HOSTILE[0], "sampled", 40], ["rare", "sampled", 0]);
	report.regions[1].samples = functions(["dgemm<double>", "libblas.so", 297, [{ file: "/src/blas/dgemm.c", line: 42, n: 200 }, { file: "a.h", line: 7, n: 97 }]],
		["memcpy", "libc.so.6", 3]);
	report.regions[2].samples = functions(["few", "sampled", 2]);
	/* all are of the first thread */
	for (const one of report.regions)
		one.threads[0].samples = one.samples;
	return report;
}

// The same, where what called functions is known: in main not of all.
function called() {
	const report = sampled(), call = (samples, functions, ...calls) => {
		samples.callers = { functions: functions.map(([name, object]) => ({ name, object })), calls };
	};

	call(report.regions[0].samples, [["main", "sampled"], ["memcpy", "libc.so.6"], [HOSTILE[0], "sampled"]], [0, 0, 0], [1, 2, 40], [2, 1, 50], [0, 1, 10]);
	call(report.regions[1].samples, [["main", "sampled"], ["dgemm<double>", "libblas.so"], ["memcpy", "libc.so.6"]],
		[0, 0, 0], [1, 1, 200], [2, 1, 97], [1, 2, 3]);
	return report;
}

// The same, where main's memcpy takes three times as long.
function resampled() {
	const report = sampled(), samples = report.regions[0].samples;

	samples.functions[0].n *= 3;
	samples.n = samples.functions.reduce((sum, one) => sum + one.n, 0);
	return report;
}

function hostile() {
	const report = head(HOSTILE[0], 1, {
		command: HOSTILE.join(" "), notes: [HOSTILE[0]], died: HOSTILE[1], refused: [{ source: HOSTILE[2], why: HOSTILE[0], mend: HOSTILE[3] }],
		doubts: [{ text: HOSTILE[0], region: HOSTILE[0].replace(/[/\\]/g, "\\$&"), thread: null, count: null }],
		machine: { description: HOSTILE[0], cpu: HOSTILE[5] },
	});

	report.threads[0].name = HOSTILE[0];
	report.groups.push({ ...group("CORE"), name: HOSTILE[0] });
	HOSTILE.forEach((name, i) => report.regions.push({
		...region("r" + i, "CORE", { calls: 2, time: (20 - i) * 1e6, counts: [5, 6, 7] }, [1]),
		name, path: name.replace(/[/\\]/g, "\\$&"), group: HOSTILE[0],
	}));
	return report;
}

// n regions on some threads: 1 + 10 + the others below these
function large(n, threads) {
	const report = head("large", threads), shares = Array.from({ length: threads }, (_, t) => (t + 1) / (threads * (threads + 1) / 2));

	report.groups.push(group("CORE"));
	report.regions.push(region("main", "CORE", { calls: 1, time: 2 * n * 1e6, self: 0, counts: [n * 1e4, n * 2e4, 3] }, shares));
	for (let i = 0; i < 10; i++) {
		report.regions.push(region("main/part " + i, "CORE", { calls: 1, time: n * 1e5 + i, self: 10, counts: [n * 1e3, n * 2e3, 3] }, shares));
		for (let k = i + 11; k < n; k += 10)
			report.regions.push(region("main/part " + i + "/region " + k, "CORE",
				{ calls: 100, time: 2e5 - k, counts: [1e4 + k, 2e4, null] }, shares));
	}
	return report;
}

const MADE = { usual: () => usual(), changed, hostile, sampled, called, resampled, large: () => large(10000, 1), huge: () => large(10000, 16), many: () => large(100000, 1), none: () => head("none", 0) };
const [, , folder, ...names] = process.argv;

writeFileSync(folder + "/ceilings.json", JSON.stringify({
	pmu_ceilings: 1, machine: "Made Up 9000", host: "here", cpu: "MadeUp-1-2-3", unix_s: 1795522617, threads: [1, 4],
	flops: [[0, 1e9], [256, 4e9]].map(([bits, one]) => ({ precision: "double", vector_bits: bits, rates: [{ median: one }, { median: 4 * one }] })),
	levels: [["L1", 32768, 40e9], ["memory", null, 2.5e9]].map(([name, bytes, one]) => (
		{ name, cache_bytes: bytes, moves: [{ kind: "read", rates: [{ median: one }, { median: 2 * one }] }] })),
}));
for (const name of names.length ? names : ["usual", "changed", "hostile", "sampled", "called", "resampled", "large", "none"])
	write(folder, name, MADE[name]());
