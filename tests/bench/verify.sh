#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pmu-bench --verify: right where counts are right, and not where a preloaded library spoils them.
program='pmu-bench'
# shellcheck source=tests/bench/bench.sh
. "$(dirname "$0")/bench.sh"
pmu=$build/pmu-bench
valgrind=${TEST_VALGRIND:-valgrind}
unset PMU_OUTPUT PMU_GROUP PMU_EVENTS PMU_BACKEND PMU_ENABLE VALGRIND_OPTS

case $(uname -m) in
x86_64 | aarch64) ;;
*) skip_all 'no kernels for this processor' ;;
esac

# --- options ---

run 2 'on two threads' --verify --threads 2
run 2 'beside the bare loop' --verify --bare
run 2 'over sizes' --verify --size 4K..8K
run 2 'processes, but nothing to verify' --processes 2
run 2 'no process' --verify --processes 0

# --- this machine, whatever it can count: wrong counts of it are for its owner ---

"$pmu" --verify --processes 1 --calls 2 --size 4K divide >out 2>err
rc=$?
case $rc in
0) grep -q '^Right: ' out ;;
1) grep -q '^WRONG: ' out ;;
3) grep -q '^Nothing can be counted here' out && [ "$(grep -c '^  not here: ..' out)" = 4 ] && ! grep -q 'Right\|WRONG' out ;;
*) false ;;
esac
result $? "the status is the verdict's: $rc"
"$pmu" --verify --json --processes 1 --calls 2 --size 4K divide >out 2>err
[ $? = $rc ] && for name in perf-user perf-read perf-cpu msr; do
	[ "$(grep -c "\"source\": \"$name\"" out)" = 3 ] || break
done
result $? 'every source is in JSON, counting or not'

# --- by simulation ---

if [ -n "${TEST_SANITIZERS:-}" ] || ! command -v "$valgrind" >/dev/null ||
	! "$valgrind" -q --tool=callgrind --callgrind-out-file=/dev/null true 2>err; then
	skip 'counts by simulation' 'no valgrind, or built with a sanitizer'
	finish
fi

run 0 'by simulation' --verify --emulate --size 16K
has out 'Right: all 200 counts of instructions and branches are exact.' 'every call of every kernel'
has out 'the same in all calls' 'each time'
has out 'not to be foretold: cache-references' 'what cannot be known is not judged'
export PMU_GROUP=CORE
run 0 'in JSON' --verify --emulate --json --size 16K --calls 3 --processes 2 copy scan
exact=$(grep -A13 '"known": "exactly"' out | grep -c '"exact": 6,')
[ "$exact" = 4 ]
result $? "instructions and branches of two kernels: $exact"
[ "$(grep -c '"interrupts": ' out)" -ge 12 ]
result $? 'with every call'

# Counts as the library gives them, but for what SPOILT says.
cat >spoil.c <<'C'
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <pmu.h>

int pmu_region_read(const char *name, int thread, struct pmu_region_counts *counts)
{
	int (*real)(const char *, int, struct pmu_region_counts *) = dlsym(RTLD_NEXT, "pmu_region_read");
	const char *how = getenv("SPOILT");
	int rc = real(name, thread, counts);

	if (how && !strcmp(how, "each"))
		counts->net[0] += counts->calls;
	else if (how && !strcmp(how, "second"))
		counts->net[0] += counts->calls / 2;
	else if (how && !strcmp(how, "less"))
		counts->net[2] -= counts->calls;
	return rc;
}
C
# As on a system where no process may trace.
echo 'long ptrace(int request, ...) { return request < 0 ? 0 : -1; }' >untraced.c

# library NAME: from its source
library() {
	${TEST_CC:-cc} -D_GNU_SOURCE -fPIC -shared -I"$source/include" -o "$1.so" "$1.c" -ldl 2>err
	result $? "a library to preload: $1"
}
library spoil
library untraced

# spoilt LIBRARY: a run with it
spoilt() {
	LD_PRELOAD=$1 "$pmu" --verify --emulate --size 16K --calls 4 copy >out 2>err
	rc=$?
}
spoilt "$tmp/untraced.so"
[ $rc = 0 ] && grep -q 'processes cannot be traced here' out && grep -q '^Right: all 8 ' out
result $? "nobody traces: exact but for what is around the loop (status $rc)"
spoilt "$tmp/spoil.so"
[ $rc = 0 ] && grep -q '^Right: all 8 ' out
result $? 'not spoilt: right'
export SPOILT=each
spoilt "$tmp/spoil.so"
[ $rc = 1 ] && grep -qE '^  copy +[0-9]+ +\+1 .* \*$' out && grep -q '^WRONG: 4 of 8 ' out &&
	grep -q '^  instructions: 0 of 4 calls exact, 4 WRONG.*; the same in all calls' out
result $? "an instruction too much in each call: wrong (status $rc)"
SPOILT=second
spoilt "$tmp/spoil.so"
[ $rc = 1 ] && grep -qE '^  copy +[0-9]+ +0\.\.\+1 .* \*$' out && grep -q '^WRONG: 2 of 8 ' out &&
	grep -q '^  instructions: 2 of 4 calls exact, 2 WRONG.*; not the same in all calls' out
result $? "in every second one (status $rc)"
SPOILT=less
spoilt "$tmp/spoil.so"
[ $rc = 1 ] && grep -q '^WRONG: 4 of 8 ' out
result $? "a branch too few (status $rc)"
finish
