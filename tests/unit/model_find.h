/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds what a test asks of a model. */
#ifndef PMU_TESTS_MODEL_FIND_H
#define PMU_TESTS_MODEL_FIND_H

#include <string.h>

#include "report/model/model.h"

/* The sum of a path's; NULL: there is none. */
static inline const struct pmu_model_row *model_row(const struct pmu_model *model, const char *path)
{
	for (unsigned int s = 0; s < model->n_sections; s++)
		for (unsigned int r = 0; r < model->section[s].n_rows; r++)
			if (!strcmp(model->section[s].row[r].path, path))
				return &model->section[s].row[r];
	return NULL;
}

/* The first note that says so; NULL: none does. */
static inline const char *model_note(const struct pmu_model *model, const char *part)
{
	for (unsigned int i = 0; i < model->n_notes; i++)
		if (strstr(model->note[i], part))
			return model->note[i];
	return NULL;
}

#endif
