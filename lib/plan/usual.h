/* SPDX-License-Identifier: BSD-3-Clause */
/* The groups of a session for which nothing was asked, without looking up a name. */
#ifndef PMU_PLAN_USUAL_H
#define PMU_PLAN_USUAL_H

#include "plan/catalog.h"
#include "plan/group.h"

/**
 * pmu_usual_group() - CORE or TIME as their files have them
 * Return: false: it is another group, or the user may have a file of that name.
 */
bool pmu_usual_group(const char *name, const struct pmu_catalog *catalog, struct pmu_group *group);

/** pmu_usual_own_code() - a generic event by the CPU's own code, where not every kernel knows it */
void pmu_usual_own_code(const char *vendor, uint32_t family, uint32_t model, const char *name,
			struct pmu_slot *slot);

#endif
