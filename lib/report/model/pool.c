/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums in integers: a sum of doubles depends on their order.  Of a row the squares of its calls are
 * time^2 / calls + calls * sd^2, each to 2^-64; differences of sums of them are exact.
 */
#include "report/model/pool.h"

#include <math.h>

#define BITS   (64 * PMU_EXACT_WORDS)
#define BEHIND 64 /* the point */
#define DIGITS 53 /* of a double */

__extension__ typedef unsigned __int128 wide;

static bool exact_is_known(const struct pmu_exact *sum)
{
	uint64_t all = UINT64_MAX;

	for (int i = 0; i < PMU_EXACT_WORDS; i++)
		all &= sum->word[i];
	return all != UINT64_MAX;
}

static void exact_forget(struct pmu_exact *sum)
{
	for (int i = 0; i < PMU_EXACT_WORDS; i++)
		sum->word[i] = UINT64_MAX;
}

void pmu_exact_add(struct pmu_exact *sum, const struct pmu_exact *more)
{
	bool known = exact_is_known(sum) && exact_is_known(more);
	wide carry = 0;

	for (int i = 0; i < PMU_EXACT_WORDS; i++) {
		carry += (wide)sum->word[i] + more->word[i];
		sum->word[i] = (uint64_t)carry;
		carry >>= 64;
	}
	if (!known || carry)
		exact_forget(sum);
}

void pmu_exact_add_double(struct pmu_exact *sum, double value)
{
	struct pmu_exact is = { { 0 } };
	int exponent = 0, shift;
	uint64_t digits;

	if (value == 0)
		return;
	if (!(value > 0 && isfinite(value)) || value >= ldexp(1, BITS - BEHIND)) {
		exact_forget(sum);
		return;
	}
	digits = (uint64_t)ldexp(frexp(value, &exponent), DIGITS);
	shift = exponent - DIGITS + BEHIND;
	if (shift < 0) {
		is.word[0] = shift > -64 ? digits >> -shift : 0;
	} else {
		wide bits = (wide)digits << shift % 64;

		is.word[shift / 64] = (uint64_t)bits;
		if (bits >> 64)
			is.word[shift / 64 + 1] = (uint64_t)(bits >> 64);
	}
	pmu_exact_add(sum, &is);
}

double pmu_exact_double(const struct pmu_exact *sum)
{
	int top = PMU_EXACT_WORDS - 1, first;
	wide bits;

	if (!exact_is_known(sum))
		return NAN;
	while (top > 0 && !sum->word[top])
		top--;
	if (!sum->word[top])
		return 0;
	/* the first 64 digits, of which the last also stands for any behind it */
	first = __builtin_clzll(sum->word[top]);
	bits = ((wide)sum->word[top] << 64 | (top ? sum->word[top - 1] : 0)) << first;
	if ((uint64_t)bits)
		bits |= (wide)1 << 64;
	for (int i = 0; i < top - 1; i++)
		if (sum->word[i])
			bits |= (wide)1 << 64;
	return ldexp((double)(uint64_t)(bits >> 64), 64 * top - BEHIND - first);
}

/* ns^2 / calls */
static struct pmu_exact square_by(uint64_t ns, uint64_t calls)
{
	wide square = (wide)ns * ns, whole = square / calls;

	return (struct pmu_exact){ {
		(uint64_t)((square % calls << 64) / calls),
		(uint64_t)whole,
		(uint64_t)(whole >> 64),
	} };
}

void pmu_pool_row(struct pmu_pool *pool, const struct pmu_model_row *row)
{
	struct pmu_exact mean;

	if (!row->calls)
		return;
	mean = square_by(row->time_ns, row->calls);
	pool->n_rows++;
	pmu_exact_add(&pool->squares, &mean);
	pmu_exact_add_double(&pool->squares, (double)row->calls * (row->sd_ns * row->sd_ns));
}

void pmu_pool_merge(struct pmu_pool *pool, const struct pmu_pool *more)
{
	pool->n_rows += more->n_rows;
	pmu_exact_add(&pool->squares, &more->squares);
}

/* Never below 0: what rounding of rows' deviations takes away is less than what they add. */
static struct pmu_exact exact_less(const struct pmu_exact *a, const struct pmu_exact *b)
{
	struct pmu_exact rest;
	bool borrow = false;

	for (int i = 0; i < PMU_EXACT_WORDS; i++) {
		uint64_t take = b->word[i] + borrow;

		borrow = (borrow && !take) || a->word[i] < take;
		rest.word[i] = a->word[i] - take;
	}
	return borrow ? (struct pmu_exact){ { 0 } } : rest;
}

double pmu_pool_sd(const struct pmu_pool *pool, const struct pmu_model_row *sum)
{
	struct pmu_exact mean, rest;

	if (pool->n_rows == 1)
		return sum->sd_ns;
	if (!pool->n_rows || !sum->calls || sum->flags & PMU_ROW_RECURSIVE ||
	    sum->calls == UINT64_MAX || sum->time_ns == UINT64_MAX ||
	    !exact_is_known(&pool->squares))
		return NAN;
	mean = square_by(sum->time_ns, sum->calls);
	rest = exact_less(&pool->squares, &mean);
	return sqrt(pmu_exact_double(&rest) / (double)sum->calls);
}
