/* SPDX-License-Identifier: BSD-3-Clause */
/* What of a group another CPU than this one can count, as far as the tables of processors know. */
#include <stdio.h>
#include <string.h>

#include "bindings/command/list/list.h"
#include "plan/group.h"

static bool has_energy(const struct pmu_cpu_model *model, const struct pmu_slot *slot)
{
	return model->rapl != PMU_RAPL_NONE && model->rapl_domains >> slot->unit & 1;
}

static void add_listed_name(struct pmu_strbuf *list, const char *name)
{
	pmu_strbuf_addf(list, "%s%s", list->len ? ", " : "", name);
}

/* Energy that the CPU has no counter of. */
static void look_at_energy(const struct pmu_cpu_model *model, const struct pmu_group *group,
			   struct pmu_strbuf *given_up, char *why, size_t size)
{
	struct pmu_strbuf lost = { 0 };

	for (unsigned int i = 0; i < group->n_events; i++) {
		const struct pmu_event *event = &group->event[i];

		if (event->slot.kind != PMU_SLOT_ENERGY || has_energy(model, &event->slot))
			continue;
		if (!event->optional && !why[0])
			snprintf(why, size, "no table says that %s counts %s",
				 model->microarchitecture, event->name);
		add_listed_name(&lost, event->name);
	}
	if (lost.len && !why[0])
		pmu_strbuf_addf(given_up, "%swithout %s: no table says that this CPU counts it",
				given_up->len ? "; " : "", pmu_strbuf_text(&lost));
	pmu_strbuf_free(&lost);
}

static bool is_named_before(const struct pmu_group *group, unsigned int slot)
{
	for (unsigned int i = 0; i < slot; i++)
		if (!strcmp(group->event[i].slot.pmu, group->event[slot].slot.pmu))
			return true;
	return false;
}

/* PMUs outside the cores are the kernel's: which of them a machine has, the tables do not know. */
static void look_at_pmus(const struct pmu_group *group, struct pmu_strbuf *given_up)
{
	struct pmu_strbuf pmus = { 0 };

	for (unsigned int i = 0; i < group->n_events; i++)
		if (group->event[i].slot.kind == PMU_SLOT_UNCORE && group->event[i].slot.pmu[0] &&
		    !is_named_before(group, i))
			add_listed_name(&pmus, group->event[i].slot.pmu);
	if (pmus.len)
		pmu_strbuf_addf(given_up, "%sby the kernel's PMU %s", given_up->len ? "; " : "",
				pmu_strbuf_text(&pmus));
	pmu_strbuf_free(&pmus);
}

void pmu_list_fit_elsewhere(const struct pmu_cpu_model *model, const struct pmu_group *group,
			    struct pmu_strbuf *given_up, char *why, size_t size)
{
	look_at_energy(model, group, given_up, why, size);
	if (why[0])
		return;
	look_at_pmus(group, given_up);
	if (group->of_the_rest)
		pmu_strbuf_addf(given_up, "%sby the architecture's events alone",
				given_up->len ? "; " : "");
}
