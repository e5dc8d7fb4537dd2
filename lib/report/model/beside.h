/* SPDX-License-Identifier: BSD-3-Clause */
/* What rows have beside their numbers, added up: how long calls were, the least they counted, turns, samples. */
#ifndef PMU_REPORT_BESIDE_H
#define PMU_REPORT_BESIDE_H

#include "report/model/fields.h"
#include "report/model/histogram.h"
#include "report/model/samples.h"
#include "report/model/turns.h"

/** Of rows that are being added up; all zero: of none so far. */
struct pmu_beside {
	struct pmu_histogram_sum *histogram;               /* NULL: of no two rows so far, and: */
	const struct pmu_model_histogram *histogram_alone; /* of one, which stays where it is */
	unsigned int n_histograms;
	bool lacks_histogram; /* of some calls */
	uint32_t known;       /* bit i: least[i] is */
	uint64_t least[PMU_MODEL_MAX_COUNTS];
	bool has_least, has_turns;
	struct pmu_turns_adding *turns;
	struct pmu_samples_sum *samples;               /* as with histogram */
	const struct pmu_model_samples *samples_alone; /* of one row, which stay where they are */
};

/**
 * pmu_beside_add() - one more row's
 * @is_thread: not a socket's, of which the lengths are not those of calls
 * @stays: so do its records until pmu_beside_make(), in the memory of the model that is given there
 * Return: 0 or -ENOMEM.
 */
int pmu_beside_add(struct pmu_beside *beside, const struct pmu_model_row *row,
		   const struct pmu_columns *columns, bool is_thread, bool stays);

/**
 * pmu_beside_add_samples() - of a row of a team: nothing else of it is its region's
 * @samples: may be NULL
 */
int pmu_beside_add_samples(struct pmu_beside *beside, const struct pmu_model_samples *samples,
			   bool stays);

/**
 * pmu_beside_make() - the sum has them from now on, in the memory of its model; @beside is of no row again
 *
 * Lengths are not known where some row with calls lacks them.  Return: 0 or -ENOMEM.
 */
int pmu_beside_make(struct pmu_beside *beside, struct pmu_model *model, unsigned int n_counts,
		    struct pmu_model_row *sum);

/** pmu_beside_free() - what it holds */
void pmu_beside_free(struct pmu_beside *beside);

/** pmu_besides_of_sums() - each sum's, of the rows that it is of.  Return: 0 or -ENOMEM. */
int pmu_besides_of_sums(struct pmu_model *model, struct pmu_model_section *section);

#endif
