/* SPDX-License-Identifier: BSD-3-Clause */
/* What runs say together, and the order in which it is told. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/command/series/series.h"
#include "bindings/command/stats/stats.h"

/* @base was taken off the values, so that those beyond 2^53 keep all that they differ in. */
static struct pmu_series_summary summarize_values(double *value, size_t n, double base)
{
	struct pmu_series_summary s = { n, NAN, NAN, NAN, NAN, NAN };
	struct pmu_interval interval;

	if (!n)
		return s;
	pmu_stats_sort(value, n);
	interval = pmu_stats_median_interval(value, n, PMU_SERIES_LEVEL);
	s.median = base + pmu_stats_median(value, n);
	s.least = base + value[0];
	s.most = base + value[n - 1];
	s.low = base + interval.low;
	s.high = base + interval.high;
	return s;
}

static struct pmu_series_summary of_metric(const struct pmu_series *series,
					   const struct pmu_series_group *group,
					   unsigned int region, unsigned int measure,
					   double *scratch)
{
	size_t n = 0;

	for (size_t run = 0; run < series->n_runs; run++) {
		uint64_t bits = pmu_series_value(group, run, region, measure, PMU_SERIES_ALL);
		double value;

		memcpy(&value, &bits, sizeof(value));
		if (isfinite(value))
			scratch[n++] = value;
	}
	return summarize_values(scratch, n, 0);
}

struct pmu_series_summary pmu_series_summarize(const struct pmu_series *series,
					       const struct pmu_series_group *group,
					       unsigned int region, unsigned int measure,
					       enum pmu_series_share share, double *scratch)
{
	uint64_t base = PMU_SERIES_MISSING;
	size_t n = 0;

	if (group->measure[measure].kind == PMU_SERIES_METRIC)
		return of_metric(series, group, region, measure, scratch);
	for (size_t run = 0; run < series->n_runs; run++) {
		uint64_t value = pmu_series_value(group, run, region, measure, share);

		if (value < base)
			base = value;
	}
	for (size_t run = 0; run < series->n_runs; run++) {
		uint64_t value = pmu_series_value(group, run, region, measure, share);

		if (value != PMU_SERIES_MISSING)
			scratch[n++] = (double)(value - base);
	}
	return summarize_values(scratch, n, (double)base);
}

struct pmu_series_summary pmu_series_elapsed(const struct pmu_series *series, double *scratch)
{
	size_t n = 0;

	for (size_t run = 0; run < series->n_runs; run++)
		if (series->run[run].has_end)
			scratch[n++] = (double)series->run[run].end.elapsed_ns;
	return summarize_values(scratch, n, 0);
}

/* --- order --- */

struct placed {
	int parent;
	unsigned int region;
	double time;
};

static int by_parent_and_time(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->time != y->time)
		return x->time > y->time ? -1 : 1;
	return x->region < y->region ? -1 : x->region > y->region;
}

/*
 * @placed: sorted.  @first: [n + 1], by parent + 1 where its children begin; @stack: [n]
 */
static void walk_placed(struct pmu_series_group *group, const struct placed *placed,
			const unsigned int *first, unsigned int *stack)
{
	unsigned int n_stack = 0, n = 0;

	for (unsigned int i = first[1]; i-- > first[0];)
		stack[n_stack++] = placed[i].region;
	while (n_stack) {
		unsigned int region = stack[--n_stack];

		group->order[n++] = region;
		for (unsigned int i = first[region + 2]; i-- > first[region + 1];)
			stack[n_stack++] = placed[i].region;
	}
}

static int order_group(const struct pmu_series *series, struct pmu_series_group *group)
{
	size_t n = group->n_regions, at = 0;
	struct placed *placed = calloc(n + 1, sizeof(*placed));
	unsigned int *first = calloc(2 * n + 2, sizeof(*first));
	unsigned int *order = calloc(n + 1, sizeof(*order));
	double *scratch = calloc(series->n_runs + 1, sizeof(*scratch));
	const unsigned int rank = pmu_series_rank(series, group);
	bool done = placed && first && order && scratch;

	if (done) {
		free(group->order);
		group->order = order;
		for (unsigned int r = 0; r < n; r++) {
			double median = pmu_series_summarize(series, group, r, rank, PMU_SERIES_ALL,
							     scratch)
						.median;

			placed[r] = (struct placed){ group->region[r].parent, r,
						     isnan(median) ? -1 : median };
		}
		qsort(placed, n, sizeof(*placed), by_parent_and_time);
		for (size_t parent = 0; parent <= n + 1; parent++) {
			while (at < n && (size_t)(placed[at].parent + 1) < parent)
				at++;
			first[parent] = (unsigned int)at;
		}
		walk_placed(group, placed, first, first + n + 2);
	} else {
		free(order);
	}
	free(placed);
	free(first);
	free(scratch);
	return done ? 0 : -ENOMEM;
}

int pmu_series_finish(struct pmu_series *series)
{
	int rc = 0;

	for (unsigned int i = 0; !rc && i < series->n_groups; i++)
		rc = order_group(series, &series->group[i]);
	return rc;
}
