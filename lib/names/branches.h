/* SPDX-License-Identifier: BSD-3-Clause */
/* Branches that processors count to the last: the same in each run of the same work. */
#ifndef PMU_NAMES_BRANCHES_H
#define PMU_NAMES_BRANCHES_H

#include "plan/catalog.h"
#include "plan/group.h"

#define PMU_CONDITIONAL_BRANCHES "conditional-branches"
#define PMU_TAKEN_BRANCHES       "taken-branches"

/**
 * pmu_branches_encode() - a processor's event for one of these names
 * @event: by name, and as a simulation counts it; with the processor's event it is that, and what a
 *         simulation counts stays in it
 * @level: result: at which levels it can be counted; untouched where the processor has no event
 *
 * Return: 0, also for conditional branches where a simulation alone counts them; -EINVAL with a
 * sentence: nothing does.
 */
int pmu_branches_encode(struct pmu_catalog *catalog, struct pmu_event *event,
			enum pmu_event_level *level);

/** pmu_branches_note() - says in the group's note what is wrong with the processor's event, if anything */
void pmu_branches_note(const struct pmu_catalog *catalog, struct pmu_group *group);

#endif
