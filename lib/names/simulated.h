/* SPDX-License-Identifier: BSD-3-Clause */
/* What valgrind simulates of processors' own events. */
#ifndef PMU_NAMES_SIMULATED_H
#define PMU_NAMES_SIMULATED_H

#include <stdint.h>

/**
 * pmu_simulated_native() - by an event's name, without a level
 * Return: a set of enum pmu_callgrind_event; 0: nothing that is the same.
 */
uint32_t pmu_simulated_native(const char *name);

#endif
