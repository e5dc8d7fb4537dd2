/* SPDX-License-Identifier: BSD-3-Clause */
/* When a thread may count another group, and is to. */
#ifndef PMU_REGION_TURN_H
#define PMU_REGION_TURN_H

#include "region/tree.h"
#include "session/rotate.h"

/** pmu_turn_is_free() - nothing of the thread is open, here or in another thread's region */
static inline bool pmu_turn_is_free(const struct pmu_thread *self)
{
	const struct pmu_tree *tree = self->tree;

	return !(((uintptr_t)self->frame ^ (uintptr_t)tree->frames) | (uintptr_t)tree->detached |
		 tree->skipped | (uint32_t)self->measuring);
}

/**
 * pmu_turn_is_due() - at a begin: is the next group's turn due, and can the thread follow?
 *
 * Regions around count what it executes, which must be as much each time: so without a branch.
 */
static inline bool pmu_turn_is_due(const struct pmu_thread *self)
{
	int due = (int)(pmu_load_relaxed(&pmu_rotation.group) != self->group) |
		  (int)(*self->last_end >= pmu_load_relaxed(&pmu_rotation.due));

	return due & (int)pmu_turn_is_free(self);
}

#endif
