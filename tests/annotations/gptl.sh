#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs annotated with GPTL's timers, as they are under the preload: GPTL has every call as without.
# shellcheck source=tests/bindings/markers.sh
. "${TEST_SRCDIR:-$(dirname "$0")/../..}/tests/bindings/markers.sh"
# shellcheck source=tests/annotations/standins.sh
. "$top/tests/annotations/standins.sh"

[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'a sanitizer cannot be preloaded'
source=$top/tests/annotations/gptl.c
common='total 1
work 20
inner 20
recurse 4
goes on 1
again 1'

# Functions of the names and types that GPTL documents, which tell when they are called.
cat >gptl.h <<'C'
#include <stddef.h>
enum { GPTLcpu = 2 };
int GPTLinitialize(void), GPTLfinalize(void), GPTLsetoption(const int, const int), GPTLpr(const int);
int GPTLstart(const char *), GPTLstop(const char *);
int GPTLstart_handle(const char *, int *), GPTLstop_handle(const char *, int *);
int GPTLenable(void), GPTLdisable(void);
int GPTLget_count(const char *, int, int *), GPTLget_wallclock(const char *, int, double *);
C
cat >stubgptl.c <<'C'
#include <stdio.h>
#include "gptl.h"
static int calls;
#define SAY __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED)
int GPTLinitialize(void) { puts("GPTL: initialize"); return 0; }
int GPTLfinalize(void) { printf("GPTL: %d calls\n", calls); return 0; }
int GPTLsetoption(const int option, const int value) { return option != 2 || value != 1; }
int GPTLpr(const int id) { return id; }
int GPTLstart(const char *name) { SAY; return name[0] == '?' ? -1 : 0; }
int GPTLstop(const char *name) { SAY; return name[0] == 'n' || name[0] == '?' ? -1 : 0; }
int GPTLstart_handle(const char *name, int *handle)
{
	__atomic_store_n(handle, 77, __ATOMIC_RELAXED);
	return GPTLstart(name);
}
int GPTLstop_handle(const char *name, int *handle)
{
	if (__atomic_load_n(handle, __ATOMIC_RELAXED) != 77)
		puts("GPTL: what handle?");
	return GPTLstop(name);
}
int GPTLenable(void) { puts("GPTL: on"); return 0; }
int GPTLdisable(void) { puts("GPTL: off"); return 0; }
int GPTLget_count(const char *name, int t, int *count) { (void)name; *count = 4; return t; }
int GPTLget_wallclock(const char *name, int t, double *wall) { (void)name; *wall = 1; return t; }
int gptlinitialize_(void) { return GPTLinitialize(); }
int gptlfinalize_(void) { return GPTLfinalize(); }
int gptlstart_(const char *name, size_t len) { printf("GPTL: %.*s\n", (int)len, name); return GPTLstart(name); }
int gptlstop_(const char *name, size_t len) { printf("GPTL: %.*s ends\n", (int)len, name); return -3; }
int gptlstart_handle_(const char *name, int *handle, size_t len) { (void)len; return GPTLstart_handle(name, handle); }
int gptlstop_handle_(const char *name, int *handle, size_t len) { (void)len; return GPTLstop_handle(name, handle); }
C
ok "a library with GPTL's functions" shared stubgptl -I.
ok "a program for GPTL" "$cc" -O2 -I. "$source" -o plain -L. -lstubgptl -pthread
measured "as it is" ./plain
regions_are "as it is: regions and calls" "$common"
is "as it is: GPTL has each call, once" "$(grep 'calls$' out)" "GPTL: 96 calls"
cat >refused.c <<'C'
#include "gptl.h"
int main(void)
{
	int handle = 0;

	GPTLstart("fine");
	if (!GPTLstart("?refused") || !GPTLstop("?refused") || !GPTLstart_handle("?by handle", &handle))
		return 1;
	GPTLstop("fine");
	return 0;
}
C
ok "a program of whose calls GPTL refuses some" "$cc" -O2 -I. refused.c -o refused -L. -lstubgptl
measured "refused" ./refused
regions_are "what GPTL refuses is no region" "fine 1"
measured "PMU_AUTO=main,tau" PMU_AUTO=main,tau ./plain
is "PMU_AUTO=main,tau: no region" "$(regions)" ""

# --- Fortran ---

cat >solve.f90 <<'F'
program solve
  implicit none
  integer :: i, rc, handle = 0
  integer, external :: gptlstart, gptlstop, gptlstart_handle, gptlstop_handle, gptlinitialize, gptlfinalize
  rc = gptlinitialize()
  do i = 1, 3
    rc = gptlstart('solve  ')
    rc = gptlstart_handle('by handle', handle)
    rc = gptlstop_handle('by handle', handle)
    rc = gptlstop('solve')
  end do
  print '(a,i0)', 'done ', rc
  rc = gptlfinalize()
end program
F
if $fc solve.f90 -o solve -L. -lstubgptl >out 2>err; then
	LD_LIBRARY_PATH=. PMU_OUTPUT=report.csv LD_PRELOAD="$preload" ./solve >out 2>err
	result $? "Fortran"
	regions_are "Fortran: regions and calls" "solve 3" "by handle 3"
	is "Fortran: the program has what GPTL returned" "$(grep done out)" "done -3"
else
	skip "Fortran" "no gfortran"
fi
finish
