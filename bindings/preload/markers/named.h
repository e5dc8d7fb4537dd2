/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions of another library's calls that say the name at both ends, and can be switched off. */
#ifndef PMU_PRELOAD_NAMED_H
#define PMU_PRELOAD_NAMED_H

#include <stdbool.h>

#include "pmu.h"

/** Of one library, for the whole process. */
struct preload_named {
	bool off;
	bool was_off; /* then there are ends without a begin */
};

static inline void preload_named_switch(struct preload_named *named, bool off)
{
	if (off)
		__atomic_store_n(&named->was_off, true, __ATOMIC_RELAXED);
	__atomic_store_n(&named->off, off, __ATOMIC_RELAXED);
}

static inline void preload_named_begin(const struct preload_named *named, const char *name)
{
	if (!__atomic_load_n(&named->off, __ATOMIC_RELAXED))
		(void)pmu_region_begin(name);
}

/** preload_named_end() - also while switched off, of what was begun before */
static inline void preload_named_end(const struct preload_named *named, const char *name)
{
	if (__atomic_load_n(&named->was_off, __ATOMIC_RELAXED) && pmu_region_is_open(name) <= 0)
		return;
	(void)pmu_region_end(name);
}

#endif
