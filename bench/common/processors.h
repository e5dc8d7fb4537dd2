/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef BENCH_PROCESSORS_H
#define BENCH_PROCESSORS_H

#include <sched.h>

/** processors_allowed() - how many the calling thread may run on; 1 where that cannot be told */
static inline int processors_allowed(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) < 0 ? 1 : CPU_COUNT(&set);
}

#endif
