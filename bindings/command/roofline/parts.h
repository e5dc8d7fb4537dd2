/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of the roofline share. */
#ifndef PMU_COMMAND_ROOFLINE_PARTS_H
#define PMU_COMMAND_ROOFLINE_PARTS_H

#include "bindings/command/roofline/roofline.h"

/** pmu_roofline_collect() - the rows, but for what ceilings say of them.  Return: 0 or -ENOMEM. */
int pmu_roofline_collect(struct pmu_roofline *roofline);

/**
 * pmu_roofline_main() - the row with most time of its own, of those shown that have a known bound;
 * NULL: there is none
 */
const struct pmu_roofline_row *pmu_roofline_main(const struct pmu_roofline *roofline,
						 const bool *shown);

/** pmu_roofline_threads() - most threads that any row has; 1 at least */
unsigned int pmu_roofline_threads(const struct pmu_roofline *roofline);

#endif
