/* SPDX-License-Identifier: BSD-3-Clause */
/* What a plan says, in words. */
#include "plan/plan.h"

const char *pmu_plan_levels(const struct pmu_plan *plan)
{
	bool user = false, kernel = false, mixed = false;
	bool any = false;

	for (unsigned int i = 0; i < plan->n_slots; i++) {
		const struct pmu_slot *slot = &plan->slot[i];

		/* a socket's counters know no levels */
		if (plan->absent >> i & 1 || pmu_slot_is_socket(slot))
			continue;
		mixed |= any && (slot->user != user || slot->kernel != kernel);
		user |= slot->user;
		kernel |= slot->kernel;
		any = true;
	}
	if (!any)
		return "all levels";
	if (mixed)
		return "user level, with the kernel where an event says so";
	if (user && kernel)
		return "user and kernel level";
	return kernel ? "kernel level" : "user level";
}
