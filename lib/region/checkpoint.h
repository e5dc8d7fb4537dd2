/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that a checkpoint has published a part of. */
#ifndef PMU_REGION_CHECKPOINT_H
#define PMU_REGION_CHECKPOINT_H

#include "region/tree.h"

/** pmu_checkpoint_finish() - pmu_node_finish() for a call with a first part in the totals already */
void pmu_checkpoint_finish(struct pmu_thread *self, struct pmu_node *node, uint64_t ticks,
			   uint32_t missing, uint64_t *now);

/** pmu_checkpoint_forget() - a call that will never end has no rest to come. */
void pmu_checkpoint_forget(struct pmu_node *node);

/**
 * pmu_region_settle_all() - what threads that are asleep have open counts up to now
 * Context: the session's lock; their regions end, so each finds the way in shut when it wakes up.
 */
void pmu_region_settle_all(void);

/**
 * pmu_region_stop_asleep() - the same where measuring is switched off: they are stopped; what they have open ends when
 * they wake up
 * Context: the session's lock; each takes the slow path when it wakes up.  Return: how many calls it were.
 */
uint32_t pmu_region_stop_asleep(void);

#endif
