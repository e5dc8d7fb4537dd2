#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What our wrappers of other libraries' calls do is in no region, at the first call of a region and at all others: programs
# with such calls count what the same program by hand does, and their own code between the call and the region's work.
# shellcheck source=tests/annotations/common.sh
. "${TEST_SRCDIR:-$(dirname "$0")/../..}/tests/annotations/common.sh"

can_count || skip_all 'no valgrind'
[ "$gcc" ] || skip_all 'no gcc'
source=$source/tests/exact
warn="$warn -std=gnu11"

# build_one WAY OPTION...: the program by that way
build_one() {
	way=$1
	shift
	# shellcheck disable=SC2086
	$cc $warn -O2 -fno-plt -fPIE -pie -D"$way" -I"$source/../../include" -I"$source/../../bindings/likwid" \
		"$source/standins.c" -o "$way" -L. -Wl,-rpath,"$tmp" -L"$build/lib/.libs" "$@" -ldl
}
build_all() {
	# shellcheck disable=SC2086
	$cc $warn -O2 -fPIC -shared "$source/standins_lib.c" -o libother.so &&
		build_one HAND -lpmu && build_one LIKWID_HEADER -lpmu && build_one PAPI -lother && build_one LIKWID -lother &&
		build_one CALIPER -lother && build_one CALIPER_CLASS -lother && build_one TAU -lother && build_one NVTX &&
		build_one FUNCTIONS -finstrument-functions -rdynamic
}
ok "programs" build_all

# build_mixed NAME OPTION...
build_mixed() {
	name=$1
	shift
	# shellcheck disable=SC2086
	$cc $warn -O1 -fno-plt -I"$source/../../include" "$source/standins_mixed.c" -o "$name" -L. -Wl,-rpath,"$tmp" \
		-L"$build/lib/.libs" "$@" -lpmu
}

# count WAY TIMES: into WAY.TIMES.csv
count() {
	TEST_ONE_THREAD=1 LD_LIBRARY_PATH=$build/lib/.libs PMU_BACKEND=auto \
		"$pmu" run --emulate=fast --auto main,markers,functions -e instructions -o "$1.$2.csv" "./$1" "$2" >out 2>err
}

# has_as_many WAY TIMES INSIDE OTHER [FEWER]: each call of a region has as many instructions as by hand, and at most INSIDE of the
# program's own; each pair in the region around likewise, and OTHER of the other library's.  1: or so many fewer, for a call
# without an argument is one instruction less than a begin is taken for.
has_as_many() {
	awk -F, -v inside="$3" -v other="$4" -v fewer="${5:-0}" '
		FNR == 1 { file++; for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["thread"] == "all" && $at["name"] != "main" {
			each[file, $at["path"]] = $at["net:instructions"] / $at["calls"]
			calls[file, $at["path"]] = $at["calls"]
		}
		function more(path) { return each[2, path] - each[1, path] }
		function check(what, got, want, most, less) {
			less = most * fewer
			if (got < want - less || got > want + most) {
				printf "%s: %s more, not %s to %s\n", what, got, want - less, want + most
				wrong++
			}
		}
		END {
			for (key in calls) {
				n++
				split(key, part, SUBSEP)
				if (calls[1, part[2]] != calls[2, part[2]]) {
					print part[2] ": other calls"
					wrong++
				}
			}
			m = "main/"
			check("longer", more(m "longer"), 0, inside)
			check("shorter", more(m "ten/shorter"), 0, inside)
			check("shorter in five", more(m "five/shorter"), 0, inside)
			around = (more(m "ten") - more(m "five")) / 5 - more(m "ten/shorter")
			check("around", around, other, inside)
			check("five", more(m "five") - 5 * (more(m "five/shorter") + other), 0, 6 * inside)
			printf "inside %s, around %s\n", more(m "ten/shorter"), around
			exit wrong || n != 10
		}' "HAND.$2.csv" "$1.$2.csv"
}

for times in 1 25; do
	ok "by hand, $times" count HAND $times
	while read -r way inside other fewer; do
		ok "$way, $times" count "$way" $times
		has_as_many "$way" $times "$inside" "$other" "$fewer" >said 2>&1
		verdict $? "$way: what it does is in no region, of $times" said
		echo "# $(tail -n 1 said)"
	done <<-WAYS
		PAPI 0 0
		LIKWID 0 0
		LIKWID_HEADER 2 0
		CALIPER 0 6
		CALIPER_CLASS 1 8
		TAU 0 6
		NVTX 2 0 1
		FUNCTIONS 8 0
	WAYS
done

# counts CSV: calls and instructions of each path
counts() {
	awk -F, '
		/^group,/ { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["thread"] == "all" && $at["name"] != "main" { print $at["calls"], $at["net:instructions"], $at["path"] }' "$1" | sort
}
ok "regions in every way" build_mixed mixed_by_hand
ok "by another library's calls, too" build_mixed mixed -DPAPI -lother
for name in mixed_by_hand mixed; do
	ok "$name runs" count $name 1
	counts $name.1.csv >$name.counts
done
[ "$(grep -c . mixed.counts)" -ge 20 ] && diff mixed_by_hand.counts mixed.counts >differences
verdict $? "each counts what it does by hand, to the instruction" differences
finish
