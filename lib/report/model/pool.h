/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums that are exact, whatever the order in which they are added up, and the deviation of calls that
 * several rows have.
 */
#ifndef PMU_REPORT_POOL_H
#define PMU_REPORT_POOL_H

#include "report/model/model.h"

#define PMU_EXACT_WORDS 4

/**
 * A sum of numbers of at least 0: 192 binary digits before the point and 64 behind it, the least word
 * first.  All ones: not known, which no number changes.
 */
struct pmu_exact {
	uint64_t word[PMU_EXACT_WORDS];
};

/** pmu_exact_add() - @sum stops being known where it has no room */
void pmu_exact_add(struct pmu_exact *sum, const struct pmu_exact *more);
/** pmu_exact_add_double() - to 2^-64; below 0, infinite, not a number: not known */
void pmu_exact_add_double(struct pmu_exact *sum, double value);
/** pmu_exact_double() - the nearest; NaN: not known */
double pmu_exact_double(const struct pmu_exact *sum);

/** Calls of several rows, for their deviation.  All zero: none so far. */
struct pmu_pool {
	uint64_t n_rows;          /* with calls */
	struct pmu_exact squares; /* sum over calls of the square of what each took, in ns */
};

/** pmu_pool_row() - calls, their time and deviation; a row without calls changes nothing */
void pmu_pool_row(struct pmu_pool *pool, const struct pmu_model_row *row);
/** pmu_pool_merge() - what another one has, too */
void pmu_pool_merge(struct pmu_pool *pool, const struct pmu_pool *more);

/**
 * pmu_pool_sd() - the deviation of all calls
 * @sum: their number, their time, and the flags of all rows; of one row alone also its deviation
 * Return: NaN: not known, as of several rows of which some were re-entered: the deviation of such a
 * row is of its outermost calls alone.
 */
double pmu_pool_sd(const struct pmu_pool *pool, const struct pmu_model_row *sum);

#endif
