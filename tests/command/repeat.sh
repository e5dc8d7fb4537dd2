#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `pmu run --repeat`: the values of each run, their medians and intervals, and what ends it early.
. "$(dirname "$0")/pmu.sh"
[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'a library with sanitizers cannot be loaded into a program without'
mkdir -m 700 place
export XDG_RUNTIME_DIR="$tmp/place"
unset PMU_OUTPUT PMU_GROUP PMU_EVENTS PMU_BACKEND

# Run N of it calls "often" N times, and "late" from the third run on.
cat >program.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include "pmu.h"

static int nth_run(void)
{
	FILE *file = fopen("nth", "r+");
	int nth = 0;

	if (!file || fscanf(file, "%d", &nth) != 1)
		exit(99);
	rewind(file);
	fprintf(file, "%d\n", ++nth);
	fclose(file);
	return nth;
}

/* How: ends in that run, with that status. */
int main(int argc, char **argv)
{
	int nth = nth_run();

	pmu_region_begin("outer");
	for (int i = 0; i < nth; i++) {
		pmu_region_begin("often");
		pmu_region_end("often");
	}
	if (nth >= 3) {
		pmu_region_begin("late");
		pmu_region_end("late");
	}
	pmu_region_end("outer");
	if (argc > 2 && nth == atoi(argv[1])) {
		if (atoi(argv[2]) < 0)
			raise(-atoi(argv[2]));
		return atoi(argv[2]);
	}
	return 0;
}
C
${TEST_CC:-cc} ${TEST_CFLAGS:-} -I"$source/include" -o program program.c -L"$build/lib/.libs" -lpmu \
	-Wl,-rpath,"$build/lib/.libs" >compiler 2>&1 || skip_all "cannot build a program: $(head -n 1 compiler)"

# repeated OPTION...: from the first run on; what it printed is in out, its messages in err
repeated() {
	echo 0 >nth
	"$pmu" run "$@" >out 2>err
}
evidence='out err run.json run.csv'

# values REGION MEASURE: what the JSON has of the region's measure, by its number from 0
values() {
	awk -v region="\"name\": \"$1\"" -v nth="$2" '
		index($0, region) { at = 1 }
		at && /"runs": \[/ && !/"self"/ { if (n++ == nth) { print; exit } }' run.json |
		sed 's/.*{"runs": //; s/}*,*$//; s/\]}$/]/'
}

repeated --repeat 12 -o run.json -o run.csv -o - -- ./program
is "twelve runs" "$(cat nth)" 12
is "calls of each run, their median and its interval" "$(values often 0)" \
	'[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], "median": 6.5, "low": 3, "high": 10'
is "a region that came later" "$(values late 0)" \
	'[null, null, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], "median": 1, "low": 1, "high": 1'
is "one that is the same each time" "$(values outer 0)" \
	'[1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1], "median": 1, "low": 1, "high": 1'
is "a line for each value" "$(grep -c ',main/outer/often,calls,' run.csv)" 12
is "no line for what is missing" "$(grep -c ',main/outer/late,calls,' run.csv)" 10
is "its value" "$(grep ',main/outer/often,calls,7,' run.csv | tail -c 3)" ,7
ok "the text says how many runs" grep -q '^pmu: program, 12 runs of about .* (+- .*%)$' out
ok "and has their medians" grep -Eq '^ +often +7 +[0-9.]+%.*%' out
ok "what settings the machine had" grep -q '^  settings ' out

# In each run a region's own time and that of what is in it are all of it.
cat >sums.py <<'P'
import json
group = json.load(open("run.json"))["groups"][0]
region = {r["name"]: r["values"][1] for r in group["regions"]}
for run in range(12):
    inner = sum(region[name]["runs"][run] or 0 for name in ("often", "late"))
    assert region["outer"]["self"]["runs"][run] + inner == region["outer"]["runs"][run], run
P
if command -v python3 >/dev/null; then
	ok "own times add up" python3 sums.py
else
	skip "own times add up" "no python3"
fi

repeated --repeat 3 --warmup 2 -o run.json -- ./program
is "runs that warm up come first and are not reported" "$(values often 0)" \
	'[3, 4, 5], "median": 4, "low": null, "high": null'
ok "and are counted" grep -q '"warmup": 2' run.json

repeated --repeat 2 -o - -- ./program
ok "two runs have no interval: it says so" grep -q 'needs six runs' out

# --- the report again ---

repeated --repeat 7 -o run.json -o - -- ./program
ok "the JSON is read" "$pmu" report run.json -o text -o again.json
ok "the text is the same" cmp text out
ok "and so is the JSON" cmp again.json run.json
# unread NAME FILE SENTENCE
unread() {
	"$pmu" report "$2" >out 2>err
	is "$1: status" $? 1
	ok "$1: a sentence" grep -q "$3" err
}
head -c 1500 run.json >broken.json
unread "cut off" broken.json '^pmu: cannot read broken.json: not JSON: line'
sed 's/"pmu_series": 1/"pmu_series": 2/' run.json >broken.json
unread "of a later version" broken.json 'schema 2 and this version reads up to 1; use a newer pmu command'
sed 's/{"runs": \[1, 2, /{"runs": [1, /' run.json >broken.json
unread "one run too few" broken.json 'regions\[[0-9]\]: "runs" are 6 and not 7'
"$pmu" report run.json run.json >out 2>err
is "with others: status" $? 1
ok "with others: a sentence" grep -q 'it is of repeated runs already' err

# --- what ends it ---

repeated --repeat 9 -o run.json -- ./program 4 3
is "the command's status" $? 3
is "no run after one that failed" "$(cat nth)" 4
ok "which is said" grep -q '^pmu: run 4 of 9 ended with status 3: no further run' err
is "those before it are reported" "$(values often 0 | sed 's/,.*median/, median/')" \
	'[1, median": 2, "low": null, "high": null'
repeated --repeat 9 --warmup 5 -o none -- ./program 4 1
ok "also where it warmed up" grep -q '^pmu: warm-up 4 of 5 ended with status 1' err
(repeated --repeat 9 -o run.json -- ./program 2 -15)
is "a signal is ours, too" $? 143
rm -f run.json
repeated --repeat 9 -o run.json -- ./not-there
is "no such command" $?/"$(cat nth)" 127/0
ok "is said once" test "$(wc -l <err)" = 1

# --- standard input ---

printf 'skipped\nseen\n' >input
{ read -r _ && "$pmu" run --repeat 3 -o run.json -- sh -c 'cat >>copies'; } <input 2>err
is "a file is read by each run, from where it was" "$(tr '\n' ' ' <copies)" 'seen seen seen '
echo seen | "$pmu" run --repeat 2 -o - -- cat >out 2>err
ok "a pipe by the first: it is said" grep -q 'standard input is a pipe' out

# --- what makes no sense ---

refused() {
	name=$1
	shift
	repeated "$@" -- ./program
	is "$name: status" $? 2
	is "$name: nothing was run" "$(cat nth)" 0
}
refused "no runs" --repeat 0
refused "no number" --repeat many
refused "more than anybody wants" --repeat 100001
refused "warming up for one" --warmup 3
refused "each by itself" --repeat 3 --each
refused "a file for each process" --repeat 3 -o run-%p.json
finish
