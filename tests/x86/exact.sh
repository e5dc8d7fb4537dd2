# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# For models.sh: regions that do exactly so many instructions, by each source of counts: every one has as many in the report,
# also what threads do for regions of others.
# Every process lies at addresses of its own.
sources="rdpmc read msr cpu process"

exact_prepare() {
	compile net exact/net.c
	compile process exact/process.c -I"$top/lib"
	compile rotate exact/rotate.c
	cp "$top/tests/exact/rotate.sh" "$out/job/"
	compile scope exact/scope.cc -I"$top/tests/exact"
	# libgomp's teams
	compiler=${TEST_CC:-}
	TEST_CC=gcc
	compile team exact/team.c -fopenmp
	TEST_CC=$compiler
	cp -L "$(gcc -print-file-name=libgomp.so.1)" "$out/job/lib/"
}

# A line for each source and number of threads: SOURCE THREADS PROCESSES ENDED REGIONS WRONG MISSING
exact_sums() {
	awk '
		$1 == "==" && $2 != "status" { key = $2 " " $3; processes[key]++; next }
		$1 == "==" { ended[key] += $3 == 0 }
		/^# net: / { regions[key] += $3; wrong[key] += $5; missing[key] += $7 }
		END {
			for (key in processes)
				print key, processes[key], ended[key] + 0, regions[key] + 0, wrong[key] + 0, missing[key] + 0
		}' "$1" | sort
}

# The first few of what was wrong.
exact_show() {
	awk '
		/^==/ { head = "#   " $2 " " $3; seed = ""; next }
		/^# .*seed/ { seed = $0; next }
		/^# .* instead of |^pmu: / && shown++ < 20 {
			if (head)
				print head
			if (seed)
				print "#   " seed
			head = seed = ""
			print "#     " $0
		}' "$1"
}

# shellcheck source=tests/exact/rotate.sh
. "$top/tests/exact/rotate.sh"

exact_check() { # NAME
	sums=$out/$1.sums
	exact_sums "$out/$1/exact" >"$sums"
	while read -r source threads processes ended regions wrong missing; do
		[ "$ended" -eq "$processes" ] && [ "$regions" -gt 0 ] && [ "$wrong" -eq 0 ] && [ "$missing" -eq 0 ]
		result $? "$1, $source, $([ "$threads" -gt 0 ] && echo "threads: $threads" || echo "C++"): $regions regions, $wrong wrong, $missing missing"
	done <"$sums"
	[ "$(cut -d ' ' -f 1 "$sums" | sort -u | wc -l)" -eq 5 ]
	result $? "$1: by all of $sources"
	for mode in threads:1500 msr:500; do
		[ "$mode" = threads:1500 ] || [ "$1" = Nehalem ] || continue
		rotate_compare "$out/$1/turns-${mode%:*}" "${mode#*:}" ||
			{ [ -d "$out/$1/turns-${mode%:*}-again" ] && rotate_compare "$out/$1/turns-${mode%:*}-again" "${mode#*:}"; }
		result $? "$1, turns, ${mode%:*}: 12 groups in one run count what they do in one each, to the instruction"
	done
	exact_show "$out/$1/exact"
}

# A table for people: for each model and source the regions, and how many were wrong or missing.
exact_table() {
	echo "# regions: wrong or missing with 1/2/4 threads, in C++"
	printf '# %-16s' model
	printf '%-24s' $sources
	echo
	for name; do
		[ -s "$out/$name.sums" ] || continue
		awk -v name="$name" -v sources="$sources" '
			{ regions[$1] += $5; bad[$1, $2] = $6 + $7; seen[$1, $2] = 1 }
			function show(s, t) { return (s, t) in seen ? bad[s, t] : "-" }
			END {
				n = split(sources, source)
				printf "# %-16s", name
				for (i = 1; i <= n; i++) {
					s = source[i]
					printf "%-24s", regions[s] + 0 ": " show(s, 1) "/" show(s, 2) "/" show(s, 4) ", " show(s, 0)
				}
				print ""
			}' "$out/$name.sums"
	done
}
