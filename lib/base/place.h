/* SPDX-License-Identifier: BSD-3-Clause */
/* The folders that stores may lie in, for those who look at all of them. */
#ifndef PMU_STORE_PLACE_DIRS_H
#define PMU_STORE_PLACE_DIRS_H

#include <stddef.h>

#define PMU_PLACE_MAX 256 /* longest path of a folder, with its NUL */
#define PMU_N_PLACES  3

/** pmu_place_path() - the @nth folder, best first.  Return: 0; -ENOENT where the
 * environment names none. */
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
