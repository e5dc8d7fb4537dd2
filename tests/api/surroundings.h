/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of a program's surroundings share: a program with some regions, and a look at its report. */
#ifndef PMU_TESTS_API_SURROUNDINGS_H
#define PMU_TESTS_API_SURROUNDINGS_H

#include "run.h"

static const char *const quick[] = { "PMU_PIN=none", "PMU_BACKEND=clock", NULL };
static const char *const software[] = { "PMU_PIN=none", "PMU_GROUP=SOFTWARE", NULL };

static inline void begin_end(const char *name)
{
	if (pmu_region_begin(name) < 0 || pmu_region_end(name) < 0)
		want(false);
}

static inline void some_regions(void)
{
	for (int i = 0; i < 100; i++) {
		pmu_region_begin("outer");
		begin_end("inner");
		pmu_region_end("outer");
	}
}

static inline int only_regions(void *arg)
{
	(void)arg;
	some_regions();
	return 0;
}

static inline void check_regions(const struct run *r)
{
	is_int(run_calls(r->json, "outer"), 100, "the calls are there");
	is_int(run_calls(r->json, "outer/inner"), 100, "all of them");
}

#endif
