/* SPDX-License-Identifier: BSD-3-Clause */
/* Words that a forked child finds at zero: each thread's reentrancy guard, owners. */
#ifndef PMU_SESSION_GUARD_H
#define PMU_SESSION_GUARD_H

#include <stdint.h>

/**
 * pmu_guard_alloc() - a word in memory marked MADV_WIPEONFORK, on a cache line of its own
 *
 * Whatever way a process is copied (fork, _Fork, the bare system call), the copy finds it at 0.
 * It is never given back.
 *
 * Context: the session's lock; no malloc.
 * Return: the word, at 0; NULL without memory.
 */
uint32_t *pmu_guard_alloc(void);

#endif
