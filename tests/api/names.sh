#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What a begin/end pair costs a thread that uses many names: in instructions (callgrind) as much as with one name, however they
# are given and in whatever order they come.
set -u
export LC_ALL=C

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
names=${TEST_BUILDDIR:-.}/tests/api/names
valgrind=${TEST_VALGRIND:-valgrind}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

unset PMU_GROUP PMU_EVENTS PMU_BACKEND PMU_COUNT PMU_PIN PMU_REPORT PMU_ENABLE
export PMU_OUTPUT=none XDG_RUNTIME_DIR="$tmp"

[ -x "$names" ] || skip_all "no $names"
[ -z "${TEST_SANITIZERS:-}" ] || skip_all "built with a sanitizer"
if ! command -v "$valgrind" >/dev/null || ! $valgrind -q --tool=none "$names" 1 >"$tmp/log" 2>&1; then
	skip_all "no valgrind that runs the program: $(grep -m 1 -i valgrind: "$tmp/log")"
fi

# per_pair N KIND ORDER: instructions that libpmu.so and what it calls in libc take for a pair, in tenths, once all are known
per_pair() {
	$valgrind --tool=callgrind --toggle-collect='steady*' --callgrind-out-file="$tmp/out" --compress-strings=no \
		--compress-pos=no "$names" 10000 "$@" >/dev/null 2>"$tmp/err" || return 1
	awk '
		/^ob=/ { object = $0 }
		/^calls=/ { getline; next }
		/^[0-9+*-]/ && object ~ /(libpmu|libc[.-])[^\/]*$/ { sum += $2 }
		END { print int(sum / 1000) }' "$tmp/out"
}

# compare KIND ORDER PERCENT: with 100 and with 10,000 names at most so many percent of what it is with one
compare() {
	one=$(per_pair 1 "$1" "$2") || one=0
	for many in 100 10000; do
		tenths=$(per_pair $many "$1" "$2") || tenths=-1
		echo "# $1, $2, $many names: $((tenths / 10)).$((tenths % 10)) instructions a pair, with one $((one / 10)).$((one % 10))"
		ok "$1, $2, $many names: at most $3 % of what one takes" \
			test "$tenths" -gt 0 -a $((tenths * 100)) -le $((one * $3))
	done
}

export PMU_BACKEND=clock
for kind in literal built buffer; do
	compare $kind order 101
done
# what is not expected is looked up
compare literal random 160
compare built random 180
# getrusage's counts, where perf_event has none
export PMU_BACKEND=software PMU_EVENTS=page-faults,context-switches
for kind in literal built buffer; do
	compare $kind order 101
	compare $kind random 101
done
finish
