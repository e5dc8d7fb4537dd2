/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A value that is found out once a process and kept.  No thread waits: one that comes while another
 * stores it, or in the child of a process in which one did, finds it out for itself.
 */
#ifndef PMU_BASE_ONCE_H
#define PMU_BASE_ONCE_H

#include <stdbool.h>

/** Beside the value it is about.  All zero: nothing is kept. */
struct pmu_once {
	int state; /* 0, 1 while one thread stores the value, 2 from then on */
};

/**
 * pmu_once_is_kept() - may the kept value be read?  From then on it never changes.
 *
 * Acquire: pairs with the release in pmu_once_keep().
 */
static inline bool pmu_once_is_kept(const struct pmu_once *once)
{
	return __atomic_load_n(&once->state, __ATOMIC_ACQUIRE) == 2;
}

/**
 * pmu_once_take() - may the caller store the value that it has found out?
 *
 * True for one caller, which calls pmu_once_keep() next.  Relaxed: it reads nothing of another
 * thread's.
 */
static inline bool pmu_once_take(struct pmu_once *once)
{
	int was = 0;

	return __atomic_compare_exchange_n(&once->state, &was, 1, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED);
}

/**
 * pmu_once_keep() - the value is stored
 *
 * Release: pairs with the acquire in pmu_once_is_kept().
 */
static inline void pmu_once_keep(struct pmu_once *once)
{
	__atomic_store_n(&once->state, 2, __ATOMIC_RELEASE);
}

#endif
