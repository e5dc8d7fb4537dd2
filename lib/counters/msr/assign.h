/* SPDX-License-Identifier: BSD-3-Clause */
/* Events to counters, so that as many as possible are counted. */
#ifndef PMU_MSR_ASSIGN_H
#define PMU_MSR_ASSIGN_H

#include <stdint.h>

/**
 * One event: bit i, counter i can count it.  General counters come first, fixed ones from bit 32
 * on.
 */
typedef uint64_t pmu_counters;
#define PMU_COUNTER_FIXED 32

/**
 * pmu_assign() - a counter of its own for each event
 * @event: [n] what can count each; fixed counters are taken first
 * @free: counters that may be used
 * @counter: result: [n] index of the bit; -1 for an event that gets none
 *
 * Earlier events come first: one is left out only if it does not fit beside all those before it
 * (augmenting paths, so a constraint never leaves an event out that a different choice would have
 * fitted).
 *
 * Return: how many got a counter.
 */
unsigned int pmu_assign(const pmu_counters *event, unsigned int n, pmu_counters free, int *counter);

#endif
