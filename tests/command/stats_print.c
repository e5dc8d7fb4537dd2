/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The command's statistics, for tests/command/stats.R: each line of stdin is a function and its
 * numbers, each line of stdout what it has found.
 */
#include "bindings/command/stats/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST 4096

static double value[MOST];

/* Return: how many there are. */
static size_t read_values(const char *text)
{
	size_t n = 0;

	for (char *end; n < MOST; text = end) {
		value[n] = strtod(text, &end);
		if (end == text)
			break;
		n++;
	}
	return n;
}

static void print(const double *of, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("%.17g%c", of[i], i + 1 < n ? ' ' : '\n');
}

static void print_compared(const struct pmu_compared *c)
{
	print((double[]){ c->p, c->shift, c->interval.low, c->interval.high, c->interval.level,
			  c->exact },
	      6);
}

/* Level, number of A, values of A, values of B */
static int rank_sum(size_t n)
{
	size_t n_a = (size_t)value[1];
	struct pmu_compared c;
	int rc = pmu_stats_rank_sum(value + 2, n_a, value + 2 + n_a, n - 2 - n_a, value[0], &c);

	print_compared(&c);
	return rc;
}

/* Level, differences */
static int signed_rank(size_t n)
{
	struct pmu_compared c;
	int rc = pmu_stats_signed_rank(value + 1, n - 1, value[0], &c);

	print_compared(&c);
	return rc;
}

/* Level, sorted values */
static int order(size_t n)
{
	struct pmu_interval i = pmu_stats_median_interval(value + 1, n - 1, value[0]);

	print((double[]){ pmu_stats_median(value + 1, n - 1), i.low, i.high, i.level }, 4);
	return 0;
}

/* Numbers of values */
static int smallest(size_t n)
{
	(void)n;
	print((double[]){ pmu_stats_smallest_p_rank_sum((size_t)value[0], (size_t)value[1]),
			  pmu_stats_smallest_p_signed_rank((size_t)value[0]) },
	      2);
	return 0;
}

/* p-values */
static int holm(size_t n)
{
	int rc = pmu_stats_holm(value, n);

	print(value, n);
	return rc;
}

/* Level, runs of A, of B, their parts, what these are of */
static int shares(size_t n)
{
	size_t n_a = (size_t)value[1], n_b = (size_t)value[2];
	const double *part = value + 3, *of = part + n_a + n_b;
	struct pmu_sampled a = { part, of, n_a }, b = { part + n_a, of + n_a, n_b };
	struct pmu_interval rates;
	struct pmu_compared c;

	(void)n;
	pmu_stats_shares(&a, &b, value[0], &c);
	rates = pmu_stats_rates(&a, &b, value[0]);
	print((double[]){ c.p, c.shift, c.interval.low, c.interval.high, c.exact, rates.low,
			  rates.high },
	      7);
	return 0;
}

static const struct {
	const char *name;
	int (*print)(size_t n);
} functions[] = {
	{ "rank_sum ", rank_sum }, { "signed_rank ", signed_rank },
	{ "order ", order },       { "smallest ", smallest },
	{ "holm ", holm },         { "shares ", shares },
};

int main(void)
{
	char *line = NULL;
	size_t size = 0;
	int rc = 0;

	while (rc == 0 && getline(&line, &size, stdin) > 0) {
		rc = 1;
		for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
			if (!strncmp(line, functions[i].name, strlen(functions[i].name)))
				rc = functions[i].print(
					read_values(line + strlen(functions[i].name)));
	}
	free(line);
	return rc ? 1 : 0;
}
