/* SPDX-License-Identifier: BSD-3-Clause */
/* What all calls of regions have done, estimated from those that a group has had in its turns. */
#include <math.h>
#include <string.h>

#include "report/text/detail.h"
#include "report/text/topdown.h"

#define KIND "estimates"

static bool is_estimate_told(const struct pmu_model_row *row, unsigned int count)
{
	return row->estimate && !isnan(row->estimate[count].value);
}

static bool any_estimate_told(const struct pmu_model_row *row, unsigned int n, unsigned int count)
{
	for (unsigned int i = 0; i < n; i++)
		if (is_estimate_told(&row[i], count))
			return true;
	return false;
}

/* Of a tree's counts there are shares alone to be seen. */
static bool any_count_told(const struct pmu_model_section *s, const struct pmu_model_row *row,
			   unsigned int n)
{
	for (unsigned int c = 0; c < s->n_counts && !pmu_topdown_is_section(s); c++)
		if (any_estimate_told(row, n, c))
			return true;
	return false;
}

static double largest_estimate(const struct pmu_model_row *row, unsigned int n, unsigned int count)
{
	double most = 0;

	for (unsigned int i = 0; i < n; i++)
		if (is_estimate_told(&row[i], count) && row[i].estimate[count].value > most)
			most = row[i].estimate[count].value;
	return most;
}

static void put_estimate_value(struct pmu_cell *cell, const char *unit, double value, double most)
{
	uint64_t whole = value < 0x1p63 ? (uint64_t)(value + 0.5) : UINT64_MAX;

	if (unit && !strcmp(unit, "ns"))
		pmu_cell_time(cell, value);
	else if (unit && !strcmp(unit, "uJ"))
		pmu_cell_energy(cell, whole);
	else
		pmu_cell_count(cell, whole, most < 0x1p63 ? (uint64_t)most : UINT64_MAX);
	pmu_cell_estimated(cell);
}

static void put_margin(struct pmu_cell *cell, const struct pmu_model_estimate *estimate)
{
	pmu_cell_share(cell, estimate->value > 0 ? estimate->margin / estimate->value : NAN);
}

static void count_columns(struct pmu_text *t, struct pmu_table *table,
			  const struct pmu_model_section *s, const struct pmu_model_row *row,
			  unsigned int c)
{
	struct pmu_cell *value = pmu_text_detail_column(t, table,
							pmu_text_shown(t, s->count[c].name), KIND);
	struct pmu_cell *margin = pmu_text_detail_column(t, table, "+/-", KIND);
	double most = largest_estimate(row, table->n_rows, c);

	for (unsigned int i = 0; value && margin && i < table->n_rows; i++) {
		if (!is_estimate_told(&row[i], c))
			continue;
		put_estimate_value(&value[i], s->count[c].unit, row[i].estimate[c].value, most);
		put_margin(&margin[i], &row[i].estimate[c]);
	}
}

void pmu_text_estimates(struct pmu_text *t, const struct pmu_model_section *s,
			const struct pmu_model_row *row, unsigned int n)
{
	struct pmu_table table;
	struct pmu_cell *calls;

	if (!any_count_told(s, row, n) ||
	    !pmu_text_detail_begin(t, &table, row, n, 1 + 2 * s->n_counts))
		return;
	calls = pmu_text_detail_column(t, &table, "all calls", KIND);
	for (unsigned int i = 0; calls && i < n; i++)
		pmu_cell_exact(&calls[i], row[i].whole_calls);
	for (unsigned int c = 0; c < s->n_counts && !t->failed; c++)
		if (any_estimate_told(row, n, c))
			count_columns(t, &table, s, row, c);
	pmu_text_detail_end(t, &table);
	t->legend |= PMU_LEGEND_ESTIMATES;
}
