/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The k-th of all differences between two samples, without writing them all down: after each look at
 * how many are at most a middle one, those on one side of it are left out.  The middle is that of the
 * values left, which takes as many looks as the number of differences has binary digits, or a few more;
 * and each second time that of the doubles left, as many of which are below as above, so that
 * values of any magnitudes take no more looks than twice the digits of a double.
 */
#include <stdint.h>
#include <string.h>

#include "bindings/command/stats/parts.h"

/* Differences at most some value. */
struct counted {
	double n;
	double last;  /* the largest of them; -INFINITY: none */
	double first; /* the least of the others; INFINITY: none */
};

/* With b, or the other one of the mean, the bound in a only rises. */
static struct counted count_differences(const struct pmu_pairs *pairs, double most)
{
	struct counted c = { 0, -INFINITY, INFINITY };

	for (size_t j = 0, i = 0; j < pairs->n_b; j++) {
		while (i < pairs->n_a && pairs->b[j] - pairs->a[i] > most)
			i++;
		c.n += (double)(pairs->n_a - i);
		if (i < pairs->n_a)
			c.last = fmax(c.last, pairs->b[j] - pairs->a[i]);
		if (i > 0)
			c.first = fmin(c.first, pairs->b[j] - pairs->a[i - 1]);
	}
	return c;
}

static struct counted count_means(const struct pmu_pairs *pairs, double most)
{
	struct counted c = { 0, -INFINITY, INFINITY };

	for (size_t j = pairs->n_a, i = 0; j-- > 0;) {
		size_t at;

		while (i <= j && (pairs->a[i] + pairs->a[j]) / 2 <= most)
			i++;
		at = i <= j ? i : j + 1;
		c.n += (double)at;
		if (at > 0)
			c.last = fmax(c.last, (pairs->a[at - 1] + pairs->a[j]) / 2);
		if (at <= j)
			c.first = fmin(c.first, (pairs->a[at] + pairs->a[j]) / 2);
	}
	return c;
}

/* Numbers in the order of doubles. */
static uint64_t number_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static double double_of(uint64_t number)
{
	uint64_t bits = number >> 63 ? number & ~(UINT64_C(1) << 63) : ~number;
	double value;

	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* At least @low, below @high, which is larger. */
static double middle_of(double low, double high, bool of_doubles)
{
	uint64_t from = number_of(low), to = number_of(high);
	double middle = low + (high - low) / 2;

	if (of_doubles || !(middle < high))
		middle = double_of(from + (to - from) / 2);
	return middle;
}

/* From 1; between @low and @high. */
static double find(const struct pmu_pairs *pairs, double k, double low, double high)
{
	for (bool of_doubles = false; low < high; of_doubles = !of_doubles) {
		double middle = middle_of(low, high, of_doubles);
		struct counted c = pairs->b ? count_differences(pairs, middle)
					    : count_means(pairs, middle);

		if (c.n >= k)
			high = c.last;
		else
			low = c.first;
	}
	return low + 0.0; /* -0 is 0 */
}

void pmu_pairs_shift(const struct pmu_pairs *pairs, const struct pmu_null *null,
		     struct pmu_compared *out)
{
	size_t last_a = pairs->n_a - 1;
	double low = pairs->b ? pairs->b[0] - pairs->a[last_a] : pairs->a[0];
	double high = pairs->b ? pairs->b[pairs->n_b - 1] - pairs->a[0] : pairs->a[last_a];
	double middle = floor((null->most + 1) / 2), k = null->k;

	out->interval = (struct pmu_interval){ NAN, NAN, null->level };
	if (k > 0) {
		low = find(pairs, k, low, high);
		high = find(pairs, null->most - k + 1, low, high);
		out->interval.low = low;
		out->interval.high = high;
	}
	out->shift = find(pairs, middle, low, high);
	if (fmod(null->most, 2) == 0)
		out->shift = (out->shift + find(pairs, middle + 1, out->shift, high)) / 2;
}
