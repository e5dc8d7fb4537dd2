/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates of what all calls of a region have done, from those that one group counted. */
#ifndef PMU_REPORT_TURNS_H
#define PMU_REPORT_TURNS_H

#include "report/model/model.h"
#include "report/model/pool.h"

/** pmu_model_turns_new() - none yet; NULL without memory */
struct pmu_model_turns *pmu_model_turns_new(struct pmu_model *model, unsigned int n_counts);

/** What is being added up, of many rows: exactly, in whatever order they come.  All zero: none so far. */
struct pmu_turns_adding {
	struct pmu_exact n, calls, calls_square;
	struct {
		struct pmu_exact sum, square, product;
	} count[PMU_MODEL_MAX_COUNTS];
};

/** pmu_model_turns_add() - add @more: its count i is count at[i] of @to; @at NULL: count i */
void pmu_model_turns_add(struct pmu_turns_adding *to, const struct pmu_model_turns *more,
			 const unsigned int *at, unsigned int n_counts);

/** pmu_model_turns_make() - in the model's memory; @sum is empty again.  NULL without memory. */
struct pmu_model_turns *pmu_model_turns_make(struct pmu_model *model, struct pmu_turns_adding *sum,
					     unsigned int n_counts);

/**
 * pmu_model_turns_estimate() - the estimates of a sum with known whole_calls
 *
 * Turns are clusters of calls, drawn from all that there were; what a group counted a call is a ratio
 * of two sums over them: W. G. Cochran, "Sampling Techniques", 3rd edition 1977, sections 6.4 and 9A.
 * Calls that follow each other may be alike, so that turns and not calls say how sure it is.  What
 * sockets count is not of single calls, and has none.
 */
void pmu_model_turns_estimate(const struct pmu_model_section *section,
			      const struct pmu_model_row *sum, struct pmu_model_estimate *estimate);

#endif
