/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of a region whichever group counted them: where groups take turns, each has a part. */
#include "report/model/all_calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/model.h"
#include "report/model/turns.h"

static int by_path(const void *a, const void *b)
{
	const struct pmu_model_row *const *x = a, *const *y = b;

	return strcmp((*x)->path, (*y)->path);
}

/* @row: sorted by path */
static void add_same(struct pmu_model_row **row, size_t n)
{
	for (size_t from = 0, to; from < n; from = to) {
		uint64_t sum = 0;

		for (to = from; to < n && !strcmp(row[to]->path, row[from]->path); to++)
			sum += row[to]->calls;
		for (size_t i = from; i < to; i++)
			row[i]->all_calls = sum;
	}
}

/* Of those whose groups have taken turns: elsewhere a part may be another part of the program. */
static int estimate(struct pmu_model *model)
{
	for (unsigned int s = 0; s < model->n_sections; s++) {
		struct pmu_model_section *section = &model->section[s];

		for (unsigned int i = 0; i < section->n_rows; i++) {
			struct pmu_model_row *row = &section->row[i];

			row->estimate = NULL;
			if (!row->turns || row->all_calls <= row->calls)
				continue;
			row->estimate = pmu_model_alloc(model,
							section->n_counts * sizeof(*row->estimate));
			if (!row->estimate)
				return -ENOMEM;
			pmu_model_turns_estimate(row, section->n_counts, row->estimate);
		}
	}
	return 0;
}

int pmu_model_add_calls(struct pmu_model *model)
{
	struct pmu_model_row **row;
	size_t n = 0;

	for (unsigned int s = 0; s < model->n_sections; s++)
		for (unsigned int i = 0; i < model->section[s].n_rows; i++, n++)
			model->section[s].row[i].all_calls = model->section[s].row[i].calls;
	if (model->n_sections < 2 || !n)
		return 0;
	row = malloc(n * sizeof(*row));
	if (!row)
		return -ENOMEM;
	n = 0;
	for (unsigned int s = 0; s < model->n_sections; s++)
		for (unsigned int i = 0; i < model->section[s].n_rows; i++)
			row[n++] = &model->section[s].row[i];
	qsort(row, n, sizeof(*row), by_path);
	add_same(row, n);
	free(row);
	return estimate(model);
}
