/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Requests to valgrind: instructions that do nothing on a processor, and that valgrind sees
 * (Valgrind manual, "The Client Request mechanism").
 */
#ifndef PMU_COUNTERS_VALGRIND_REQUEST_H
#define PMU_COUNTERS_VALGRIND_REQUEST_H

#include <stdbool.h>

#include "counters/valgrind/counter.h"

#ifdef __has_include
#if __has_include("config.h")
#include "config.h"
#endif
#endif

/** What runs this program. */
enum pmu_valgrind_tool {
	PMU_VALGRIND_NONE, /* a processor, or something that we cannot tell from one */
	PMU_VALGRIND_OTHER,
	PMU_VALGRIND_CALLGRIND,
	PMU_VALGRIND_COUNTER, /* our own, which counts instructions alone */
};

#ifdef HAVE_VALGRIND_CALLGRIND_H
#include <valgrind/callgrind.h>

#define PMU_VALGRIND_BUILT true

/** pmu_callgrind_toggle() - callgrind counts what the calling thread does no longer, or again */
static inline __attribute__((always_inline)) void pmu_callgrind_toggle(void)
{
	CALLGRIND_TOGGLE_COLLECT;
}

/** pmu_callgrind_status() - callgrind prints all its counters into valgrind's log. */
static inline void pmu_callgrind_status(void)
{
	VALGRIND_DO_CLIENT_REQUEST_STMT(VG_USERREQ__GDB_MONITOR_COMMAND, "status internal", 0, 0, 0,
					0);
}

/** pmu_counter_ask() - our own tool.  Return: PMU_COUNTER_ANSWERS; 0: it is another one. */
static inline __attribute__((always_inline)) unsigned long pmu_counter_ask(
	enum pmu_counter_request request, struct pmu_counter_answer *answer)
{
	return VALGRIND_DO_CLIENT_REQUEST_EXPR(0, request, answer, 0, 0, 0, 0);
}

static inline enum pmu_valgrind_tool pmu_valgrind_tool(void)
{
	struct pmu_counter_answer answer;
	unsigned long unknown;

	if (!RUNNING_ON_VALGRIND)
		return PMU_VALGRIND_NONE;
	if (pmu_counter_ask(PMU_COUNTER_READ, &answer))
		return PMU_VALGRIND_COUNTER;
	/*
	 * 1 stays what it is where the tool knows no such request; twice is as if nothing had been
	 */
	unknown = VALGRIND_DO_CLIENT_REQUEST_EXPR(1, VG_USERREQ__TOGGLE_COLLECT, 0, 0, 0, 0, 0);
	unknown |= VALGRIND_DO_CLIENT_REQUEST_EXPR(1, VG_USERREQ__TOGGLE_COLLECT, 0, 0, 0, 0, 0);
	return unknown ? PMU_VALGRIND_OTHER : PMU_VALGRIND_CALLGRIND;
}

#else

#define PMU_VALGRIND_BUILT false

static inline void pmu_callgrind_toggle(void)
{
}

static inline void pmu_callgrind_status(void)
{
}

static inline unsigned long pmu_counter_ask(enum pmu_counter_request request,
					    struct pmu_counter_answer *answer)
{
	(void)request;
	(void)answer;
	return 0;
}

static inline enum pmu_valgrind_tool pmu_valgrind_tool(void)
{
	return PMU_VALGRIND_NONE;
}

#endif
#endif
