/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares the times of disturbed runs with those of the others. */
#include "bindings/command/noise/effect.h"

#include <stdlib.h>

/* One in 740 by chance, on one side: some ten disturbances are looked at. */
#define DEVIATIONS 3.0
/* Fewer others say nothing of a single run. */
#define OTHERS_LEAST 5
/* Fewer runs are in no order to speak of. */
#define CORRELATED_LEAST 8
/* More are compared each with each for too long. */
#define RUNS_MAX 4000
/* Of the time: smaller differences do not matter. */
#define LONGER_LEAST 0.005

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts them. */
static double median(double *value, size_t n)
{
	qsort(value, n, sizeof(*value), compare_doubles);
	return n % 2 ? value[n / 2] : (value[n / 2 - 1] + value[n / 2]) / 2;
}

/* Are all of @a beyond all of @b by as much as these differ?  Both sorted. */
static bool is_set_apart(const double *a, const double *b, size_t n_b)
{
	return n_b >= OTHERS_LEAST && a[0] - b[n_b - 1] >= b[n_b - 1] - b[0] && a[0] > b[n_b - 1];
}

/* Mann and Whitney 1947: U of @a, by its mean and variance without ties, which are less with. */
static bool ranks_higher(const double *a, size_t n_a, const double *b, size_t n_b)
{
	double pairs = (double)n_a * (double)n_b, above = 0;
	double variance = pairs * (double)(n_a + n_b + 1) / 12;

	for (size_t i = 0; i < n_a; i++)
		for (size_t j = 0; j < n_b; j++)
			above += a[i] > b[j] ? 1 : a[i] == b[j] ? 0.5 : 0;
	above -= pairs / 2;
	return above > 0 && above * above >= DEVIATIONS * DEVIATIONS * variance;
}

/* @room: for 2 * @n */
static bool compare_sets(const double *time, const bool *in_a, size_t n, double *room,
			 double *longer)
{
	double *a = room, *b = room + n;
	size_t n_a = 0, n_b = 0;
	double of_a, of_b;

	for (size_t i = 0; i < n; i++)
		if (in_a[i])
			a[n_a++] = time[i];
		else
			b[n_b++] = time[i];
	if (!n_a || !n_b)
		return false;
	of_a = median(a, n_a);
	of_b = median(b, n_b);
	*longer = of_b > 0 ? of_a / of_b - 1 : 0;
	return *longer >= LONGER_LEAST && (is_set_apart(a, b, n_b) || ranks_higher(a, n_a, b, n_b));
}

/* Twice the rank from 0, of equal ones the mean's. */
static double rank(const double *value, size_t n, size_t i)
{
	double below = 0;

	for (size_t j = 0; j < n; j++)
		below += value[j] < value[i] ? 2 : value[j] == value[i] ? 1 : 0;
	return below - (double)n;
}

/* Spearman's coefficient r of ranks: r * sqrt(n - 1) has deviation 1 without a relation. */
static bool correlates(const double *a, const double *b, size_t n)
{
	double both = 0, of_a = 0, of_b = 0;

	for (size_t i = 0; i < n; i++) {
		double x = rank(a, n, i), y = rank(b, n, i);

		both += x * y;
		of_a += x * x;
		of_b += y * y;
	}
	return n >= CORRELATED_LEAST && both > 0 &&
	       both * both * (double)(n - 1) >= DEVIATIONS * DEVIATIONS * of_a * of_b && of_a > 0 &&
	       of_b > 0;
}

/* The median of the times of runs with more of it than its median, against the others'. */
static double compare_halves(const double *time, const double *value, size_t n, double *room)
{
	double *a = room, *b = room + n, middle;
	size_t n_a = 0, n_b = 0;

	for (size_t i = 0; i < n; i++)
		a[i] = value[i];
	middle = median(a, n);
	for (size_t i = 0; i < n; i++)
		if (value[i] > middle)
			a[n_a++] = time[i];
		else
			b[n_b++] = time[i];
	if (!n_a || !n_b)
		return 0;
	middle = median(b, n_b);
	return middle > 0 ? median(a, n_a) / middle - 1 : 0;
}

enum pmu_noise_effect pmu_noise_effect(const double *time, const double *value,
				       const bool *disturbed, size_t n, double *longer)
{
	enum pmu_noise_effect effect = PMU_NOISE_UNCLEAR;
	double *room = n <= RUNS_MAX ? calloc(n ? 2 * n : 1, sizeof(*room)) : NULL;

	if (room && compare_sets(time, disturbed, n, room, longer)) {
		effect = PMU_NOISE_OF_SET;
	} else if (room && correlates(time, value, n)) {
		*longer = compare_halves(time, value, n, room);
		if (*longer >= LONGER_LEAST)
			effect = PMU_NOISE_OF_MORE;
	}
	free(room);
	return effect;
}
