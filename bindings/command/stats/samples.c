/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a part has another share of two sides' samples, and whether it takes another time. */
#include <math.h>

#include "bindings/command/stats/parts.h"

/* Above such a deviation the normal distribution is as good, and there would be many terms. */
#define EXACT_DEVIATION 1000.0
#define EXACT_TERMS     100000

/* One side: all its runs as one. */
struct all_runs {
	double part, of;
};

static struct all_runs add_runs(const struct pmu_sampled *side)
{
	struct all_runs all = { 0, 0 };

	for (size_t i = 0; i < side->n; i++) {
		all.part += side->part[i];
		all.of += side->of[i];
	}
	return all;
}

/* --- what samples alone say --- */

/* The logarithm of n over k. */
static double log_choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

/* Of @n_a + @n_b samples @part are taken: that @k of them are A's. */
static double log_taken(double n_a, double n_b, double part, double k)
{
	return log_choose(n_a, k) + log_choose(n_b, part - k) - log_choose(n_a + n_b, part);
}

/* From @k on in steps of @step, each by its ratio to the one before it. */
static double sum_taken(double n_a, double n_b, double part, double k, double step)
{
	double term = exp(log_taken(n_a, n_b, part, k)), sum = term;

	for (int i = 0; i < EXACT_TERMS; i++) {
		double x = step > 0 ? k : k - 1; /* between x and x + 1 */
		double up = (n_a - x) * (part - x) / ((x + 1) * (n_b - part + x + 1));

		term *= step > 0 ? up : 1 / up;
		k += step;
		if (k < fmax(0, part - n_b) || k > fmin(part, n_a) || term < 1e-17 * sum)
			break;
		sum += term;
	}
	return sum;
}

/* Fisher's exact test. */
static double exact_p(const struct all_runs *a, const struct all_runs *b)
{
	double part = a->part + b->part, all = a->of + b->of;
	double mean = a->of * (part / all), deviation;

	if (part <= 0 || part >= all)
		return 1;
	deviation = sqrt(mean * (b->of / all) * ((all - part) / (all - 1)));
	if (deviation > EXACT_DEVIATION)
		return pmu_normal_p(a->part - mean, deviation);
	return fmin(2 * sum_taken(a->of, b->of, part, a->part, a->part <= mean ? -1 : 1), 1);
}

/* --- what runs of one side differ by --- */

static double sum_squares(const struct pmu_sampled *side, double mean, double variance)
{
	double sum = 0;

	for (size_t i = 0; i < side->n; i++) {
		double off = side->part[i] - side->of[i] * mean;

		sum += side->of[i] > 0 ? off * off / (side->of[i] * variance) : 0;
	}
	return sum;
}

/* Of runs of the same, how many times as much their parts vary as samples do: 1 where there is but one. */
static double runs_vary(const struct pmu_sampled *a, const struct pmu_sampled *b, double mean_a,
			double mean_b, double variance)
{
	size_t freedom = a->n + b->n - 2;

	if (!freedom || variance <= 0)
		return 1;
	return (sum_squares(a, mean_a, variance) + sum_squares(b, mean_b, variance)) /
	       (double)freedom;
}

/* --- intervals --- */

/* Wilson's interval of a share, and its like for a rate (@variance_is_mean). */
static struct pmu_interval score_interval(const struct all_runs *all, double varies, double limit,
					  bool is_share)
{
	double part = all->part / varies, of = all->of / varies, square = limit * limit;
	double rest = is_share ? part * (of - part) / of : part;
	double middle = part + square / 2, half = limit * sqrt(rest + square / 4);
	double base = is_share ? of + square : of;

	return (struct pmu_interval){ fmax((middle - half) / base, 0), (middle + half) / base, 0 };
}

/* Newcombe, Statistics in Medicine 17 (1998) 873, method 10. */
static struct pmu_interval difference_interval(const struct all_runs *a, const struct all_runs *b,
					       double varies, size_t freedom, double level,
					       bool is_share)
{
	double limit = pmu_student_limit(level, freedom), shift = b->part / b->of - a->part / a->of;
	struct pmu_interval in_a, in_b;

	varies = fmax(varies, 1);
	in_a = score_interval(a, varies, limit, is_share);
	in_b = score_interval(b, varies, limit, is_share);
	return (struct pmu_interval){
		shift - hypot(b->part / b->of - in_b.low, in_a.high - a->part / a->of),
		shift + hypot(in_b.high - b->part / b->of, a->part / a->of - in_a.low),
		level,
	};
}

void pmu_stats_shares(const struct pmu_sampled *a, const struct pmu_sampled *b, double level,
		      struct pmu_compared *out)
{
	struct all_runs of_a = add_runs(a), of_b = add_runs(b);
	double share_a = of_a.part / of_a.of, share_b = of_b.part / of_b.of;
	double mean = (of_a.part + of_b.part) / (of_a.of + of_b.of), variance = mean * (1 - mean);
	size_t freedom = a->n + b->n - 2;
	double varies = runs_vary(a, b, share_a, share_b, variance);
	double deviation = sqrt(varies * variance * (1 / of_a.of + 1 / of_b.of));

	out->shift = share_b - share_a;
	out->exact = !freedom;
	out->p = exact_p(&of_a, &of_b);
	if (freedom && deviation > 0)
		out->p = fmax(out->p, pmu_student_p(out->shift / deviation, freedom));
	out->interval = difference_interval(&of_a, &of_b, varies, freedom, level, true);
}

double pmu_stats_rate(const struct pmu_sampled *side)
{
	const struct all_runs all = add_runs(side);

	return all.part / all.of;
}

struct pmu_interval pmu_stats_rates(const struct pmu_sampled *a, const struct pmu_sampled *b,
				    double level)
{
	struct all_runs of_a = add_runs(a), of_b = add_runs(b);
	double mean = (of_a.part + of_b.part) / (of_a.of + of_b.of);
	double varies = runs_vary(a, b, of_a.part / of_a.of, of_b.part / of_b.of, mean);

	return difference_interval(&of_a, &of_b, varies, a->n + b->n - 2, level, false);
}
