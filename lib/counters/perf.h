/* SPDX-License-Identifier: BSD-3-Clause */
/* The source perf, for the source software that stands on it. */
#ifndef PMU_COUNTERS_PERF_H
#define PMU_COUNTERS_PERF_H

#include <sys/types.h>

#include "counters/perf_group.h"
#include "counters/perf_user.h"

/** A thread's part. */
struct pmu_perf_thread {
	struct pmu_perf_user user; /* first: what read() is given */
	struct pmu_perf_group
		group; /* empty in PMU_COUNT_CPU: its CPU's belongs to the session */
	uint32_t n_pages;
	pid_t pid; /* whose pages they are: a forked child has none of them */
};

/**
 * pmu_perf_try() - open a plan's slots as one group, let it count, close it
 *
 * On the calling thread, or on the plan's first CPU.
 * Return: 0; -ENOENT for any way to say that there is no such event; -ENOSPC where the
 * group opens but gets no counters; the other codes of perf_event_open.
 */
int pmu_perf_try(const struct pmu_plan *plan);

#endif
