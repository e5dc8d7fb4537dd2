/* SPDX-License-Identifier: BSD-3-Clause */
/* What both rank tests are made of. */
#ifndef PMU_COMMAND_STATS_PARTS_H
#define PMU_COMMAND_STATS_PARTS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "bindings/command/stats/stats.h"

/* What sums of probabilities are off by at most: a level that is met but for this is met. */
#define PMU_STATS_ROUNDING 1e-14

/** One of the values that are ranked. */
struct pmu_ranked {
	double value;
	bool counted; /* its rank is one of those that are summed */
	size_t twice; /* its rank from 1, that of equal ones their mean's, times two */
};

/**
 * pmu_ranked_sort() - sort by value, and give each its rank
 *
 * Return: the sum of t^3 - t over groups of t equal values; 0: all are different.
 */
double pmu_ranked_sort(struct pmu_ranked *of, size_t n);

/**
 * The distribution of a rank statistic where there is no difference, all values different: of
 * integers from 0 to @most, symmetric.  It is 0 where B is below A in all pairs (of both samples'
 * values, or of one's with each and itself).
 */
struct pmu_null {
	size_t n_a, n_b;  /* that it is for; the signed rank's has none in B */
	double most;      /* the number of pairs, too */
	double deviation; /* standard */
	double *below;    /* the probability of at most i, for i to @most / 2; NULL: normal */

	double asked; /* the level of what is next */
	double level; /* of the interval; NAN: there is none */
	double k;     /* it is from the k-th difference to the k-th from above */
};

/**
 * pmu_null_rank_sum(), pmu_null_signed_rank() - for so many values and that level
 * @null: all zero, or of an earlier call
 *
 * Return: 0; -ENOMEM, and it is all zero.
 */
int pmu_null_rank_sum(struct pmu_null *null, size_t n_a, size_t n_b, double level);
int pmu_null_signed_rank(struct pmu_null *null, size_t n, double level);

/** pmu_null_p() - two-sided, of a statistic without ties */
double pmu_null_p(const struct pmu_null *null, double statistic);

/** pmu_normal_p() - two-sided, corrected for continuity, of @from_mean in steps of 0.5 */
double pmu_normal_p(double from_mean, double deviation);

/**
 * pmu_tied_rank_sum() - p by all ways to choose as many as are counted from these, which may be equal
 * @of: sorted
 * @n_counted: more than none, at most half of @n
 *
 * Return: 0 or -ENOMEM.
 */
int pmu_tied_rank_sum(const struct pmu_ranked *of, size_t n, size_t n_counted, double *p);

/** pmu_tied_signed_rank() - p by all ways to give these signs; counted are those above 0 */
int pmu_tied_signed_rank(const struct pmu_ranked *of, size_t n, double *p);

/** Ascending: differences are b - a of each with each; or, @b NULL, means of two of @a or of one. */
struct pmu_pairs {
	const double *a, *b;
	size_t n_a, n_b;
};

/** pmu_pairs_shift() - the differences' median, and what lies the null's k from both ends */
void pmu_pairs_shift(const struct pmu_pairs *pairs, const struct pmu_null *null,
		     struct pmu_compared *out);

/** Above so many degrees of freedom Student's distribution is the normal one. */
#define PMU_STUDENT_MOST 1000000u

/** pmu_student_p() - two-sided, of a @t with so many degrees of freedom; 0: of the normal distribution */
double pmu_student_p(double t, size_t freedom);

/** pmu_student_limit() - the t that is beyond with 1 - @level, both sides together */
double pmu_student_limit(double level, size_t freedom);

#endif
