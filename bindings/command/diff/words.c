/* SPDX-License-Identifier: BSD-3-Clause */
/* What all writers of a comparison say alike. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bindings/command/diff/diff.h"

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
	else
		pmu_strbuf_add(out, "nothing differs by more than noise");
	if (diff->n_unknown)
		pmu_strbuf_addf(out, ", of %zu it cannot be told", diff->n_unknown);
	if (n_new)
		pmu_strbuf_addf(out, ", %u region%s new", n_new, n_new > 1 ? "s are" : " is");
	if (n_gone)
		pmu_strbuf_addf(out, ", %u %s gone", n_gone, n_gone > 1 ? "are" : "is");
}
