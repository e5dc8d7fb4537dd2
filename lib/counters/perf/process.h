/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts a whole process: a group of events on each of its threads, which those it starts inherit. */
#ifndef PMU_COUNTERS_PERF_PROCESS_H
#define PMU_COUNTERS_PERF_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/plan.h"

struct pmu_perf_process;

/**
 * pmu_perf_process_try() - does the plan count on this thread and those it starts?
 * Context: between pmu_fd_begin() and pmu_fd_end().
 * Return: 0, or as pmu_perf_try(); -EXDEV: whole processes cannot be counted here.
 */
int pmu_perf_process_try(const struct pmu_plan *plan);

/**
 * pmu_perf_process_open() - on every thread there is now; those that begin later inherit it
 * @plan: outlives @result
 * Return: 0 or a negative errno with a sentence.
 */
int pmu_perf_process_open(const struct pmu_plan *plan, struct pmu_perf_process **result);

/** pmu_perf_process_close() - NULL does nothing. */
void pmu_perf_process_close(struct pmu_perf_process *process);

/** pmu_perf_process_child() - in a forked child: close the copies.  Async-signal-safe. */
void pmu_perf_process_child(struct pmu_perf_process *process);

/**
 * pmu_perf_process_read() - as struct pmu_backend has read_socket(): what the process has done so
 * far, threads that have ended included
 */
uint32_t pmu_perf_process_read(struct pmu_perf_process *process, uint64_t *value);

/** pmu_perf_process_remark() - as struct pmu_backend has it. */
bool pmu_perf_process_remark(struct pmu_perf_process *process, char *text, size_t size);

/** pmu_perf_process_describe() - "..., 12 read(2) each time (4 events, 3 threads ...)" */
void pmu_perf_process_describe(const struct pmu_perf_process *process, char *text, size_t size);

#endif
