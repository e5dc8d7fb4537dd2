/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks of values. */
#include <stdlib.h>

#include "bindings/command/stats/parts.h"

static int compare_ranked(const void *a, const void *b)
{
	double x = ((const struct pmu_ranked *)a)->value, y = ((const struct pmu_ranked *)b)->value;

	return (x > y) - (x < y);
}

double pmu_ranked_sort(struct pmu_ranked *of, size_t n)
{
	double ties = 0;

	qsort(of, n, sizeof(*of), compare_ranked);
	for (size_t from = 0, to; from < n; from = to) {
		double equal;

		for (to = from + 1; to < n && of[to].value == of[from].value; to++) {
		}
		/* from + 1 to to: their mean, twice */
		for (size_t i = from; i < to; i++)
			of[i].twice = from + 1 + to;
		equal = (double)(to - from);
		ties += equal * equal * equal - equal;
	}
	return ties;
}
