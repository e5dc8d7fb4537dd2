/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where threads of a parallel region wait for each other: a region in the thread's share, the same
 * for every runtime.  lib/report/model/team.c knows such regions by what their names start with.
 */
#ifndef PMU_PRELOAD_WAIT_H
#define PMU_PRELOAD_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "bindings/preload/inside.h"

/** What for.  At the first two, threads run tasks meanwhile. */
enum preload_wait {
	PRELOAD_NO_WAIT,
	PRELOAD_WAIT_BARRIER,
	PRELOAD_WAIT_TASKS,
	PRELOAD_WAIT_CRITICAL,
	PRELOAD_WAIT_LOCK,
};

extern const char *const preload_wait_names[];

/** The calling thread's. */
struct preload_waits {
	unsigned int shares; /* of parallel regions that it has open */
	enum preload_wait now;
	uint64_t paused; /* by tasks, 2 bits each, the last one lowest; of more than 32 the last */
};
extern __thread struct preload_waits preload_waits;

/** preload_tasks_unseen - tasks run without our knowledge: what looks like a wait may be work. */
extern bool preload_tasks_unseen;

/** preload_share_begins(), preload_share_ends() - a region of ours, on this thread */
static inline void preload_share_begins(void)
{
	preload_waits.shares++;
}

static inline void preload_share_ends(void)
{
	preload_waits.shares -= preload_waits.shares > 0;
}

/**
 * preload_wait_begin(), preload_wait_end() - the thread waits; nothing where it is in no share, or
 * in a wait already: LLVM's runtime tells of one that libgomp's function of it was called for.
 */
static inline void preload_wait_begin(enum preload_wait wait)
{
	if (!preload_waits.shares || preload_waits.now)
		return;
	if (unlikely(wait <= PRELOAD_WAIT_TASKS) &&
	    unlikely(__atomic_load_n(&preload_tasks_unseen, __ATOMIC_RELAXED)))
		return;
	preload_waits.now = wait;
	pmu_region_begin(preload_wait_names[wait]);
}

static inline void preload_wait_end(void)
{
	enum preload_wait wait = preload_waits.now;

	if (!wait)
		return;
	preload_waits.now = PRELOAD_NO_WAIT;
	pmu_region_end(preload_wait_names[wait]);
}

/** preload_wait_pause() - a task begins, which is no wait; preload_wait_resume() when it has ended */
static inline void preload_wait_pause(void)
{
	preload_waits.paused = preload_waits.paused << 2 | (preload_waits.now & 3u);
	preload_wait_end();
}

static inline void preload_wait_resume(void)
{
	enum preload_wait wait = preload_waits.paused & 3u;

	preload_waits.paused >>= 2;
	preload_wait_end();
	if (wait)
		preload_wait_begin(wait);
}

/**
 * preload_mutex_enter() - a thread comes to a critical section
 * @mutex: its address, or another number
 *
 * Return: there is another thread in it already, or before it.  (Or in another one: some of them
 * are counted together.)
 */
bool preload_mutex_enter(uintptr_t mutex);

/** preload_mutex_leave() - it is through */
void preload_mutex_leave(uintptr_t mutex);

/**
 * preload_gomp_inside - the calling thread is in a function of libgomp's critical sections that is
 * seen to: LLVM's runtime also tells of these.
 */
extern __thread bool preload_gomp_inside;

#endif
