#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs annotated with LIKWID's Marker API: built against our header, and as they are under the preload.
# shellcheck disable=SC2317 # functions are called by ok
# shellcheck source=tests/bindings/markers.sh
. "$(dirname "$0")/markers.sh"

source=$top/tests/bindings/likwid.c
ours="-I$top/bindings/likwid -I$top/include"
omp=$(openmp "$cc")

# scenarios HOW SETTING... PROGRAM: what it prints, and the calls in the report
scenarios() {
	how=$1
	shift
	if [ "$omp" ]; then
		good "$how: threads" "$@" team
		same_threads inner 10 "$how: nested regions, by thread"
		same_threads "step 0" 4 "$how: labels made in a buffer"
		same_threads "step 1" 3 "$how: and the next of them"
		same_threads left 1 "$how: overlapping regions"
		same_threads right 1 "$how: and the other of them"
		same_threads outer 1 "$how: the region around"
		different_threads mine "$how: each thread's own number of calls"
	else
		skip "$how: threads" "no OpenMP"
	fi
	good "$how: mistakes" "$@" mistakes
	is "$how: a start too many is no call" "$(calls twice all)" 1
	is "$how: calls after a reset" "$(calls reset all)" 1
	is "$how: nothing before INIT" "$(calls early all)" none
	is "$how: nothing after CLOSE" "$(calls late all)" none
	is "$how: nothing printed but the program's" "$(cat out)" "done"
	good "$how: groups" PMU_GROUP=SOFTWARE,TIME "$@" groups
	is "$how: calls in the first group" \
		"$(awk -F, '$1 == "SOFTWARE" && $3 == "part" && $5 == "all" { print $6 }' report.csv)" 4
	is "$how: and in the second" \
		"$(awk -F, '$1 == "TIME" && $3 == "part" && $5 == "all" { print $6 }' report.csv)" 1
	good "$how: counts that cannot be made" PMU_EVENTS=instructions,page-faults "$@" missing
}

# --- our header ---

# shellcheck disable=SC2086 # lists of words, here and below
built() {
	$cc $warn ${TEST_CFLAGS:-} $omp -DLIKWID_PERFMON $ours "$source" -o marked -L"$lib" -lpmu
}
ok "our header: compiles without a warning" built
LD_LIBRARY_PATH=$lib
export LD_LIBRARY_PATH
scenarios "our header" PMU_PIN=none ./marked
good "our header: the report is there after CLOSE" PMU_PIN=none ./marked after_close
is "our header: with its calls" "$(calls part all)" 1
PMU_OUTPUT=none PMU_ENABLE=0 ./marked after_close >out 2>err
is "our header: switched off" "$(cat out err)" "done"

# A second file of the same program, where INIT was called in the first; LIKWID's functions by their names.
cat >first.c <<'C'
#include <likwid.h>
void second(void);
int main(void)
{
	int cpu = likwid_getProcessorId();

	if (cpu < 0 || likwid_pinThread(cpu) != 1 || likwid_getProcessorId() != cpu || likwid_pinThread(-1) != 0)
		return 2;
	LIKWID_MARKER_INIT;
	likwid_markerInit();
	second();
	return likwid_markerWriteFile("written.csv") || likwid_markerWriteFile("/no/such/folder/x") == 0;
}
C
cat >second.c <<'C'
#include <likwid-marker.h>
void second(void);
void second(void)
{
	LIKWID_MARKER_START("elsewhere");
	LIKWID_MARKER_STOP("elsewhere");
}
C
# shellcheck disable=SC2086
two_files() {
	$cc $warn ${TEST_CFLAGS:-} -DLIKWID_PERFMON $ours second.c -fPIC -shared -o libsecond.so -L"$lib" -lpmu &&
		$cc $warn ${TEST_CFLAGS:-} $ours first.c -o first -L. -lsecond -L"$lib" -lpmu
}
ok "our header: in a program and its library" two_files
LD_LIBRARY_PATH=.:$lib PMU_PIN=none PMU_OUTPUT=report.csv ./first >out 2>err
result $? "our header: INIT in one file is INIT in all, and a thread can be bound"
is "our header: a region of the library's" "$(calls elsewhere all)" 1
cp written.csv report.csv
is "our header: results written on the way" "$(calls elsewhere all)" 1

# shellcheck disable=SC2086,SC2046
cplusplus() {
	command -v "${cxx%% *}" >/dev/null || return 77
	$cxx -x c++ -std=c++17 $cxxwarn ${TEST_CFLAGS:-} $(openmp "$cxx") -DLIKWID_PERFMON $ours "$source" \
		-o marked++ -L"$lib" -lpmu
}
ok "C++: compiles without a warning" cplusplus
good "C++: mistakes" PMU_PIN=none ./marked++ mistakes
is "C++: calls" "$(calls twice all)" 1

# shellcheck disable=SC2086
empty() {
	$cc -O2 $warn $ours -c "$source" -o empty.o && $nm -u empty.o | grep -v _GLOBAL_OFFSET_TABLE_
	[ "$($nm -u empty.o | grep -vc _GLOBAL_OFFSET_TABLE_)" = 0 ]
}
ok "without -DLIKWID_PERFMON nothing is left" empty
# shellcheck disable=SC2086
disabled() {
	$cc -O2 $warn -DPMU_DISABLE -DLIKWID_PERFMON $ours -c second.c -o disabled.o &&
		! $nm -u disabled.o | grep pmu_
}
ok "with -DPMU_DISABLE no call into the library is left" disabled
unset LD_LIBRARY_PATH

# --- as they are, under the preload ---

# Functions of the names and types that LIKWID documents: they tell when they are called.
cat >stub.c <<'C'
#include <stddef.h>
#include <stdio.h>
#define SAY(name) void name(void); void name(void) { puts("LIKWID: " #name); }
#define TAG(name) int name(const char *); int name(const char *tag) { printf("LIKWID: %s %s\n", #name, tag); return -77; }
SAY(likwid_markerInit)
SAY(likwid_markerThreadInit)
SAY(likwid_markerNextGroup)
SAY(likwid_markerClose)
TAG(likwid_markerRegisterRegion)
TAG(likwid_markerStartRegion)
TAG(likwid_markerStopRegion)
TAG(likwid_markerResetRegion)
void likwid_markerGetRegion(const char *, int *, double *, double *, int *);
void likwid_markerGetRegion(const char *tag, int *n, double *events, double *time, int *count)
{
	printf("LIKWID: get %s\n", tag);
	*n = 1;
	*events = *time = 7;
	*count = 77;
}
#define F_TAG(name) void name(const char *, size_t); \
	void name(const char *tag, size_t len) { printf("LIKWID: %s %.*s\n", #name, (int)len, tag); }
SAY(likwid_markerinit_)
SAY(likwid_markerthreadinit_)
SAY(likwid_markernextgroup_)
SAY(likwid_markerclose_)
F_TAG(likwid_markerregisterregion_)
F_TAG(likwid_markerstartregion_)
F_TAG(likwid_markerstopregion_)
F_TAG(likwid_markerresetregion_)
void likwid_markergetregion_(const char *, int *, double *, double *, int *, size_t);
void likwid_markergetregion_(const char *tag, int *n, double *events, double *time, int *count, size_t len)
{
	printf("LIKWID: get_ %.*s\n", (int)len, tag);
	*n = 1;
	*events = *time = 7;
	*count = 77;
}
C
mkdir stub
cat >stub/likwid-marker.h <<'C'
void likwid_markerInit(void), likwid_markerThreadInit(void), likwid_markerNextGroup(void), likwid_markerClose(void);
int likwid_markerRegisterRegion(const char *), likwid_markerStartRegion(const char *);
int likwid_markerStopRegion(const char *), likwid_markerResetRegion(const char *);
void likwid_markerGetRegion(const char *, int *, double *, double *, int *);
#define LIKWID_MARKER_INIT likwid_markerInit()
#define LIKWID_MARKER_THREADINIT likwid_markerThreadInit()
#define LIKWID_MARKER_SWITCH likwid_markerNextGroup()
#define LIKWID_MARKER_CLOSE likwid_markerClose()
#define LIKWID_MARKER_REGISTER(t) likwid_markerRegisterRegion(t)
#define LIKWID_MARKER_START(t) likwid_markerStartRegion(t)
#define LIKWID_MARKER_STOP(t) likwid_markerStopRegion(t)
#define LIKWID_MARKER_RESET(t) likwid_markerResetRegion(t)
#define LIKWID_MARKER_GET(t, n, e, s, c) likwid_markerGetRegion(t, n, e, s, c)
C

# The names gfortran gives them, called as it does.
cat >fortran.c <<'C'
#include <stddef.h>
#include <stdio.h>
void likwid_markerinit_(void), likwid_markerthreadinit_(void), likwid_markerclose_(void);
void likwid_markernextgroup_(void);
void likwid_markerregisterregion_(const char *, size_t), likwid_markerstartregion_(const char *, size_t);
void likwid_markerstopregion_(const char *, size_t), likwid_markerresetregion_(const char *, size_t);
void likwid_markergetregion_(const char *, int *, double *, double *, int *, size_t);
int main(void)
{
	double events[2], time = -1;
	int n = 2, count = -1;

	likwid_markerinit_();
	likwid_markerthreadinit_();
	likwid_markerregisterregion_("solve", 5);
	for (int i = 0; i < 5; i++) {
		likwid_markerstartregion_("solve*beyond", 5);
		likwid_markerstartregion_("blank      *", 11);
		likwid_markerstopregion_("blank*", 5);
		likwid_markerstopregion_("solve   ", 8);
	}
	likwid_markernextgroup_();
	likwid_markergetregion_("solve ", &n, events, &time, &count, 6);
	if (count != 5 || time < 0)
		printf("wrong: %d calls\n", count);
	likwid_markerresetregion_("blank", 5);
	likwid_markerstartregion_("blank", 5);
	likwid_markerstopregion_("blank", 5 | (size_t)7 << 40); /* its length was passed as an int */
	likwid_markerclose_();
	puts("done");
	return 0;
}
C

# shellcheck disable=SC2086
stubbed() {
	$cc -fPIC -shared stub.c -o libstub.so && $cc -O2 $omp -DLIKWID_PERFMON -Istub "$source" -o stubbed -L. -lstub &&
		$cc -O2 fortran.c -o fortran -L. -lstub
}

if [ -n "${TEST_SANITIZERS:-}" ]; then
	skip "under the preload" "a sanitizer cannot be preloaded"
	finish
fi
ok "a program for LIKWID" stubbed
export LD_LIBRARY_PATH=.
scenarios "under the preload" LD_PRELOAD="$preload" ./stubbed
good "under the preload, where groups change" PMU_GROUP=SOFTWARE,TIME LD_PRELOAD="$preload" ./stubbed groups
is "main is no region" "$(calls main all)" none
good "under the preload, built against our header" PMU_GROUP=SOFTWARE,TIME LD_LIBRARY_PATH="$lib" \
	LD_PRELOAD="$preload" ./marked groups
is "its calls in the second group" \
	"$(awk -F, '$1 == "TIME" && $3 == "part" && $5 == "all" { print $6 }' report.csv)" 1
is "main is no region there" "$(calls main all)" none
good "under the preload, with one group" PMU_GROUP=SOFTWARE LD_LIBRARY_PATH="$lib" LD_PRELOAD="$preload" \
	./marked mistakes
is "main is one there" "$(calls main all)" 1
good "under the preload, main is a region" LD_PRELOAD="$preload" ./stubbed mistakes
is "with one call" "$(calls main all)" 1
good "Fortran's names" LD_PRELOAD="$preload" ./fortran
is "calls from Fortran" "$(calls solve all)" 5
is "blanks at the end are not part of a name" "$(calls blank all)" 1
for off in PMU_AUTO=main PMU_ENABLE=0; do
	env PMU_OUTPUT=none $off LD_PRELOAD="$preload" ./stubbed mistakes >out 2>err
	result $? "$off: the program runs"
	is "$off: INIT is LIKWID's" "$(grep -c '^LIKWID: likwid_markerInit$' out)" 2
	is "$off: START is LIKWID's" "$(grep -c '^LIKWID: likwid_markerStartRegion twice$' out)" 2
	is "$off: GET is LIKWID's" "$(grep -c '^wrong: calls of twice: 77, not 1$' out)" 1
	env PMU_OUTPUT=none $off LD_PRELOAD="$preload" ./fortran >out 2>err
	is "$off: Fortran's too" "$(grep -c '^LIKWID: ' out) $(grep -c '^wrong: 77 calls$' out)" "29 1"
done
unset LD_LIBRARY_PATH

# --- with LIKWID itself, where it is installed ---

# shellcheck disable=SC2086
if $cc -O2 $omp -DLIKWID_PERFMON "$source" -o real -llikwid >out 2>err && ldd real | grep -q 'liblikwid.so.* => /'; then
	scenarios "linked with LIKWID" LD_PRELOAD="$preload" ./real
else
	skip "linked with LIKWID" "it is not installed"
fi
cat >solve.f90 <<'F'
program marked
  use likwid
  implicit none
  integer :: i, n, calls
  double precision :: events(4), time
  character(len=32) :: label
  call likwid_markerInit()
  call likwid_markerThreadInit()
  call likwid_markerRegisterRegion("solve")
  do i = 1, 5
    call likwid_markerStartRegion("solve")
    write (label, '(a,i0)') "step ", mod(i, 2)
    call likwid_markerStartRegion(label)
    call likwid_markerStopRegion(label)
    call likwid_markerStopRegion("solve")
  end do
  n = 4
  call likwid_markerGetRegion("solve", n, events, time, calls)
  if (calls /= 5) print '(a,i0)', "wrong: calls ", calls
  call likwid_markerNextGroup()
  call likwid_markerClose()
  print '(a)', "done"
end program
F
if $fc -I/usr/include solve.f90 -o solve -llikwid >out 2>err; then
	good "Fortran with LIKWID's module" LD_PRELOAD="$preload" ./solve
	is "its calls" "$(calls solve all) $(calls 'step 1' all) $(calls 'step 0' all)" "5 3 2"
else
	skip "Fortran with LIKWID's module" "no gfortran, or no module of its version"
fi
finish
