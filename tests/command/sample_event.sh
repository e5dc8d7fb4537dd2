#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# `pmu run --sample=EVENT`: each page that is touched first is a sample of who touches it; what cannot be sampled is refused.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/pmu.sh"
# shellcheck source=tests/command/apart.sh
. "$source/tests/command/apart.sh"

# program [wait]: 2 threads one after the other, each of which touches 1,000 pages for the first time in one function, and again in
# another; with an argument it begins when a byte comes, and ends when no more comes
cat >program.c <<'END'
#include <pmu.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGES 1000

static long page;

__attribute__((noinline)) static void touch(volatile char *at)
{
	for (int i = 0; i < PAGES; i++)
		at[i * page] = 1;
}

__attribute__((noinline)) static void again(volatile char *at)
{
	for (int i = 0; i < PAGES; i++)
		at[i * page] += 1;
}

static void *work(void *unused)
{
	char *at = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED || madvise(at, PAGES * page, MADV_NOHUGEPAGE))
		return unused;
	pmu_region_begin("work");
	pmu_region_begin("touch");
	touch(at);
	pmu_region_end("touch");
	pmu_region_begin("again");
	again(at);
	pmu_region_end("again");
	pmu_region_end("work");
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	char byte;

	(void)argv;
	page = sysconf(_SC_PAGESIZE);
	if (argc > 1 && (puts("ready") < 0 || fflush(stdout) || read(0, &byte, 1) != 1))
		return 1;
	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL))
			return 1;
	while (argc > 1 && read(0, &byte, 1) == 1)
		;
	return 0;
}
END
compile program program.c

# seen FILE PATH: "N EVENT PERIOD PRECISE: FUNCTION N..." of the sum of a region's samples
cat >seen.py <<'END'
import json, sys
for row in json.load(open(sys.argv[1]))["regions"]:
    if row["path"].endswith(sys.argv[2]) and "samples" in row:
        of = row["samples"]
        functions = " ".join("%s %d" % (one["name"], one["n"]) for one in of["functions"])
        print("%d %s %s %s: %s" % (of["n"], of.get("event"), of.get("period"), of.get("precise"), functions))
END

subcommand=run
if "$pmu" run --sample=page-faults:1 -o one.json ./program 2>err; then
	:
elif grep -q 'no samples of page-faults are taken' err; then
	skip_all 'perf_event_open is not allowed'
fi
ok 'a run with samples by an event ends well' [ -s one.json ]

# A sample is in the function that touches, to the page; what the kernel does there beside, a page of its stack, is not the region's.
is 'each page is a sample of the function that touches it first' "$(python3 seen.py one.json work/touch)" \
	"2000 page-faults 1 3: touch 2000"
is '  and none of the one that does so again' "$(python3 seen.py one.json work/again)" ''
"$pmu" run --sample=page-faults:10 -o ten.json ./program 2>err
found=$(python3 seen.py ten.json work/touch | cut -d ' ' -f 1)
[ "${found:-0}" -ge 198 ] && [ "$found" -le 202 ]
result $? 'with a period one of so many'
PMU_SAMPLE=page-faults:1 run 0 'PMU_SAMPLE' -o variable.json ./program
is 'is as the option' "$(python3 seen.py variable.json work/touch)" "2000 page-faults 1 3: touch 2000"

run 0 'text' --sample=page-faults:1 ./program
tr -s '\n ' '  ' <err >line
has line "shares of the samples of a region's own page-faults, one each 1 page-faults (precise)" 'says which event and how late'
run 0 'few' --sample=page-faults:1000 ./program
tr -s '\n ' '  ' <err >line
has line '--sample=EVENT:PERIOD with a shorter period takes more' 'says what has more'
run 0 'source' --annotate=touch --sample=page-faults:1 -o - ./program
tr -s '\n ' '  ' <out >line
has line 'samples of its own page-faults' 'is annotated by what happens there'
lacks line 'a sample is taken when an instruction has ended' '  which is where it says'
run 0 'pages' --sample=page-faults:1 -o page.html ./program
has page.html '"event":' 'have the event'

# --- what cannot be ---

refused() { # NAME SAMPLE TEXT
	rm -f ran
	run 2 "$1" --sample="$2" touch ran
	tr -s '\n ' '  ' <err >line
	has line "$3" '  which is said'
	[ ! -e ran ]
	result $? '  before anything runs'
}
refused 'a name that is none' page-fault 'there is no event "page-fault"'
refused 'no period' page-faults:0 '1 at least from one sample to the next'
refused 'too short a period' branch-misses:10 '100 at least from one sample to the next'
refused 'an event of the socket' energy-pkg 'is not counted by thread'
refused 'two events' page-faults,cs 'one event at a time'
if "$pmu" run -e branch-misses -o counts.txt true 2>err && grep -q 'shows no PMU' counts.txt; then
	refused 'an event that the machine has no counter for' branch-misses 'no samples of branch-misses are taken: '
fi
run 2 'not of several runs' --sample=page-faults --repeat 2 ./program
has err 'not of --repeat' '  which is said'

# --- reports of different events ---

"$pmu" run --sample=4000 -o time.json ./program 2>err
sed 's/"rank": null/"rank": 0/' one.json >rank0.json
sed 's/"rank": null/"rank": 1/; s/"pid": [0-9]*/"pid": 1/; s/"event": "page-faults"/"event": "minor-faults"/' one.json >rank1.json
sed 's/"rank": null/"rank": 1/' ten.json >rank2.json
subcommand=report
run 0 'reports of the same event' rank0.json rank2.json -o sum.json
python3 seen.py sum.json work/touch | grep -q ' page-faults 10 3: touch '
result $? 'have their sum, of the longer period'
run 0 'reports of different events' rank0.json rank1.json -o sum.json
is 'have no sum' "$(python3 seen.py sum.json work/touch)" ''
has sum.json 'processes were sampled by different events, which are not added up' '  which is said'
subcommand=diff
run 0 'the same events compared' one.json one.json
lacks out 'different events' '  are compared'
sed 's/"name": "touch", "object"/"name": "reach", "object"/' one.json >other.json
run 0 'other functions of that event' one.json other.json -o other_diff.json -o -
tr -s '\n ' '  ' <out >line
has line "share of the samples of the region's own page-faults" 'differ by their shares'
lacks line 'CPU time by samples' '  and have no time'
has other_diff.json '"event": "page-faults"' '  which JSON says'
run 0 'different events' one.json rank1.json
tr -s '\n ' '  ' <out >line
has line 'were sampled by different events' 'are not compared'

# --- what runs already ---

mkfifo pipe
./program wait <pipe >said &
program=$!
exec 3>pipe
until grep -q ready said; do sleep 0.05; done
"$pmu" attach $program --sample=page-faults:1 -o attached.json 2>err 3>&- &
watcher=$!
until ls -l /proc/$watcher/fd 2>/dev/null | grep -q signalfd || ! kill -0 $watcher 2>/dev/null; do sleep 0.05; done
echo >&3
exec 3>&-
wait $program
wait $watcher
is 'pmu attach ends well' $? 0
python3 seen.py attached.json program | grep -q ' page-faults 1 3: touch 2000'
result $? 'and has each page'
subcommand=attach
run 2 'an event of the socket' $$ --sample=energy-pkg --for 1ms
has err 'is not counted by thread' '  is refused there, too'

finish
