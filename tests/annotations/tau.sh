#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs annotated with TAU's API, as they are under the preload: TAU has every call as without.
# shellcheck source=tests/bindings/markers.sh
. "${TEST_SRCDIR:-$(dirname "$0")/../..}/tests/bindings/markers.sh"
# shellcheck source=tests/annotations/standins.sh
. "$top/tests/annotations/standins.sh"

[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'a sanitizer cannot be preloaded'
source=$top/tests/annotations/tau.c
common='inner 20
left 1
right 1
step 0 4
step 1 3
phase 1
iteration 2
goes on 1
again 1
made 1
work() void *(void *) 20'

# Functions of the names and types that TAU documents, which tell when they are called.
cat >TAU.h <<'C'
typedef unsigned long group;
void Tau_start(const char *), Tau_stop(const char *), Tau_pure_start(const char *), Tau_pure_stop(const char *);
void Tau_static_phase_start(const char *), Tau_static_phase_stop(const char *);
void Tau_dynamic_start(const char *, int), Tau_dynamic_stop(const char *, int);
void Tau_profile_c_timer(void **, const char *, const char *, group, const char *);
void *Tau_get_profiler(const char *, const char *, group, const char *);
void Tau_lite_start_timer(void *, int), Tau_lite_stop_timer(void *);
void Tau_start_timer(void *, int, int);
int Tau_stop_timer(void *, int);
void Tau_enable_instrumentation(void), Tau_disable_instrumentation(void);
#define TAU_USER 0x80000000UL
#define TAU_DEFAULT 0xffffffffUL
#define TAU_INIT(argc, argv) ((void)(argc), (void)(argv))
#define TAU_PROFILE_SET_NODE(n)
#define TAU_REGISTER_THREAD()
#define TAU_START(name) Tau_start(name)
#define TAU_STOP(name) Tau_stop(name)
#define TAU_STATIC_PHASE_START(name) Tau_static_phase_start(name)
#define TAU_STATIC_PHASE_STOP(name) Tau_static_phase_stop(name)
#define TAU_DYNAMIC_TIMER_START(name) Tau_dynamic_start(name, 0)
#define TAU_DYNAMIC_TIMER_STOP(name) Tau_dynamic_stop(name, 0)
#define TAU_PROFILE_TIMER(var, name, type, group) static void *var; Tau_profile_c_timer(&var, name, type, group, #group)
#define TAU_PROFILE_START(var) Tau_lite_start_timer(var, 0)
#define TAU_PROFILE_STOP(var) Tau_lite_stop_timer(var)
#define TAU_PROFILER_CREATE(var, name, type, group) var = Tau_get_profiler(name, type, group, #group)
#define TAU_PROFILER_START(var) Tau_start_timer(var, 0, 0)
#define TAU_PROFILER_STOP(var) Tau_stop_timer(var, 0)
#define TAU_ENABLE_INSTRUMENTATION() Tau_enable_instrumentation()
#define TAU_DISABLE_INSTRUMENTATION() Tau_disable_instrumentation()
C
cat >stubtau.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include "TAU.h"
static int calls;
#define SAY __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED)
/* as TAU's own */
void Tau_pure_start(const char *name) { (void)name; SAY; }
void Tau_pure_stop(const char *name) { (void)name; SAY; }
void Tau_start(const char *name) { Tau_pure_start(name); }
void Tau_stop(const char *name) { Tau_pure_stop(name); }
void Tau_static_phase_start(const char *name) { printf("TAU: phase %s\n", name); Tau_start(name); }
void Tau_static_phase_stop(const char *name) { printf("TAU: phase %s ends\n", name); Tau_stop(name); }
void Tau_dynamic_start(const char *name, int phase) { printf("TAU: %s, %d\n", name, phase); }
void Tau_dynamic_stop(const char *name, int phase) { printf("TAU: %s, %d ends\n", name, phase); }
void *Tau_get_profiler(const char *name, const char *type, group g, const char *text)
{
	(void)name, (void)type, (void)g, (void)text;
	return malloc(1);
}
void Tau_profile_c_timer(void **timer, const char *name, const char *type, group g, const char *text)
{
	void *none = NULL, *made;
	if (__atomic_load_n(timer, __ATOMIC_ACQUIRE))
		return;
	made = Tau_get_profiler(name, type, g, text);
	__atomic_compare_exchange_n(timer, &none, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}
void Tau_lite_start_timer(void *timer, int phase) { Tau_start_timer(timer, phase, 0); }
void Tau_lite_stop_timer(void *timer) { Tau_stop_timer(timer, 0); }
void Tau_start_timer(void *timer, int phase, int tid) { (void)timer, (void)phase, (void)tid; SAY; }
int Tau_stop_timer(void *timer, int tid) { (void)timer, (void)tid; SAY; return 0; }
void Tau_enable_instrumentation(void) { puts("TAU: on"); }
void Tau_disable_instrumentation(void) { puts("TAU: off"); }
void tau_start_(const char *name, int len) { printf("TAU: %.*s\n", len, name); Tau_start(name); }
void tau_stop_(const char *name, int len) { printf("TAU: %.*s ends\n", len, name); Tau_stop(name); }
void tau_profile_timer_(void **timer, const char *name, int len) { (void)name, (void)len; *timer = timer; }
void tau_profile_start_(void **timer) { Tau_lite_start_timer(*timer, 0); }
void tau_profile_stop_(void **timer) { Tau_lite_stop_timer(*timer); }
__attribute__((destructor)) static void end(void) { printf("TAU: %d calls\n", calls); }
C
ok "a library with TAU's functions" shared stubtau -I.
ok "a program for TAU" "$cc" -O2 -I. "$source" -o plain -L. -lstubtau -pthread
measured "as it is" ./plain
regions_are "as it is: regions and calls" "$common"
is "as it is: TAU has each call, once" "$(grep 'calls$' out)" "TAU: 110 calls"
measured "PMU_AUTO=main" PMU_AUTO=main ./plain
is "PMU_AUTO=main: no region" "$(regions)" ""
measured "PMU_AUTO=gptl,tau" PMU_AUTO=gptl,tau ./plain
regions_are "PMU_AUTO=gptl,tau: regions and calls" "$common"

# A library's own functions of such names: no markers.
echo 'int tau_start_(int n); int tau_start_(int n) { return n + 1; }' >physics.c
cat >particle.c <<'C'
#include <stdio.h>
int tau_start_(int n);
int main(void) { return printf("%d\n", tau_start_(41)) < 0; }
C
ok "a library with a function of such a name" shared physics
ok "its program" "$cc" -O2 particle.c -o particle -L. -lphysics
LD_LIBRARY_PATH=. LD_PRELOAD=$preload PMU_OUTPUT=none ./particle >out 2>err
is "it is called, and is no region" "$(cat out err)" 42

# A library of an object that dlopen() brings, for that one alone.
cat >opens.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
	void *plugin = dlopen("./libplugin.so", RTLD_NOW | RTLD_LOCAL);
	void (*run)(void) = plugin ? (void (*)(void))dlsym(plugin, "run") : NULL;
	if (run)
		run();
	else
		puts(dlerror());
	return 0;
}
C
cat >plugin.c <<'C'
#include "TAU.h"
void run(void);
void run(void)
{
	for (int i = 0; i < 3; i++) {
		TAU_STATIC_PHASE_START("of a plugin");
		TAU_STATIC_PHASE_STOP("of a plugin");
	}
}
C
ok "a plugin with TAU" shared plugin -I. -L. -lstubtau
ok "its program" "$cc" -O2 opens.c -o opens -ldl
measured "a plugin" ./opens
regions_are "a plugin: regions and calls" "of a plugin 3"
is "a plugin: TAU has its calls" "$(grep 'calls$' out)" "TAU: 6 calls"

# --- Fortran ---

cat >solve.f90 <<'F'
program solve
  implicit none
  integer :: profiler(2) = 0
  integer :: i
  save profiler
  do i = 1, 3
    call TAU_PROFILE_TIMER(profiler, ' timed  ')
    call TAU_PROFILE_START(profiler)
    call TAU_START('a name of&
      & two lines')
    call TAU_STOP('a name of two lines   ')
    call TAU_PROFILE_STOP(profiler)
  end do
  print '(a)', 'done'
end program
F
# shellcheck disable=SC2086
if $fc solve.f90 -o solve -L. -lstubtau >out 2>err; then
	LD_LIBRARY_PATH=. PMU_OUTPUT=report.csv LD_PRELOAD="$preload" ./solve >out 2>err
	result $? "Fortran"
	regions_are "Fortran: regions and calls" "timed 3" "a name of two lines 3"
else
	skip "Fortran" "no gfortran"
fi
finish
