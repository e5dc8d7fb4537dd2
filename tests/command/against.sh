#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `pmu run --against`: two commands in turns, and how they differ; `--repeat auto`: as many runs as it takes.
. "$(dirname "$0")/pmu.sh"
[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'a library with sanitizers cannot be loaded into a program without'
mkdir -m 700 place
export XDG_RUNTIME_DIR="$tmp/place"
unset PMU_OUTPUT PMU_GROUP PMU_EVENTS PMU_BACKEND
evidence='err out diff.json diff.csv'

# It is named by its first argument, calls "often" as often as the second says, and "twice" twice; the third says whether it
# takes a random time, and the fourth its status.
cat >program.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "pmu.h"

static void once(const char *name)
{
	pmu_region_begin(name);
	pmu_region_end(name);
}

int main(int argc, char **argv)
{
	FILE *file = fopen("turns", "a");
	struct timespec now;

	fprintf(file, "%s", argv[1]);
	fclose(file);
	pmu_region_begin("outer");
	for (int i = 0; i < atoi(argv[2]); i++)
		once("often");
	once("twice");
	once("twice");
	clock_gettime(CLOCK_REALTIME, &now);
	now = (struct timespec){ .tv_nsec = now.tv_nsec / 1000 % 17 * 100000 };
	if (argc > 3 && atoi(argv[3]))
		nanosleep(&now, NULL);
	pmu_region_end("outer");
	return argc > 4 ? atoi(argv[4]) : 0;
}
C
${TEST_CC:-cc} ${TEST_CFLAGS:-} -D_GNU_SOURCE -I"$source/include" -o program program.c -L"$build/lib/.libs" -lpmu \
	-Wl,-rpath,"$build/lib/.libs" >compiler 2>&1 || skip_all "cannot build a program: $(head -n 1 compiler)"

# pmu_run OPTION...: what it printed is in out, its messages in err, what ran in turns
pmu_run() {
	rm -f turns diff.*
	: >turns
	"$pmu" run "$@" >out 2>err
}

# --- in turns ---

pmu_run --against './program A 5' --repeat 4 -o diff.json -o diff.csv -o diff.md -o - -- ./program B 6
is "the first is first, then last" "$(cat turns)" ABBAABBA
is "one call more is named" "$(grep -c ',main/outer/often,calls,differs,0,5,6,1,1,1,$' diff.csv)" 1
is "and no other" "$(grep -c ',calls,differs,' diff.csv)" 1
ok "JSON says how many pairs" grep -q '"pairs": 4,' diff.json
ok "Markdown has a table" grep -q '^| main/outer/often | calls | 5 | 6 | +20.00% |' diff.md
ok "the text says that they were in turns" grep -q '^     in turns: ' out
ok "and how long all of it took" grep -Eq '^ +elapsed ' out
pmu_run --against './program A 5' -o diff.csv -- ./program B 5
is "twenty times each" "$(tr -d '\n' <turns | wc -c)" 40
is "the same twice: no call more or less" "$(grep -c ',calls,differs,' diff.csv)" 0
pmu_run --against './program A 5' --repeat 2 --warmup 1 -o diff.json -- ./program B 5
is "both warm up" "$(cat turns)" ABBAAB
word='it is $HOME'
pmu_run --against "./program '$word' 5" --repeat 1 -o - -- ./program B 5
is "quotes are the shell's" "$(cat turns)" "${word}B"
export turn=C
pmu_run --against './program $turn 5' --repeat 1 -o - -- ./program B 5
is "and so are variables" "$(cat turns)" CB
unset turn

pmu_run --against './program A 5' --repeat 2 --map outer=outer --map often=twice --map twice=often -o diff.csv -- ./program B 5
is "regions may have other names there" "$(sed -n 's/.*,main\/outer\/often,calls,differs,0,//p' diff.csv)" 2,5,3,3,3,

# --- what ends it ---

pmu_run --against './program A 5' --repeat 9 -o diff.csv -- ./program B 5 0 3
is "the status of the one that failed" $? 3
is "is the last" "$(cat turns)" AB
ok "it says which" grep -q '^pmu: run 1 of 9 of ./program ended with status 3: no further run' err
pmu_run --against './not-there' --repeat 9 -- ./program B 5
is "the other is not there: its status, and nothing ran" "$?/$(cat turns)" 127/

# --- as many as it takes ---

pmu_run --repeat auto --metric often:calls -o run.json -o - -- ./program A 5
is "what never varies is known after six" "$(cat turns)" AAAAAA
tr -s '\n ' ' ' <out | grep -q 'auto: 6 runs; the interval of calls of main/outer/often is 0% wide, 1% was asked for'
result $? "which is said"
# on a busy machine one run may take as long as that
for limit in 300ms 3s 30s; do
	pmu_run --repeat auto --precision 0.0001% --limit $limit -o - -- ./program A 5 1
	rc=$?
	[ "$(wc -c <turns)" -le 1 ] || break
done
is "its status is the command's" $rc 0
[ "$(wc -c <turns)" -gt 1 ] && tr -s '\n ' ' ' <out | grep -q 'then its --limit ended it; the interval of time of the command'
result $? "what varies is run until the time is over, and it says so"
pmu_run --repeat auto --precision 100% --limit 60s --metric outer:time -o - -- ./program A 5
tr -s '\n ' ' ' <out | grep -q 'the interval of time of main/outer is [0-9.e+-]*% wide, 100% was asked for'
result $? "and told"
pmu_run --repeat auto --metric often:calls --against './program A 5' -o - -- ./program B 7
is "a change is known after six pairs" "$(cat turns)" ABBAABBAABBA
pmu_run --repeat auto --precision 10000% --metric outer:time --against './program A 5 1' -o diff.json -o - -- ./program B 5 1
ok "what varies takes as many as can tell a change among all values" test "$(wc -c <turns)" -ge 18
! grep -q 'too few' out
result $? "and they are not too few"
pmu_run --repeat auto --metric nothing -o run.json -- ./program A 5
is "no such value: one run" "$?/$(cat turns)" 2/A
ok "and a sentence" grep -q '^pmu: --metric nothing: no region has a value of that name' err

# --- what makes no sense ---

refused() {
	name=$1
	shift
	pmu_run "$@" -- ./program B 5
	is "$name: status, and nothing was run" "$?/$(cat turns)" 2/
}
refused "nothing to be compared with" --against ''
refused "a pipe" --against './program A 5 | cat'
ok "has a way out" grep -q "sh -c '...'" err
refused "a command in a command" --against './program $(echo A) 5'
refused "half a quote" --against "./program 'A 5"
refused "each by itself" --against './program A 5' --each
refused "a name for no other" --against './program A 5' --map often
refused "a name without another command" --repeat 2 --map often=twice
refused "a precision for a number" --repeat 5 --precision 1%
refused "a limit for a number" --repeat 5 --limit 1s
refused "a metric for a number" --repeat 5 --metric IPC
refused "no width" --repeat auto --precision 0%
refused "no share" --repeat auto --precision 1s
refused "no time" --repeat auto --limit 5
refused "a negative time" --repeat auto --limit -5s
finish
