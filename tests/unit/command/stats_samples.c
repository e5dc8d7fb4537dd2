/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Shares of samples: values of R 4.2, as each test says; how often what is the same is said to differ.
 * tests/command/stats.sh compares them with R where that is installed.
 */
#include <math.h>

#include "bindings/command/stats/parts.h"
#include "unit/part.h"

static bool close_to(double got, double want)
{
	return fabs(got - want) <= 1e-9 * fabs(want);
}

static void is_close(double got, double want, const char *name)
{
	if (!ok(close_to(got, want), "%s", name))
		diag("got %.17g, want %.17g", got, want);
}

static struct pmu_compared single_runs(double part_a, double of_a, double part_b, double of_b)
{
	struct pmu_sampled a = { &part_a, &of_a, 1 }, b = { &part_b, &of_b, 1 };
	struct pmu_compared c;

	pmu_stats_shares(&a, &b, 0.95, &c);
	return c;
}

/* 2 * pt(-t, freedom), qt(0.975, freedom), qnorm(0.975) */
static void test_student(void)
{
	is_close(pmu_student_p(2.5, 3), 0.0877066470080655, "2.5 with three degrees of freedom");
	is_close(pmu_student_p(-1, 1), 0.5, "-1 with one: Cauchy's distribution");
	is_close(pmu_student_p(10, 30), 4.57525140822961e-11, "a small one keeps its digits");
	is_close(pmu_student_p(0, 4), 1, "0 is nothing");
	is_close(pmu_student_limit(0.95, 4), 2.77644510519779, "the limit with four");
	is_close(pmu_student_limit(0.95, 1), 12.7062047361747, "with one");
	is_close(pmu_student_limit(0.95, 0), 1.95996398454005, "of the normal distribution");
}

/*
 * 2 * phyper(412, 1000, 1000, 969), which is fisher.test(matrix(c(557, 443, 412, 588), 2))'s p;
 * prop.test(557, 1000, correct = FALSE)$conf.int and its like put together as Newcombe has it
 */
static void test_single_runs(void)
{
	struct pmu_compared c = single_runs(557, 1000, 412, 1000);

	is_close(c.p, 1.08955684332404e-10, "55.7% and 41.2% of 1000 samples");
	is_close(c.shift, -0.145, "14.5 points less");
	is_close(c.interval.low, -0.187868635272097, "from");
	is_close(c.interval.high, -0.10134742375406, "to");
	ok(c.exact, "of single runs nothing but samples is known");
	is_close(single_runs(9, 1000, 3, 30).p, 0.00822679158873679,
		 "where sides are of other sizes, too"); /* 2 * phyper(9, 1000, 30, 12) */
	/* 2 * phyper(1, 30, 10000, 12, lower.tail = FALSE): chi-square would say 1e-14 */
	is_close(single_runs(2, 30, 10, 10000).p, 0.0011205949977785, "and of other orders");
	is_close(single_runs(30, 30, 30, 30).p, 1, "all of both is the same");
	is_close(single_runs(0, 30, 0, 30).p, 1, "as none of both is");
	ok(single_runs(5e8, 1e9, 501e6, 1e9).p < 1e-9, "many samples tell a little");
	ok(isfinite(single_runs(1e18, 4e18, 2e18, 4e18).p), "more than there can be end");
}

/* phi as in McCullagh and Nelder by hand, then 2 * pt(-0.3 / sqrt(phi * m * (1 - m) * 2 / 300), 4) */
static void test_runs_that_vary(void)
{
	static const double a[] = { 50, 60, 40 }, b[] = { 70, 90, 80 }, of[] = { 100, 100, 100 };
	struct pmu_sampled side_a = { a, of, 3 }, side_b = { b, of, 3 };
	struct pmu_compared c;

	pmu_stats_shares(&side_a, &side_b, 0.95, &c);
	is_close(c.p, 0.0213116411287567, "runs that vary by more than samples do");
	ok(!c.exact && c.p > single_runs(150, 300, 240, 300).p,
	   "tell less than as many samples of one");
	ok(c.interval.low < 0.1 && c.interval.high > 0.45, "and the interval is wider: %g to %g",
	   c.interval.low, c.interval.high);
}

static void test_rates(void)
{
	double part[] = { 400, 500 }, of[] = { 1000, 1000 }, more[] = { 2000, 2500 };
	struct pmu_sampled a = { part, of, 1 }, b = { part + 1, of, 1 }, slow = { part, more, 1 },
			   same = { part + 1, more + 1, 1 };
	struct pmu_interval i = pmu_stats_rates(&a, &b, 0.95);

	ok(i.low > 0 && i.low < 0.1 && i.high > 0.1, "a fourth more is more: %g to %g", i.low,
	   i.high);
	i = pmu_stats_rates(&slow, &same, 0.95);
	ok(i.low < 0 && i.high > 0, "with as many more calls it is the same: %g to %g", i.low,
	   i.high);
}

/* The same numbers on every machine: xorshift64* (Vigna 2016). */
static double draw_unit(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (double)(*state * UINT64_C(2685821657736338717) >> 11) * 0x1p-53;
}

/* Samples of eight functions, of shares that are what they are in both, but for a little of each run's own. */
static void draw_run(uint64_t *state, double spread, double of, double *n, size_t n_functions)
{
	double edge = 0.5 + spread * (draw_unit(state) + draw_unit(state) - 1);

	for (size_t f = 0; f < n_functions; f++)
		n[f] = 0;
	for (double i = 0; i < of; i++) {
		bool first = draw_unit(state) < edge;
		size_t f = first ? 0 : 1 + (size_t)(draw_unit(state) * ((double)n_functions - 1));

		n[f]++;
	}
}

/* Return: of 500 comparisons of the same, how many name any function. */
static int count_named(size_t n_runs, double spread)
{
	uint64_t state = 20261128;
	int named = 0;

	for (int round = 0; round < 500; round++) {
		double n[8][8], part[8], of[8], p[8], least = 1;

		for (size_t run = 0; run < 2 * n_runs; run++) {
			of[run] = run % 2 ? 300 : 200;
			draw_run(&state, spread, of[run], n[run], 8);
		}
		for (size_t f = 0; f < 8; f++) {
			struct pmu_sampled a = { part, of, n_runs },
					   b = { part + n_runs, of + n_runs, n_runs };
			struct pmu_compared c;

			for (size_t run = 0; run < 2 * n_runs; run++)
				part[run] = n[run][f];
			pmu_stats_shares(&a, &b, 0.95, &c);
			p[f] = c.p;
		}
		pmu_stats_holm(p, 8);
		for (size_t f = 0; f < 8; f++)
			least = fmin(least, p[f]);
		named += least <= 0.05;
	}
	return named;
}

/* 25 are expected at most; 40 are three standard deviations more. */
static void test_false_alarms(void)
{
	int single = count_named(1, 0), several = count_named(4, 0), vary = count_named(4, 0.2);

	ok(single <= 40, "of 500 comparisons of single runs that are the same %d name a function",
	   single);
	ok(several <= 40, "of four runs a side %d", several);
	ok(vary <= 40, "of four runs that vary by more than samples do %d", vary);
}

UNIT_PART(stats_samples)
{
	test_student();
	test_single_runs();
	test_runs_that_vary();
	test_rates();
	test_false_alarms();
	return done_testing();
}
