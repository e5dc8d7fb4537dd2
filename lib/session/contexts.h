/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Contexts: what one thread hands another one so that its work counts for a region of the first.
 *
 * A context is a word: a place in a table, and the number of the call that it was made in.  It is
 * valid until that call ends; a thread that enters it finds that out by one comparison.
 */
#ifndef PMU_SESSION_CONTEXTS_H
#define PMU_SESSION_CONTEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct pmu_node;
struct pmu_thread;

/** The place of a node that a context was asked of, or a free one. */
struct pmu_context_place {
	/*
	 * The context of the call that is open, 0: none, or none has been asked for; release.
	 * Pairs with the acquire of a thread that enters it.
	 */
	uint64_t live;
	uint64_t binding; /* number of what it stands for now; never the same again */
	uint64_t n_calls; /* that it has had a context for */
	uint32_t group;   /* that its thread counts while it is open; relaxed */
	struct pmu_thread *thread;
	struct pmu_node *node;
	struct pmu_context_place *next; /* of the same thread's, or of the free ones */
} __attribute__((aligned(64)));

#define PMU_CONTEXT_BITS   14u
#define PMU_CONTEXT_PLACES (1u << PMU_CONTEXT_BITS)

/** Of no region, and always open: for a thread that measures what entering one takes. */
#define PMU_CONTEXT_TRIAL   (1ull << PMU_CONTEXT_BITS | 1)
#define PMU_CONTEXT_BINDING (UINT64_MAX - 1)
/** No place has it. */
#define PMU_CONTEXT_UNBOUND UINT64_MAX

/** [0] is no node's and no context's; [1] is PMU_CONTEXT_TRIAL's. */
#define PMU_CONTEXT_FIRST 2u

/**
 * The table, and which bits of a context are a place in it: of the two places that no region has, until
 * a region needs one.  The larger table is published before its mask (release), and stays.
 */
extern struct pmu_context_place *pmu_context_places __attribute__((visibility("hidden")));
extern uint64_t pmu_context_mask __attribute__((visibility("hidden")));

/** pmu_context_place() - where a context is, whatever word it is */
static inline struct pmu_context_place *pmu_context_place(uint64_t context)
{
	uint64_t mask = __atomic_load_n(&pmu_context_mask, __ATOMIC_ACQUIRE);

	return pmu_load_relaxed(&pmu_context_places) + (context & mask);
}

/**
 * pmu_context_bind() - a place for one of the thread's nodes
 * Context: takes the session's lock.  Return: its index, 0: there is none left, or no memory.
 */
uint32_t pmu_context_bind(struct pmu_thread *self, struct pmu_node *node);

/** pmu_context_open() - the context of its open call, for the node's thread */
uint64_t pmu_context_open(uint32_t index);

/** pmu_context_close() - that call ends, for the node's thread */
static inline void pmu_context_close(uint32_t index)
{
	__atomic_store_n(&pmu_context_place(index)->live, 0, __ATOMIC_RELEASE);
}

/**
 * pmu_contexts_detach() - a thread's places are free
 * pmu_contexts_forget() - all are: in a forked child, where they are the parent's
 * Context: the session's lock.
 */
void pmu_contexts_detach(struct pmu_thread *self);
void pmu_contexts_forget(void);

#endif
