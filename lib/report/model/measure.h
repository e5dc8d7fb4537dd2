/* SPDX-License-Identifier: BSD-3-Clause */
/* What a section's sums are ordered by and what their shares are of. */
#ifndef PMU_REPORT_MEASURE_H
#define PMU_REPORT_MEASURE_H

#include "report/model/model.h"

/** What is said of it. */
struct pmu_measure {
	const char *key;   /* JSON's: a number of each region */
	const char *share; /* titles of columns: a part of all that there is, */
	const char *self;  /* and what a region has without nested ones */
	const char *words;
};

/** By enum pmu_model_measure. */
extern const struct pmu_measure pmu_measures[] __attribute__((visibility("hidden")));

/** pmu_measure_choose() - a section's, once its sums are added up: its measure and whole */
void pmu_measure_choose(const struct pmu_model *model, struct pmu_model_section *section);

/** pmu_measure_of() - what a row has of it; 0 where that is not known */
uint64_t pmu_measure_of(const struct pmu_model_row *row, enum pmu_model_measure measure);

/** pmu_measure_share() - and as a part of @whole; NaN: not known, also where it is more (damaged data) */
double pmu_measure_share(const struct pmu_model_row *row, enum pmu_model_measure measure,
			 uint64_t whole);

#endif
