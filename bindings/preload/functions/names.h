/* SPDX-License-Identifier: BSD-3-Clause */
/* What measured functions are called: each name is kept once, for good. */
#ifndef PMU_PRELOAD_NAMES_H
#define PMU_PRELOAD_NAMES_H

#include <stdbool.h>
#include <stdint.h>

/** One text for all functions of that name: they are one region. */
struct preload_name {
	struct preload_name *next; /* the one before it */
	uint32_t number;           /* from 0 */
	bool is_wanted;
	bool is_left_out; /* by one thread at least: too short */
	/* libpmu compares short names on a multiple of 8 by words */
	char text[] __attribute__((aligned(8)));
};

/** preload_names() - all names so far, the last one first */
const struct preload_name *preload_names(void);

/**
 * preload_name_of() - the name of that text, made if there is none yet; NULL without memory
 * @is_wanted: of one that is made
 *
 * Context: under preload_lock().
 */
struct preload_name *preload_name_of(const char *text, bool is_wanted);

#endif
