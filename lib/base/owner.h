/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Our user and a file's owner, as the kernel has them: libc's functions may be preloaded
 * (fakeroot(1)), and what they say would be compared with what the kernel does.
 */
#ifndef PMU_BASE_OWNER_H
#define PMU_BASE_OWNER_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>

/** pmu_owner_self() - the effective user */
uid_t pmu_owner_self(void);

/** pmu_owner_stat() - an open file's status.  Return: 0 or a negative errno. */
int pmu_owner_stat(int fd, struct stat *st);

/** pmu_owner_is_self() - whether what @path leads to is there and the effective user's */
bool pmu_owner_is_self(const char *path);

#endif
