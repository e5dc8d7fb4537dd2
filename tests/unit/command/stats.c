/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Statistics of repeated runs: examples of textbooks, everything that could be tried where there is
 * little, and what stays as it is when values are shifted, scaled, or swapped.  tests/command/stats.sh
 * compares them with R.
 */
#include "bindings/command/stats/stats.h"

#include <math.h>

#include "bindings/command/stats/parts.h"
#include "unit/part.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool near(double got, double want, double share)
{
	return (isnan(got) && isnan(want)) || fabs(got - want) <= share * fabs(want);
}

static void is_near(double got, double want, const char *name)
{
	if (!ok(near(got, want, 1e-12), "%s", name))
		diag("got %.17g, want %.17g", got, want);
}

static void is_interval(struct pmu_interval got, double low, double high, double level,
			const char *name)
{
	if (!ok(near(got.low, low, 1e-12) && near(got.high, high, 1e-12) &&
			near(got.level, level, 1e-12),
		"%s", name))
		diag("got %.17g to %.17g, %.17g", got.low, got.high, got.level);
}

/* The same numbers on every machine: xorshift64* (Vigna 2016). */
static uint64_t random_state = 1;

static uint64_t random_u64(void)
{
	random_state ^= random_state >> 12;
	random_state ^= random_state << 25;
	random_state ^= random_state >> 27;
	return random_state * UINT64_C(2685821657736338717);
}

/* Multiples of 1/64: sums and differences of them are exact. */
static void draw(double *value, size_t n, uint64_t different)
{
	for (size_t i = 0; i < n; i++)
		value[i] = (double)((random_u64() >> 20) % different) / 64;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void test_order(void)
{
	static const double ten[] = { 1, 2, 4, 8, 16, 32, 64, 128, 256, 512 };
	static double hundred[101];

	for (size_t i = 0; i < COUNT(hundred); i++)
		hundred[i] = (double)i;
	is_near(pmu_stats_median(ten, 10), 24, "the median of ten is between two");
	is_near(pmu_stats_median(ten, 9), 16, "that of nine is one of them");
	ok(isnan(pmu_stats_median(ten, 0)), "of none there is none");
	/* 1 - 2 / 2^5 at most, 1 - 2 / 2^6, 1 - 2 * (1 + 10) / 2^10 */
	is_interval(pmu_stats_median_interval(ten, 5, 0.95), NAN, NAN, NAN,
		    "five values have no interval of 95 %");
	is_interval(pmu_stats_median_interval(ten, 5, 0.9), 1, 16, 0.9375,
		    "they have one of 93.75 %");
	is_interval(pmu_stats_median_interval(ten, 6, 0.95), 1, 32, 0.96875, "six: first to last");
	is_interval(pmu_stats_median_interval(ten, 10, 0.95), 2, 256, 0.978515625,
		    "ten: second to ninth");
	is_interval(pmu_stats_median_interval(ten, 3, 0.75), 1, 4, 0.75,
		    "a level that is just met");
	is_interval(pmu_stats_median_interval(ten, 0, 0.9), NAN, NAN, NAN, "none: none");
	is_near(pmu_stats_median_interval(hundred, 100, 0.95).low, 39, "a hundred: from the 40th");
	is_near(pmu_stats_median_interval(hundred, 100, 0.95).high, 60, "to the 61st");
}

/* Hollander and Wolfe, Nonparametric Statistical Methods, 1973, pages 29 and 69; further digits are R's. */
static void test_textbook(void)
{
	static const double first[] = { 1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30 };
	static const double second[] = { 0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29 };
	static const double at_term[] = {
		0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46
	};
	static const double before[] = { 1.15, 0.88, 0.90, 0.74, 1.21 };
	double difference[9];
	struct pmu_compared c;

	for (size_t i = 0; i < 9; i++)
		difference[i] = second[i] - first[i];
	is_int(pmu_stats_signed_rank(difference, 9, 0.95, &c), 0, "scales of depression");
	is_near(c.p, 0.0390625, "p, twice that of one side");
	ok(fabs(c.shift - -0.46) < 1e-9, "the estimate");
	ok(fabs(c.interval.low - -0.786) < 1e-9 && fabs(c.interval.high - -0.010) < 1e-9,
	   "the interval");
	is_near(c.interval.level, 0.9609375, "its level");
	ok(c.exact, "it is exact");
	is_int(pmu_stats_rank_sum(at_term, 10, before, 5, 0.95, &c), 0,
	       "permeability of membranes");
	is_near(c.p, 2 * 382.0 / 3003, "p, twice that of one side");
	ok(fabs(c.shift - -0.305) < 1e-9, "the estimate");
	ok(fabs(c.interval.low - -0.76) < 1e-9 && fabs(c.interval.high - 0.15) < 1e-9,
	   "the interval");
}

static void test_holm(void)
{
	/* By hand: times 4, 3, 2, 1, none below the one before. */
	double p[] = { 0.03, NAN, 0.01, 0.04, 0.005 };
	double large[] = { 0.5, 0.9 };

	is_int(pmu_stats_holm(p, COUNT(p)), 0, "Holm");
	is_near(p[4], 0.02, "the least p is times all");
	is_near(p[2], 0.03, "the next times one less");
	is_near(p[0], 0.06, "and so on");
	is_near(p[3], 0.06, "none is below one that was less");
	ok(isnan(p[1]), "what was not tested stays so");
	pmu_stats_holm(large, 2);
	ok(large[0] == 1 && large[1] == 1, "none is above 1");
	is_int(pmu_stats_holm(NULL, 0), 0, "no family");
}

/* Twice what pairs say: 2 for each with b above a, 1 where they are equal. */
static int pairs_won(const double *value, size_t n, unsigned int in_a)
{
	int won = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			if (in_a >> i & 1 && !(in_a >> j & 1))
				won += value[j] > value[i] ? 2 : value[j] == value[i];
	return won;
}

/* By all ways to say which of the values are A's, of which the first are. */
static double tried_rank_sum(const double *value, size_t n_a, size_t n)
{
	int observed = pairs_won(value, n, (1u << n_a) - 1);
	double all = 0, below = 0, above = 0;

	for (unsigned int in_a = 0; in_a < 1u << n; in_a++)
		if (__builtin_popcount(in_a) == (int)n_a) {
			int won = pairs_won(value, n, in_a);

			all++;
			below += won <= observed;
			above += won >= observed;
		}
	return fmin(2 * fmin(below, above) / all, 1);
}

/* Twice the sum of ranks of those with the sign, of equal ones their mean; zeros have no rank. */
static int ranks_won(const double *d, size_t n, unsigned int positive)
{
	int won = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			if (d[i] != 0 && d[j] != 0 && positive >> i & 1)
				won += fabs(d[j]) < fabs(d[i]) ? 2
				       : i == j                ? 2
							       : fabs(d[j]) == fabs(d[i]);
	return won;
}

static double tried_signed_rank(const double *d, size_t n)
{
	double below = 0, above = 0;
	unsigned int positive = 0;
	int observed;

	for (size_t i = 0; i < n; i++)
		positive |= d[i] > 0 ? 1u << i : 0;
	observed = ranks_won(d, n, positive);
	for (unsigned int signs = 0; signs < 1u << n; signs++) {
		int won = ranks_won(d, n, signs);

		below += won <= observed;
		above += won >= observed;
	}
	return fmin(ldexp(2 * fmin(below, above), -(int)n), 1);
}

static bool all_equal(const double *value, size_t n, double what)
{
	for (size_t i = 0; i < n; i++)
		if (value[i] != what)
			return false;
	return true;
}

/* Up to ten values of up to 1000 different ones, most often of few. */
static void test_everything_tried(void)
{
	static const uint64_t different[] = { 2, 3, 5, 1000 };
	int tried = 0, bad_sums = 0, bad_signed = 0;

	for (int round = 0; round < 400; round++) {
		size_t n = 2 + random_u64() % 9, n_a = 1 + random_u64() % (n - 1);
		struct pmu_compared c;
		double value[10];

		draw(value, n, different[round % 4]);
		if (!all_equal(value, n, value[0])) {
			tried++;
			pmu_stats_rank_sum(value, n_a, value + n_a, n - n_a, 0.95, &c);
			bad_sums += !near(c.p, tried_rank_sum(value, n_a, n), 1e-12) || !c.exact;
		}
		for (size_t i = 0; i < n; i++)
			value[i] -= 1.0 / 64;
		if (!all_equal(value, n, 0)) {
			pmu_stats_signed_rank(value, n, 0.95, &c);
			bad_signed += !near(c.p, tried_signed_rank(value, n), 1e-12) || !c.exact;
		}
	}
	ok(tried > 300, "samples were drawn: %d", tried);
	is_int(bad_sums, 0, "p of rank sums is as when all permutations are tried");
	is_int(bad_signed, 0, "p of signed ranks is as when all signs are tried");
}

/* Few different values, also one that is many times there: where the normal distribution is far off. */
static void test_quick_ones(void)
{
	static const uint64_t different[] = { 2, 3, 10, 40 };
	int n_exact = 0, n_other = 0, bad = 0, bad_dull = 0;

	for (int round = 0; round < 2000; round++) {
		size_t n_a = 2 + random_u64() % 20, n_b = 2 + random_u64() % 20;
		struct pmu_compared c, d;
		double value[44];

		draw(value, n_a + n_b, different[round % 4]);
		for (size_t i = 0; round % 3 == 0 && i < n_a + n_b; i++)
			value[i] = fmax(value[i], value[0]);
		pmu_stats_rank_sum(value, n_a, value + n_a, n_b, 0.95, &c);
		pmu_stats_rank_sum_quick(value, n_a, value + n_a, n_b, 0.95, &d);
		n_exact += d.exact;
		n_other += c.exact && !d.exact;
		bad += !near(c.shift, d.shift, 0) || !near(c.interval.low, d.interval.low, 0);
		bad += d.exact && !near(c.p, d.p, 0);
		bad_dull += !d.exact && (c.p <= PMU_STATS_DULL || d.p <= PMU_STATS_DULL);
	}
	ok(n_exact > 500 && n_other > 300, "%d exact, %d not", n_exact, n_other);
	is_int(bad, 0, "a quick one has the same shift, and the same p where it is exact");
	is_int(bad_dull, 0, "where it is not, p is large by both");
}

/* Of B against A, by writing all differences down. */
static double tried_shift(const double *a, size_t n_a, const double *b, size_t n_b)
{
	static double difference[49 * 49];

	for (size_t i = 0; i < n_a; i++)
		for (size_t j = 0; j < n_b; j++)
			difference[i * n_b + j] = b[j] - a[i];
	qsort(difference, n_a * n_b, sizeof(*difference), compare);
	return pmu_stats_median(difference, n_a * n_b);
}

/* c is of d, with values times @scale, which may turn them round, and then @shift more in B. */
static bool follows(const struct pmu_compared *c, const struct pmu_compared *d, double scale,
		    double shift)
{
	double low = scale < 0 ? d->interval.high : d->interval.low;
	double high = scale < 0 ? d->interval.low : d->interval.high;

	return near(c->shift, d->shift * scale + shift, 0) &&
	       near(c->interval.low, low * scale + shift, 0) &&
	       near(c->interval.high, high * scale + shift, 0) &&
	       near(c->interval.level, d->interval.level, 0);
}

static void change(const double *from, size_t n, double scale, double shift, double *to)
{
	for (size_t i = 0; i < n; i++)
		to[i] = from[i] * scale + shift;
}

static void test_rank_sum_follows(void)
{
	int bad_swap = 0, bad_turn = 0, bad_shift = 0, bad_scale = 0, bad_estimate = 0, bad_own = 0;

	for (int round = 0; round < 300; round++) {
		size_t n_a = 1 + random_u64() % 49, n_b = 1 + random_u64() % 49;
		double a[49], b[49], other_a[49], other_b[49];
		struct pmu_compared c, d;

		draw(a, n_a, round % 2 ? 6 : 1u << 20);
		draw(b, n_b, round % 2 ? 7 : 1u << 20);
		pmu_stats_rank_sum(a, n_a, b, n_b, 0.95, &c);
		bad_estimate += !near(c.shift, tried_shift(a, n_a, b, n_b), 0);
		pmu_stats_rank_sum(b, n_b, a, n_a, 0.95, &d);
		bad_swap += !near(d.p, c.p, 1e-12) || !follows(&d, &c, -1, 0);
		change(a, n_a, -2, 0, other_a);
		change(b, n_b, -2, 0, other_b);
		pmu_stats_rank_sum(other_a, n_a, other_b, n_b, 0.95, &d);
		bad_turn += !near(d.p, c.p, 1e-12) || !follows(&d, &c, -2, 0);
		change(b, n_b, 1, 0.5, other_b);
		pmu_stats_rank_sum(a, n_a, other_b, n_b, 0.95, &d);
		bad_shift += !follows(&d, &c, 1, 0.5);
		for (size_t i = 0; i < n_a; i++)
			other_a[i] = exp(a[i] / 16384);
		for (size_t i = 0; i < n_b; i++)
			other_b[i] = exp(b[i] / 16384);
		pmu_stats_rank_sum(other_a, n_a, other_b, n_b, 0.95, &d);
		bad_scale += !near(d.p, c.p, 0);
		pmu_stats_rank_sum(a, n_a, a, n_a, 0.95, &d);
		bad_own += !(isnan(d.p) || d.p == 1) || d.shift != 0;
	}
	is_int(bad_estimate, 0, "the estimate is the median of all differences");
	is_int(bad_swap, 0, "swapped samples have the same p, and the opposite shift");
	is_int(bad_turn, 0, "so have values that are turned round");
	is_int(bad_shift, 0, "what is added to B is added to the shift and its interval");
	is_int(bad_scale, 0, "p is of the order of values alone");
	is_int(bad_own, 0, "a sample is no different from itself");
}

static void test_signed_rank_follows(void)
{
	int bad_turn = 0, bad_shift = 0;

	for (int round = 0; round < 300; round++) {
		size_t n = 1 + random_u64() % 60;
		double difference[60], other[60];
		struct pmu_compared c, d;

		draw(difference, n, round % 2 ? 6 : 1u << 20);
		change(difference, n, 1, -0.03125, difference);
		pmu_stats_signed_rank(difference, n, 0.95, &c);
		change(difference, n, -2, 0, other);
		pmu_stats_signed_rank(other, n, 0.95, &d);
		bad_turn += !near(d.p, c.p, 1e-12) || !follows(&d, &c, -2, 0);
		change(difference, n, 1, 0.5, other);
		pmu_stats_signed_rank(other, n, 0.95, &d);
		bad_shift += !follows(&d, &c, 1, 0.5);
	}
	is_int(bad_turn, 0, "signs that are turned round have the same p, and the opposite shift");
	is_int(bad_shift, 0, "what is added to differences is added to the shift and its interval");
}

/* Shifts in the interval are those that the test does not reject. */
static void test_interval_is_of_test(void)
{
	int bad_sums = 0, bad_signed = 0, n_intervals = 0;

	for (int round = 0; round < 200; round++) {
		size_t n_a = 2 + random_u64() % 60, n_b = 2 + random_u64() % 60;
		double value[64], to[64], a[64];
		struct pmu_compared c, inside, outside;

		draw(value, n_b, UINT64_C(1) << 40);
		draw(a, n_a, UINT64_C(1) << 40);
		pmu_stats_rank_sum(a, n_a, value, n_b, 0.95, &c);
		if (isnan(c.interval.level))
			continue;
		n_intervals++;
		change(value, n_b, 1, -c.interval.low - 1.0 / 128, to);
		pmu_stats_rank_sum(a, n_a, to, n_b, 0.95, &inside);
		change(value, n_b, 1, -c.interval.low + 1.0 / 128, to);
		pmu_stats_rank_sum(a, n_a, to, n_b, 0.95, &outside);
		bad_sums += inside.p <= 0.05 || !near(outside.p, 1 - c.interval.level, 1e-12);
		pmu_stats_signed_rank(value, n_b, 0.95, &c);
		if (isnan(c.interval.level))
			continue;
		change(value, n_b, 1, -c.interval.high + 1.0 / 256, to);
		pmu_stats_signed_rank(to, n_b, 0.95, &inside);
		change(value, n_b, 1, -c.interval.high - 1.0 / 256, to);
		pmu_stats_signed_rank(to, n_b, 0.95, &outside);
		bad_signed += inside.p <= 0.05 || !near(outside.p, 1 - c.interval.level, 1e-12);
	}
	ok(n_intervals > 150, "samples with an interval were drawn: %d", n_intervals);
	is_int(bad_sums, 0,
	       "rank sums: what is beyond the interval is rejected, what is in it is not");
	is_int(bad_signed, 0, "signed ranks as well");
}

/* In how many of 1,000 families of 30 rows, that differ in the first by @shift alone, is that row, and is
 * another one, significant at 5 %? */
static void compare_families(uint64_t different, double shift, int *first, int *another)
{
	*first = *another = 0;
	for (int family = 0; family < 1000; family++) {
		bool is_another = false;
		double p[30];

		for (size_t row = 0; row < COUNT(p); row++) {
			double a[10], b[10];
			struct pmu_compared c;

			draw(a, COUNT(a), different);
			draw(b, COUNT(b), different);
			change(b, COUNT(b), 1, row ? 0 : shift, b);
			pmu_stats_rank_sum(a, COUNT(a), b, COUNT(b), 0.95, &c);
			p[row] = c.p;
		}
		pmu_stats_holm(p, COUNT(p));
		for (size_t row = 1; row < COUNT(p); row++)
			is_another |= p[row] <= 0.05;
		*first += p[0] <= 0.05;
		*another += is_another;
	}
}

static void test_families(void)
{
	int first, another;

	compare_families(UINT64_C(1) << 40, 0, &first, &another);
	ok(first + another <= 50, "families without a difference: %d and %d of 1000 are flagged",
	   first, another);
	compare_families(5, 0, &first, &another);
	ok(first + another <= 50, "with ties: %d and %d", first, another);
	/* One standard deviation is 1.41 / 64; this is three. */
	compare_families(5, 4.25 / 64, &first, &another);
	ok(first >= 950 && another <= 50, "a difference is found in %d, others in %d", first,
	   another);
}

/* U of 49 and 49 by the recurrence of Mann and Whitney 1947, which only adds. */
static void test_no_cancellation(void)
{
	static double ways[50][50][1201];
	struct pmu_null null = { 0 };
	double sum = 0, all = 0, worst = 0;

	for (int n = 0; n < 50; n++)
		for (int m = 0; m < 50; m++)
			for (int u = 0; u < 1201; u++)
				ways[n][m][u] = !n || !m ? u == 0
							 : ways[n][m - 1][u] +
								   (u >= m ? ways[n - 1][m][u - m]
									   : 0);
	for (int u = 0; u < 1201; u++)
		all += 2 * ways[49][49][u];
	is_int(pmu_null_rank_sum(&null, 49, 49, 0.95), 0, "the distribution of 49 and 49");
	for (int u = 0; u < 1201; u++) {
		sum += ways[49][49][u];
		worst = fmax(worst, fabs(null.below[u] / (sum / all) - 1));
	}
	ok(worst < 1e-12, "its probabilities are exact, the least of them, too: %g", worst);
	free(null.below);
}

static void test_little(void)
{
	static const double one[] = { 1 }, two[] = { 2, 2 }, zeros[] = { 0, -0.0, 0 };
	static const double four[] = { 1, 2, 3, 4 }, above[] = { 5, 6, 7, 8 };
	struct pmu_compared c;

	is_int(pmu_stats_rank_sum(one, 1, NULL, 0, 0.95, &c), 0, "nothing to compare with");
	ok(isnan(c.p) && isnan(c.shift) && isnan(c.interval.level), "says nothing");
	is_int(pmu_stats_signed_rank(NULL, 0, 0.95, &c), 0, "no pairs");
	ok(isnan(c.p) && isnan(c.shift) && isnan(c.interval.level), "say nothing");
	pmu_stats_rank_sum(one, 1, two, 2, 0.95, &c);
	ok(near(c.p, 2.0 / 3, 1e-15) && c.shift == 1, "one against two");
	pmu_stats_rank_sum(two, 2, two, 2, 0.95, &c);
	ok(isnan(c.p) && c.shift == 0 && !c.exact, "where all are equal, nothing is tested");
	pmu_stats_signed_rank(zeros, 3, 0.5, &c);
	ok(isnan(c.p) && c.shift == 0 && !signbit(c.shift), "nor where all differences are 0");
	is_interval(c.interval, 0, 0, 0.5, "they have an interval all the same");
	pmu_stats_rank_sum(four, 4, above, 4, 0.95, &c);
	is_near(c.p, pmu_stats_smallest_p_rank_sum(4, 4), "the least p is where B is above A");
	is_near(c.p, 2.0 / 70, "and by their numbers");
	is_interval(c.interval, 1, 7, 1 - 2.0 / 70, "the interval is all there is");
	pmu_stats_rank_sum(four, 4, above, 4, 0.99, &c);
	ok(isnan(c.interval.low) && isnan(c.interval.high) && isnan(c.interval.level) &&
		   c.shift == 4,
	   "too few for an interval of 99 %%, and the shift is still known");
	pmu_stats_signed_rank(four, 4, 0.95, &c);
	is_near(c.p, pmu_stats_smallest_p_signed_rank(4), "the least p is where all are above 0");
	ok(pmu_stats_smallest_p_rank_sum(0, 9) == 1 && pmu_stats_smallest_p_signed_rank(0) == 1,
	   "of no values it is 1");
}

/* More than the exact distributions are for. */
static void test_much(void)
{
	static double a[3000], b[3000];
	struct pmu_compared c;

	for (size_t i = 0; i < COUNT(a); i++) {
		a[i] = (double)((i * 7919) % COUNT(a));
		b[i] = a[i] + 3000;
	}
	is_int(pmu_stats_rank_sum(a, COUNT(a), b, COUNT(b), 0.95, &c), 0, "3000 against 3000");
	ok(!c.exact && c.p == pmu_stats_smallest_p_rank_sum(COUNT(a), COUNT(b)),
	   "their p is the least of so many");
	ok(c.shift == 3000 && c.interval.low < 3000 && c.interval.high == 6000 - c.interval.low,
	   "and their shift in the middle of its interval");
	for (size_t i = 0; i < 1000; i++)
		b[i] = i < 2;
	pmu_stats_rank_sum(b, 5, b + 5, 995, 0.95, &c);
	ok(c.exact && near(c.p, 2.0 * (5 * 4) / (1000 * 999.0), 1e-12),
	   "two that are larger are both among five of a thousand: %g", c.p);
	for (size_t i = 0; i < COUNT(b); i++)
		b[i] = a[i] + 3000;
	change(b, 300, 1, -2999.5, b);
	is_int(pmu_stats_signed_rank(b, 300, 0.95, &c), 0, "300 pairs");
	ok(!c.exact && c.p == pmu_stats_smallest_p_signed_rank(300), "their p is the least");
}

UNIT_PART(stats)
{
	test_order();
	test_textbook();
	test_holm();
	test_everything_tried();
	test_quick_ones();
	test_rank_sum_follows();
	test_signed_rank_follows();
	test_interval_is_of_test();
	test_families();
	test_no_cancellation();
	test_little();
	test_much();
	return done_testing();
}
