#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What a begin/end pair costs once a thread knows the region: instructions (callgrind), and no
# system call (strace).
set -u
export LC_ALL=C

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
pairs=${TEST_BUILDDIR:-.}/tests/api/pairs
valgrind=${TEST_VALGRIND:-valgrind} strace=${TEST_STRACE:-strace}
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

unset PMU_GROUP PMU_EVENTS PMU_BACKEND PMU_COUNT PMU_PIN PMU_REPORT PMU_ENABLE
export PMU_OUTPUT=none XDG_RUNTIME_DIR="$tmp"

# in_library N MODE: instructions that libpmu.so and what it calls in libc take for N pairs
in_library() {
	$valgrind --tool=callgrind --callgrind-out-file="$tmp/out" --compress-strings=no \
		--compress-pos=no "$pairs" "$1" "$2" >/dev/null 2>"$tmp/err" || return 1
	# cost lines after fn= (own instructions) of all but the program itself; those after
	# calls= are of the callee and counted there
	awk '
		/^ob=/ { object = $0 }
		/^calls=/ { getline; next }
		/^[0-9+*-]/ && object ~ /(libpmu|libc[.-])[^\/]*$/ { sum += $2 }
		END { print sum + 0 }' "$tmp/out"
}

# per_pair MODE: by the difference of two lengths, in tenths.  What a process does besides depends on
# its addresses and differs by a thousand instructions: a hundredth of so many pairs.
per_pair() {
	short=$(in_library 2000 "$1") && long=$(in_library 102000 "$1") || return 1
	echo $(((long - short) / 10000))
}

# gcc keeps what is likely without a frame; clang 14 saves registers also where nothing is called
pair=101 buffer=131 context=136 off=10
case ${TEST_CC:-cc} in *clang*) pair=130 buffer=160 context=170 off=24 ;; esac
# Where the kernel found the processor's counter unfit, the library asks the kernel's clock, through libc
# (100 instructions) and the general path.
by_kernel() {
	PMU_OUTPUT="$tmp/clock.json" "$pairs" 1 single >"$tmp/log" 2>&1 &&
		grep -q '"clock": {"name": "clock_gettime"' "$tmp/clock.json"
}
if by_kernel; then
	echo "# times are the kernel's: it does not trust this machine's counter"
	pair=320 buffer=420 context=660
fi

# at_most NAME LIMIT MODE: instructions a pair
at_most() {
	tenths=$(per_pair "$3") || tenths=-1
	echo "# $1: $((tenths / 10)).$((tenths % 10)) instructions a pair"
	ok "$1: at most $2 instructions a pair" \
		test "$tenths" -gt 0 -a "$tenths" -le $(($2 * 10))
}

counted() {
	if ! command -v "$valgrind" >/dev/null || ! $valgrind -q true 2>/dev/null; then
		skip "instructions of a pair" "no valgrind"
		return
	fi
	if [ -n "${TEST_SANITIZERS:-}" ]; then
		skip "instructions of a pair" "built with a sanitizer"
		return
	fi
	if ! $valgrind -q --tool=none "$pairs" 1 single >"$tmp/log" 2>&1; then
		skip "instructions of a pair" "valgrind cannot run the program: $(grep -m 1 -i valgrind: "$tmp/log")"
		return
	fi
	at_most "one region" $pair single
	at_most "four regions in turn" $pair turn
	at_most "nested" $pair nested
	at_most "a name in a buffer" $buffer buffer
	at_most "a context entered and left" $context context
	export PMU_ENABLE=0
	at_most "switched off" $off single
	export PMU_ENABLE=later
	at_most "not switched on yet" $off single
	unset PMU_ENABLE
	export PMU_TRACE="$tmp/pairs.trace" PMU_TRACE_SIZE=1MiB
	at_most "traced" $((pair + 40)) single
	at_most "traced, nested" $((pair + 40)) nested
	at_most "traced, a name in a buffer" $((buffer + 40)) buffer
	unset PMU_TRACE PMU_TRACE_SIZE
}

# What a thread asks that was off its processor: strace itself stops it at the first mark, and a busy
# machine does where it likes.  Signals are held where a region has its first wait.
look='CLOCK_THREAD_CPUTIME_ID|/schedstat|read\([0-9]+, "[0-9]+ [0-9]+ [0-9]+\\n"|close\([0-9]+\)|rt_sigprocmask\(SIG_(BLOCK, ~|SETMASK, )'

# no_call MODE: nothing else between the two marks of the program
no_call() {
	$strace -f -o "$tmp/trace" "$pairs" 10000 "$1" >/dev/null 2>&1 || return 1
	sed -n '/close(-11)/,/close(-12)/p' "$tmp/trace" | grep -vE "$look" >"$tmp/between"
	[ "$(wc -l <"$tmp/between")" = 2 ] && return
	head -n 20 "$tmp/between"
	return 1
}

traced() {
	if [ -n "${TEST_SANITIZERS:-}" ]; then
		skip "system calls of a pair" "sanitizers make some of their own"
		return
	fi
	if ! command -v "$strace" >/dev/null || ! $strace -o /dev/null true 2>/dev/null; then
		skip "system calls of a pair" "no strace, or it may not trace"
		return
	fi
	export PMU_BACKEND=clock
	for mode in single turn nested buffer; do
		ok "no system call in the steady state: $mode" no_call $mode
	done
	export PMU_TRACE="$tmp/pairs.trace"
	ok "no system call in the steady state: traced" no_call single
	unset PMU_TRACE
	unset PMU_BACKEND
}

[ -x "$pairs" ] || skip_all "no $pairs"
counted
traced
finish
