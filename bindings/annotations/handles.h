/* SPDX-License-Identifier: BSD-3-Clause */
/* What another library's handles stand for: a name each. */
#ifndef PMU_ANNOTATIONS_HANDLES_H
#define PMU_ANNOTATIONS_HANDLES_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

/** Most handles of a table: a power of two. */
#define ANNOTATION_HANDLES 65536

struct annotation_handle;

/** All zero at first. */
struct annotation_handles {
	struct annotation_handle *entry; /* ANNOTATION_HANDLES of them, made for the first one */
	unsigned int n;
};

/**
 * annotation_handle_name() - the name that a handle was given; NULL: none
 * Context: any thread; takes no lock.
 */
const char *annotation_handle_name(const struct annotation_handles *handles, uint64_t handle);

/**
 * annotation_handle_set() - from now on it has this name
 * @name: stays; a handle that is used again gets another one
 * Context: takes a lock, allocates.
 */
void annotation_handle_set(struct annotation_handles *handles, uint64_t handle, const char *name);

#pragma GCC visibility pop

#endif
