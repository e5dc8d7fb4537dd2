/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * All calls of a region, measured or not and whichever group counted them: where groups take turns
 * each has a part.  Of what they did there are estimates.
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

static int by_path(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return strcmp(x->row->path, y->row->path);
}

static uint64_t own_calls(const struct pmu_model_row *row)
{
	return pmu_add_capped(row->calls, row->unmeasured_calls);
}

/* What the groups that take turns have of a path, or a group that does not. */
struct whole {
	uint64_t calls, unmeasured; /* the second: 0, or not */
	struct pmu_timed_calls timed;
};

static void add_whole(struct whole *whole, const struct pmu_model_row *row)
{
	whole->calls = pmu_add_capped(whole->calls, own_calls(row));
	whole->unmeasured |= row->unmeasured_calls;
	pmu_timed_calls_add(&whole->timed, row);
}

/* A sum is a sample where groups took turns, or calls were not measured. */
static int estimate(struct pmu_model *model, const struct place *at, const struct whole *whole)
{
	struct pmu_model_row *row = at->row;

	row->whole_calls = whole->calls;
	row->estimate = row->whole_time = NULL;
	if ((row->turns || row->unmeasured_calls) && whole->calls > row->calls) {
		row->estimate = pmu_model_alloc(model,
						at->section->n_counts * sizeof(*row->estimate));
		if (!row->estimate)
			return -ENOMEM;
		pmu_model_turns_estimate(at->section, row, row->estimate);
	}
	if (whole->unmeasured) {
		row->whole_time = pmu_model_alloc(model, sizeof(*row->whole_time));
		if (!row->whole_time)
			return -ENOMEM;
		*row->whole_time = pmu_timed_calls_estimate(&whole->timed, (double)whole->calls);
	}
	return 0;
}

/* Elsewhere than in turns a group's part may be another part of the program. */
static int finish_path(struct pmu_model *model, const struct place *at, size_t n)
{
	struct whole turns = { 0 };
	uint64_t all = 0;
	int rc = 0;

	for (size_t i = 0; i < n; i++) {
		all = pmu_add_capped(all, own_calls(at[i].row));
		if (at[i].section->in_turns)
			add_whole(&turns, at[i].row);
	}
	for (size_t i = 0; i < n && !rc; i++) {
		struct whole own = { 0 };

		at[i].row->all_calls = all;
		if (!at[i].section->in_turns)
			add_whole(&own, at[i].row);
		rc = estimate(model, &at[i], at[i].section->in_turns ? &turns : &own);
	}
	return rc;
}

static int finish_paths(struct pmu_model *model, struct place *place, size_t n)
{
	int rc = 0;

	if (model->n_sections > 1)
		qsort(place, n, sizeof(*place), by_path);
	for (size_t from = 0, to; from < n && !rc; from = to) {
		for (to = from + 1; to < n && model->n_sections > 1; to++)
			if (by_path(&place[to], &place[from]))
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

bool pmu_model_is_sampled(const struct pmu_model *model)
{
	for (unsigned int s = 0; s < model->n_sections; s++)
		for (unsigned int i = 0; i < model->section[s].n_rows; i++)
			if (model->section[s].row[i].unmeasured_calls)
				return true;
	return false;
}

/* Reports of earlier versions do not say so: in them every call was measured. */
static void find_turns(struct pmu_model *model)
{
	if (pmu_model_is_sampled(model))
		return;
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
