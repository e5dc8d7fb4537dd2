/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread that counted one group twice has two sets of rows: here they become one. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "store/convert.h"

/* Is any thread's record of this group not its only one? */
static bool is_needed(const struct pmu_convert *convert, uint32_t group)
{
	const struct pmu_raw *raw = convert->raw;
	bool *seen = calloc((size_t)convert->model->n_threads + convert->model->n_sockets + 1,
			    sizeof(*seen));
	bool needed = !seen;
	size_t i;

	for (i = 0; i < raw->n_threads && !needed; i++) {
		if (raw->thread[i].group != group)
			continue;
		needed = seen[convert->thread_of[i]];
		seen[convert->thread_of[i]] = true;
	}
	free(seen);
	return needed;
}

int pmu_fold_open(struct pmu_fold *fold, const struct pmu_convert *convert, uint32_t group,
		  size_t n_rows)
{
	size_t n = 16;

	*fold = (struct pmu_fold){ 0 };
	if (!is_needed(convert, group))
		return 0;
	while (n < 2 * n_rows)
		n *= 2;
	fold->mask = n - 1;
	fold->slot = calloc(n, sizeof(*fold->slot));
	return fold->slot ? 0 : -ENOMEM;
}

void pmu_fold_close(struct pmu_fold *fold)
{
	free(fold->slot);
}

/* Names are compared by address: the model has one copy of each. */
static bool is_same(const struct pmu_model_row *a, const struct pmu_model_row *b)
{
	return a->thread == b->thread && a->parent == b->parent && a->name == b->name &&
	       !((a->flags ^ b->flags) & PMU_ROW_FLAT);
}

/* The row in which @row has its place, or the next free one. */
static unsigned int find(struct pmu_fold *fold, const struct pmu_model_section *section,
			 const struct pmu_model_row *row)
{
	uint64_t hash = (uintptr_t)row->name ^ (uint64_t)(unsigned int)row->parent << 32 ^
			(uint64_t)(unsigned int)row->thread << 16;
	size_t at = (hash * 0x9e3779b97f4a7c15u >> 32) & fold->mask;

	for (; fold->slot[at]; at = (at + 1) & fold->mask)
		if (is_same(&section->thread_row[fold->slot[at] - 1], row))
			return fold->slot[at] - 1;
	fold->slot[at] = section->n_thread_rows + 1;
	return section->n_thread_rows;
}

/* Sum of squares of @row's calls, from its mean and deviation. */
static double squares(const struct pmu_model_row *row)
{
	double mean = row->calls ? (double)row->time_ns / (double)row->calls : 0;

	return row->calls ? (double)row->calls * (row->sd_ns * row->sd_ns + mean * mean) : 0;
}

static void add_times(struct pmu_model_row *to, const struct pmu_model_row *row)
{
	double sum = squares(to) + squares(row), mean, variance;

	if (row->calls && (!to->calls || row->min_ns < to->min_ns))
		to->min_ns = row->min_ns;
	if (row->max_ns > to->max_ns)
		to->max_ns = row->max_ns;
	to->calls += row->calls;
	to->time_ns += row->time_ns;
	to->cost_ns += row->cost_ns;
	to->sd_ns = NAN;
	if (!to->calls || to->flags & PMU_ROW_RECURSIVE)
		return;
	mean = (double)to->time_ns / (double)to->calls;
	variance = sum / (double)to->calls - mean * mean;
	to->sd_ns = variance < 0 ? 0 : sqrt(variance);
}

/* Without memory for both it is not known. */
static void add_histogram(struct pmu_convert *convert, struct pmu_model_row *to,
			  const struct pmu_model_row *row)
{
	const struct pmu_model_histogram *histogram = NULL;

	if (!to->calls || !row->calls)
		histogram = to->calls ? to->histogram : row->histogram;
	if (to->calls && row->calls && to->histogram && row->histogram) {
		pmu_histogram_add(convert->histogram, to->histogram);
		pmu_histogram_add(convert->histogram, row->histogram);
		histogram = pmu_histogram_make(convert->model, convert->histogram);
	}
	to->histogram = histogram;
}

static void add(struct pmu_convert *convert, struct pmu_model_row *to,
		const struct pmu_model_row *row, unsigned int n_counts)
{
	unsigned int i;

	for (i = 0; i < n_counts; i++) {
		to->raw[i] += row->raw[i];
		to->net[i] += row->net[i];
		to->cost[i] += row->cost[i];
	}
	to->flags |= row->flags;
	to->missing |= row->missing;
	to->n_open += row->n_open;
	add_histogram(convert, to, row);
	add_times(to, row);
}

unsigned int pmu_fold_add(struct pmu_fold *fold, struct pmu_convert *convert,
			  struct pmu_model_section *section, const struct pmu_model_row *row)
{
	unsigned int at = fold->slot ? find(fold, section, row) : section->n_thread_rows;

	if (at < section->n_thread_rows)
		add(convert, &section->thread_row[at], row, section->n_counts);
	else
		section->thread_row[section->n_thread_rows++] = *row;
	return at;
}
