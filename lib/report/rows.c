/* SPDX-License-Identifier: BSD-3-Clause */
/* Ways through a finished model's rows that the writers share. */
#include "report/rows.h"

#include <errno.h>
#include <stdlib.h>

static bool has_sum(const struct pmu_model_section *section,
		    const struct pmu_model_row *row)
{
	return row->sum >= 0 && (unsigned int)row->sum < section->n_rows;
}

int pmu_rows_by_sum(struct pmu_rows_by_sum *index,
		    const struct pmu_model_section *section)
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

int pmu_model_thread_number(const struct pmu_model *model,
			    const struct pmu_model_row *row)
{
	if (row->thread < 0 || (unsigned int)row->thread >= model->n_threads)
		return -1;
	return model->thread[row->thread].number;
}

int pmu_model_socket_number(const struct pmu_model *model, const struct pmu_model_row *row)
{
	return pmu_model_is_socket(model, row) ? model->thread[row->thread].number : -1;
}
