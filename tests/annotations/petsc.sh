#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# PETSc's events and stages are regions under the preload, as often as PETSc itself says, and its own log stays.
# shellcheck source=tests/bindings/markers.sh
. "${TEST_SRCDIR:-$(dirname "$0")/../..}/tests/bindings/markers.sh"
# shellcheck source=tests/annotations/standins.sh
. "$top/tests/annotations/standins.sh"

[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'a sanitizer cannot be preloaded'

# --- 3.20 and later: any number of handlers; as its manual pages have it ---

cat >stubpetsc.c <<'C'
#include <stdio.h>
typedef int on_event(int, int, void *, void *, void *, void *);
static on_event *first, *last;
static const char *names[8];
/* Its own events are registered within the library: nobody else sees that. */
static int add(const char *name, int *event)
{
	static int n;
	printf("PETSc: %s\n", name);
	names[n] = name;
	*event = n++;
	return 0;
}
int PetscLogEventRegister(const char *name, int class, int *event) { (void)class; return add(name, event); }
int PetscLogEventGetName(int event, const char **name) { *name = names[event]; return 0; }
int PetscLogStageRegister(const char *name, int *stage) { printf("PETSc: %s\n", name); *stage = 1; return 0; }
int PetscLogStagePush(int stage) { return stage != 1; }
int PetscLogStagePop(void) { return 0; }
int PetscLogLegacyCallbacksBegin(on_event *begin, on_event *end, void *create, void *destroy)
{
	first = begin, last = end;
	return create || destroy;
}
int PetscInitialize(int *argc, char ***argv, const char *file, const char *help)
{
	int event;
	(void)argc, (void)argv, (void)file, (void)help;
	return add("MatMult", &event);
}
int PetscFinalize(void) { first = last = NULL; return 0; }
void event(int e) { if (first) first(e, 0, NULL, NULL, NULL, NULL); if (last) last(e, 0, NULL, NULL, NULL, NULL); }
C
cat >newer.c <<'C'
int PetscInitialize(int *, char ***, const char *, const char *), PetscFinalize(void);
int PetscLogEventRegister(const char *, int, int *), PetscLogStageRegister(const char *, int *);
int PetscLogStagePush(int), PetscLogStagePop(void), event(int);
int main(int argc, char **argv)
{
	for (int i = 0; i < 2; i++) { /* it may be started again */
		int own, stage;
		PetscInitialize(&argc, &argv, 0, 0);
		PetscLogEventRegister("own", 1, &own);
		PetscLogStageRegister("stage", &stage);
		PetscLogStagePush(stage);
		event(0);
		event(own);
		PetscLogStagePop();
		event(own);
		event(-1);
		PetscFinalize();
	}
	return PetscLogStagePush(2) != 1;
}
C
ok "a library with PETSc's functions of 3.20" shared stubpetsc
ok "its program" "$cc" -O2 newer.c -o newer -L. -lstubpetsc
measured "3.20" ./newer
regions_are "3.20: regions and calls" "MatMult 2" "own 4" "stage 2"
measured "3.20, PMU_AUTO=main" PMU_AUTO=main ./newer
is "3.20, PMU_AUTO=main: no region" "$(regions)" ""

# --- PETSc itself, up to 3.19 ---

skip_rest() {
	skip "PETSc" "$1"
	finish
	exit
}
source=$top/tests/annotations/petsc.c
petsc=${TEST_PETSC:-$(find /usr/lib/petscdir/petsc3*/*/ -maxdepth 0 -name '*-real' 2>/dev/null | head -n 1)}
mpi=$(mpicc --showme:compile 2>/dev/null) || mpi=
mpi_libs=$(mpicc --showme:link 2>/dev/null) || mpi_libs=-lmpi
[ -n "$petsc" ] && [ -e "$petsc/include/petscksp.h" ] || skip_rest 'it is not installed'
# shellcheck disable=SC2086
$cc -O1 -I"$petsc/include" $mpi "$source" -o solve -L"$petsc/lib" -lpetsc_real $mpi_libs -lm >out 2>err ||
	skip_rest 'it is installed and cannot be linked with'
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# logged FILE: EVENT COUNT of what -log_view has printed
logged() {
	awk '/^Event / { inside = 1 } /^Memory usage/ { inside = 0 }
		inside && $2 ~ /^[0-9]+$/ && $3 ~ /^[0-9.]+$/ { n[$1] += $2 } END { for (e in n) print e, n[e] }' "$1" | sort
}

./solve >plain 2>plain.err
rm -f report.csv
LD_PRELOAD=$preload PMU_BACKEND=clock PMU_OUTPUT=report.csv ./solve >out 2>err
cmp -s out plain && cmp -s err plain.err
result $? "it does what it does without"
is "events of the program's" "$(calls 'my event' all)" 5
is "stages" "$(calls 'my stage' all)" 1
is "events of PETSc's" "$(calls KSPSolve all) $(calls MatAssemblyEnd all)" "3 1"

./solve -log_view >plain 2>plain.err
LD_PRELOAD=$preload PMU_BACKEND=clock PMU_OUTPUT=report.csv ./solve -log_view >out 2>err
result $? "with -log_view"
logged plain >log.plain
logged out >log.out
[ "$(wc -l <log.plain)" -gt 10 ] && cmp -s log.plain log.out
result $? "-log_view has the same events, as often"
regions | awk 'NF == 2' >have
join log.out have | awk '$2 != $3 { print; wrong = 1 } END { exit wrong || NR < 10 }' >differ
verdict $? "regions are called as often as -log_view says" differ log.out have
finish
