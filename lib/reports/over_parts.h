/* SPDX-License-Identifier: BSD-3-Clause */
/* How a region's time and counts are spread over the ranks or processes of a combined model. */
#ifndef PMU_REPORTS_OVER_PARTS_H
#define PMU_REPORTS_OVER_PARTS_H

#include "report/model/rows.h"

/** One quantity over those that have the region; the processes of one rank are added up first. */
struct pmu_spread {
	unsigned int n; /* how many have it */
	double sum, min, max, mean;
	unsigned int part_min, part_max; /* which: index into part, the first of its rank */
	double imbalance;                /* max / mean - 1; NaN: unknown */
};

/** A section's rows, ready to be asked; for pmu_over_parts_close(). */
struct pmu_over_parts {
	const struct pmu_model *model;
	const struct pmu_model_section *section;
	struct pmu_rows_by_sum index;
	bool ranked;
};

/** pmu_over_parts_open() - of a section of a combined model.  Return: 0 or -ENOMEM. */
int pmu_over_parts_open(struct pmu_over_parts *over, const struct pmu_model *model,
			const struct pmu_model_section *section);
void pmu_over_parts_close(struct pmu_over_parts *over);

/** What pmu_over_parts() takes for a count to ask for the time. */
#define PMU_OVER_TIME (-1)

/**
 * pmu_over_parts() - of a sum's time, or of one of its counts, net
 * @sum: index into section->row
 * @count: index into section->count, or PMU_OVER_TIME
 *
 * Return: false where it is missing in any part that has the row.
 */
bool pmu_over_parts(const struct pmu_over_parts *over, unsigned int sum, int count,
		    struct pmu_spread *spread);

#endif
