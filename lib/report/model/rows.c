/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks over a finished model's rows that the writers share. */
#include "report/model/rows.h"

#include <errno.h>
#include <stdlib.h>

/* Two time stamps take at least this on any machine; a clock with coarse steps often measures 0. */
#define LEAST_OWN_NS 10u
/*
 * Ten times a guess, for stores without a measurement: 20 ns a call, and two reads of the counters.
 */
#define GUESSED_SHORT_NS    200.0
#define GUESSED_SHORT_READS 20.0

static bool has_sum(const struct pmu_model_section *section, const struct pmu_model_row *row)
{
	return row->sum >= 0 && (unsigned int)row->sum < section->n_rows;
}

int pmu_rows_by_sum(struct pmu_rows_by_sum *index, const struct pmu_model_section *section)
{
	index->start = calloc((size_t)section->n_rows + 2, sizeof(*index->start));
	index->row = calloc((size_t)section->n_thread_rows + 1, sizeof(*index->row));
	if (!index->start || !index->row) {
		pmu_rows_by_sum_free(index);
		return -ENOMEM;
	}
	/* counted two places up, so that filling leaves start[i + 1] at the end of i */
	for (unsigned int i = 0; i < section->n_thread_rows; i++)
		if (has_sum(section, &section->thread_row[i]))
			index->start[section->thread_row[i].sum + 2]++;
	for (unsigned int i = 1; i < section->n_rows + 2; i++)
		index->start[i] += index->start[i - 1];
	for (unsigned int i = 0; i < section->n_thread_rows; i++)
		if (has_sum(section, &section->thread_row[i]))
			index->row[index->start[section->thread_row[i].sum + 1]++] = i;
	return 0;
}

void pmu_rows_by_sum_free(struct pmu_rows_by_sum *index)
{
	free(index->start);
	free(index->row);
}

int pmu_model_thread_number(const struct pmu_model *model, const struct pmu_model_row *row)
{
	if (row->thread < 0 || (unsigned int)row->thread >= model->n_threads)
		return -1;
	return model->thread[row->thread].number;
}

int pmu_model_socket_number(const struct pmu_model *model, const struct pmu_model_row *row)
{
	return pmu_model_is_socket(model, row) ? model->thread[row->thread].number : -1;
}

static bool is_tenth(uint64_t part, uint64_t whole)
{
	return part > whole / 10;
}

static uint64_t own_ns(const struct pmu_model_row *row)
{
	uint64_t least;

	if (__builtin_mul_overflow(row->calls, LEAST_OWN_NS, &least))
		return UINT64_MAX;
	return row->cost_ns > least ? row->cost_ns : least;
}

static bool is_guessed_short(const struct pmu_model_section *section,
			     const struct pmu_model_row *row)
{
	double ns = (double)row->time_ns / (double)row->calls;

	return ns < GUESSED_SHORT_NS ||
	       ns < GUESSED_SHORT_READS * (section->read_ns + section->socket_read_ns);
}

bool pmu_row_is_short(const struct pmu_model_section *section, const struct pmu_model_row *row)
{
	if (!row->calls || row->flags & PMU_ROW_PROGRAM)
		return false;
	if (pmu_model_is_timed(row) && is_tenth(own_ns(row), row->time_ns))
		return true;
	for (unsigned int c = 0; c < section->n_counts; c++)
		if (!(row->missing >> c & 1) && is_tenth(row->cost[c], row->raw[c]))
			return true;
	return pmu_model_is_timed(row) && (!row->cost_ns || section->sockets) &&
	       is_guessed_short(section, row);
}
