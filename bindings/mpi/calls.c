/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * MPI's functions that ours stand in for, by its profiling interface, under C's names and Fortran's.
 *
 * Every argument is a number or an address: none is of floating point, so all of them go through as
 * words, whatever they are.  What is behind ours may be another tool's.
 */
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "bindings/mpi/mpi.h"

/* --- the end --- */

/* Fortran's calls C's, under its name or that with a P: the job ends once. */
#define FINALIZE(name)                                                      \
	MPI_STANDS_IN int name(mpi_word error);                             \
	MPI_STANDS_IN int name(mpi_word error)                              \
	{                                                                   \
		int (*next)(mpi_word) = (int (*)(mpi_word))mpi_find(#name); \
                                                                            \
		mpi_job_finish();                                           \
		return next ? next(error) : 1;                              \
	}

FINALIZE(MPI_Finalize)
FINALIZE(mpi_finalize)
FINALIZE(mpi_finalize_)
FINALIZE(mpi_finalize__)
FINALIZE(MPI_FINALIZE)
FINALIZE(mpi_finalize_f08_)

/* --- calls as regions --- */

enum state { UNKNOWN, OFF, ON };

static enum state state;
static int (*begin)(const char *name), (*end)(const char *name);
/* MPI's own calls of MPI are in the first. */
static __thread int inside __attribute__((tls_model("initial-exec")));

/*
 * By PMU_AUTO=mpi, among other words.  Without it under `pmu run`, where main is a region, too: it is
 * none where groups take turns, and MPI's calls are not to be all there is.
 */
static bool is_asked_for(void)
{
	const char *text = secure_getenv("PMU_AUTO"), *rotate = secure_getenv("PMU_ROTATE");

	if (!text || !*text)
		return mpi_has_preload() && !(rotate && !strcmp(rotate, "1"));
	for (; text && *text; text += strcspn(text, ", "), text += strspn(text, ", "))
		if (strcspn(text, ", ") == 3 && !strncmp(text, "mpi", 3))
			return true;
	return false;
}

static enum state find_state(void)
{
	enum state found = OFF;

	if (is_asked_for()) {
		begin = (int (*)(const char *))mpi_pmu("pmu_region_begin");
		end = (int (*)(const char *))mpi_pmu("pmu_region_end");
		found = begin && end ? ON : OFF;
	}
	__atomic_store_n(&state, found, __ATOMIC_RELEASE);
	return found;
}

static bool enter(const char *name)
{
	enum state now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);

	if (unlikely(now == UNKNOWN))
		now = find_state();
	if (now != ON || inside)
		return false;
	inside = 1;
	begin(name);
	return true;
}

static void leave(const char *name)
{
	end(name);
	inside = 0;
}

typedef void (*function)(void);

/* What is behind one of ours; it stays. */
static function behind(function *known, const char *name)
{
	function next = __atomic_load_n(known, __ATOMIC_RELAXED);

	if (unlikely(!next)) {
		next = (function)mpi_find(name);
		__atomic_store_n(known, next, __ATOMIC_RELAXED);
	}
	return next;
}

/* Words of so many arguments: as parameters, and as they are passed on. */
#define W(n) mpi_word a##n
#define P1   W(1)
#define P2   P1, W(2)
#define P3   P2, W(3)
#define P4   P3, W(4)
#define P5   P4, W(5)
#define P6   P5, W(6)
#define P7   P6, W(7)
#define P8   P7, W(8)
#define P9   P8, W(9)
#define P10  P9, W(10)
#define P11  P10, W(11)
#define P12  P11, W(12)
#define P13  P12, W(13)
#define A1   a1
#define A2   A1, a2
#define A3   A2, a3
#define A4   A3, a4
#define A5   A4, a5
#define A6   A5, a6
#define A7   A6, a7
#define A8   A7, a8
#define A9   A8, a9
#define A10  A9, a10
#define A11  A10, a11
#define A12  A11, a12
#define A13  A12, a13

#define STAND_IN(name, region, parameters, arguments)                                 \
	MPI_STANDS_IN int name(parameters);                                           \
	MPI_STANDS_IN int name(parameters)                                            \
	{                                                                             \
		static function known;                                                \
		int (*next)(parameters) = (int (*)(parameters))behind(&known, #name); \
		bool entered = enter(region);                                         \
		int rc = next ? next(arguments) : 1;                                  \
                                                                                      \
		if (entered)                                                          \
			leave(region);                                                \
		return rc;                                                            \
	}

/* Fortran's have the error as one more argument; compilers spell them in several ways. */
#define FORTRAN_1(...)  STAND_IN(__VA_ARGS__, P2, A2)
#define FORTRAN_2(...)  STAND_IN(__VA_ARGS__, P3, A3)
#define FORTRAN_3(...)  STAND_IN(__VA_ARGS__, P4, A4)
#define FORTRAN_4(...)  STAND_IN(__VA_ARGS__, P5, A5)
#define FORTRAN_5(...)  STAND_IN(__VA_ARGS__, P6, A6)
#define FORTRAN_6(...)  STAND_IN(__VA_ARGS__, P7, A7)
#define FORTRAN_7(...)  STAND_IN(__VA_ARGS__, P8, A8)
#define FORTRAN_8(...)  STAND_IN(__VA_ARGS__, P9, A9)
#define FORTRAN_9(...)  STAND_IN(__VA_ARGS__, P10, A10)
#define FORTRAN_12(...) STAND_IN(__VA_ARGS__, P13, A13)

#define CALL(c, fortran, n)                                                                \
	STAND_IN(MPI_##c, "MPI_" #c, P##n, A##n)                                           \
	FORTRAN_##n(mpi_##fortran##_, "MPI_" #c) FORTRAN_##n(mpi_##fortran##__, "MPI_" #c) \
		FORTRAN_##n(mpi_##fortran##_f08_, "MPI_" #c)                               \
			FORTRAN_##n(mpi_##fortran##_f08ts_, "MPI_" #c)

#include "bindings/mpi/table.h"
