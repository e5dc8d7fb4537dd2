#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The source nvml, alone and beside others, by a stand-in for NVIDIA's library: its numbers are known.
set -u
export LC_ALL=C

top=${TEST_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
# shellcheck source=tests/tap.sh
. "$top/tests/tap.sh"
libs=${TEST_BUILDDIR:-.}/lib/.libs
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
unset PMU_GROUP PMU_EVENTS PMU_GROUP_PATH PMU_OUTPUT PMU_BACKEND PMU_REQUIRE
export HOME="$tmp"
evidence=$tmp/out

[ -e "$libs/libpmu.so" ] || skip_all 'no libpmu.so: configured with --disable-shared'
# What a card has counted moves when the program says so, by 1.5 J of the first and 2 J of the second.
cat >"$tmp/nvml.c" <<'C'
#include <stdlib.h>

struct violation_time {
	unsigned long long reference, violation;
};
unsigned long long stand_in_steps;

int nvmlInit_v2(void)
{
	return getenv("NO_DRIVER") ? 9 : 0;
}
const char *nvmlErrorString(int rc)
{
	return rc == 9 ? "Driver Not Loaded" : rc == 3 ? "Not Supported" : "Unknown Error";
}
int nvmlDeviceGetCount_v2(unsigned int *n)
{
	*n = 2;
	return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned int i, void **card)
{
	static unsigned long long step[] = { 1500, 2000 };
	*card = &step[i];
	return 0;
}
int nvmlDeviceGetTotalEnergyConsumption(void *card, unsigned long long *mj)
{
	if (getenv("FAILS_AT") && stand_in_steps >= strtoull(getenv("FAILS_AT"), NULL, 10))
		return 999;
	*mj = 5000000 + *(unsigned long long *)card * stand_in_steps;
	return 0;
}
int nvmlDeviceGetViolationStatus(void *card, int policy, struct violation_time *time)
{
	(void)card;
	if (policy == 1)
		return 3;
	time->violation = 1000 + 7 * stand_in_steps;
	return 0;
}
C
cat >"$tmp/program.c" <<'C'
#include <dlfcn.h>
#include <pmu.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void work(void)
{
	void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_NOLOAD);
	unsigned long long *steps = library ? dlsym(library, "stand_in_steps") : NULL;

	pmu_region_begin("solve");
	pmu_region_begin("inner");
	if (steps)
		*steps += 3;
	pmu_region_end("inner");
	if (steps)
		*steps += 1;
	pmu_region_end("solve");
	if (steps)
		*steps += 100;
}

int main(void)
{
	pmu_region_begin("first"); /* the session is there, and the library with it */
	pmu_region_end("first");
	printf("library %s\n", dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_NOLOAD) ? "loaded" : "not loaded");
	fflush(stdout);
	work();
	if (getenv("FORKS") && !fork()) {
		work();
		exit(0);
	}
	wait(NULL);
	return 0;
}
C
# shellcheck disable=SC2086 # a list of words
{
	mkdir "$tmp/cards" &&
		${TEST_CC:-cc} ${TEST_CFLAGS:-} -shared -fPIC "$tmp/nvml.c" -o "$tmp/cards/libnvidia-ml.so.1" &&
		${TEST_CC:-cc} ${TEST_CFLAGS:-} -I"$top/include" "$tmp/program.c" -o "$tmp/program" "$libs/libpmu.so" -ldl
} || exit 1

# program [SETTING...]: runs it beside the stand-in; its text is in $tmp/out, its table in $tmp/csv
program() {
	rm -f "$tmp/csv"
	env LD_LIBRARY_PATH="${cards-$tmp/cards:}$libs" PMU_OUTPUT="-,$tmp/csv.csv" "$@" "$tmp/program" >"$tmp/out" 2>&1
	mv "$tmp/csv.csv" "$tmp/csv" 2>/dev/null
}
said() { tr -s ' \n' ' ' <"$tmp/out" | grep -qe "$1"; }
# count REGION EVENT: over all threads, as the table has it
count() {
	${TEST_PYTHON:-python3} - "$tmp/csv" "$1" "raw:$2" <<'PY'
import csv, sys
for row in csv.DictReader(open(sys.argv[1])):
    if row['path'] == sys.argv[2] and row['thread'] == 'all':
        print(next(value for key, value in row.items() if key.split(' ')[0] == sys.argv[3]))
PY
}

program PMU_GROUP=GPU
ok "the group GPU is counted by nvml" said 'source nvml: 2 of NVIDIA'
is "energy is the sum of the cards, in microjoules" "$(count solve nvml/energy/)" 14000000
is "a region in it has its part" "$(count solve/inner nvml/energy/)" 10500000
is "time throttled is in nanoseconds" "$(count solve nvml/throttled-power/)" 56
ok "what a card does not tell is named" said 'nvml cannot count nvml/throttled-thermal/ here: card 0 does not tell its time below its clock for temperature: Not Supported'

program PMU_EVENTS=task-clock,nvml/energy/
ok "beside another source" said 'source software+nvml: .*; nvml: 2 of NVIDIA'
is "energy is the same" "$(count solve nvml/energy/)" 14000000
ok "and the thread's own counts are there" within "$(count solve task-clock)" 1 1000000000

program PMU_EVENTS=page-faults,nvml/throttled-thermal/
ok "a count that cards lack is missing" said 'not counted: nvml/throttled-thermal/'
is "not 0" "$(count solve nvml/throttled-thermal/)" ''
is "and what is left is counted by one source" "$(grep -c 'software+' "$tmp/out")" 0

program PMU_EVENTS=page-faults,nvml/energy/ FAILS_AT=102
is "where a card fails meanwhile its energy is counted before" "$(count solve nvml/energy/)" 14000000
program PMU_EVENTS=page-faults,nvml/energy/ FAILS_AT=3
is "and missing in a region at whose end it fails" "$(count solve nvml/energy/)" ''
ok "which keeps its other counts" within "$(count solve page-faults)" 0 1000

program PMU_EVENTS=page-faults,nvml/energy/ NO_DRIVER=1
ok "without a driver the library's words are told" said "not nvml NVIDIA's library cannot begin: Driver Not Loaded"
ok "and the rest is counted" within "$(count solve page-faults)" 0 1000
cards='' program PMU_EVENTS=nvml/energy/ PMU_REQUIRE=1
ok "without the library a request fails, with its name" said 'PMU_REQUIRE=1: nvml/energy/ cannot be counted: nvml: .*libnvidia-ml.so.1'

program PMU_EVENTS=page-faults,nvml/energy/ FORKS=1
ok "a forked child says why it has none" said "NVIDIA's library is the parent process's"
program PMU_BACKEND=software PMU_EVENTS=page-faults,nvml/energy/
ok "a source that is named counts alone" said 'only the source nvml counts it'
program PMU_BACKEND=nvml
ok "named itself it counts its group" said ' GPU region'
program PMU_EVENTS=nvml/energy/ PMU_COUNT=process
ok "energy is no process's" said "what cards do is no process's"
program PMU_EVENTS=nvml/power/
ok "a value of a moment is no count" said '"nvml/power/" is no count of nvml'
program PMU_EVENTS=page-faults
ok "who asks for no card loads no library of theirs" said 'library not loaded'
program PMU_EVENTS=nvml/energy/
ok "who asks does" said 'library loaded'

echo "1..$n"
exit $failed
