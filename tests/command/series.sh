# SPDX-License-Identifier: BSD-3-Clause
# Makes reports of repeated runs with known values: sourced.
# shellcheck shell=sh

# series FILE RUNS SEED [REGION PERCENT [REGION INSTRUCTIONS]]: 30 regions in one, each of 1 ms with a noise of some
# percent, and of 1000 instructions and 10 calls in each run; one of them longer, one with more instructions.
series() {
	awk -v runs="$2" -v seed="$3" -v slow="${4:--1}" -v percent="${5:-0}" -v more="${6:--1}" -v extra="${7:-0}" '
	function noise() { return int(1000000 * (1 + 0.005 * (rand() + rand() + rand() + rand() - 2))) }
	function list(values, run, text) {
		text = "{\"runs\": ["
		for (run = 0; run < runs; run++) text = text (run ? ", " : "") values[run]
		return text "], \"median\": null, \"low\": null, \"high\": null"
	}
	function constant(value, run) { for (run = 0; run < runs; run++) v[run] = value; return list(v) }
	function shared(all, own) { return all ", \"self\": " own "}}" }
	function region(name, parent, calls, all_time, own_time, all_count, own_count) {
		return "{\"name\": \"" name "\", \"path\": \"" (parent == "" ? "" : "work/") name "\", \"parent\": " \
			(parent == "" ? "null" : "\"" parent "\"") ", \"flat\": false, \"values\": [" calls "}, " \
			shared(all_time, own_time) ", " shared(all_count, own_count) "]}"
	}
	BEGIN {
		srand(seed)
		print "{\"pmu_series\": 1, \"program\": \"p\", \"command\": \"./p\", \"host\": \"h\", \"machine\": \"m\","
		print "\"cpu\": \"c\", \"source\": \"perf\", \"source_detail\": \"d\", \"clock\": \"k\", \"pinning\": \"none\","
		print "\"version\": \"0.1.0\", \"differs\": [], \"clock_hz\": null, \"warmup\": 0, \"settings\": \"\","
		print "\"refused\": [], \"noise\": [], \"notes\": [], \"doubts\": [], \"runs\": ["
		for (run = 0; run < runs; run++)
			print (run ? "," : "") "{\"start_unix_ns\": 1, \"duration_ns\": 1, \"end\": null}"
		print "], \"groups\": [{\"name\": \"CORE\", \"measures\": [{\"name\": \"calls\", \"unit\": \"\", \"kind\": \"calls\"},"
		print "{\"name\": \"time\", \"unit\": \"ns\", \"kind\": \"time\"},"
		print "{\"name\": \"instructions\", \"unit\": \"\", \"kind\": \"count\"}], \"regions\": ["
		for (run = 0; run < runs; run++) whole[run] = own[run] = 1000
		inner = ""
		for (r = 0; r < 30; r++) {
			for (run = 0; run < runs; run++) {
				time[run] = int(noise() * (1 + (r == slow) * percent / 100))
				whole[run] += time[run]
			}
			count = 1000 + (r == more) * extra
			inner = inner ",\n" region("r" r, "work", constant(10), list(time), list(time), \
				constant(count), constant(count))
		}
		print region("work", "", constant(1), list(whole), list(own), \
			constant(30000 + (more >= 0) * extra), constant(0)) inner "]}]}"
	}' >"$1"
}
