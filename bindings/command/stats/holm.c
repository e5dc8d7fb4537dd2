/* SPDX-License-Identifier: BSD-3-Clause */
/* Holm's correction for families of tests (Scandinavian Journal of Statistics 6, 1979). */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "bindings/command/stats/stats.h"

static int compare_p_values(const void *a, const void *b)
{
	double x = **(double *const *)a, y = **(double *const *)b;

	return (x > y) - (x < y);
}

int pmu_stats_holm(double *p, size_t n)
{
	double **sorted = calloc(n ? n : 1, sizeof(*sorted)), most = 0;
	size_t family = 0;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		if (!isnan(p[i]))
			sorted[family++] = &p[i];
	qsort(sorted, family, sizeof(*sorted), compare_p_values);
	for (size_t i = 0; i < family; i++) {
		most = fmin(fmax(most, (double)(family - i) * *sorted[i]), 1);
		*sorted[i] = most;
	}
	free(sorted);
	return 0;
}
