/* SPDX-License-Identifier: BSD-3-Clause */
/* Which counters of an AMD core can count which events. */
#ifndef PMU_MSR_AMD_LIMITS_H
#define PMU_MSR_AMD_LIMITS_H

#include <stdint.h>

#include "plan/select.h"

/**
 * pmu_amd_limit() - the general counters that can count an event
 * @family: as CPUID displays it
 * @counters: in: those that there are; out: those of them that can
 *
 * Return: 0; -ENOENT with a sentence: no counter of a core can, or not alone.
 */
int pmu_amd_limit(uint32_t family, const struct pmu_select *select, uint32_t *counters);

#endif
