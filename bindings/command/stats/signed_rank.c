/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs compared: the signed-rank test of Wilcoxon. */
#include <errno.h>
#include <stdlib.h>

#include "bindings/command/stats/parts.h"

/* As R's wilcox.test(): exact for fewer. */
#define TIED_PAIRS 50

/* Rows of a comparison are of as many pairs. */
static struct pmu_null null;

/* @of: sorted; the first @n_zero of them are 0 and have no rank. */
static int find_signed_rank_p(struct pmu_ranked *of, size_t n, size_t n_zero,
			      struct pmu_compared *out)
{
	double many = (double)(n - n_zero), statistic, ties, variance;
	size_t sum = 0;

	of += n_zero;
	n -= n_zero;
	if (!n)
		return 0;
	ties = pmu_ranked_sort(of, n);
	for (size_t i = 0; i < n; i++)
		sum += of[i].counted ? of[i].twice : 0;
	statistic = (double)sum / 2;
	out->exact = n < TIED_PAIRS;
	if (ties == 0 && !n_zero) {
		out->p = pmu_null_p(&null, statistic);
		return 0;
	}
	if (out->exact)
		return pmu_tied_signed_rank(of, n, &out->p);
	/* Hollander, Wolfe, Chicken, section 3.1 */
	variance = many * (many + 1) * (2 * many + 1) / 24 - ties / 48;
	out->p = pmu_normal_p(statistic - many * (many + 1) / 4, sqrt(variance));
	return 0;
}

/* In order, from the order of magnitudes. */
static void sort_by_sign(const struct pmu_ranked *of, size_t n, double *to)
{
	size_t low = 0, high = n;

	for (size_t i = n; i-- > 0;)
		if (of[i].counted)
			to[--high] = of[i].value;
		else
			to[low++] = -of[i].value;
}

int pmu_stats_signed_rank(const double *difference, size_t n, double level,
			  struct pmu_compared *out)
{
	size_t n_zero = 0;
	struct pmu_ranked *of;
	double *sorted;
	int rc = -ENOMEM;

	*out = (struct pmu_compared){ NAN, NAN, { NAN, NAN, NAN }, false };
	if (!n)
		return 0;
	of = calloc(n, sizeof(*of));
	sorted = calloc(n, sizeof(*sorted));
	if (!of || !sorted || pmu_null_signed_rank(&null, n, level) < 0)
		goto done;
	for (size_t i = 0; i < n; i++) {
		of[i] = (struct pmu_ranked){ .value = fabs(difference[i]),
					     .counted = difference[i] > 0 };
		n_zero += difference[i] == 0;
	}
	pmu_ranked_sort(of, n);
	sort_by_sign(of, n, sorted);
	rc = find_signed_rank_p(of, n, n_zero, out);
	pmu_pairs_shift(&(struct pmu_pairs){ sorted, NULL, n, 0 }, &null, out);
done:
	free(sorted);
	free(of);
	return rc;
}
