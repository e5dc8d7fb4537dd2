/* SPDX-License-Identifier: BSD-3-Clause */
/* Publishing a row's totals: the only stores that a reader may meet at any moment. */
#ifndef PMU_REGION_PUBLISH_H
#define PMU_REGION_PUBLISH_H

#include "region/tree.h"
#include "store/bank.h"

/* The valid bank and the idle one of a row of the calling thread, which is its only writer. */
static inline uint32_t pmu_row_banks(const struct pmu_thread *self, struct pmu_store_row *row,
				     const struct pmu_store_bank **valid,
				     struct pmu_store_bank **idle)
{
	uint32_t seq = row->seq;
	char *first = (char *)row + self->bank_offset;
	/* The size where the low bit is set, else 0: cheaper than two products. */
	size_t second = self->bank_size & -(size_t)(seq & 1);

	*valid = (const void *)(first + second);
	*idle = (void *)(first + (self->bank_size ^ second));
	bank_fence();
	return seq;
}

/* When the thread's last region ended: after a crash nothing else tells how long it ran. */
static inline void pmu_note_end(const struct pmu_thread *self, uint64_t ticks)
{
	__atomic_store_n(self->last_end, ticks, __ATOMIC_RELAXED);
}

static inline void pmu_publish_time(const struct pmu_thread *self, struct pmu_store_row *row,
				    uint64_t ticks)
{
	const struct pmu_store_bank *was;
	struct pmu_store_bank *is;
	uint32_t seq = pmu_row_banks(self, row, &was, &is);

	pmu_bank_add_time(was, is, ticks);
	/* A time-only source may have columns: all of them are missing, and stay 0. */
	__atomic_store_n(&row->seq, seq + 1, __ATOMIC_RELEASE);
}

static inline void pmu_publish(const struct pmu_thread *self, struct pmu_node *node, uint64_t ticks,
			       const uint64_t *now)
{
	const struct pmu_store_bank *was;
	struct pmu_store_bank *is;
	uint32_t seq = pmu_row_banks(self, node->row, &was, &is);

	pmu_bank_add_time(was, is, ticks);
	for (uint32_t i = 0; i < self->n_slots; i++)
		pmu_bank_put(&is->count[i], was->count[i] + (now[i] - node->start[i]));
	__atomic_store_n(&node->row->seq, seq + 1, __ATOMIC_RELEASE);
}

/* A call that ended inside another of the same region: it counts, and nothing else grows yet. */
static inline void pmu_publish_inner_call(const struct pmu_thread *self, struct pmu_node *node)
{
	const struct pmu_store_bank *was;
	struct pmu_store_bank *is;
	uint32_t seq = pmu_row_banks(self, node->row, &was, &is);

	pmu_bank_put(&is->calls, was->calls + 1);
	pmu_bank_keep_times(was, is);
	for (uint32_t i = 0; i < self->n_slots; i++)
		pmu_bank_put(&is->count[i], was->count[i]);
	__atomic_store_n(&node->row->seq, seq + 1, __ATOMIC_RELEASE);
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
	PMU_ROW_SET(row, open, open);
}

#endif
