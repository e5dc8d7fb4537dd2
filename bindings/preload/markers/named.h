/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions of another library's calls that say the name at both ends, and can be switched off. */
#ifndef PMU_PRELOAD_NAMED_H
#define PMU_PRELOAD_NAMED_H

#include <stdbool.h>
#include <stdlib.h>

#include "bindings/annotations/aside.h"
#include "bindings/annotations/names.h"
#include "bindings/annotations/prefix.h"
#include "pmu.h"

enum {
	NAMED_ASKED = 1 << 0,   /* PMU_PREFIX has been looked at */
	NAMED_TOOL = 1 << 1,    /* it wants the tool's name in front */
	NAMED_OFF = 1 << 2,     /* switched off by the program */
	NAMED_WAS_OFF = 1 << 3, /* then there are ends without a begin */
};

/** Of one library, for the whole process. */
struct preload_named {
	const char *tool; /* its word of PMU_AUTO */
	unsigned int state;
};

static inline void preload_named_switch(struct preload_named *named, bool off)
{
	if (off)
		__atomic_fetch_or(&named->state, NAMED_OFF | NAMED_WAS_OFF, __ATOMIC_RELAXED);
	else
		__atomic_fetch_and(&named->state, ~(unsigned int)NAMED_OFF, __ATOMIC_RELAXED);
}

static inline bool preload_named_is_off(const struct preload_named *named)
{
	return __atomic_load_n(&named->state, __ATOMIC_RELAXED) & NAMED_OFF;
}

/* Its names have neither a domain nor a category: mostly they are the regions' as they are. */
static __attribute__((noinline, unused, cold)) const char *preload_named_text(
	struct preload_named *named, const char *name)
{
	unsigned int state = __atomic_load_n(&named->state, __ATOMIC_RELAXED);

	if (!(state & NAMED_ASKED)) {
		state = NAMED_ASKED;
		if (annotation_prefix(getenv("PMU_PREFIX")) & ANNOTATION_TOOL)
			state |= NAMED_TOOL;
		__atomic_fetch_or(&named->state, state, __ATOMIC_RELAXED);
	}
	return state & NAMED_TOOL ? annotation_name(named->tool, NULL, NULL, name) : name;
}

static inline void preload_named_begin(struct preload_named *named, const char *name)
{
	unsigned int state = __atomic_load_n(&named->state, __ATOMIC_RELAXED);

	if (__builtin_expect((state & ~(unsigned int)NAMED_WAS_OFF) != NAMED_ASKED, 0)) {
		if (state & NAMED_OFF)
			return;
		name = preload_named_text(named, name);
	}
	(void)aside.begin(name);
}

/** preload_named_end() - also while switched off, of what was begun before */
static inline void preload_named_end(struct preload_named *named, const char *name)
{
	unsigned int state = __atomic_load_n(&named->state, __ATOMIC_RELAXED);

	if (__builtin_expect(state != NAMED_ASKED, 0)) {
		name = preload_named_text(named, name);
		if (state & NAMED_WAS_OFF && pmu_region_is_open(name) <= 0)
			return;
	}
	(void)aside.end(name);
}

#endif
