#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs with Score-P's user regions, as they are under the preload: Score-P has every call as without.
# shellcheck source=tests/bindings/markers.sh
. "${TEST_SRCDIR:-$(dirname "$0")/../..}/tests/bindings/markers.sh"
# shellcheck source=tests/annotations/standins.sh
. "$top/tests/annotations/standins.sh"

[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'a sanitizer cannot be preloaded'
command -v "${cxx%% *}" >/dev/null || skip_all 'no C++ compiler'
source=$top/tests/annotations/scorep.c
common='work 20
inner 20
function 1
entered 2'

# A library with Score-P's functions, which tells when they are called.
mkdir scorep
cat >scorep/SCOREP_User.h <<'C'
#include <stdbool.h>
#include <stdint.h>
typedef struct SCOREP_User_Region *SCOREP_User_RegionHandle;
enum { SCOREP_USER_REGION_TYPE_COMMON, SCOREP_USER_REGION_TYPE_LOOP = 2, SCOREP_USER_REGION_TYPE_PHASE = 8 };
#ifdef __cplusplus
extern "C" {
#endif
typedef void scorep_begin(SCOREP_User_RegionHandle *, const char **, uint32_t *, const char *, uint32_t, const char *, uint32_t);
scorep_begin SCOREP_User_RegionBegin, SCOREP_User_RegionInit;
void SCOREP_User_RegionEnter(SCOREP_User_RegionHandle), SCOREP_User_RegionEnd(SCOREP_User_RegionHandle);
void SCOREP_User_RegionByNameBegin(const char *, uint32_t, const char *, uint32_t), SCOREP_User_RegionByNameEnd(const char *);
void SCOREP_User_EnableRecording(void), SCOREP_User_DisableRecording(void);
#ifdef __cplusplus
}
struct SCOREP_User_RegionClass {
	SCOREP_User_RegionHandle h;
	SCOREP_User_RegionClass(SCOREP_User_RegionHandle *, const char *, const uint32_t, const char **, uint32_t *, const char *,
				const uint32_t);
	~SCOREP_User_RegionClass();
};
#define SCOREP_USER_REGION(name, type) \
	static SCOREP_User_RegionHandle handle_; \
	SCOREP_User_RegionClass object_(&handle_, name, type, &last_name, &last_file, __FILE__, __LINE__)
#endif
static const char *last_name;
static uint32_t last_file;
#define SCOREP_USER_REGION_DEFINE(h) static SCOREP_User_RegionHandle h;
#define SCOREP_USER_REGION_INIT(h, n, t) SCOREP_User_RegionInit(&h, &last_name, &last_file, n, t, __FILE__, __LINE__);
#define SCOREP_USER_REGION_BEGIN(h, n, t) SCOREP_User_RegionBegin(&h, &last_name, &last_file, n, t, __FILE__, __LINE__);
#define SCOREP_USER_REGION_ENTER(h) SCOREP_User_RegionEnter(h);
#define SCOREP_USER_REGION_END(h) SCOREP_User_RegionEnd(h);
#define SCOREP_USER_REGION_BY_NAME_BEGIN(n, t) SCOREP_User_RegionByNameBegin(n, t, __FILE__, __LINE__);
#define SCOREP_USER_REGION_BY_NAME_END(n) SCOREP_User_RegionByNameEnd(n);
#define SCOREP_USER_FUNC_DEFINE() static SCOREP_User_RegionHandle function_;
#define SCOREP_USER_FUNC_BEGIN() SCOREP_USER_REGION_BEGIN(function_, __func__, 1)
#define SCOREP_USER_FUNC_END() SCOREP_USER_REGION_END(function_)
#define SCOREP_USER_PARAMETER_INT64(name, value)
#define SCOREP_RECORDING_ON() SCOREP_User_EnableRecording();
#define SCOREP_RECORDING_OFF() SCOREP_User_DisableRecording();
C
cat >stubscorep.cc <<'C'
#include <cstdio>
#include <cstdlib>
#include "scorep/SCOREP_User.h"
static int calls;
#define SAY __atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED)
extern "C" {
void SCOREP_User_RegionInit(SCOREP_User_RegionHandle *h, const char **, uint32_t *, const char *, uint32_t, const char *, uint32_t)
{
	void *none = NULL, *made = malloc(1);
	if (!__atomic_compare_exchange_n((void **)h, &none, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		free(made);
}
void SCOREP_User_RegionEnter(SCOREP_User_RegionHandle h) { SAY; if (!h) std::puts("Score-P: what region?"); }
void SCOREP_User_RegionEnd(SCOREP_User_RegionHandle h) { SAY; if (!h) std::puts("Score-P: what region?"); }
void SCOREP_User_RegionBegin(SCOREP_User_RegionHandle *h, const char **l, uint32_t *f, const char *n, uint32_t t, const char *s,
			     uint32_t line)
{
	SCOREP_User_RegionInit(h, l, f, n, t, s, line);
	SCOREP_User_RegionEnter(*h);
}
void SCOREP_User_RegionByNameBegin(const char *, uint32_t, const char *, uint32_t) { SAY; }
void SCOREP_User_RegionByNameEnd(const char *) { SAY; }
void SCOREP_User_EnableRecording(void) { std::puts("Score-P: on"); }
void SCOREP_User_DisableRecording(void) { std::puts("Score-P: off"); }
void scorep_f_begin_(int64_t *h, const char *name, const int32_t *, const char *, const int32_t *, size_t len, size_t)
{
	std::printf("Score-P: %.*s\n", (int)len, name);
	if (*h == -1)
		*h = 77;
}
void scorep_f_regionend_(int64_t *h) { std::printf("Score-P: end of %d\n", (int)*h); }
}
SCOREP_User_RegionClass::SCOREP_User_RegionClass(SCOREP_User_RegionHandle *p, const char *n, const uint32_t t, const char **l,
						 uint32_t *f, const char *s, const uint32_t line)
{
	SCOREP_User_RegionBegin(p, l, f, n, t, s, line);
	h = *p;
}
SCOREP_User_RegionClass::~SCOREP_User_RegionClass() { SCOREP_User_RegionEnd(h); }
__attribute__((destructor)) static void end(void) { std::printf("Score-P: %d calls\n", calls); }
C
# shellcheck disable=SC2086
ok "a library with Score-P's functions" $cxx -O2 -w -fPIC -shared -I. stubscorep.cc -o libstubscorep.so
ok "a program for Score-P" "$cc" -O2 -w -I. "$source" -o plain -L. -lstubscorep -pthread
measured "as it is" ./plain
regions_are "as it is: regions and calls" "$common"
is "as it is: Score-P has each call, once" "$(grep 'calls$' out)" "Score-P: 88 calls"
measured "PMU_AUTO=main,tau" PMU_AUTO=main,tau ./plain
is "PMU_AUTO=main,tau: no region" "$(regions)" ""
env LD_LIBRARY_PATH=. PMU_PREFIX=tool PMU_OUTPUT=report.csv LD_PRELOAD="$preload" ./plain >out 2>err
is "PMU_PREFIX=tool" "$(calls scorep:work all)" 20
# shellcheck disable=SC2086
ok "C++: a program for Score-P" $cxx -x c++ -O2 -w -I. "$source" -o plain++ -L. -lstubscorep -pthread
measured "C++" ./plain++
regions_are "C++: regions and calls" "$common" "scope 4"

# --- Fortran ---

cat >solve.f90 <<'F'
program solve
  implicit none
  integer(8) :: handle = -1
  integer :: i
  do i = 1, 3
    call scorep_f_begin(handle, 'solve  ', 0, 'solve.f90', 6)
    call scorep_f_regionend(handle)
  end do
end program
F
if $fc solve.f90 -o solve -L. -lstubscorep >out 2>err; then
	measured "Fortran" ./solve
	regions_are "Fortran: regions and calls" "solve 3"
else
	skip "Fortran" "no gfortran"
fi
finish
