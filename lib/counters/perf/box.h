/* SPDX-License-Identifier: BSD-3-Clause */
/* Boxes of a PMU: those that a slot means, and groups of events on them. */
#ifndef PMU_COUNTERS_PERF_BOX_H
#define PMU_COUNTERS_PERF_BOX_H

#include "counters/perf/group.h"
#include "machine/boxes.h"

/** All boxes that a slot is the sum of. */
struct pmu_perf_boxes {
	size_t n;
	struct pmu_box *box; /* the caller frees it */
};

/** pmu_perf_wanted() - the socket slots that are not absent */
static inline uint32_t pmu_perf_wanted(const struct pmu_plan *plan)
{
	return pmu_plan_sockets(plan) & ~plan->absent;
}

/** pmu_perf_same_pmu() - those of @slots that are counted by the same PMU as the first of them */
uint32_t pmu_perf_same_pmu(const struct pmu_plan *plan, uint32_t slots);

/**
 * pmu_perf_pmu_of() - "power" has no other name; what is only in registers has none: ""
 */
const char *pmu_perf_pmu_of(const struct pmu_slot *slot);

/**
 * pmu_perf_boxes_find() - the boxes of the PMU of @slots
 * @why: result with an error: why, mend
 * Return: 0; -ENOENT: no such PMU; -EINVAL: none that belongs to sockets, or more than we can add
 * up; -ENOMEM.
 */
int pmu_perf_boxes_find(const struct pmu_plan *plan, uint32_t slots, struct pmu_perf_boxes *boxes,
			struct pmu_probe *why);

/**
 * pmu_perf_box_open() - count slots of one PMU on one of its boxes
 * @cpu: of its cpumask
 * @limit: from pmu_fd_begin(), to park by; NULL: not for long
 * @group: result: it counts
 * Return: 0, or a negative errno with nothing open; -ENOSPC: the box has no counters for them.
 */
int pmu_perf_box_open(const struct pmu_plan *plan, uint32_t slots, const struct pmu_box *box,
		      int cpu, const struct pmu_fd_limit *limit, struct pmu_perf_group *group);

/** pmu_perf_box_explain() - as pmu_perf_explain(): the sentence is about these slots alone */
void pmu_perf_box_explain(const struct pmu_plan *plan, uint32_t slots, int rc, unsigned int first,
			  struct pmu_probe *probe);

#endif
