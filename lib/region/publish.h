/* SPDX-License-Identifier: BSD-3-Clause */
/* Publishing a row's totals: the only stores that a reader may meet at any moment. */
#ifndef PMU_REGION_PUBLISH_H
#define PMU_REGION_PUBLISH_H

#include "region/tree.h"
#include "store/bank.h"

/** pmu_node_banks() - pmu_banks_begin() of a node's row */
static inline __attribute__((always_inline)) struct pmu_banks pmu_node_banks(
	const struct pmu_node *node)
{
	struct pmu_banks banks = { node->row, node->valid, node->idle };

	bank_fence();
	return banks;
}

/** pmu_node_commit() - and its pmu_banks_commit() */
static inline __attribute__((always_inline)) void pmu_node_commit(struct pmu_node *node,
								  const struct pmu_banks *banks)
{
	node->valid = banks->is;
	node->idle = banks->was;
	pmu_banks_commit(banks);
}

/* When the thread's last region ended: after a crash nothing else tells how long it ran. */
static inline void pmu_note_end(const struct pmu_thread *self, uint64_t ticks)
{
	pmu_store_relaxed(self->last_end, ticks);
}

static inline void pmu_publish_time(struct pmu_node *node, uint64_t ticks)
{
	struct pmu_banks banks = pmu_node_banks(node);

	/* A time-only source may have columns: all of them are missing, and stay 0. */
	pmu_bank_add_time(banks.was, banks.is, ticks);
	pmu_node_commit(node, &banks);
}

/* @n: of its slots, where the caller knows it while it is compiled */
static inline __attribute__((always_inline)) void pmu_publish(struct pmu_node *node, uint64_t ticks,
							      const uint64_t *now, size_t n)
{
	struct pmu_banks banks = pmu_node_banks(node);

	pmu_bank_add_time(banks.was, banks.is, ticks);
	pmu_bank_add_counts(banks.was, banks.is, now, node->start, n);
	pmu_node_commit(node, &banks);
}

/* A call that ended inside another of the same region: it counts, and nothing else grows yet. */
static inline void pmu_publish_inner_call(const struct pmu_thread *self, struct pmu_node *node)
{
	struct pmu_banks banks = pmu_node_banks(node);

	pmu_bank_copy(banks.was, banks.is, self->n_slots);
	pmu_bank_put(&banks.is->calls, banks.was->calls + 1);
	pmu_node_commit(node, &banks);
}

/* How long a call was; only where pmu_thread.histograms is set.  Its one writer is the row's. */
static inline void pmu_note_length(const struct pmu_thread *self, struct pmu_node *node,
				   uint64_t ticks)
{
	struct pmu_store_histogram *histogram = *pmu_node_histogram(self, node);
	/* Stamps without a fence may pass each other by a few ticks. */
	uint32_t bucket = pmu_bucket_of((int64_t)ticks < 0 ? 0 : ticks, PMU_HISTOGRAM_BITS);
	uint64_t *calls;

	if (unlikely(!histogram))
		return;
	calls = &histogram->bucket[bucket < PMU_HISTOGRAM_BUCKETS ? bucket
								  : PMU_HISTOGRAM_BUCKETS - 1];
	__atomic_store_n(calls, *calls + 1, __ATOMIC_RELAXED);
}

static inline void pmu_row_set_open(struct pmu_store_row *row, uint32_t open)
{
	PMU_PUBLISH(row->open, open);
}

#endif
