/* SPDX-License-Identifier: BSD-3-Clause */
/* How well repeated runs know a value by now. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/command/diff/diff.h"
#include "bindings/command/run/repeat.h"
#include "bindings/command/stats/stats.h"

/* A value that each run has. */
struct watched {
	const struct pmu_series *series;
	const struct pmu_series_group *group; /* NULL: the time of the command */
	unsigned int region, measure;
};

/* --- which --- */

/* "REGION:NAME" for that measure, of a region that is called so?  Just "NAME": any outermost one. */
static bool is_meant(const char *metric, const struct pmu_series_region *region,
		     const struct pmu_series_measure *measure)
{
	size_t len = strlen(metric), n = strlen(measure->name);
	const char *name = metric + len - n;

	if (len < n || strcmp(name, measure->name) != 0)
		return false;
	if (len == n)
		return region->parent < 0;
	if (name[-1] != ':')
		return false;
	len -= n + 1;
	return (strlen(region->name) == len && !memcmp(region->name, metric, len)) ||
	       (strlen(region->path) == len && !memcmp(region->path, metric, len));
}

/* Return: whether there is one; of several the one with most time. */
static bool find_watched(const struct pmu_series *series, const char *metric, double *scratch,
			 struct watched *watched)
{
	double most = -1;

	*watched = (struct watched){ .series = series };
	if (!metric && pmu_series_is_simulated(series))
		metric = "instructions";
	if (!metric || !strcmp(metric, "time"))
		return true;
	for (unsigned int g = 0; g < series->n_groups; g++) {
		const struct pmu_series_group *group = &series->group[g];

		for (unsigned int r = 0; r < group->n_regions; r++)
			for (unsigned int m = 0; m < group->n_measures; m++) {
				double time;

				if (!is_meant(metric, &group->region[r], &group->measure[m]))
					continue;
				time = pmu_series_summarize(series, group, r,
							    pmu_series_rank(series, group),
							    PMU_SERIES_ALL, scratch)
					       .median;
				if (!(time > most) && watched->group)
					continue;
				most = time;
				watched->group = group;
				watched->region = r;
				watched->measure = m;
			}
	}
	return watched->group != NULL;
}

/* --- its values --- */

/* Return: NAN: the run does not have it. */
static double watched_value(const struct watched *watched, size_t run)
{
	const struct pmu_series_run *of = &watched->series->run[run];
	uint64_t bits;
	double value;

	if (!watched->group)
		return of->has_end ? (double)of->end.elapsed_ns : NAN;
	bits = pmu_series_value(watched->group, run, watched->region, watched->measure,
				PMU_SERIES_ALL);
	if (bits == PMU_SERIES_MISSING)
		return NAN;
	if (watched->group->measure[watched->measure].kind != PMU_SERIES_METRIC)
		return (double)bits;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

static double width_of(const struct pmu_interval *interval, double median)
{
	/* nothing, each time */
	return interval->high == interval->low ? 0
					       : (interval->high - interval->low) / fabs(median);
}

static void of_median(const struct watched *watched, double *value, struct pmu_run_precision *out)
{
	struct pmu_interval interval;

	for (size_t run = 0; run < watched->series->n_runs; run++) {
		value[out->n] = watched_value(watched, run);
		out->n += !isnan(value[out->n]);
	}
	pmu_stats_sort(value, out->n);
	interval = pmu_stats_median_interval(value, out->n, PMU_SERIES_LEVEL);
	out->width = width_of(&interval, pmu_stats_median(value, out->n));
}

/*
 * The level at which Holm's correction leaves the first verdict, for all that may be compared: those of
 * the command and of each region.
 */
static double verdict_level(const struct pmu_series *series)
{
	size_t n = 4;

	for (unsigned int g = 0; g < series->n_groups; g++)
		for (unsigned int m = 0; m < series->group[g].n_measures; m++)
			if (series->group[g].measure[m].kind != PMU_SERIES_METRIC)
				n += series->group[g].n_regions;
	return 1 - PMU_DIFF_ALPHA / (double)n;
}

static bool is_constant_array(const double *value, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (value[i] != value[0])
			return false;
	return n > 1;
}

static bool is_exact_metric(const struct watched *a, const double *in_a, const double *in_b,
			    size_t n)
{
	return a->group && pmu_diff_is_work(&a->group->measure[a->measure]) &&
	       is_constant_array(in_a, n) && is_constant_array(in_b, n);
}

/* @change: of pairs, logarithms of ratios or not; @median: of A.  Return: 0 or -ENOMEM. */
static int change_width(const double *change, size_t n, double level, bool are_ratios,
			double median, double *width)
{
	struct pmu_compared compared;

	if (pmu_stats_signed_rank(change, n, level, &compared))
		return -ENOMEM;
	if (are_ratios)
		*width = expm1(compared.interval.high) - expm1(compared.interval.low);
	else
		*width = width_of(&compared.interval, median);
	return 0;
}

/* Of ratios, as `pmu diff` compares; of values that are 0 in some run, of differences. */
static int of_change(const struct watched *a, const struct watched *b, double *value,
		     struct pmu_run_precision *out)
{
	size_t n = a->series->n_runs < b->series->n_runs ? a->series->n_runs : b->series->n_runs;
	double *other = value + n;
	bool are_ratios = true, exact;
	double median;
	int rc;

	for (size_t run = 0; run < n; run++) {
		value[out->n] = watched_value(a, run);
		other[out->n] = watched_value(b, run);
		if (isnan(value[out->n]) || isnan(other[out->n]))
			continue;
		are_ratios &= value[out->n] > 0 && other[out->n] > 0;
		out->n++;
	}
	if (!out->n)
		return 0;
	exact = is_exact_metric(a, value, other, out->n);
	for (size_t i = 0; i < out->n; i++)
		other[i] = are_ratios ? log(other[i] / value[i]) : other[i] - value[i];
	pmu_stats_sort(value, out->n);
	median = pmu_stats_median(value, out->n);
	rc = change_width(other, out->n, PMU_SERIES_LEVEL, are_ratios, median, &out->width);
	if (rc || exact)
		return rc;
	return change_width(other, out->n, verdict_level(a->series), are_ratios, median,
			    &out->told);
}

static int measure_precision(const struct pmu_series *a, const struct pmu_series *b,
			     const char *metric, double *scratch, struct pmu_run_precision *out)
{
	struct watched in_a, in_b;

	out->found = find_watched(a, metric, scratch, &in_a) &&
		     (!b || find_watched(b, metric, scratch, &in_b));
	if (!out->found)
		return 0;
	if (in_a.group) {
		out->name = in_a.group->measure[in_a.measure].name;
		out->region = in_a.group->region[in_a.region].path;
	}
	if (b)
		return of_change(&in_a, &in_b, scratch, out);
	of_median(&in_a, scratch, out);
	return 0;
}

int pmu_run_precision(const struct pmu_series *a, const struct pmu_series *b, const char *metric,
		      struct pmu_run_precision *out)
{
	double *scratch = calloc(2 * (a->n_runs + (b ? b->n_runs : 0)) + 1, sizeof(*scratch));
	int rc;

	*out = (struct pmu_run_precision){
		.found = true, .name = "time", .region = "", .width = NAN
	};
	if (!scratch)
		return -ENOMEM;
	rc = a->n_runs && (!b || b->n_runs) ? measure_precision(a, b, metric, scratch, out) : 0;
	free(scratch);
	return rc;
}
