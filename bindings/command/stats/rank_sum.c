/* SPDX-License-Identifier: BSD-3-Clause */
/* Two samples compared: the rank-sum test of Wilcoxon, Mann and Whitney. */
#include <errno.h>
#include <stdlib.h>

#include "bindings/command/stats/parts.h"

/* Additions for one exact p with ties: a tenth of a millisecond or so. */
#define TIED_MOST 500000.0
/* Of quick ones: an exact p that is at most PMU_STATS_DULL has no normal one above this. */
#define DULL_NORMAL (PMU_STATS_DULL + 0.1)

#define FEW_NORMAL \
	5 /* values in the smaller sample, from which on the normal p is as near as that */

/* Rows of a comparison are of as many values. */
static struct pmu_null null;

/* The variance is less by what equal ranks do not vary: Hollander, Wolfe, Chicken, section 4.1. */
static double tied_deviation(double n_a, double n_b, double ties)
{
	double n = n_a + n_b;

	return sqrt(n_a * n_b / 12 * (n + 1 - ties / (n * (n - 1))));
}

/* For each value and each number of those before that are counted, all sums; of a group of equal ones for
 * as many as can be counted.  It is little where few values differ: where the normal distribution is far
 * off, as of 5 values, one of them larger, and 200 equal ones. */
static double tied_additions(const struct pmu_ranked *of, size_t n, size_t n_counted)
{
	size_t n_taken = 0, equal = 0;

	for (size_t i = 0; i < n; i++) {
		equal = i && of[i].twice == of[i - 1].twice ? equal + 1 : 1;
		n_taken += equal <= n_counted;
	}
	return (double)n_taken * (double)n_counted * (double)n_counted * (double)(n - n_counted);
}

/* @of: sorted; counted are the fewer, @n_counted of @n. */
static int find_rank_sum_p(const struct pmu_ranked *of, size_t n, size_t n_counted, double ties,
			   bool quick, struct pmu_compared *out)
{
	double few = (double)n_counted, many = (double)(n - n_counted), statistic;
	size_t sum = 0;

	if (of[0].value == of[n - 1].value)
		return 0;
	for (size_t i = 0; i < n; i++)
		sum += of[i].counted ? of[i].twice : 0;
	statistic = (double)sum / 2 - few * (few + 1) / 2;
	out->exact = null.below != NULL;
	if (ties == 0) {
		out->p = pmu_null_p(&null, statistic);
		return 0;
	}
	out->p = pmu_normal_p(statistic - few * many / 2, tied_deviation(few, many, ties));
	out->exact = tied_additions(of, n, n_counted) <= TIED_MOST &&
		     !(quick && few >= FEW_NORMAL && out->p > DULL_NORMAL);
	return out->exact ? pmu_tied_rank_sum(of, n, n_counted, &out->p) : 0;
}

/* Both samples in order, from all values in order. */
static void split_samples(const struct pmu_ranked *of, size_t n, bool counted, double *to)
{
	for (size_t i = 0; i < n; i++)
		if (of[i].counted == counted)
			*to++ = of[i].value;
}

static int compare_samples(const double *a, size_t n_a, const double *b, size_t n_b, double level,
			   bool quick, struct pmu_compared *out)
{
	bool a_counts = n_a <= n_b;
	size_t n = n_a + n_b;
	struct pmu_ranked *of;
	double *sorted, ties;
	int rc = -ENOMEM;

	*out = (struct pmu_compared){ NAN, NAN, { NAN, NAN, NAN }, false };
	if (!n_a || !n_b)
		return 0;
	of = calloc(n, sizeof(*of));
	sorted = calloc(n, sizeof(*sorted));
	if (!of || !sorted || pmu_null_rank_sum(&null, n_a, n_b, level) < 0)
		goto done;
	for (size_t i = 0; i < n_a; i++)
		of[i] = (struct pmu_ranked){ .value = a[i], .counted = a_counts };
	for (size_t i = 0; i < n_b; i++)
		of[n_a + i] = (struct pmu_ranked){ .value = b[i], .counted = !a_counts };
	ties = pmu_ranked_sort(of, n);
	rc = find_rank_sum_p(of, n, a_counts ? n_a : n_b, ties, quick, out);
	split_samples(of, n, a_counts, sorted);
	split_samples(of, n, !a_counts, sorted + n_a);
	pmu_pairs_shift(&(struct pmu_pairs){ sorted, sorted + n_a, n_a, n_b }, &null, out);
done:
	free(sorted);
	free(of);
	return rc;
}

int pmu_stats_rank_sum(const double *a, size_t n_a, const double *b, size_t n_b, double level,
		       struct pmu_compared *out)
{
	return compare_samples(a, n_a, b, n_b, level, false, out);
}

int pmu_stats_rank_sum_quick(const double *a, size_t n_a, const double *b, size_t n_b, double level,
			     struct pmu_compared *out)
{
	return compare_samples(a, n_a, b, n_b, level, true, out);
}
