/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions of another library's calls that say the name at both ends, and can be switched off. */
#ifndef PMU_PRELOAD_NAMED_H
#define PMU_PRELOAD_NAMED_H

#include <stdbool.h>
#include <stdlib.h>

#include "bindings/annotations/names.h"
#include "bindings/annotations/prefix.h"
#include "pmu.h"

/** Of one library, for the whole process. */
struct preload_named {
	const char *tool; /* its word of PMU_AUTO */
	char prefix;      /* enum preload_prefix */
	bool off;
	bool was_off; /* then there are ends without a begin */
};

static inline void preload_named_switch(struct preload_named *named, bool off)
{
	if (off)
		__atomic_store_n(&named->was_off, true, __ATOMIC_RELAXED);
	__atomic_store_n(&named->off, off, __ATOMIC_RELAXED);
}

enum preload_prefix { PREFIX_UNREAD, PREFIX_NONE, PREFIX_TOOL };

/* Its names have neither a domain nor a category: mostly they are the regions' as they are. */
static inline const char *preload_named_text(struct preload_named *named, const char *name)
{
	char prefix = __atomic_load_n(&named->prefix, __ATOMIC_RELAXED);

	if (__builtin_expect(prefix == PREFIX_UNREAD, 0)) {
		prefix = annotation_prefix(getenv("PMU_PREFIX")) & ANNOTATION_TOOL ? PREFIX_TOOL
										   : PREFIX_NONE;
		__atomic_store_n(&named->prefix, prefix, __ATOMIC_RELAXED);
	}
	return prefix == PREFIX_TOOL ? annotation_name(named->tool, NULL, NULL, name) : name;
}

static inline void preload_named_begin(struct preload_named *named, const char *name)
{
	if (!__atomic_load_n(&named->off, __ATOMIC_RELAXED))
		(void)pmu_region_begin(preload_named_text(named, name));
}

/** preload_named_end() - also while switched off, of what was begun before */
static inline void preload_named_end(struct preload_named *named, const char *name)
{
	name = preload_named_text(named, name);
	if (__atomic_load_n(&named->was_off, __ATOMIC_RELAXED) && pmu_region_is_open(name) <= 0)
		return;
	(void)pmu_region_end(name);
}

#endif
