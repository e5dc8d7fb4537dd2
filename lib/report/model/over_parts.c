/* SPDX-License-Identifier: BSD-3-Clause */
/* How a region's time and counts are spread over the ranks or processes of a combined model. */
#include "report/model/over_parts.h"

#include <math.h>

#include "report/combine/combine.h"

int pmu_over_parts_open(struct pmu_over_parts *over, const struct pmu_model *model,
			const struct pmu_model_section *section)
{
	*over = (struct pmu_over_parts){ .model = model,
					 .section = section,
					 .ranked = pmu_model_is_ranked(model) };
	return pmu_rows_by_sum(&over->index, section);
}

void pmu_over_parts_close(struct pmu_over_parts *over)
{
	pmu_rows_by_sum_free(&over->index);
}

/* The rank or process at hand. */
struct one {
	unsigned int part;
	bool any;
	double value;
};

static void take(struct pmu_spread *spread, const struct one *one)
{
	if (!one->any)
		return;
	if (!spread->n || one->value < spread->min) {
		spread->min = one->value;
		spread->part_min = one->part;
	}
	if (!spread->n || one->value > spread->max) {
		spread->max = one->value;
		spread->part_max = one->part;
	}
	spread->sum += one->value;
	spread->n++;
}

static bool together(const struct pmu_over_parts *over, unsigned int a, unsigned int b)
{
	return a == b || (over->ranked && over->model->part[a].rank == over->model->part[b].rank);
}

/* Rows stand thread after thread, and threads part after part, ranks in their order. */
bool pmu_over_parts(const struct pmu_over_parts *over, unsigned int sum, int count,
		    struct pmu_spread *spread)
{
	const struct pmu_model *model = over->model;
	const struct pmu_model_section *s = over->section;
	bool of_sockets = count >= 0 && s->sockets >> count & 1;
	struct one one = { 0 };

	*spread = (struct pmu_spread){ .imbalance = NAN };
	if (count >= 0 && s->row[sum].missing >> count & 1)
		return false;
	for (unsigned int i = over->index.start[sum]; i < over->index.start[sum + 1]; i++) {
		const struct pmu_model_row *row = &s->thread_row[over->index.row[i]];
		unsigned int part;

		if (row->thread < 0 || pmu_model_is_socket(model, row) != of_sockets ||
		    !pmu_model_time_known(row) || row->flags & PMU_ROW_TEAM)
			continue;
		part = model->thread[row->thread].part;
		if (part >= model->n_parts)
			return false;
		if (one.any && !together(over, one.part, part)) {
			take(spread, &one);
			one = (struct one){ 0 };
		}
		if (!one.any)
			one = (struct one){ .part = part, .any = true };
		one.value += count < 0 ? (double)row->time_ns : (double)row->net[count];
	}
	take(spread, &one);
	if (!spread->n)
		return false;
	spread->mean = spread->sum / spread->n;
	if (spread->mean > 0)
		spread->imbalance = spread->max / spread->mean - 1;
	return true;
}
