/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of waits, and who is in critical sections. */
#include "bindings/preload/openmp/wait.h"

#include "base/hash.h"

const char *const preload_wait_names[] = {
	[PRELOAD_WAIT_BARRIER] = "wait (barrier)",
	[PRELOAD_WAIT_TASKS] = "wait (taskwait)",
	[PRELOAD_WAIT_CRITICAL] = "wait (critical)",
	[PRELOAD_WAIT_LOCK] = "wait (lock)",
};

__thread struct preload_waits preload_waits;
bool preload_tasks_unseen;
__thread bool preload_gomp_inside;

/*
 * Runtimes do not say whether a critical section was free: a region for each would cost more than
 * the section.  Each on a cache line of its own.
 */
#define N_COUNTED 256u
static struct {
	unsigned int n;
} __attribute__((aligned(64))) inside[N_COUNTED];

static unsigned int *count_of(uintptr_t mutex)
{
	return &inside[pmu_hash_number(mutex) % N_COUNTED].n;
}

bool preload_mutex_enter(uintptr_t mutex)
{
	return __atomic_fetch_add(count_of(mutex), 1, __ATOMIC_RELAXED) > 0;
}

void preload_mutex_leave(uintptr_t mutex)
{
	__atomic_fetch_sub(count_of(mutex), 1, __ATOMIC_RELAXED);
}
