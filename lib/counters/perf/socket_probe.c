/* SPDX-License-Identifier: BSD-3-Clause */
/* Which slots of sockets can be counted here: they are tried on one box of each PMU. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "counters/perf/box.h"
#include "counters/perf/socket.h"
#include "counters/perf/why.h"

static int try_slots(const struct pmu_plan *plan, uint32_t slots, const struct pmu_box *box)
{
	struct pmu_perf_group group;
	int rc = pmu_perf_box_open(plan, slots, box, box->cpu[0], NULL, &group);

	if (!rc)
		pmu_perf_group_close(&group);
	return pmu_perf_same_refusal(rc);
}

/* Each slot beside those before it that count, as for cores. */
static int try_each(const struct pmu_plan *plan, uint32_t slots, const struct pmu_box *box,
		    int *error, unsigned int *first)
{
	uint32_t fits = 0;
	int rc, refused = 0;

	for (uint32_t left = slots; left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctz(left);

		rc = try_slots(plan, fits | 1u << i, box);
		if (!rc) {
			fits |= 1u << i;
			continue;
		}
		if (rc == -EINVAL && fits && !try_slots(plan, 1u << i, box))
			rc = -ENOSPC;
		error[i] = rc;
		if (refused && (refused != -ENOSPC || rc == -ENOSPC) && pmu_perf_refuses_slot(rc))
			continue;
		refused = rc;
		*first = i;
		if (!pmu_perf_refuses_slot(rc))
			break;
	}
	return refused;
}

/* Slots of one PMU. */
static int probe_pmu(const struct pmu_plan *plan, uint32_t slots, struct pmu_probe *probe)
{
	unsigned int first = (unsigned int)__builtin_ctz(slots);
	struct pmu_perf_boxes boxes;
	int rc = pmu_perf_boxes_find(plan, slots, &boxes, probe);

	if (rc) {
		for (unsigned int i = 0; i < plan->n_slots; i++)
			probe->error[i] = slots >> i & 1 ? rc : 0;
	} else if (try_slots(plan, slots, &boxes.box[0])) {
		rc = try_each(plan, slots, &boxes.box[0], probe->error, &first);
		if (rc)
			pmu_perf_box_explain(plan, slots, rc, first, probe);
	}
	free(boxes.box);
	return rc;
}

int pmu_perf_sockets_probe(const struct pmu_plan *plan, struct pmu_probe *probe)
{
	int rc = 0;

	for (uint32_t left = pmu_perf_wanted(plan), slots; left; left &= ~slots) {
		struct pmu_probe one = { .why = "" };
		int refused;

		slots = pmu_perf_same_pmu(plan, left);
		refused = probe_pmu(plan, slots, &one);
		for (unsigned int i = 0; i < plan->n_slots; i++)
			probe->error[i] = one.error[i] ? one.error[i] : probe->error[i];
		if (!refused ||
		    (rc && (rc != -ENOSPC || refused == -ENOSPC) && pmu_perf_refuses_slot(refused)))
			continue;
		rc = refused;
		memcpy(probe->why, one.why, sizeof(probe->why));
		memcpy(probe->mend, one.mend, sizeof(probe->mend));
		if (pmu_perf_refuses_slot(rc))
			continue;
		/* all there is, not this one alone */
		for (unsigned int i = 0; i < plan->n_slots; i++)
			if (pmu_perf_wanted(plan) >> i & 1 && !probe->error[i])
				probe->error[i] = rc;
		break;
	}
	return rc;
}
