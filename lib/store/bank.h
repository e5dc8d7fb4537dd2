/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How totals are published: a row's idle bank is filled, though a reader may be in it, and made the
 * valid one by one store (see row.h).
 *
 *	struct pmu_banks banks = pmu_banks_begin(row, bank_at);
 *
 *	pmu_bank_...(banks.was, banks.is, ...);    every total of banks.is
 *	pmu_banks_commit(&banks);
 */
#ifndef PMU_STORE_BANK_H
#define PMU_STORE_BANK_H

#include "base/compiler.h"
#include "store/row.h"

/*
 * The relaxed stores into the idle bank must not become visible before the previous
 * release of seq: a reader that has not seen it yet reads that bank.  The fence orders them, and
 * pairs with the acquire loads in read/rows.c. ThreadSanitizer knows no fences: there every store
 * into a bank is a release.
 */
#if PMU_TSAN
#define bank_store(to, value) __atomic_store_n(to, value, __ATOMIC_RELEASE)
#define bank_fence()          ((void)0)
#else
#define bank_store(to, value) pmu_store_relaxed(to, value)
#define bank_fence()          __atomic_thread_fence(__ATOMIC_RELEASE)
#endif

/** A row's banks between begin and commit, by the row's only writer. */
struct pmu_banks {
	struct pmu_store_row *row;
	struct pmu_store_bank *was; /* the valid one */
	struct pmu_store_bank *is;  /* the idle one */
};

/** pmu_row_bank() - bank 0 or 1 of a row of so many slots */
static inline struct pmu_store_bank *pmu_row_bank(struct pmu_store_row *row, uint32_t n_slots,
						  uint32_t which)
{
	return (struct pmu_store_bank *)((char *)row + pmu_row_bank_offset(n_slots) +
					 (size_t)(which & 1) * pmu_row_bank_size(n_slots));
}

/** pmu_row_valid() - the valid bank, of a row that is another's: to be read, never to be written */
static inline const struct pmu_store_bank *pmu_row_valid(struct pmu_store_row *row,
							 uint32_t n_slots)
{
	return pmu_row_bank(row, n_slots, PMU_PUBLISHED_SUM(row->seq));
}

/**
 * pmu_banks_begin() - from here on the idle bank may be written
 * @n: how often the row's totals were published: its writer counts that
 */
static inline struct pmu_banks pmu_banks_begin(struct pmu_store_row *row, uint32_t n_slots,
					       uint32_t n)
{
	struct pmu_banks banks = { row, pmu_row_bank(row, n_slots, n),
				   pmu_row_bank(row, n_slots, n + 1) };

	bank_fence();
	return banks;
}

/**
 * pmu_banks_commit() - the idle bank is the valid one: a reader that sees this sees all of it
 *
 * In one instruction where the processor's stores have this order anyway.
 */
static inline __attribute__((always_inline)) void pmu_banks_commit(const struct pmu_banks *banks)
{
#if defined(__x86_64__) && !PMU_TSAN
	__asm__ volatile("addl $1, %0"
			 : "+m"(*PMU_PUBLISHED_AT(banks->row->seq))
			 :
			 : "cc", "memory");
#else
	PMU_PUBLISH_NEXT(banks->row->seq, 1);
#endif
}

static inline void pmu_bank_put(uint64_t *to, uint64_t value)
{
	bank_store(to, value);
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

/** pmu_bank_add_counts() - what has been counted from @start to @now, in the first @n slots */
static inline __attribute__((always_inline)) void pmu_bank_add_counts(
	const struct pmu_store_bank *was, struct pmu_store_bank *is, const uint64_t *now,
	const uint64_t *start, size_t n)
{
#pragma GCC unroll 8
	for (size_t i = 0; i < n; i++)
		pmu_bank_put(&is->count[i], was->count[i] + (now[i] - start[i]));
}

/** pmu_bank_take_counts() - less by so much; false: a count was less than that, and nothing is done */
static inline bool pmu_bank_take_counts(const struct pmu_store_bank *was, struct pmu_store_bank *is,
					const uint64_t *count, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (was->count[i] < count[i])
			return false;
	for (size_t i = 0; i < n; i++)
		pmu_bank_put(&is->count[i], was->count[i] - count[i]);
	return true;
}

/** pmu_bank_copy_times() - all but the counts, unchanged; the caller changes what it has to */
static inline void pmu_bank_copy_times(const struct pmu_store_bank *was, struct pmu_store_bank *is)
{
	pmu_bank_put(&is->calls, was->calls);
	pmu_bank_put(&is->ticks, was->ticks);
	pmu_bank_put(&is->min, was->min);
	pmu_bank_put(&is->max, was->max);
	pmu_bank_put_square(&is->square, was->square);
}

/** pmu_bank_copy() - the counts, too */
static inline void pmu_bank_copy(const struct pmu_store_bank *was, struct pmu_store_bank *is,
				 uint32_t n_slots)
{
	pmu_bank_copy_times(was, is);
	for (uint32_t i = 0; i < n_slots; i++)
		pmu_bank_put(&is->count[i], was->count[i]);
}

/** pmu_bank_clear() - from zero */
static inline void pmu_bank_clear(struct pmu_store_bank *is, uint32_t n_slots)
{
	pmu_bank_put(&is->calls, 0);
	pmu_bank_put(&is->ticks, 0);
	pmu_bank_put(&is->min, 0);
	pmu_bank_put(&is->max, 0);
	pmu_bank_put_square(&is->square, 0);
	for (uint32_t i = 0; i < n_slots; i++)
		pmu_bank_put(&is->count[i], 0);
}

/** pmu_side_clear() - empty a record beside a row, which only the caller writes to: a reader sees
 * all of it or nothing */
static inline void pmu_side_clear(enum pmu_side which, struct pmu_store_side *side)
{
	PMU_PUBLISH_NEXT(side->seq, 1);
	for (uint32_t i = 0; i < pmu_side_values(which); i++)
		__atomic_store_n(&pmu_side_value(side)[i], 0, __ATOMIC_RELEASE);
	PMU_PUBLISH_NEXT(side->seq, 1);
}

/*
 * What stands beside the banks: written by the row's thread alone, read by others at any time, each
 * value for itself.
 */
#define PMU_ROW_SET(row, member, value) \
	pmu_store_relaxed(&(row)->member, (__typeof__((row)->member))(value))

#endif
