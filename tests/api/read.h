/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of reading share: a region entered once, and read where that must go well. */
#ifndef PMU_TESTS_API_READ_H
#define PMU_TESTS_API_READ_H

#include "run.h"

static const char *const quick[] = { "PMU_PIN=none", "PMU_BACKEND=clock", NULL };

static inline void begin_end(const char *name)
{
	want_int(pmu_region_begin(name), 0);
	want_int(pmu_region_end(name), 0);
}

static inline struct pmu_region_counts read_region(const char *name, int thread)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };

	want_int(pmu_region_read(name, thread, &counts), 0);
	want_int((long long)counts.size, sizeof(counts));
	return counts;
}

#endif
