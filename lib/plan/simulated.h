/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A group of simulated events: what its columns are called, and what can be estimated from them.
 */
#ifndef PMU_PLAN_SIMULATED_H
#define PMU_PLAN_SIMULATED_H

#include "plan/group.h"

/**
 * pmu_group_simulated() - say of a group's columns what valgrind counts for them
 * @absent: bit i: event i is not counted
 *
 * Generic branches are conditional and indirect ones there, so the column says so, and so do the
 * formulas.
 */
void pmu_group_simulated(struct pmu_group *group, uint32_t absent);

/**
 * pmu_group_estimate_cycles() - add the metric "estimated cycles", where all that it takes is counted
 *
 * A rule of thumb that may be wrong by several times, and not by as much for each region.
 *
 * Return: is it there now?
 * Source: KCachegrind's "Cycle Estimation": CEst = Ir + 10 Bm + 10 L1m + 100 LLm, where Bm are
 * mispredicted branches, L1m and LLm misses of the first and the last level.
 */
bool pmu_group_estimate_cycles(struct pmu_group *group, uint32_t absent);

#endif
