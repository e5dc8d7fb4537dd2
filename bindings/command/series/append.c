/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs of one series go behind those of another. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bindings/command/series/parts.h"

static void append_texts(struct pmu_series *series, const struct pmu_series *more, bool first)
{
	series->differs |= more->differs;
	for (int i = 0; i < PMU_SERIES_TEXTS; i++) {
		if (first)
			series->text[i] = pmu_series_keep(series, more->text[i]);
		else if (strcmp(series->text[i], more->text[i]) != 0)
			series->differs |= 1u << i;
	}
	if (!first)
		return;
	series->clock_hz = more->clock_hz;
	series->settings = pmu_series_keep(series, more->settings);
}

static int append_runs(struct pmu_series *series, const struct pmu_series *more)
{
	int rc = 0;

	for (size_t run = 0; run < more->n_runs && !rc; run++) {
		rc = pmu_series_new_run(series);
		if (!rc)
			series->run[series->n_runs - 1] = more->run[run];
	}
	for (unsigned int i = 0; i < more->n_remarks && !rc; i++)
		rc = pmu_series_remark(series, more->remark[i].text, more->remark[i].region,
				       more->remark[i].is_doubt, more->remark[i].n_runs);
	return rc;
}

/* Where the measures and regions of @more are in the group.  Return: 0 or -ENOMEM. */
static int place_in_group(struct pmu_series *series, struct pmu_series_group *group,
			  const struct pmu_series_group *more, unsigned int *measure,
			  unsigned int *region)
{
	for (unsigned int m = 0; m < more->n_measures; m++) {
		const struct pmu_series_measure *from = &more->measure[m];
		int at = pmu_series_measure(series, group, from->name, from->unit, from->kind);

		if (at < 0)
			return -ENOMEM;
		measure[m] = (unsigned int)at;
	}
	for (unsigned int r = 0; r < more->n_regions; r++) {
		const struct pmu_series_region *from = &more->region[r];
		int parent = from->parent < 0 ? -1 : (int)region[from->parent];
		int at = pmu_series_region(series, group, from->path, from->is_flat, from->name,
					   parent);

		if (at < 0)
			return -ENOMEM;
		region[r] = (unsigned int)at;
	}
	return 0;
}

static int append_values(struct pmu_series *series, struct pmu_series_group *group,
			 const struct pmu_series_group *more, size_t n_runs,
			 const unsigned int *measure, const unsigned int *region)
{
	size_t base = series->n_runs - n_runs;

	for (size_t run = 0; run < n_runs; run++) {
		struct pmu_series_values *values = &group->values[base + run];
		int rc = pmu_series_values(group, values);

		if (rc)
			return rc;
		for (unsigned int r = 0; r < more->n_regions; r++)
			for (unsigned int m = 0; m < more->n_measures; m++)
				for (int s = 0; s < PMU_SERIES_SHARES; s++)
					pmu_series_at(values, region[r], measure[m])[s] =
						pmu_series_value(more, run, r, m,
								 (enum pmu_series_share)s);
	}
	return 0;
}

static int append_group(struct pmu_series *series, const struct pmu_series_group *more,
			size_t n_runs)
{
	struct pmu_series_group *group = pmu_series_group(series, more->name);
	unsigned int *measure = calloc(more->n_measures + 1, sizeof(*measure));
	unsigned int *region = calloc(more->n_regions + 1, sizeof(*region));
	int rc = -ENOMEM;

	if (group && measure && region)
		rc = place_in_group(series, group, more, measure, region);
	if (!rc)
		rc = append_values(series, group, more, n_runs, measure, region);
	free(measure);
	free(region);
	return rc;
}

int pmu_series_append(struct pmu_series *series, const struct pmu_series *more)
{
	int rc;

	append_texts(series, more, !series->n_runs);
	rc = append_runs(series, more);
	for (unsigned int i = 0; i < more->n_groups && !rc; i++)
		rc = append_group(series, &more->group[i], more->n_runs);
	return rc == -ENOMEM ? pmu_fail(rc, "no memory for %zu runs", series->n_runs) : rc;
}
