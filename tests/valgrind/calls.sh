#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The work of a public call is in none of the regions that are open: every function of libpmu.map, by the exact counts of
# `pmu run --emulate`.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/../command/pmu.sh"
subcommand=run
valgrind=${TEST_VALGRIND:-valgrind}
mkdir -m 700 place
export XDG_RUNTIME_DIR="$tmp/place"
unset VALGRIND_OPTS PMU_OUTPUT

[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'built with a sanitizer'
command -v "$valgrind" >/dev/null || skip_all 'no valgrind here'
"$valgrind" -q --tool=callgrind --callgrind-out-file=/dev/null true 2>log ||
	skip_all "callgrind cannot run a program: $(head -n 1 log)"

# shellcheck source=tests/valgrind/common.sh
. "$source/tests/valgrind/common.sh"
compile calls "$source/tests/exact/calls.c"

run 0 'every public call, in a region of its own' --emulate --auto none -e instructions -o calls.csv ./calls
cut -f1 out | sed -n 's/^\(pmu_[a-z_]*\).*/\1/p' | sort -u >have
sed -n 's/^\t\(pmu_[a-z_]*\);$/\1/p' "$source/lib/libpmu.map" | sort -u >want
ok 'each function of libpmu.map is called' diff want have

# in_no_region LISTED: has each region as many instructions as the one that nothing is called in?
in_no_region() {
	report calls.csv | awk -F '\t' -v listed="$1" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["thread"] == "all" { each[$at["path"]] = $at["net:instructions"] / $at["calls"] }
		END {
			while ((getline line < listed) > 0) {
				split(line, part, "\t")
				more = each[part[1]] - each["nothing"]
				if (part[2] == "counted")
					continue
				n++
				if (part[1] in each && more <= part[2] && more >= -part[2])
					continue
				printf "%s: %s instructions more, at most %s\n", part[1], more, part[2]
				wrong++
			}
			exit wrong || n < 20 || each["nothing"] < 1000
		}'
}
ok 'what it does is in no region' in_no_region out

# The others are named where pmu.h says so.
named() {
	sed -n '/What a call does itself/,/PMU_DISABLE/p' "$source/include/pmu.h" >said
	awk -F '\t' '$2 == "counted" && $1 != "pmu_fini" { print $1 }' out >counted
	while read -r function; do
		grep -q "$function" said || {
			echo "pmu.h does not say that $function() is counted"
			return 1
		}
	done <counted
}
ok 'or pmu.h says that it is counted' named

finish
