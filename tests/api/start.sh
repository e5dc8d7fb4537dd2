#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What a session's start and end cost a small program: system calls (strace), whatever lies in the
# folder where stores are.
set -u
export LC_ALL=C

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
pairs=${TEST_BUILDDIR:-.}/tests/api/pairs strace=${TEST_STRACE:-strace}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

unset PMU_GROUP PMU_EVENTS PMU_COUNT PMU_PIN PMU_REPORT PMU_ENABLE PMU_OUTPUT
# perf's part is the machine's: a call for each event, and for each PMU
export PMU_BACKEND=clock XDG_RUNTIME_DIR="$tmp" HOME="$tmp"

# What a thread asks that was off its processor, as strace has it at each system call: not counted.  At its
# start it does so once, with four calls; how often it closes that file is not told from other files.
look='CLOCK_THREAD_CPUTIME_ID|/schedstat|read\([0-9]+, "[0-9]+ [0-9]+ [0-9]+\\n"|close\('

# calls COMMAND...: from the library's constructor on; the loader has 30 to 80 before, by where libraries are
calls() {
	"$@" $strace -f -o "$tmp/trace" "$pairs" 1 single >/dev/null 2>"$tmp/report" || return 1
	sed -n '/MADV_WIPEONFORK/,$p' "$tmp/trace" | grep -vE "$look" | grep -c '('
}

# at_most NAME LIMIT COMMAND...
at_most() {
	name=$1 limit=$2
	shift 2
	n_calls=$(calls "$@") || n_calls=-1
	echo "# $name: $n_calls system calls"
	ok "$name: at most $limit system calls" test "$n_calls" -gt 0 -a "$n_calls" -le "$limit"
}

# Stores left over by programs that died, and files that are no stores.
fill() {
	i=0
	while [ $((i += 1)) -le 40 ]; do
		head -c 65536 /dev/zero >"$tmp/pmu/4000000-$i-1.pmu"
	done
	i=0
	while [ $((i += 1)) -le 500 ]; do
		: >"$tmp/pmu/junk-$i"
	done
}

[ -x "$pairs" ] || skip_all "no $pairs"
[ -z "${TEST_SANITIZERS:-}" ] || skip_all "sanitizers make some of their own"
command -v "$strace" >/dev/null && $strace -o /dev/null true 2>/dev/null ||
	skip_all "no strace, or it may not trace"
calls env >/dev/null # makes the folder
# six of them in a virtual machine alone: what the host took
at_most 'a start and end' 114 env
at_most 'without pinning' 100 env PMU_PIN=none
fill
at_most 'with 40 left-overs among 500 files' 118 env
is 'left-overs that are neither old nor too much stay' \
	"$(find "$tmp/pmu" -name '4000000-*.pmu' | wc -l | tr -d ' ')" 40

# forked: the system calls of a child that uses no region, to its exec or exit.  Its trace alone has no exec of pmu.
forked() {
	rm -f "$tmp"/child.*
	$strace -ff -o "$tmp/child" "$pmu" run -o "$tmp/report.txt" "$forks" "$1" >/dev/null 2>&1
	for trace in "$tmp"/child.*; do
		grep -q 'execve("[^"]*\(pairs\|preloaded\|/pmu\)"' "$trace" || grep -c '(' "$trace"
	done
}

pmu=${TEST_BUILDDIR:-.}/pmu forks=${TEST_BUILDDIR:-.}/tests/preload/preloaded
unset PMU_BACKEND
export PMU_BACKEND=clock
n_calls=$(forked fork__exit)
echo "# a forked child that uses no region: $n_calls system calls"
ok 'a forked child that uses no region: at most 30 system calls' \
	test "${n_calls:-0}" -gt 0 -a "${n_calls:-99}" -le 30
ok 'and it is in the report' grep -q '^ *main  *2 ' "$tmp/report.txt"
# its main has at least the 200 ms that it slept before; so has the parent's, which waited twice
evidence=$tmp/late.csv
$pmu run -o "$tmp/late.csv" "$pairs" 3 late >/dev/null 2>&1
least=$(awk -F, '$3 == "main" && $5 == "all" { print ($6 == 3 && $9 >= 200000000) }' "$tmp/late.csv")
is 'a late first region: what was open goes on from the fork' "$least" 1
is 'and the calls are all there' \
	"$(awk -F, '$5 == "all" && $3 == "fifteen letters" { print $6 }' "$tmp/late.csv")" 103
finish
