/* SPDX-License-Identifier: BSD-3-Clause */
/* The least that a call of a row counted, and interrupts in its calls. */
#include "report/model/least.h"

#include <errno.h>
#include <string.h>

struct pmu_model_least *pmu_model_least_new(struct pmu_model *model, unsigned int n_counts)
{
	struct pmu_model_least *least;

	return pmu_model_alloc(model, sizeof(*least) + n_counts * sizeof(least->count[0]));
}

void pmu_model_least_keep(struct pmu_model_least *least, unsigned int count, uint64_t value)
{
	if (least->known >> count & 1 && least->count[count] <= value)
		return;
	least->known |= 1u << count;
	least->count[count] = value;
}

static bool any_least(const struct pmu_model_row *row, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (row[i].least)
			return true;
	return false;
}

bool pmu_model_has_leasts(const struct pmu_model *model)
{
	for (unsigned int i = 0; i < model->n_sections; i++)
		if (any_least(model->section[i].thread_row, model->section[i].n_thread_rows) ||
		    any_least(model->section[i].row, model->section[i].n_rows))
			return true;
	return false;
}

static int find_named_count(const struct pmu_model_section *section, const char *name)
{
	for (unsigned int i = 0; i < section->n_counts; i++)
		if (section->count[i].name && !strcmp(section->count[i].name, name))
			return (int)i;
	return -1;
}

int pmu_section_interrupts(const struct pmu_model_section *section)
{
	return find_named_count(section, "instructions") < 0
		       ? -1
		       : find_named_count(section, "interrupts");
}

int pmu_section_less_interrupts(const struct pmu_model_section *section)
{
	for (unsigned int i = 0; i < section->n_metrics; i++)
		if (!strcmp(section->metric[i].name, "instructions less interrupts"))
			return (int)i;
	return -1;
}
