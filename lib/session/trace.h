/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread's ring of calls: where begin and end find it, and its life. */
#ifndef PMU_SESSION_TRACE_H
#define PMU_SESSION_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "store/table.h"

struct pmu_thread;

/** Where the thread's next record goes: a ring in the store, or the one that measuring is done in. */
struct pmu_trace {
	struct pmu_trace_record *next;
	uintptr_t end;   /* of the places, */
	uintptr_t again; /* behind which it goes on here */
	uint64_t size;   /* of a record */
	uint64_t min;    /* ticks; shorter calls are left out */
	uint64_t serial; /* of the thread's record, in the high half */
	uint64_t n;      /* records so far */
	struct pmu_store_trace *head;
	struct pmu_ring *ring;
	struct pmu_ring *aside; /* a small one of the thread's own */
	uint64_t n_waits;       /* of the records, that are no calls */
};

/**
 * pmu_trace_attach() - a ring for a thread that has its record, where calls are traced
 *
 * Sets pmu_thread.traced; where there is no room for a ring a note says so, once.
 * Context: the session's lock.
 */
void pmu_trace_attach(struct pmu_thread *self);

/**
 * pmu_trace_detach() - its rows are final, or (@merged) in the merged set, where no call is one of them
 *
 * The room that it did not need is the next thread's.
 * Context: the session's lock.
 */
void pmu_trace_detach(struct pmu_thread *self, bool merged);

/**
 * pmu_trace_aside() - the library measures itself: until pmu_thread.trace is what this returns, calls
 * are traced into a ring that no reader sees, in as many instructions
 */
struct pmu_trace pmu_trace_aside(struct pmu_thread *self);

/** pmu_trace_remark() - the session ends: a note in its report, where calls were lost */
void pmu_trace_remark(void);

/**
 * pmu_trace_save() - the session ends: its trace, which is its store, as the file PMU_TRACE names
 *
 * Context: the session's lock; no call is traced any more but those that are just ending.
 * Return: 0 or a negative errno with a sentence.
 */
int pmu_trace_save(void);

#endif
