/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory for the arguments and the environment of a program that is about to be started. */
#ifndef PMU_BASE_EXECROOM_H
#define PMU_BASE_EXECROOM_H

#include <stdbool.h>
#include <stddef.h>

/**
 * pmu_execroom_take() - memory until the exec, or until it has failed
 * @size: bytes; as many as the program has variables and words, which its stack may have no room for
 * @alone: the caller is no child of vfork(); asked where the kernel may forbid system calls: none but
 *	mmap() is made, and that one where nothing of the size is free
 *
 * A child of vfork() shares its parent's memory, and never comes back from an exec that works: the
 * kernel gives the room back for it, as it does with robust mutexes.
 *
 * Context: any: also in signal handlers and children of vfork().
 * Return: NULL without memory; errno is left alone.
 */
void *pmu_execroom_take(size_t size, bool alone);

/** pmu_execroom_give() - the exec has failed, or the child is made.  @memory: may be NULL. */
void pmu_execroom_give(void *memory);

#endif
