/* SPDX-License-Identifier: BSD-3-Clause */
/* Stand-ins before libpmu is known, and without it. */
#include "bindings/annotations/aside.h"

#include "pmu.h"

void aside_plainly(void) __attribute__((visibility("hidden")));
__asm__(".pushsection .text\n"
	"	.p2align 4\n"
	"	.hidden	aside_plainly\n"
	"	.globl	aside_plainly\n"
	"	.type	aside_plainly, " PMU_STANDS_IN_TYPE "\n"
	"aside_plainly:\n" PMU_STANDS_IN_PLAINLY "	.size	aside_plainly, . - aside_plainly\n"
	"	.popsection\n");

static int begin(const char *name)
{
	return pmu_region_begin(name);
}

static int end(const char *name)
{
	return pmu_region_end(name);
}

static int begin_once(const char *name)
{
	return pmu_region_begin_once(name);
}

static void *itself(void *next)
{
	return next;
}

struct pmu_aside_calls aside = {
	.enter = aside_plainly,
	.begin = begin,
	.end = end,
	.begin_once = begin_once,
	.hand_on = itself,
};

void aside_know(const struct pmu_aside_calls *calls)
{
	if (!calls)
		return;
	/* what it calls first: a stand-in may be at work on another thread */
	aside.back = calls->back;
	aside.begin = calls->begin;
	aside.end = calls->end;
	aside.begin_once = calls->begin_once;
	aside.hand_on = calls->hand_on;
	__atomic_store_n(&aside.enter, calls->enter, __ATOMIC_RELEASE);
}
