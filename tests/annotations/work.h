/* SPDX-License-Identifier: BSD-3-Clause */
/* Work that takes the same instructions wherever it is compiled in, and regions by hand beside those by annotations. */
#ifndef PMU_TESTS_ANNOTATIONS_WORK_H
#define PMU_TESTS_ANNOTATIONS_WORK_H

static unsigned long worked;

/* Some 10 instructions for each of @n. */
__attribute__((noinline, unused)) static void work(int n)
{
	static __thread volatile unsigned long value;

	for (int i = 0; i < n; i++)
		value = value * 3 + 1;
	__atomic_fetch_add(&worked, (unsigned long)n, __ATOMIC_RELAXED);
}

#ifdef NATIVE
#include "pmu.h"
#define BEGIN(native, annotation) ((void)pmu_region_begin(native))
#define END(native, annotation)   ((void)pmu_region_end(native))
#else
#define BEGIN(native, annotation) ((void)(annotation))
#define END(native, annotation)   ((void)(annotation))
#endif

#endif
