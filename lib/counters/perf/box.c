/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds and opens boxes of the kernel's PMUs. */
#include "counters/perf/box.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "counters/perf/system.h"
#include "counters/perf/why.h"
#include "machine/models.h"

/* Boxes of one PMU; no machine has more than half as many. */
#define ROOM 256

static bool is_same_pmu(const struct pmu_slot *a, const struct pmu_slot *b)
{
	return a->kind == b->kind && !strncmp(a->pmu, b->pmu, sizeof(a->pmu)) &&
	       (a->type == PMU_TYPE_ABSENT) == (b->type == PMU_TYPE_ABSENT);
}

uint32_t pmu_perf_same_pmu(const struct pmu_plan *plan, uint32_t slots)
{
	const struct pmu_slot *first = &plan->slot[__builtin_ctz(slots)];
	uint32_t same = 0;

	for (unsigned int i = 0; i < plan->n_slots; i++)
		if (slots >> i & 1 && is_same_pmu(&plan->slot[i], first))
			same |= 1u << i;
	return same;
}

/* By the kernel's names, of what registers know. */
static const char *const pmus[] = {
	[PMU_UNIT_UNCORE] = "uncore",   [PMU_UNIT_CLOCK] = "uncore_clock",
	[PMU_UNIT_CBO] = "uncore_cbox", [PMU_UNIT_ARB] = "uncore_arb",
	[PMU_UNIT_L3] = "amd_l3",
};

const char *pmu_perf_pmu_of(const struct pmu_slot *slot)
{
	if (slot->pmu[0])
		return slot->pmu;
	if (slot->kind == PMU_SLOT_ENERGY)
		return "power";
	return slot->kind == PMU_SLOT_UNCORE && slot->unit < PMU_ARRAY_LEN(pmus) ? pmus[slot->unit]
										 : "";
}

static bool slot_has_pmu(const struct pmu_slot *slot)
{
	return slot->pmu[0] && slot->type != PMU_TYPE_ABSENT;
}

/* The driver may be there and count other domains. */
static void explain_no_energy(unsigned int domain, struct pmu_probe *why)
{
	static const char *const names[PMU_ENERGY_DOMAINS] = {
		[PMU_ENERGY_PACKAGE] = "energy-pkg",
		[PMU_ENERGY_CORES] = "energy-cores",
		[PMU_ENERGY_GRAPHICS] = "energy-gpu",
		[PMU_ENERGY_DRAM] = "energy-ram",
	};

	snprintf(why->why, sizeof(why->why), "the kernel's PMU power has no event %s",
		 domain < PMU_ENERGY_DOMAINS ? names[domain] : "of energy");
}

/* @found: boxes of that name */
static void explain_no_box(const struct pmu_slot *slot, uint32_t slots, size_t found,
			   struct pmu_probe *why)
{
	const char *pmu = pmu_perf_pmu_of(slot);
	struct pmu_cpu_id id;

	why->mend[0] = '\0';
	if (pmu_cpu_identify(&id))
		memset(&id, 0, sizeof(id));
	if (!found)
		pmu_perf_explain_no_pmu_of(pmu, &id, why);
	else if (slots & (slots - 1))
		snprintf(why->why, sizeof(why->why), "the kernel's PMU %s has none of these events",
			 pmu);
	else if (slot->kind == PMU_SLOT_ENERGY)
		explain_no_energy(slot->unit, why);
	else
		snprintf(why->why, sizeof(why->why), "the kernel's PMU %s has no such event", pmu);
}

int pmu_perf_boxes_find(const struct pmu_plan *plan, uint32_t slots, struct pmu_perf_boxes *boxes,
			struct pmu_probe *why)
{
	const struct pmu_slot *slot = &plan->slot[__builtin_ctz(slots)];
	const char *pmu = pmu_perf_pmu_of(slot);

	boxes->box = calloc(ROOM, sizeof(boxes->box[0]));
	if (!boxes->box)
		return -ENOMEM;
	boxes->n = pmu_boxes_find(pmu_perf_system->devices, pmu, boxes->box, ROOM);
	if (!boxes->n || !slot_has_pmu(slot)) {
		explain_no_box(slot, slots, boxes->n, why);
		boxes->n = 0;
		return -ENOENT;
	}
	why->mend[0] = '\0';
	snprintf(why->why, sizeof(why->why),
		 "%s has more boxes than are known here: a sum would be too low", pmu);
	if (boxes->n > ROOM)
		return -EINVAL;
	for (size_t i = 0; i < boxes->n; i++) {
		if (boxes->box[i].cut)
			return -EINVAL;
		if (boxes->box[i].n_cpus)
			continue;
		snprintf(why->why, sizeof(why->why),
			 "%s has no cpumask: it does not count for a socket", boxes->box[i].name);
		return -EINVAL;
	}
	why->why[0] = '\0';
	return 0;
}

static void box_plan(const struct pmu_plan *plan, uint32_t slots, const struct pmu_box *box,
		     struct pmu_plan *one)
{
	*one = *plan;
	one->absent = pmu_plan_mask(plan) & ~slots;
	for (unsigned int i = 0; i < plan->n_slots; i++)
		one->slot[i].type = box->type;
}

int pmu_perf_box_open(const struct pmu_plan *plan, uint32_t slots, const struct pmu_box *box,
		      int cpu, const struct pmu_fd_limit *limit, struct pmu_perf_group *group)
{
	struct pmu_perf_where where = { .pid = -1, .cpu = cpu, .limit = limit };
	struct pmu_perf_values got;
	struct pmu_plan one;
	unsigned int failed;
	int rc;

	box_plan(plan, slots, box, &one);
	rc = pmu_perf_group_open(group, &one, &where, &failed);
	if (rc)
		return rc;
	rc = pmu_perf_group_enable(group);
	if (!rc && (pmu_perf_group_read(group, &got) || got.enabled_ns != got.running_ns))
		rc = -ENOSPC;
	if (rc)
		pmu_perf_group_close(group);
	return rc;
}

void pmu_perf_box_explain(const struct pmu_plan *plan, uint32_t slots, int rc, unsigned int first,
			  struct pmu_probe *probe)
{
	struct pmu_plan one = *plan;

	one.absent = pmu_plan_mask(plan) & ~slots;
	pmu_perf_explain(&one, rc, first, probe);
}
