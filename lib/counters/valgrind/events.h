/* SPDX-License-Identifier: BSD-3-Clause */
/* What callgrind counts, and which of it a slot is the sum of. */
#ifndef PMU_COUNTERS_VALGRIND_EVENTS_H
#define PMU_COUNTERS_VALGRIND_EVENTS_H

#include <stddef.h>

#include "plan/plan.h"

/**
 * Valgrind manual, Callgrind, "Cost Events": instructions, data reads and writes, misses of the
 * first level's instruction cache, of its data cache by reads and writes, the same of the last
 * level, conditional and indirect branches and those of them that were predicted wrongly.  Direct
 * jumps and calls are in none of them.
 */
enum pmu_callgrind_event {
	PMU_CALLGRIND_IR,
	PMU_CALLGRIND_DR,
	PMU_CALLGRIND_DW,
	PMU_CALLGRIND_I1MR,
	PMU_CALLGRIND_D1MR,
	PMU_CALLGRIND_D1MW,
	PMU_CALLGRIND_ILMR,
	PMU_CALLGRIND_DLMR,
	PMU_CALLGRIND_DLMW,
	PMU_CALLGRIND_BC,
	PMU_CALLGRIND_BCM,
	PMU_CALLGRIND_BI,
	PMU_CALLGRIND_BIM,
	PMU_CALLGRIND_EVENTS,
};

/** A set of them: misses of caches and of the branch predictor. */
#define PMU_CALLGRIND_MISSES                                                              \
	(1u << PMU_CALLGRIND_I1MR | 1u << PMU_CALLGRIND_D1MR | 1u << PMU_CALLGRIND_D1MW | \
	 1u << PMU_CALLGRIND_ILMR | 1u << PMU_CALLGRIND_DLMR | 1u << PMU_CALLGRIND_DLMW | \
	 1u << PMU_CALLGRIND_BCM | 1u << PMU_CALLGRIND_BIM)

/**
 * pmu_callgrind_event() - by callgrind's name ("Ir"), which need not end there.  Return: -1 for
 * none of the above.
 */
int pmu_callgrind_event(const char *name, size_t len);

/**
 * pmu_callgrind_sum() - bit e: a slot's count has event e in it; 0: nothing of callgrind's is what
 * it counts.
 */
uint32_t pmu_callgrind_sum(const struct pmu_slot *slot);

#endif
