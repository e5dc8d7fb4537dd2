#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What an input of a fuzz target takes: what is the same for all, as the tables of a processor's events, is read for the first
# alone, so that a minute of fuzzing is some ten thousand inputs.
set -u
export LC_ALL=C

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
valgrind=${TEST_VALGRIND:-valgrind}
programs=${TEST_BUILDDIR:-.}/tests/fuzz
corpus=${TEST_SRCDIR:-$(dirname "$0")/../..}/tests/fuzz/corpus
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
evidence=$tmp/log

[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'built with a sanitizer'
"$valgrind" -q --tool=callgrind --callgrind-out-file=/dev/null true 2>"$tmp/log" ||
	skip_all "no callgrind here: $(head -n 1 "$tmp/log")"

# instructions PROGRAM FILE LAST: of mutations 1 to LAST
instructions() {
	"$valgrind" -q --tool=callgrind --callgrind-out-file="$tmp/out" "$1" "$2" 1 "$3" >"$tmp/log" 2>&1 &&
		awk '/^summary:/ { print $2; found = 1 } END { exit !found }' "$tmp/out"
}

# at_most THOUSANDS TARGET FILE: for an input, by the difference of 10 and of 30 mutations of the file
at_most() {
	few=$(instructions "$programs/$2" "$corpus/$2/$3" 10) && many=$(instructions "$programs/$2" "$corpus/$2/$3" 30) || many=-1
	each=$(((many - few) / 20))
	echo "# $2/$3: $each instructions"
	[ "$many" -gt 0 ] && [ "$each" -le $(($1 * 1000)) ]
	result $? "$2: at most $1 thousand instructions for an input like $3"
}

# Half as much again as they take where gcc optimises, or more.
at_most 3500 group FLOPS_DP
at_most 600 intel hybrid
at_most 800 intel_metric modifiers
at_most 3000 likwid boxes
at_most 150 terms named

finish
