/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * AMD's ROCTX in programs that are linked with libroctx64 or librocprofiler-sdk-roctx: their ranges
 * become regions here, and go on to the library behind, which returns the program's results.
 *
 * Source: roctx.h of github.com/ROCm/roctracer and of rocprofiler-sdk.
 */
#include <stdint.h>

#include "bindings/annotations/aside.h"
#include "bindings/annotations/names.h"
#include "bindings/annotations/stack.h"
#include "bindings/preload/inside.h"
#include "bindings/preload/preload.h"

typedef int push_function(const char *text);
typedef int pop_function(void);
typedef uint64_t start_function(const char *text);
typedef void stop_function(uint64_t range);
typedef int switch_function(uint64_t thread);

push_function roctxRangePushA;
pop_function roctxRangePop;
start_function roctxRangeStartA;
stop_function roctxRangeStop;
switch_function roctxProfilerPause, roctxProfilerResume;

static bool on(void)
{
	return preload_on(PRELOAD_ROCTX);
}

static const char domain; /* its ranges' stack */

static const char *name_of(const char *text)
{
	return annotation_name("roctx", NULL, NULL, text);
}

/* Theirs comes first and ends last: what it does is not counted. */

ASIDE(int, roctxRangePushA, (const char *text))
{
	static struct preload_behind behind = { "roctxRangePushA", NULL };
	push_function *next = (push_function *)preload_behind(&behind);
	int theirs = next ? next(text) : 0, depth;

	if (!on())
		return theirs;
	depth = annotation_push(&domain, name_of(text));
	return next ? theirs : depth;
}

/* How many are open around it is what ROCTX says, where NVTX says its own place: the same number. */
ASIDE(int, roctxRangePop, (void))
{
	static struct preload_behind behind = { "roctxRangePop", NULL };
	pop_function *next = (pop_function *)preload_behind(&behind);
	int depth = on() ? annotation_pop(&domain) : -1;

	return next ? next() : depth;
}

/* --- ranges by their numbers: those are theirs where they are there --- */

#define RANGES 4096

/* Of a number of theirs ours: at the place that theirs has, for they count up. */
static struct {
	uint64_t theirs; /* and 1, for theirs may be 0; 0: none.  Written last, taken first */
	uint64_t ours;   /* 0: the place is free */
} ranges[RANGES];

#define BEING_MADE UINT64_MAX

static void start_beside(uint64_t theirs, const char *text)
{
	size_t at = theirs % RANGES;
	uint64_t none = 0;

	/* one that has been open for RANGES of them has it still: this one is no region */
	if (!__atomic_compare_exchange_n(&ranges[at].ours, &none, BEING_MADE, false,
					 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	__atomic_store_n(&ranges[at].ours, annotation_range_start(name_of(text)), __ATOMIC_RELAXED);
	__atomic_store_n(&ranges[at].theirs, theirs + 1, __ATOMIC_RELEASE);
}

static void stop_beside(uint64_t theirs)
{
	size_t at = theirs % RANGES;
	uint64_t expected = theirs + 1, ours;

	if (!expected || !__atomic_compare_exchange_n(&ranges[at].theirs, &expected, 0, false,
						      __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	ours = __atomic_load_n(&ranges[at].ours, __ATOMIC_RELAXED);
	__atomic_store_n(&ranges[at].ours, 0, __ATOMIC_RELEASE);
	annotation_range_stop(ours);
}

ASIDE(uint64_t, roctxRangeStartA, (const char *text))
{
	static struct preload_behind behind = { "roctxRangeStartA", NULL };
	start_function *next = (start_function *)preload_behind(&behind);
	uint64_t theirs = next ? next(text) : 0;

	if (!on())
		return theirs;
	if (!next)
		return annotation_range_start(name_of(text));
	start_beside(theirs, text);
	return theirs;
}

ASIDE(void, roctxRangeStop, (uint64_t range))
{
	static struct preload_behind behind = { "roctxRangeStop", NULL };
	stop_function *next = (stop_function *)preload_behind(&behind);

	if (next)
		stop_beside(range);
	else if (on())
		annotation_range_stop(range);
	if (next)
		next(range);
}

/* --- pauses: of all threads, which is 0, or of one, which is none of ours --- */

ASIDE(int, roctxProfilerPause, (uint64_t thread))
{
	static struct preload_behind behind = { "roctxProfilerPause", NULL };
	switch_function *next = (switch_function *)preload_behind(&behind);

	if (!thread && on())
		annotation_pause("roctxProfilerPause");
	return next ? next(thread) : 0;
}

ASIDE(int, roctxProfilerResume, (uint64_t thread))
{
	static struct preload_behind behind = { "roctxProfilerResume", NULL };
	switch_function *next = (switch_function *)preload_behind(&behind);

	if (!thread && on())
		annotation_resume();
	return next ? next(thread) : 0;
}
