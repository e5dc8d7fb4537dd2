/* SPDX-License-Identifier: BSD-3-Clause */
/* What goes for the teams of any finished model, whatever it was made of. */
#ifndef PMU_TESTS_FUZZ_CHECK_TEAMS_H
#define PMU_TESTS_FUZZ_CHECK_TEAMS_H

#include <math.h>
#include <stdlib.h>

#include "report/model/model.h"

static void check_team(const struct pmu_model *model, const struct pmu_model_section *section,
		       const struct pmu_model_row *sum)
{
	const struct pmu_model_team *team = sum->team;

	if (!team)
		return;
	if (sum->flags & PMU_ROW_PROGRAM || team->all.time_ns < sum->time_ns ||
	    team->n_threads > model->n_threads || team->imbalance < 0 || team->efficiency < 0 ||
	    team->efficiency > 1 || team->all.share > 1)
		abort();
	for (unsigned int i = 0; i < section->n_counts; i++)
		if (!(team->all.missing >> i & 1) &&
		    (sum->missing >> i & 1 || team->all.raw[i] < sum->raw[i]))
			abort();
}

/* A team's row is in another one, or in a program's, and in the totals of none but that. */
static void check_place(const struct pmu_model_section *section, const struct pmu_model_row *row)
{
	static const uint32_t around = PMU_ROW_TEAM | PMU_ROW_PROGRAM;

	if (!(row->flags & PMU_ROW_TEAM))
		return;
	if (row->parent >= 0 && !(section->thread_row[row->parent].flags & around))
		abort();
	if (row->holder >= 0 && section->thread_row[row->holder].flags & PMU_ROW_TEAM)
		abort();
}

static void check_teams(const struct pmu_model *model)
{
	for (unsigned int i = 0; i < model->n_sections; i++) {
		const struct pmu_model_section *section = &model->section[i];

		for (unsigned int k = 0; k < section->n_thread_rows; k++)
			check_place(section, &section->thread_row[k]);
		for (unsigned int k = 0; k < section->n_rows; k++)
			check_team(model, section, &section->row[k]);
	}
}

#endif
