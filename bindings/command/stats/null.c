/* SPDX-License-Identifier: BSD-3-Clause */
/* Distributions of rank statistics where there is no difference and no two values are equal. */
#include <errno.h>
#include <stdlib.h>

#include "bindings/command/stats/parts.h"

/* As R's wilcox.test(): exact for fewer than 50 in either sample, or pairs. */
#define EXACT_PAIRS  (50.0 * 50.0)
#define EXACT_SIGNED 50

/* Adds up what lies below, as shares of all. */
static void accumulate(double *ways, size_t n, double all)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		sum += ways[i];
		ways[i] = sum / all;
	}
}

/*
 * Statistics of i are as many as there are partitions of i into at most n_a parts of at most n_b.
 * Their generating function is the product over k to n_a of (1 - q^(n_b + k)) / (1 - q^k); @n of its
 * terms are exact to some roundings of themselves, as they do not decrease (Andrews, "The Theory of
 * Partitions", 1976, chapter 3).
 */
static void count_rank_sums(double *ways, size_t n, size_t n_a, size_t n_b)
{
	double all = 1;

	ways[0] = 1;
	for (size_t k = 1; k <= n_a; k++) {
		for (size_t i = n; i-- > n_b + k;)
			ways[i] -= ways[i - n_b - k];
		for (size_t i = k; i < n; i++)
			ways[i] += ways[i - k];
		all *= (double)(n_b + k) / (double)k;
	}
	accumulate(ways, n, all);
}

/* As many as there are partitions of i into different parts of at most n_a. */
static void count_signed_ranks(double *ways, size_t n, size_t n_a)
{
	ways[0] = 1;
	for (size_t rank = 1; rank <= n_a; rank++)
		for (size_t i = n; i-- > rank;)
			ways[i] += ways[i - rank];
	accumulate(ways, n, ldexp(1, (int)n_a));
}

double pmu_normal_p(double from_mean, double deviation)
{
	return erfc(fmax(fabs(from_mean) - 0.5, 0) / deviation / sqrt(2));
}

/* Of at most @statistic, which is in the lower half; two-sided. */
static double both_tails(const struct pmu_null *null, double statistic)
{
	if (!null->below)
		return pmu_normal_p(null->most / 2 - statistic, null->deviation);
	return fmin(2 * null->below[(size_t)statistic], 1);
}

double pmu_null_p(const struct pmu_null *null, double statistic)
{
	return both_tails(null, fmin(statistic, null->most - statistic));
}

/* The narrowest interval that has the level: as much is outside as statistics below k have. */
static void find_interval(struct pmu_null *null, double level)
{
	double low = 0, high = floor((null->most + 1) / 2);

	null->asked = level;
	while (low < high) {
		double k = ceil((low + high) / 2);

		if (both_tails(null, k - 1) <= 1 - level + PMU_STATS_ROUNDING)
			low = k;
		else
			high = k - 1;
	}
	null->k = low;
	null->level = low > 0 ? 1 - both_tails(null, low - 1) : NAN;
}

static bool is_null_for(const struct pmu_null *null, size_t n_a, size_t n_b)
{
	return null->n_a == n_a && null->n_b == n_b && null->most > 0;
}

/* Return: how many terms there are room for; 0: there is no memory. */
static size_t start_null(struct pmu_null *null, size_t n_a, size_t n_b, double most, bool exact)
{
	size_t n = exact ? (size_t)most / 2 + 1 : 1;

	free(null->below);
	*null = (struct pmu_null){ .n_a = n_a, .n_b = n_b, .most = most };
	if (!exact)
		return n;
	null->below = calloc(n, sizeof(*null->below));
	if (null->below)
		return n;
	*null = (struct pmu_null){ 0 };
	return 0;
}

static double rank_sum_deviation(double n_a, double n_b)
{
	return sqrt(n_a * n_b * (n_a + n_b + 1) / 12);
}

static double signed_rank_deviation(double n)
{
	return sqrt(n * (n + 1) * (2 * n + 1) / 24);
}

int pmu_null_rank_sum(struct pmu_null *null, size_t n_a, size_t n_b, double level)
{
	double most = (double)n_a * (double)n_b;

	if (!is_null_for(null, n_a, n_b)) {
		size_t n = start_null(null, n_a, n_b, most, most < EXACT_PAIRS);

		if (!n)
			return -ENOMEM;
		null->deviation = rank_sum_deviation((double)n_a, (double)n_b);
		if (null->below)
			count_rank_sums(null->below, n, n_a < n_b ? n_a : n_b,
					n_a < n_b ? n_b : n_a);
	}
	if (null->asked != level)
		find_interval(null, level);
	return 0;
}

int pmu_null_signed_rank(struct pmu_null *null, size_t n, double level)
{
	double most = (double)n * ((double)n + 1) / 2;

	if (!is_null_for(null, n, 0)) {
		size_t terms = start_null(null, n, 0, most, n < EXACT_SIGNED);

		if (!terms)
			return -ENOMEM;
		null->deviation = signed_rank_deviation((double)n);
		if (null->below)
			count_signed_ranks(null->below, terms, n);
	}
	if (null->asked != level)
		find_interval(null, level);
	return 0;
}

double pmu_stats_smallest_p_rank_sum(size_t n_a, size_t n_b)
{
	double few = (double)(n_a < n_b ? n_a : n_b), many = (double)(n_a < n_b ? n_b : n_a);
	double p = 2;

	if (!n_a || !n_b)
		return 1;
	if (few * many >= EXACT_PAIRS)
		return pmu_normal_p(few * many / 2, rank_sum_deviation(few, many));
	for (double k = 1; k <= few; k++)
		p *= k / (many + k);
	return p;
}

double pmu_stats_smallest_p_signed_rank(size_t n)
{
	double many = (double)n;

	if (!n)
		return 1;
	if (n < EXACT_SIGNED)
		return ldexp(1, 1 - (int)n);
	return pmu_normal_p(many * (many + 1) / 4, signed_rank_deviation(many));
}
