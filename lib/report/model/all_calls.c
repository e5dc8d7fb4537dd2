/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All calls of a region, whichever group counted them: where groups take turns each has a part.  Of
 * what they did there are estimates.
 */
#include "report/model/all_calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/finish.h"
#include "report/model/turns.h"

/* A sum of any section. */
struct place {
	const struct pmu_model_section *section;
	struct pmu_model_row *row;
};

static int by_row_path(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return strcmp(x->row->path, y->row->path);
}

/* A sum is a sample where groups took turns: @whole: the calls of all of them. */
static int estimate(struct pmu_model *model, const struct place *at, uint64_t whole)
{
	struct pmu_model_row *row = at->row;

	row->whole_calls = whole;
	row->estimate = NULL;
	if (!row->turns || whole <= row->calls)
		return 0;
	row->estimate = pmu_model_alloc(model, at->section->n_counts * sizeof(*row->estimate));
	if (!row->estimate)
		return -ENOMEM;
	pmu_model_turns_estimate(at->section, row, row->estimate);
	return 0;
}

/* Elsewhere than in turns a group's part may be another part of the program. */
static int finish_path(struct pmu_model *model, const struct place *at, size_t n)
{
	uint64_t all = 0, in_turns = 0;
	int rc = 0;

	for (size_t i = 0; i < n; i++) {
		all = pmu_add_capped(all, at[i].row->calls);
		if (at[i].section->in_turns)
			in_turns = pmu_add_capped(in_turns, at[i].row->calls);
	}
	for (size_t i = 0; i < n && !rc; i++) {
		at[i].row->all_calls = all;
		rc = estimate(model, &at[i], at[i].section->in_turns ? in_turns : at[i].row->calls);
	}
	return rc;
}

static int finish_paths(struct pmu_model *model, struct place *place, size_t n)
{
	int rc = 0;

	if (model->n_sections > 1)
		qsort(place, n, sizeof(*place), by_row_path);
	for (size_t from = 0, to; from < n && !rc; from = to) {
		for (to = from + 1; to < n && model->n_sections > 1; to++)
			if (by_row_path(&place[to], &place[from]))
				break;
		rc = finish_path(model, &place[from], to - from);
	}
	return rc;
}

static bool has_turns(const struct pmu_model_section *section)
{
	for (unsigned int i = 0; i < section->n_rows; i++)
		if (section->row[i].turns)
			return true;
	return false;
}

/* Reports of earlier versions do not say so. */
static void find_turns(struct pmu_model *model)
{
	for (unsigned int s = 0; s < model->n_sections; s++)
		model->section[s].in_turns |= has_turns(&model->section[s]);
}

int pmu_model_add_calls(struct pmu_model *model)
{
	struct place *place;
	size_t n = 0;
	int rc = 0;

	find_turns(model);
	for (unsigned int s = 0; s < model->n_sections; s++)
		n += model->section[s].n_rows;
	place = malloc((n + 1) * sizeof(*place));
	if (!place)
		return -ENOMEM;
	n = 0;
	for (unsigned int s = 0; s < model->n_sections; s++)
		for (unsigned int i = 0; i < model->section[s].n_rows; i++)
			place[n++] = (struct place){ &model->section[s],
						     &model->section[s].row[i] };
	rc = finish_paths(model, place, n);
	free(place);
	return rc;
}
