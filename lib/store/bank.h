/* SPDX-License-Identifier: BSD-3-Clause */
/* Filling a row's idle bank, which a reader may be in at any moment; see row.h. */
#ifndef PMU_STORE_BANK_H
#define PMU_STORE_BANK_H

#include "base/compiler.h"
#include "store/row.h"

/*
 * The relaxed stores into the idle bank must not become visible before the previous
 * release of seq, whose reader may be in that bank: the fence orders them.  Pairs with
 * the acquire loads in snapshot.c. ThreadSanitizer knows no fences: there every store
 * into a bank is a release.
 */
#if PMU_TSAN
#define BANK_STORE   __ATOMIC_RELEASE
#define bank_fence() ((void)0)
#else
#define BANK_STORE   __ATOMIC_RELAXED
#define bank_fence() __atomic_thread_fence(__ATOMIC_RELEASE)
#endif

static inline void pmu_bank_put(uint64_t *to, uint64_t value)
{
	__atomic_store_n(to, value, BANK_STORE);
}

static inline void pmu_bank_put_square(double *to, double value)
{
	union {
		double d;
		uint64_t u;
	} bits = { .d = value };

	pmu_bank_put((uint64_t *)(void *)to, bits.u);
}

static inline void pmu_bank_add_time(const struct pmu_store_bank *was, struct pmu_store_bank *is,
				     uint64_t ticks)
{
	double t;

	/* Stamps without a fence may pass each other by a few ticks. */
	if (unlikely((int64_t)ticks < 0))
		ticks = 0;
	t = (double)(int64_t)ticks;
	pmu_bank_put(&is->calls, was->calls + 1);
	pmu_bank_put(&is->ticks, was->ticks + ticks);
	/* One more than it was; 0, none yet, becomes the largest number here. */
	pmu_bank_put(&is->min, was->min - 1 < ticks ? was->min : ticks + 1);
	pmu_bank_put(&is->max, was->max > ticks ? was->max : ticks);
	pmu_bank_put_square(&is->square, was->square + t * t);
}

/** pmu_bank_keep_times() - all but the calls as it was */
static inline void pmu_bank_keep_times(const struct pmu_store_bank *was, struct pmu_store_bank *is)
{
	pmu_bank_put(&is->ticks, was->ticks);
	pmu_bank_put(&is->min, was->min);
	pmu_bank_put(&is->max, was->max);
	pmu_bank_put_square(&is->square, was->square);
}

/*
 * What stands beside the banks: written by the row's thread alone, read by others at any time, each
 * value for itself.
 */
#define PMU_ROW_SET(row, member, value) \
	__atomic_store_n(&(row)->member, (__typeof__((row)->member))(value), __ATOMIC_RELAXED)

#endif
