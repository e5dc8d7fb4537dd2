/* SPDX-License-Identifier: BSD-3-Clause */
/* Bare reads: the least that a pair can cost that reads the same things. */
#ifndef BENCH_BARE_H
#define BENCH_BARE_H

#include <stddef.h>

#include "overhead.h"

/** A way to read, by its name in a struct work. */
struct bare {
	const char *name;
	/** Makes ready to read what PMU_EVENTS names.  Return: 0, or -1 and @why. */
	int (*open)(struct loop *loop, char *why, size_t size);
};

/** bare_find() - "clock", "group" (of perf) or "msr"; NULL for none */
const struct bare *bare_find(const char *name);

/**
 * bare_needs_counters() - does PMU_EVENTS name what a processor's counters count, of which there
 * are few?
 */
bool bare_needs_counters(void);

/** bare_events() - how many PMU_EVENTS names */
int bare_events(void);

#endif
