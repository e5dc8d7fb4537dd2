#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs annotated with PAPI's high-level API: built against our header, and as they are under the preload.
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=tests/bindings/markers.sh
. "$(dirname "$0")/markers.sh"

source=$top/tests/bindings/papi.c
ours="-I$top/bindings/papi -I$top/include"
omp=$(openmp "$cc")
unset PAPI_EVENTS PAPI_REPORT PAPI_OUTPUT_DIRECTORY PAPI_MULTIPLEX PAPI_HL_VERBOSE

# columns: the counts of report.csv, by their names
columns() {
	sed -n 1p report.csv | tr ',' '\n' | sed -n 's/^raw://p' | tr '\n' ' '
}

# note TEXT SETTING... PROGRAM: a note in the head of the text report
note() {
	text=$1
	shift
	env PMU_OUTPUT=report.txt "$@" plain >out 2>err
	tr -s ' \n' ' ' <report.txt | grep -qF -- "$text"
	result $? "note: $text"
}

# scenarios HOW SETTING... PROGRAM: what it prints, and the calls in the report
scenarios() {
	how=$1
	shift
	if [ "$omp" ]; then
		good "$how: threads" "$@" team
		same_threads inner 10 "$how: nested regions, by thread"
		same_threads "PAPI_hl_read(inner)" 5 "$how: and how often they were read"
		same_threads "step 0" 4 "$how: labels made in a buffer"
		same_threads "step 1" 3 "$how: and the next of them"
		same_threads outer 1 "$how: the region around"
		different_threads mine "$how: each thread's own number of calls"
	else
		skip "$how: threads" "no OpenMP"
	fi
	good "$how: mistakes" "$@" mistakes
	is "$how: a region entered again" "$(calls x all)" 2
	is "$how: a region after a stop" "$(calls after all)" 1

	good "$how: PAPI_EVENTS" PAPI_EVENTS="PAPI_TOT_INS, page-faults,PAPI_NO_SUCH,rubbish,PAPI_TOT_INS" "$@" plain
	is "$how: as far as there are such events" "$(columns)" "instructions page-faults "
	good "$how: PAPI_EVENTS of which nothing is known" PAPI_EVENTS=rubbish,PAPI_NO_SUCH PMU_BACKEND=clock "$@" plain
	is "$how: calls all the same" "$(calls computation all)" 1
	good "$how: PMU_EVENTS goes first" PMU_EVENTS=page-faults PAPI_EVENTS=PAPI_TOT_CYC "$@" plain
	is "$how: and alone" "$(columns)" "page-faults "
	good "$how: so does PMU_GROUP" PMU_GROUP=TIME PAPI_EVENTS=page-faults "$@" plain
	is "$how: a group without events" "$(columns)" ""
	note "PAPI_EVENTS: not counted here: PAPI_NO_SUCH, rubbish" PAPI_EVENTS=PAPI_NO_SUCH,PAPI_TOT_INS,rubbish "$@"
	tr -s ' \n' ' ' <report.txt | grep -qF PAPI_TOT_INS
	is "$how: and no other is named" $? 1
	env PMU_OUTPUT=report.txt PAPI_EVENTS=PAPI_L1_LDM,PAPI_L1_DCM,PAPI_L1_DCR,PAPI_LD_INS "$@" plain >out 2>err
	is "$how: two presets of one event" "$(grep -c 'not counted here' report.txt)" 0
	note "PAPI_BR_MSP is branch-misses" PAPI_EVENTS=PAPI_BR_MSP "$@"
	note "PAPI_REPORT and PAPI_OUTPUT_DIRECTORY are not followed" PAPI_REPORT=1 "$@"
	note "PAPI_MULTIPLEX is not followed" PAPI_MULTIPLEX=1 "$@"
	long=$(printf 'PAPI_NO_%030d,' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20)
	good "$how: a PAPI_EVENTS of any length" PAPI_EVENTS="$long$long page-faults,," "$@" plain
	is "$how: is read to its end" "$(columns)" "page-faults "
}

# --- our header ---

# shellcheck disable=SC2086 # lists of words, here and below
built() {
	$cc $warn ${TEST_CFLAGS:-} $omp $ours "$source" -o marked -L"$lib" -lpmu
}
ok "our header: compiles without a warning" built
export LD_LIBRARY_PATH="$lib"
scenarios "our header" PMU_PIN=none ./marked
PMU_ENABLE=0 ./marked plain >out 2>err
is "our header: switched off" "$(cat out err)" "done"

# The session begins with the first region: one thread starts it, the others wait.
cat >race.c <<'C'
#include <papi.h>
#include <pthread.h>
static pthread_barrier_t all;
static void *race(void *arg)
{
	pthread_barrier_wait(&all);
	PAPI_hl_region_begin("race");
	PAPI_hl_region_end("race");
	return arg;
}
int main(void)
{
	pthread_t thread[8];

	pthread_barrier_init(&all, 0, 8);
	for (int i = 0; i < 8; i++)
		pthread_create(&thread[i], 0, race, 0);
	for (int i = 0; i < 8; i++)
		pthread_join(thread[i], 0);
	return 0;
}
C
# shellcheck disable=SC2086
race() {
	$cc $warn ${TEST_CFLAGS:-} $ours race.c -o race -L"$lib" -lpmu -pthread
}
ok "our header: threads without OpenMP" race
PMU_PIN=none PMU_OUTPUT=report.csv PAPI_EVENTS=page-faults ./race >out 2>err
is "our header: eight first regions at once" "$(calls race all) $(columns)" "8 page-faults "

# shellcheck disable=SC2086,SC2046
cplusplus() {
	command -v "${cxx%% *}" >/dev/null || return 77
	$cxx -x c++ -std=c++17 $cxxwarn ${TEST_CFLAGS:-} $(openmp "$cxx") $ours "$source" -o marked++ -L"$lib" -lpmu
}
ok "C++: compiles without a warning" cplusplus
good "C++: mistakes" PMU_PIN=none ./marked++ mistakes
is "C++: calls" "$(calls x all)" 2
# shellcheck disable=SC2086
low_level() {
	echo '#include <papi.h>
int main(void) { return PAPI_library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT; }' >low.c
	! $cc -Werror=implicit-function-declaration $ours -c low.c -o low.o
}
ok "the low-level API does not compile" low_level
unset LD_LIBRARY_PATH

# --- as they are, under the preload ---

# Functions of the names and types that PAPI documents: they tell when they are called.
cat >stub.c <<'C'
#include <stddef.h>
#include <stdio.h>
#define REGION(name) int name(const char *); int name(const char *region) { printf("PAPI: %s %s\n", #name, region); return -77; }
REGION(PAPI_hl_region_begin)
REGION(PAPI_hl_read)
REGION(PAPI_hl_region_end)
int PAPI_hl_stop(void);
int PAPI_hl_stop(void) { puts("PAPI: PAPI_hl_stop"); return -77; }
char *PAPI_strerror(int);
char *PAPI_strerror(int code) { (void)code; return (char *)"PAPI's words"; }
#define FORTRAN(begin, read, end, stop) F_REGION(begin) F_REGION(read) F_REGION(end) F_STOP(stop)
#define F_REGION(name) void name(const char *, int *, size_t); \
	void name(const char *region, int *check, size_t len) { printf("PAPI: %s %.*s\n", #name, (int)len, region); *check = -77; }
#define F_STOP(name) void name(int *); void name(int *check) { puts("PAPI: " #name); *check = -77; }
FORTRAN(papif_hl_region_begin, papif_hl_read, papif_hl_region_end, papif_hl_stop)
FORTRAN(papif_hl_region_begin_, papif_hl_read_, papif_hl_region_end_, papif_hl_stop_)
FORTRAN(papif_hl_region_begin__, papif_hl_read__, papif_hl_region_end__, papif_hl_stop__)
FORTRAN(PAPIF_HL_REGION_BEGIN, PAPIF_HL_READ, PAPIF_HL_REGION_END, PAPIF_HL_STOP)
C
mkdir stub
cat >stub/papi.h <<'C'
int PAPI_hl_region_begin(const char *), PAPI_hl_read(const char *), PAPI_hl_region_end(const char *), PAPI_hl_stop(void);
char *PAPI_strerror(int);
#define PAPI_OK 0
#define PAPI_EINVAL (-1)
#define PAPI_ENOEVNT (-7)
#define PAPI_ENOTRUN (-9)
C

# The names Fortran compilers give them, called as they do.
cat >fortran.c <<'C'
#include <stddef.h>
#include <stdio.h>
#define NAMES(begin, read, end, stop, text)                                                       \
	void begin(const char *, int *, size_t), read(const char *, int *, size_t), stop(int *);  \
	void end(const char *, int *, size_t);                                                    \
	static void text(void)                                                                    \
	{                                                                                         \
		int rc[4] = {7, 7, 7, 7};                                                         \
		begin(#text "  ", &rc[0], sizeof(#text) + 1);                                     \
		read(#text "*", &rc[1], sizeof(#text) - 1);                                       \
		end(#text, &rc[2], sizeof(#text) - 1);                                            \
		stop(&rc[3]);                                                                     \
		if (rc[0] || rc[1] || rc[2] || rc[3])                                             \
			printf("wrong: %s: %d %d %d %d\n", #text, rc[0], rc[1], rc[2], rc[3]);    \
		end("never", &rc[2], 5);                                                          \
		if (rc[2] >= 0)                                                                   \
			printf("wrong: %s: an end without begin\n", #text);                       \
	}
NAMES(papif_hl_region_begin, papif_hl_read, papif_hl_region_end, papif_hl_stop, none)
NAMES(papif_hl_region_begin_, papif_hl_read_, papif_hl_region_end_, papif_hl_stop_, one)
NAMES(papif_hl_region_begin__, papif_hl_read__, papif_hl_region_end__, papif_hl_stop__, two)
NAMES(PAPIF_HL_REGION_BEGIN, PAPIF_HL_READ, PAPIF_HL_REGION_END, PAPIF_HL_STOP, capital)
int main(void)
{
	none();
	one();
	two();
	capital();
	puts("done");
	return 0;
}
C
# shellcheck disable=SC2086
stubbed() {
	$cc -fPIC -shared stub.c -o libstub.so && $cc -O2 $omp -Istub "$source" -o stubbed -L. -lstub &&
		$cc -O2 fortran.c -o fortran -L. -lstub
}

if [ -n "${TEST_SANITIZERS:-}" ]; then
	skip "under the preload" "a sanitizer cannot be preloaded"
	finish
fi
ok "a program for PAPI" stubbed
export LD_LIBRARY_PATH=.
scenarios "under the preload" LD_PRELOAD="$preload" ./stubbed
good "Fortran's names" LD_PRELOAD="$preload" ./fortran
is "calls from Fortran" "$(calls none all) $(calls one all) $(calls two all) $(calls capital all)" "1 1 1 1"
is "and their reads" "$(calls 'PAPI_hl_read(none)' all) $(calls 'PAPI_hl_read(capital)' all)" "1 1"
for off in PMU_AUTO=main PMU_ENABLE=0; do
	env PMU_OUTPUT=none $off LD_PRELOAD="$preload" ./stubbed plain >out 2>err
	is "$off: regions are PAPI's" "$(grep -c '^PAPI: PAPI_hl_region_[a-z]* computation$' out)" 2
	is "$off: words are PAPI's" "$(grep -c "PAPI's words" out)" 2
	env PMU_OUTPUT=none $off LD_PRELOAD="$preload" ./fortran >out 2>err
	is "$off: Fortran's too" "$(grep -c '^PAPI: ' out) $(grep -c '^wrong: [a-z]*: -77 -77 -77 -77$' out)" "20 4"
done
env PMU_OUTPUT=report.csv PAPI_EVENTS=page-faults LD_PRELOAD="$preload" sh -c : >out 2>err
is "a program without PAPI does not follow PAPI_EVENTS" "$(columns | grep -c page-faults)" 0
unset LD_LIBRARY_PATH

# --- with PAPI itself, where it is installed ---

# shellcheck disable=SC2086
if $cc -O2 $omp "$source" -o real -lpapi >out 2>err && ldd real | grep -q 'libpapi.so.* => /'; then
	scenarios "linked with PAPI" LD_PRELOAD="$preload" ./real
	ls papi_hl_output* >/dev/null 2>&1
	is "PAPI writes nothing" $? 2
else
	skip "linked with PAPI" "it is not installed"
fi
cat >solve.f90 <<'F'
program marked
  implicit none
  integer :: i, rc
  character(len=32) :: label
  external :: PAPIf_hl_region_begin, PAPIf_hl_region_end, PAPIf_hl_stop
  do i = 1, 5
    call PAPIf_hl_region_begin("solve", rc)
    if (rc /= 0) print '(a,i0)', "wrong: begin ", rc
    write (label, '(a,i0)') "step ", mod(i, 2)
    call PAPIf_hl_region_begin(label, rc)
    call PAPIf_hl_region_end(label, rc)
    call PAPIf_hl_region_end("solve", rc)
    if (rc /= 0) print '(a,i0)', "wrong: end ", rc
  end do
  call PAPIf_hl_stop(rc)
  print '(a)', "done"
end program
F
if $fc solve.f90 -o solve -lpapi >out 2>err; then
	good "Fortran linked with PAPI" LD_PRELOAD="$preload" ./solve
	is "its calls" "$(calls solve all) $(calls 'step 1' all) $(calls 'step 0' all)" "5 3 2"
else
	skip "Fortran linked with PAPI" "no gfortran, or no PAPI"
fi
finish
