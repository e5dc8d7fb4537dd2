/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Children inherit the limit on descriptors as it is at that moment: while one is made the limit
 * does not rise, and while it is raised none is made.  The wrappers of fork and spawn, in libpmu
 * and in libpmu-preload.so, count that in one word, which is in the latter where that is loaded.
 *
 * Not covered: vfork() and clone(), which are not wrapped.
 */
#ifndef PMU_BASE_SPAWNING_H
#define PMU_BASE_SPAWNING_H

#include <sched.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "systemcall.h"

/** How many threads are about to make a child; or minus the thread that has raised the limit. */
extern int pmu_spawning_word __attribute__((weak));

/*
 * In a copy of a process that was made meanwhile there is no such thread, and the limit stays as it
 * is.
 */
static inline bool pmu_spawning_is_there(int tid)
{
	return pmu_system_call4(SYS_tgkill, getpid(), tid, 0, 0) == 0;
}

/**
 * pmu_spawning_wait() - until the limit is as the program has it
 * Context: any; signals wait while it is raised, so no handler waits for its own thread.
 * Return: the word; negative in a copy of the process, or in a child of vfork(): their limit is
 * their own.
 */
static inline int pmu_spawning_wait(const int *word)
{
	int now;

	/* Pairs with the release in pmu_fd_end(). */
	while ((now = __atomic_load_n(word, __ATOMIC_ACQUIRE)) < 0 && pmu_spawning_is_there(-now))
		sched_yield();
	return now;
}

/** pmu_spawning_begin() - before a child is made. */
static inline void pmu_spawning_begin(int *word)
{
	int now;

	do
		now = pmu_spawning_wait(word);
	while (!__atomic_compare_exchange_n(word, &now, now < 0 ? 1 : now + 1, false,
					    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED));
}

/** pmu_spawning_end() - in the parent. */
static inline void pmu_spawning_end(int *word)
{
	__atomic_fetch_sub(word, 1, __ATOMIC_RELEASE);
}

/** pmu_spawning_forget() - in the child: none of its threads is making one. */
static inline void pmu_spawning_forget(int *word)
{
	__atomic_store_n(word, 0, __ATOMIC_RELAXED);
}

#endif
