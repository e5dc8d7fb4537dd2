/* SPDX-License-Identifier: BSD-3-Clause */
/* What all writers of a comparison say alike. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bindings/command/diff/diff.h"

/* Of a region, where not all are asked for: those that changed most. */
#define MOST_FUNCTIONS 5

void pmu_diff_percent(const struct pmu_diff_value *value, double change, char *text, size_t size)
{
	double percent = 100 * change / value->a.median;

	if (!isfinite(percent))
		snprintf(text, size, "%s", change == 0 ? "0%" : "");
	else if (fabs(percent) >= 0.005 || percent == 0)
		snprintf(text, size, fabs(percent) < 1000 ? "%+.2f%%" : "%+.0f%%", percent);
	else
		snprintf(text, size, "%+.1g%%", percent);
}

bool pmu_diff_shown(const struct pmu_diff_group *group, const struct pmu_diff_row *row,
		    unsigned int measure, bool all)
{
	const struct pmu_diff_value *value = &row->value[measure];

	if (!value->a.n && !value->b.n)
		return false;
	/* how long it all took is told in any case: how well that is known says what may be unseen */
	if (all || (!group->a && !measure && group->measure[measure].compared))
		return true;
	if (!group->measure[measure].compared || value->verdict == PMU_DIFF_SAME)
		return false;
	return value->verdict != PMU_DIFF_UNKNOWN ||
	       (value->a.n && value->b.n && value->change != 0);
}

size_t pmu_diff_functions_shown(const struct pmu_diff_row *row, bool all)
{
	size_t n = row->n_functions_differ;

	if (!all)
		return n < MOST_FUNCTIONS ? n : MOST_FUNCTIONS;
	while (n < row->n_functions && !isnan(row->function[n].p))
		n++;
	return n;
}

void pmu_diff_number(struct pmu_cell *cell, const struct pmu_diff_measure *measure, double value)
{
	double size = fabs(value);

	if (isnan(value))
		pmu_cell_none(cell);
	else if (!strcmp(measure->unit, "ns"))
		pmu_cell_time(cell, size);
	else if (!strcmp(measure->unit, "uJ"))
		pmu_cell_energy(cell, (uint64_t)(size + 0.5));
	else if (measure->kind == PMU_SERIES_METRIC)
		pmu_cell_value(cell, size, size);
	else
		pmu_cell_exact(cell, (uint64_t)(size + 0.5));
}

/* In points of a hundred. */
static void put_points(struct pmu_cell *cell, double change)
{
	char text[32];

	snprintf(text, sizeof(text), "%+.1f", 100 * change);
	pmu_cell_text(cell, text);
}

void pmu_diff_function_cells(const struct pmu_diff_function *function, struct pmu_cell cell[6])
{
	pmu_cell_share(&cell[0], function->a);
	pmu_cell_share(&cell[1], function->b);
	put_points(&cell[2], function->change);
	put_points(&cell[3], function->low);
	put_points(&cell[4], function->high);
	pmu_cell_text(&cell[5], pmu_diff_verdict_name(function->verdict));
}

static void put_pace_change(struct pmu_cell *cell, const struct pmu_diff_pace *time, double change)
{
	const struct pmu_diff_value value = { .a.median = time->a };
	char text[32];

	pmu_diff_percent(&value, change, text, sizeof(text));
	if (text[0])
		pmu_cell_text(cell, text);
	else
		pmu_cell_time(cell, fabs(change));
}

void pmu_diff_pace_cells(const struct pmu_diff_pace *time, struct pmu_cell cell[6])
{
	pmu_cell_time(&cell[0], time->a);
	pmu_cell_time(&cell[1], time->b);
	put_pace_change(&cell[2], time, time->change);
	put_pace_change(&cell[3], time, time->low);
	put_pace_change(&cell[4], time, time->high);
	pmu_cell_text(&cell[5], pmu_diff_pace_name(time));
}

void pmu_diff_summary(const struct pmu_diff *diff, struct pmu_strbuf *out)
{
	unsigned int n_new = 0, n_gone = 0;

	for (unsigned int g = 0; g < diff->n_groups; g++)
		for (unsigned int r = 0; r < diff->group[g].n_rows; r++) {
			n_new += diff->group[g].row[r].a < 0;
			n_gone += diff->group[g].row[r].b < 0;
		}
	if (diff->n_differs)
		pmu_strbuf_addf(out, "%zu value%s differ%s by more than noise", diff->n_differs,
				diff->n_differs > 1 ? "s" : "", diff->n_differs > 1 ? "" : "s");
	if (diff->n_functions_differ)
		pmu_strbuf_addf(out, "%sthe share%s of %zu function%s differ%s by more than noise",
				diff->n_differs ? ", " : "",
				diff->n_functions_differ > 1 ? "s" : "", diff->n_functions_differ,
				diff->n_functions_differ > 1 ? "s" : "",
				diff->n_functions_differ > 1 ? "" : "s");
	if (!diff->n_differs && !diff->n_functions_differ)
		pmu_strbuf_add(out, "nothing differs by more than noise");
	if (diff->n_unknown)
		pmu_strbuf_addf(out, ", of %zu it cannot be told", diff->n_unknown);
	if (n_new)
		pmu_strbuf_addf(out, ", %u region%s new", n_new, n_new > 1 ? "s are" : " is");
	if (n_gone)
		pmu_strbuf_addf(out, ", %u %s gone", n_gone, n_gone > 1 ? "are" : "is");
}
