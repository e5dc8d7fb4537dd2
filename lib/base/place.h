/* SPDX-License-Identifier: BSD-3-Clause */
/* The folders where this user's files outlive a process: stores, journals of registers. */
#ifndef PMU_BASE_PLACE_H
#define PMU_BASE_PLACE_H

#include <stddef.h>

#define PMU_PLACE_MAX 256 /* longest path of a folder, with its NUL */
#define PMU_N_PLACES  3

/** pmu_place_path() - the @nth folder, best first.  Return: 0; -ENOENT where the
 * environment names none, or names another user's folder for us. */
int pmu_place_path(size_t nth, char path[PMU_PLACE_MAX]);

/**
 * pmu_place_open() - a folder, if it is ours alone
 * @create: make it (0700) where it is missing
 * @why: result: why not, a few words
 *
 * Context: no allocation.
 * Return: a descriptor of the folder, or a negative errno.
 */
int pmu_place_open(const char *path, int create, const char **why);

#endif
