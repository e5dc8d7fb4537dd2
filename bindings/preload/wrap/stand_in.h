/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that are called in place of others once they are asked for, and not exported. */
#ifndef PMU_PRELOAD_WRAP_STAND_IN_H
#define PMU_PRELOAD_WRAP_STAND_IN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bindings/preload/symbols/plt.h"

struct wrap_stand_in {
	const char *name;
	uintptr_t function; /* that all but ours would call; 0: there is none */
	uintptr_t ours;
};

/**
 * wrap_stand_in() - lead calls to these, of objects that are loaded and that will be
 * @table: of @n, kept; none of them is more than a function of that name and of libc's version
 *
 * Context: once, before preload_wrap_start().
 */
void wrap_stand_in(const struct wrap_stand_in *table, size_t n);

/** wrap_has_stand_ins() - is there one at all? */
bool wrap_has_stand_ins(void);

/** wrap_stand_in_find() - the one for a function's name, or NULL */
const struct wrap_stand_in *wrap_stand_in_find(const char *name);

/**
 * wrap_stands_in() - may they be called by an object?
 *
 * An allocator that waits for its own locks is left alone: the names of regions are allocated.  So
 * are runtimes of OpenMP, whose threads wait between the regions that there is work in.
 */
bool wrap_stands_in(const struct plt_object *object);

/** wrap_is_allocator() - has the object a malloc() of its own? */
bool wrap_is_allocator(const struct plt_object *object);

#endif
