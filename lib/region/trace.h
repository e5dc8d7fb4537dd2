/* SPDX-License-Identifier: BSD-3-Clause */
/* A call's record in its thread's ring, written as the call ends. */
#ifndef PMU_REGION_TRACE_H
#define PMU_REGION_TRACE_H

#include "region/tree.h"
#include "store/bank.h"

/*
 * Written into the next place, whatever it is; counted, and the place taken, where the call is long
 * enough.  No branch: it is as many instructions each time, which are taken off the regions around as
 * the rest of a pair is.
 *
 * The stores into the place must not become visible before the release of the ring's count that
 * made another record's place of it, and are before the next one.  Pairs with the loads in
 * bindings/command/trace/source.c.
 */
static inline __attribute__((always_inline)) void pmu_trace_put(struct pmu_thread *self,
								uint32_t row, uint64_t begin,
								uint64_t end, const uint64_t *now,
								const uint64_t *start, size_t n)
{
	struct pmu_trace *trace = &self->trace;
	struct pmu_trace_record *record = trace->next;
	uint64_t taken = end - begin >= trace->min;
	uintptr_t next = (uintptr_t)record + trace->size * taken;

	bank_fence();
	bank_store(&record->begin, begin);
	bank_store(&record->end, end);
	bank_store(&record->who, trace->serial | row);
#pragma GCC unroll 8
	for (size_t i = 0; i < n; i++)
		bank_store(&record->count[i], now[i] - start[i]);
	next ^= (next ^ trace->again) & -(uintptr_t)(next == trace->end);
	trace->next = (struct pmu_trace_record *)next;
	trace->n += taken;
	PMU_PUBLISH_LAST(trace->head->n, trace->n);
}

/** pmu_trace_call() - one that has ended, of which nothing was taken before */
static inline __attribute__((always_inline)) void pmu_trace_call(struct pmu_thread *self,
								 const struct pmu_node *node,
								 uint64_t ticks,
								 const uint64_t *now, size_t n)
{
	pmu_trace_put(self, node->id, node->start_ticks, ticks, now, node->start, n);
}

/** pmu_trace_again() - a call inside another of the same region ends: its time and counts are those of that */
static inline void pmu_trace_again(struct pmu_thread *self, const struct pmu_node *node)
{
	uint64_t at = pmu_thread_ticks(self), least = self->trace.min;

	/* whatever is left out, it counts as a call */
	self->trace.min = 0;
	pmu_trace_put(self, node->id | PMU_TRACE_AGAIN, at, at, node->start, node->start,
		      self->n_slots);
	self->trace.min = least;
}

/** pmu_trace_wait() - what the thread has waited, found out now, in the row's region; not on the hot path */
static inline void pmu_trace_wait(struct pmu_thread *self, uint32_t row, enum pmu_trace_flags which,
				  uint64_t ns)
{
	uint64_t least = self->trace.min;

	if (!ns)
		return;
	self->trace.min = 0;
	PMU_PUBLISH(self->trace.head->n_waits, ++self->trace.n_waits);
	pmu_trace_put(self, row | which, pmu_thread_ticks(self), ns, NULL, NULL, 0);
	self->trace.min = least;
}

#endif
