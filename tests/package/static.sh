#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# libpmu.a: in a program that is linked dynamically otherwise, and in one that is linked with -static.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/../command/pmu.sh"
[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'the library is of objects with sanitizers'
archive=$build/lib/libpmu.a
[ -e "$archive" ] || skip_all "no $archive: make check makes it"
cc="${TEST_CC:-cc} ${TEST_CFLAGS:-}"
for v in $(env | sed -n 's/^\(PMU_[A-Za-z0-9_]*\)=.*/\1/p'); do unset "$v"; done
export PMU_BACKEND=clock

sed -n 's/^	\(pmu_[a-z_]*\);$/\1/p' "$source/lib/libpmu.map" | sort >map
${TEST_NM:-nm} --defined-only --extern-only "$archive" | awk 'NF == 3 { print $3 }' | sort >defined
ok 'its symbols are those of the map, and no others' diff map defined

# A thread, a fork, and a function of the program's with the name of one of the library's own.
cat >solve.c <<'C'
#include <pmu.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

int pmu_table_open(void);
int pmu_table_open(void)
{
	return 7;
}

static void *work(void *arg)
{
	pmu_region_begin("work");
	pmu_region_end("work");
	return arg;
}

int main(void)
{
	pthread_t thread;
	int status = 0;

	pmu_region_begin("solve");
	if (pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL))
		return 1;
	pmu_region_end("solve");
	if (!fork()) {
		work(NULL);
		return 0;
	}
	return wait(&status) < 0 || status || pmu_table_open() != 7;
}
C
# reports PROGRAM: what it and its child left
reports() {
	rm -f run-*.csv
	PMU_OUTPUT=run-%p.csv "./$1" >out 2>err
	is "  it runs" "$? $(cat err)" '0 '
	cat run-*.csv >all.csv
	is "  it reports its regions, its thread's, and its child's" \
		"$(grep -c ',solve,solve,0,all,1,' all.csv) $(grep -c ',work,work,0,all,1,' all.csv)" '1 2'
}
evidence='out err all.csv'
: >all.csv

# shellcheck disable=SC2086 # lists of words
$cc -I"$source/include" -o solve solve.c "$archive" 2>err
result $? 'a program is linked with it by its path'
is '  and needs no libpmu.so' "$(${TEST_READELF:-readelf} -d solve | grep -c libpmu)" 0
reports solve

pkg=${TEST_PKG_CONFIG:-pkg-config}
if ! command -v "${pkg%% *}" >/dev/null; then
	skip 'the flags for -static are those of pkg-config --static' 'no pkg-config'
	finish
fi
flags=$(PKG_CONFIG_PATH="$build" $pkg --define-variable=libdir="$build/lib" --define-variable=includedir="$source/include" \
	--static --cflags --libs pmu)
echo 'int main(void) { return 0; }' >empty.c
if ! $cc -static -o empty empty.c 2>err; then
	skip 'pkg-config --static --cflags --libs pmu suffice for -static' 'no static libc'
	finish
fi
# shellcheck disable=SC2086
$cc -static -o all solve.c $flags 2>err
result $? 'pkg-config --static --cflags --libs pmu suffice for -static'
is '  and nothing is loaded' "$(${TEST_READELF:-readelf} -lW all | grep -c INTERP)" 0
reports all
PMU_PIN=compact ./all >out 2>err
is 'what a library would be needed for does not end it' "$?" 0
has err 'without a topology' '  and the report says what is missing'
PMU_EVENTS=page-faults PMU_BACKEND=software PMU_OUTPUT=events.csv ./all >out 2>err
has events.csv page-faults "events' names are in it"
finish
