/* SPDX-License-Identifier: BSD-3-Clause */
/* The source valgrind: counters that callgrind simulates. */
#ifndef PMU_COUNTERS_VALGRIND_VALGRIND_H
#define PMU_COUNTERS_VALGRIND_VALGRIND_H

#include <stdbool.h>

#include "counters/backend.h"

/** Where valgrind's log is: a path, with %p for the process and %% for a percent sign. */
#define PMU_VALGRIND_LOG_VARIABLE "PMU_VALGRIND_LOG"

/** The caches that it simulates, in words: "D1 48 KiB 12-way, LL 32 MiB 16-way". */
#define PMU_SIM_CACHES_VARIABLE "PMU_SIM_CACHES"

/** The machine that it runs on, as pmu_session_machine() has it: both texts, with a tab between them. */
#define PMU_SIM_MACHINE_VARIABLE "PMU_SIM_MACHINE"

/** pmu_valgrind_built() - were valgrind's headers there when this was compiled? */
bool pmu_valgrind_built(void);

/**
 * pmu_valgrind_refuse() - for sources that count what the processor does: under valgrind that is
 * valgrind's work
 * Return: 0: the program does not run under valgrind, or the plan has nothing of a processor; else
 * -ENODEV, said in @probe.
 */
int pmu_valgrind_refuse(const struct pmu_plan *plan, struct pmu_probe *probe);

#endif
