/* SPDX-License-Identifier: BSD-3-Clause */
/* Of how many processes and ranks a combined report is. */
#include <stdlib.h>
#include <string.h>

#include "reports/combine/combine.h"

int pmu_parts_compare(const struct pmu_model_part *a, const struct pmu_model_part *b)
{
	int order = strcmp(a->host, b->host);

	if (order)
		return order;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->start_unix_ns != b->start_unix_ns)
		return a->start_unix_ns < b->start_unix_ns ? -1 : 1;
	return a->nth < b->nth ? -1 : a->nth > b->nth;
}

static int by_part_process(const void *a, const void *b)
{
	const struct pmu_model_part *const *x = a, *const *y = b;

	return pmu_parts_compare(*x, *y);
}

/* The programs of one process are numbered; those of the next that has its pid begin anew. */
static bool goes_on(const struct pmu_model_part *before, const struct pmu_model_part *part)
{
	return part->pid >= 0 && part->pid == before->pid && !strcmp(part->host, before->host) &&
	       part->nth > before->nth;
}

unsigned int pmu_parts_processes(const struct pmu_model_part *part, const unsigned int *at,
				 unsigned int n)
{
	const struct pmu_model_part **sorted = calloc((size_t)n + 1, sizeof(*sorted));
	unsigned int n_processes = 0;

	if (!sorted)
		return n;
	for (unsigned int i = 0; i < n; i++)
		sorted[i] = &part[at ? at[i] : i];
	qsort(sorted, n, sizeof(*sorted), by_part_process);
	for (unsigned int i = 0; i < n; i++)
		n_processes += !i || !goes_on(sorted[i - 1], sorted[i]);
	free(sorted);
	return n_processes;
}

bool pmu_model_is_ranked(const struct pmu_model *model)
{
	for (unsigned int i = 0; i < model->n_parts; i++)
		if (model->part[i].rank < 0)
			return false;
	return model->n_parts > 0;
}

unsigned int pmu_model_n_ranks(const struct pmu_model *model)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < model->n_parts; i++)
		n += !i || model->part[i].rank != model->part[i - 1].rank;
	return n;
}
