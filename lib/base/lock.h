/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A lock for what is done once in a while: a child that was forked while it was held finds it free.
 */
#ifndef PMU_BASE_LOCK_H
#define PMU_BASE_LOCK_H

#include <sched.h>
#include <stdbool.h>
#include <unistd.h>

/** The process that holds it; 0: none. */
struct pmu_lock {
	int owner;
};

/** pmu_lock_take() - waits by sched_yield(2); not for signal handlers */
static inline void pmu_lock_take(struct pmu_lock *lock)
{
	int self = (int)getpid(), owner = 0;

	/* acquire: pairs with the release in pmu_lock_give() */
	while (!__atomic_compare_exchange_n(&lock->owner, &owner, self, false, __ATOMIC_ACQUIRE,
					    __ATOMIC_RELAXED)) {
		/* else the parent's: the thread that held it is not in this process */
		if (owner == self) {
			sched_yield();
			owner = 0;
		}
	}
}

static inline void pmu_lock_give(struct pmu_lock *lock)
{
	__atomic_store_n(&lock->owner, 0, __ATOMIC_RELEASE);
}

#endif
