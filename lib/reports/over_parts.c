/* SPDX-License-Identifier: BSD-3-Clause */
/* How a region's time and counts are spread over the ranks or processes of a combined model. */
#include "reports/over_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "reports/combine/combine.h"

/* Where each sum's portions begin, which stand in that order. */
static int index_portions(struct pmu_over_parts *over)
{
	const struct pmu_model_section *s = over->section;
	unsigned int *start = calloc((size_t)s->n_rows + 1, sizeof(*start));

	if (!start)
		return -ENOMEM;
	for (unsigned int i = 0; i < s->n_portions; i++)
		start[s->portion[i].sum + 1]++;
	for (unsigned int i = 0; i < s->n_rows; i++)
		start[i + 1] += start[i];
	over->index = (struct pmu_rows_by_sum){ .start = start };
	return 0;
}

int pmu_over_parts_open(struct pmu_over_parts *over, const struct pmu_model *model,
			const struct pmu_model_section *section)
{
	*over = (struct pmu_over_parts){ .model = model,
					 .section = section,
					 .ranked = pmu_model_is_ranked(model) };
	return section->portion ? index_portions(over) : pmu_rows_by_sum(&over->index, section);
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

static void take_spread(struct pmu_spread *spread, const struct one *one)
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

/* Is there something of @count at @i of the index?  Then the part that has it, and how much. */
static bool look_at_portion(const struct pmu_over_parts *over, unsigned int i, int count,
			    unsigned int *part, double *value)
{
	const struct pmu_model *model = over->model;
	const struct pmu_model_section *s = over->section;
	bool of_socket = count >= 0 && s->sockets >> count & 1;
	const struct pmu_model_row *row;

	if (s->portion) {
		const struct pmu_model_portion *portion = &s->portion[i];

		if (portion->of_socket != of_socket || (count >= 0 && !portion->net))
			return false;
		*part = portion->part;
		*value = (double)(count < 0 ? portion->time_ns : portion->net[count]);
		return true;
	}
	row = &s->thread_row[over->index.row[i]];
	if (row->thread < 0 || row->flags & PMU_ROW_TEAM || !pmu_model_time_known(row) ||
	    pmu_model_is_socket(model, row) != of_socket)
		return false;
	*part = model->thread[row->thread].part;
	*value = (double)(count < 0 ? row->time_ns : row->net[count]);
	return true;
}

/* Rows stand thread after thread, and threads part after part, ranks in their order. */
bool pmu_over_parts(const struct pmu_over_parts *over, unsigned int sum, int count,
		    struct pmu_spread *spread)
{
	const struct pmu_model_section *s = over->section;
	struct one one = { 0 };

	*spread = (struct pmu_spread){ .imbalance = NAN };
	if (count < 0 ? pmu_model_is_simulated(over->model) : s->row[sum].missing >> count & 1)
		return false;
	for (unsigned int i = over->index.start[sum]; i < over->index.start[sum + 1]; i++) {
		unsigned int part;
		double value;

		if (!look_at_portion(over, i, count, &part, &value))
			continue;
		if (part >= over->model->n_parts)
			return false;
		if (one.any && !together(over, one.part, part)) {
			take_spread(spread, &one);
			one = (struct one){ 0 };
		}
		if (!one.any)
			one = (struct one){ .part = part, .any = true };
		one.value += value;
	}
	take_spread(spread, &one);
	if (!spread->n)
		return false;
	spread->mean = spread->sum / spread->n;
	if (spread->mean > 0)
		spread->imbalance = spread->max / spread->mean - 1;
	return true;
}
