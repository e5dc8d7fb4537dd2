/* SPDX-License-Identifier: BSD-3-Clause */
/* What the program gave pmu_init(). */
#ifndef PMU_SESSION_OPTIONS_H
#define PMU_SESSION_OPTIONS_H

#include "pmu.h"

/** pmu_options_keep() - copy what the program gave, NULL for nothing.  Context: lock held. */
void pmu_options_keep(const struct pmu_options *options);

/**
 * pmu_options_kept() - that copy, which a forked child's session starts with too; NULL: nothing was
 * given.
 */
const struct pmu_options *pmu_options_kept(void);

#endif
