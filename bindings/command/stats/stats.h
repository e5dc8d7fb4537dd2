/* SPDX-License-Identifier: BSD-3-Clause */
/* What repeated runs say: medians, their intervals, and whether two sets of values differ. */
#ifndef PMU_COMMAND_STATS_H
#define PMU_COMMAND_STATS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Values are finite, and so are their differences: where they are large and differ little, take the
 * same base off all of them.  Nothing here assumes how they are distributed; results are in the unit
 * of the values.  Levels are between 0 and 1: 0.95.
 *
 * Sources: Hollander, Wolfe, Chicken, "Nonparametric Statistical Methods", 3rd edition 2014, sections
 * 3.1 to 3.3 (signed rank), 3.6 (interval of a median), 4.1 to 4.3 (rank sum).
 */

/** Where a value is in as many cases as its level says.  All three NAN: too few values for any. */
struct pmu_interval {
	double low, high;
	double level; /* at least what was asked: what values in this order and number have */
};

/** Two sets of values, A before B. */
struct pmu_compared {
	double p; /* two-sided, of there being no difference; NAN: no values, or all are equal */
	double shift; /* of B against A, by Hodges and Lehmann: the median of all differences */
	struct pmu_interval interval; /* of the shift */
	bool exact;                   /* p is of the distribution, not of the normal one near it */
};

/** pmu_stats_sort() - ascending */
void pmu_stats_sort(double *value, size_t n);

/** pmu_stats_median() - the mean of the middle two where @n is even; NAN of no values */
double pmu_stats_median(const double *sorted, size_t n);

/**
 * pmu_stats_median_interval() - of the median, from the k-th value to the k-th from above
 * @sorted: ascending
 *
 * Distribution-free: by the binomial distribution of how many values are below their median.  It is
 * the narrowest such pair with at least @level; five values have 0.9375 at most, six 0.969.
 */
struct pmu_interval pmu_stats_median_interval(const double *sorted, size_t n, double level);

/**
 * pmu_stats_rank_sum() - do @b tend to be larger or smaller than @a?  Wilcoxon, Mann and Whitney
 * @a, @b: in any order
 *
 * The distribution is exact without equal values while @n_a * @n_b < 2500 (49 each).  With equal ones
 * it is that of all permutations of the values as they are, while values * the smaller number *
 * @n_a * @n_b is at most 500,000 (22 each), where a group of equal values counts as no more than the
 * smaller number: it is so for 5 and 1000 of which few differ, too.  Otherwise it is the normal one,
 * corrected for ties and continuity.  p is twice the smaller tail.  All this is R's wilcox.test(), which
 * has exact ones without ties below 50 each only.
 *
 * The interval is of ordered differences, by the distribution without ties: with ties its level is
 * at least that.
 *
 * What is the same for as many values is kept for the next call: one thread at a time.
 *
 * Return: 0 or -ENOMEM.
 */
int pmu_stats_rank_sum(const double *a, size_t n_a, const double *b, size_t n_b, double level,
		       struct pmu_compared *out);

/** What a p is above that decides nothing in any family. */
#define PMU_STATS_DULL 0.2

/**
 * pmu_stats_rank_sum_quick() - the same for one of many, but a p above PMU_STATS_DULL need not be exact
 *
 * With ties the exact one takes as long as all else together; Holm's correction makes it 1 anyway.
 */
int pmu_stats_rank_sum_quick(const double *a, size_t n_a, const double *b, size_t n_b, double level,
			     struct pmu_compared *out);

/**
 * pmu_stats_signed_rank() - do the differences of pairs tend to be above or below 0?  Wilcoxon
 * @difference: B - A of each pair, in any order
 *
 * Exact while fewer than 50 of them are not 0, with equal ones as above.  Zeros are left out of p, as
 * R does, and not of the shift and its interval, which are of the means of all pairs of differences
 * (Walsh averages).  All zeros: p is NAN.  For the rest see pmu_stats_rank_sum().
 *
 * Return: 0 or -ENOMEM.
 */
int pmu_stats_signed_rank(const double *difference, size_t n, double level,
			  struct pmu_compared *out);

/**
 * pmu_stats_smallest_p_rank_sum() - the least p that so many values can have, all different
 *
 * Above the level that a family of tests leaves for the first, no difference can be found.
 * 1: there are none on one side.
 */
double pmu_stats_smallest_p_rank_sum(size_t n_a, size_t n_b);
double pmu_stats_smallest_p_signed_rank(size_t n);

/**
 * pmu_stats_holm() - p-values of a family, adjusted in place as Holm 1979 has it
 * @p: NANs are not of the family and stay
 *
 * What is at most alpha afterwards is significant: the rate of families with any false one is at most
 * alpha, however the tests depend on each other.
 *
 * Return: 0; -ENOMEM, and they are as they were.
 */
int pmu_stats_holm(double *p, size_t n);

/** Of runs of one side: how many samples a part has (a function), of how many, or of how long. */
struct pmu_sampled {
	const double *part, *of; /* [n]; the sum of what they are of is above 0 */
	size_t n;                /* one at least */
};

/**
 * pmu_stats_shares() - has a part another share of @b's samples than of @a's?
 * @a, @b: of: all samples, no less than the part's
 * @out: shift: B's share less A's; exact: of one run each, and of nothing but how many samples they are
 *
 * p is Fisher's exact one of all samples of a side as one (twice the tail), and, where there are
 * more runs than one a side, no less than that of Student's t of a deviation from runs of the same side:
 * quasi-binomial (McCullagh, Nelder, "Generalized Linear Models", 2nd edition 1989, section 4.5.2), R's
 * glm(family = quasibinomial) but for its variance, which is that of no difference.  The interval is
 * Newcombe's of Wilson's scores, Student's as well, as much wider as runs vary.
 */
void pmu_stats_shares(const struct pmu_sampled *a, const struct pmu_sampled *b, double level,
		      struct pmu_compared *out);

/** pmu_stats_rate() - samples for each unit of what they are of, of all runs as one */
double pmu_stats_rate(const struct pmu_sampled *side);

/**
 * pmu_stats_rates() - by how much B's samples for each unit of what they are of differ from A's
 * @a, @b: of: calls, seconds
 *
 * By Poisson's distribution, else as above.
 */
struct pmu_interval pmu_stats_rates(const struct pmu_sampled *a, const struct pmu_sampled *b,
				    double level);

#endif
