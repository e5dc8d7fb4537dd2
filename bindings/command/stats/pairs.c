/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The k-th of all differences between two samples, without writing them all down: after each look at
 * how many are at most a middle one, those on one side of it are left out.  The middle is where it would
 * be if those left were spread evenly; where that did not leave half of them out, it is next that of the
 * doubles left, as many of which are below as above, so that values of any magnitudes take no more
 * looks than twice the digits of a double and those of the number of differences.
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

/* No values are NAN, and no library need be called for these. */
static double larger(double a, double b)
{
	return a > b ? a : b;
}

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

/* With b, or the other one of the mean, the bound in a only rises. */
static struct counted count_differences(const struct pmu_pairs *pairs, double most)
{
	struct counted c = { 0, -INFINITY, INFINITY };

	for (size_t j = 0, i = 0; j < pairs->n_b; j++) {
		while (i < pairs->n_a && pairs->b[j] - pairs->a[i] > most)
			i++;
		c.n += (double)(pairs->n_a - i);
		if (i < pairs->n_a)
			c.last = larger(c.last, pairs->b[j] - pairs->a[i]);
		if (i > 0)
			c.first = smaller(c.first, pairs->b[j] - pairs->a[i - 1]);
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
			c.last = larger(c.last, (pairs->a[at - 1] + pairs->a[j]) / 2);
		if (at <= j)
			c.first = smaller(c.first, (pairs->a[at] + pairs->a[j]) / 2);
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

/* What is left between: the least and the largest, and how many are below the one and at most the other. */
struct left {
	double low, high;
	double n_below, n_to;
};

/* At least low, below high, which is larger. */
static double middle_of(const struct left *left, double k, bool of_doubles)
{
	uint64_t from = number_of(left->low), to = number_of(left->high);
	double share = (k - left->n_below - 0.5) / (left->n_to - left->n_below);
	double middle = left->low + (left->high - left->low) * share;

	if (of_doubles || !(middle >= left->low && middle < left->high))
		middle = double_of(from + (to - from) / 2);
	return middle;
}

/* From 1; of what is left. */
static double find_kth(const struct pmu_pairs *pairs, double k, struct left left)
{
	bool of_doubles = false;

	while (left.low < left.high) {
		double before = left.n_to - left.n_below;
		double middle = middle_of(&left, k, of_doubles);
		struct counted c = pairs->b ? count_differences(pairs, middle)
					    : count_means(pairs, middle);

		if (c.n >= k)
			left.high = c.last, left.n_to = c.n;
		else
			left.low = c.first, left.n_below = c.n;
		of_doubles = left.n_to - left.n_below > before / 2;
	}
	return left.low + 0.0; /* -0 is 0 */
}

void pmu_pairs_shift(const struct pmu_pairs *pairs, const struct pmu_null *null,
		     struct pmu_compared *out)
{
	size_t last_a = pairs->n_a - 1;
	struct left left = {
		.low = pairs->b ? pairs->b[0] - pairs->a[last_a] : pairs->a[0],
		.high = pairs->b ? pairs->b[pairs->n_b - 1] - pairs->a[0] : pairs->a[last_a],
		.n_to = null->most,
	};
	double middle = floor((null->most + 1) / 2), k = null->k;

	out->interval = (struct pmu_interval){ NAN, NAN, null->level };
	if (k > 0) {
		left.low = find_kth(pairs, k, left);
		left.n_below = k - 1; /* at most */
		left.high = find_kth(pairs, null->most - k + 1, left);
		left.n_to = null->most - k + 1; /* at least */
		out->interval.low = left.low;
		out->interval.high = left.high;
	}
	out->shift = find_kth(pairs, middle, left);
	if (fmod(null->most, 2) == 0) {
		left.low = out->shift;
		out->shift = (out->shift + find_kth(pairs, middle + 1, left)) / 2;
	}
}
