/* SPDX-License-Identifier: BSD-3-Clause */
/* Medians, and their intervals. */
#include <stdlib.h>

#include "bindings/command/stats/parts.h"
#include "bindings/command/stats/stats.h"

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

void pmu_stats_sort(double *value, size_t n)
{
	qsort(value, n, sizeof(*value), by_value);
}

double pmu_stats_median(const double *sorted, size_t n)
{
	if (!n)
		return NAN;
	return n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
}

/* n! / (k! (n - k)! 2^n) of k = n / 2, which does not underflow as its factors do. */
static double middle_share(size_t n)
{
	double share = 1;

	for (size_t i = 1; i <= n / 2; i++)
		share *= (double)(2 * i - 1) / (double)(2 * i);
	return n % 2 ? share * (double)n / (double)(n + 1) : share;
}

/* As many values are below the median as heads are thrown: the k-th values from both ends have it
 * between them where that is k to n - k. */
struct pmu_interval pmu_stats_median_interval(const double *sorted, size_t n, double level)
{
	double share = middle_share(n), coverage = n % 2 ? 2 * share : share;
	size_t k = n / 2;

	while (k && coverage < level - PMU_STATS_ROUNDING) {
		share *= (double)k / (double)(n - k + 1);
		coverage += 2 * share;
		k--;
	}
	if (!k)
		return (struct pmu_interval){ NAN, NAN, NAN };
	return (struct pmu_interval){ sorted[k - 1], sorted[n - k], fmin(coverage, 1) };
}
