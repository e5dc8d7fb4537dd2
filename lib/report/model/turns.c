/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates of what all calls of a region have done, from those that one group counted. */
#include "report/model/turns.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/compiler.h"

struct pmu_model_turns *pmu_model_turns_new(struct pmu_model *model, unsigned int n_counts)
{
	struct pmu_model_turns *turns;

	return pmu_model_alloc(model, sizeof(*turns) + n_counts * sizeof(turns->count[0]));
}

void pmu_model_turns_add(struct pmu_turns_adding *to, const struct pmu_model_turns *more,
			 const unsigned int *at, unsigned int n_counts)
{
	pmu_exact_add_double(&to->n, more->n);
	pmu_exact_add_double(&to->calls, more->calls);
	pmu_exact_add_double(&to->calls_square, more->calls_square);
	for (unsigned int i = 0; i < n_counts; i++) {
		unsigned int k = at ? at[i] : i;

		pmu_exact_add_double(&to->count[k].sum, more->count[i].sum);
		pmu_exact_add_double(&to->count[k].square, more->count[i].square);
		pmu_exact_add_double(&to->count[k].product, more->count[i].product);
	}
}

struct pmu_model_turns *pmu_model_turns_make(struct pmu_model *model, struct pmu_turns_adding *sum,
					     unsigned int n_counts)
{
	struct pmu_model_turns *turns = pmu_model_turns_new(model, n_counts);

	if (!turns)
		return NULL;
	turns->n = pmu_exact_double(&sum->n);
	turns->calls = pmu_exact_double(&sum->calls);
	turns->calls_square = pmu_exact_double(&sum->calls_square);
	for (unsigned int i = 0; i < n_counts; i++) {
		turns->count[i].sum = pmu_exact_double(&sum->count[i].sum);
		turns->count[i].square = pmu_exact_double(&sum->count[i].square);
		turns->count[i].product = pmu_exact_double(&sum->count[i].product);
	}
	memset(sum, 0, sizeof(*sum));
	return turns;
}

/* Less than rounding of the sums can make. */
#define ROUNDING 1e-13

/* 97.5 % of Student's distribution by degrees of freedom; of more than these by Cornish and Fisher's first terms. */
static double student(double freedom)
{
	static const double few[] = { 12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365,
				      2.306,  2.262, 2.228, 2.201, 2.179, 2.160, 2.145 };
	double z = 1.959964;

	if (!(freedom >= 1))
		return NAN;
	if (freedom <= (double)PMU_ARRAY_LEN(few))
		return few[(int)freedom - 1];
	return z + (z * z * z + z) / (4 * freedom);
}

/* Of a call's count. */
static double error_a_call(const struct pmu_model_turns *turns, unsigned int count, double part)
{
	double sum = turns->count[count].sum, square = turns->count[count].square;
	double ratio = sum / turns->calls;
	double rest = square - 2 * ratio * turns->count[count].product +
		      ratio * ratio * turns->calls_square;

	if (!(turns->n > 1) || !(turns->calls > 0))
		return NAN;
	if (rest < ROUNDING * square)
		rest = 0;
	return sqrt((1 - part) * rest * turns->n / (turns->n - 1)) / turns->calls;
}

static const struct pmu_model_estimate nothing = { NAN, NAN, NAN };

void pmu_model_turns_estimate(const struct pmu_model_section *section,
			      const struct pmu_model_row *sum, struct pmu_model_estimate *estimate)
{
	double calls = (double)sum->calls, all = (double)sum->whole_calls;

	for (unsigned int i = 0; i < section->n_counts; i++) {
		struct pmu_model_estimate *of = &estimate[i];

		*of = nothing;
		if ((sum->missing | section->sockets) >> i & 1 || !sum->calls)
			continue;
		of->value = (double)sum->net[i] / calls * all;
		if (!sum->turns)
			continue;
		of->error = all * error_a_call(sum->turns, i, calls / all);
		of->margin = student(sum->turns->n - 1) * of->error;
	}
}
