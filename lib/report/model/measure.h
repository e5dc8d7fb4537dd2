/* SPDX-License-Identifier: BSD-3-Clause */
/* What a section's rows are ordered by and what their shares are of. */
#ifndef PMU_REPORT_MEASURE_H
#define PMU_REPORT_MEASURE_H

#include "report/model/model.h"

/** pmu_measure_key() - JSON's name for a section's: a number of each region, or a count */
const char *pmu_measure_key(const struct pmu_model_section *section);
/** pmu_measure_words() - "CPU time", "instructions" */
const char *pmu_measure_words(const struct pmu_model_section *section);
/** pmu_measure_share_title() - of a column of shares: "% CPU" */
const char *pmu_measure_share_title(const struct pmu_model_section *section,
				    enum pmu_model_measure measure);

/**
 * pmu_measure_rank() - before anything is ordered: which count it is by, where times are a
 * simulation's; these are taken out
 */
void pmu_measure_rank(const struct pmu_model *model, struct pmu_model_section *section);

/** pmu_measure_choose() - a section's, once its sums are added up: its measure and whole */
void pmu_measure_choose(const struct pmu_model *model, struct pmu_model_section *section);

/** pmu_measure_of_threads() - that of each thread's own rows */
enum pmu_model_measure pmu_measure_of_threads(const struct pmu_model_section *section);

/**
 * pmu_measure_wholes() - what each thread has of that
 * Context: threads' rows are in tree order.
 * Return: [n_threads + n_sockets], to be freed; NULL without memory.
 */
uint64_t *pmu_measure_wholes(const struct pmu_model *model,
			     const struct pmu_model_section *section);

/** pmu_measure_by() - that of a row: its section's, or of a thread's own */
static inline enum pmu_model_measure pmu_measure_by(const struct pmu_model_section *section,
						    const struct pmu_model_row *row)
{
	return row->thread < 0 ? section->measure : pmu_measure_of_threads(section);
}

/** pmu_measure_of() - what a row of the section has of it; 0 where that is not known */
uint64_t pmu_measure_of(const struct pmu_model_section *section, const struct pmu_model_row *row,
			enum pmu_model_measure measure);

/** pmu_measure_self() - and without nested regions; PMU_NOT_KNOWN */
uint64_t pmu_measure_self(const struct pmu_model_section *section, const struct pmu_model_row *row,
			  enum pmu_model_measure measure);

/**
 * pmu_measure_share() - and as a part of @whole; NaN: not known, also where it is more (damaged data)
 */
double pmu_measure_share(const struct pmu_model_section *section, const struct pmu_model_row *row,
			 enum pmu_model_measure measure, uint64_t whole);

#endif
