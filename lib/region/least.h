/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The least that any of a region's calls counted: its shortest path.
 *
 * The library's own work is taken off call by call: inner once for each begin and end of the
 * region, and outer for each pair nested in it.  So each open call carries what has been nested in
 * it so far, and hands that on at its end to the region around it.  No call is kept of which that
 * is not known: one that a region overlaps, that began before a fork, or that a checkpoint has cut
 * in two.
 *
 * Asked for by PMU_EXACT, in sessions that count something; others have no part in this.
 */
#ifndef PMU_REGION_LEAST_H
#define PMU_REGION_LEAST_H

#include "region/tree.h"

/** A node's open call. */
struct pmu_call {
	struct pmu_store_least *least;
	/*
	 * nested[] of the region around it; of an outermost one the second half of its own, where
	 * it is lost
	 */
	uint64_t *around;
	uint64_t again;    /* begins and ends of the same region in it so far */
	uint64_t spoilt;   /* all bits set: it is not kept */
	uint64_t missing;  /* bit i: slot i is not */
	uint64_t nested[]; /* [n_slots] of the library's own work in nested regions */
};

/** pmu_least_new() - for a new node that has its row and its parent.  Return: 0 or -ENOMEM. */
int pmu_least_new(struct pmu_thread *self, struct pmu_node *node);

/**
 * pmu_least_note() - a call has ended; @now: what its end read: node->start is still what its begin
 * read
 */
void pmu_least_note(struct pmu_thread *self, struct pmu_node *node, const uint64_t *now);

/**
 * pmu_least_missing() - slots that the call's begin or its end could not read; before it is noted
 */
void pmu_least_missing(const struct pmu_thread *self, struct pmu_node *node, uint32_t missing);

/** pmu_least_again() - a begin and an end inside an open call of the same region */
void pmu_least_again(const struct pmu_thread *self, struct pmu_node *node);

/**
 * pmu_least_end() - before its end is noted: was another region only partly in the call, or is the
 * call only partly in another?
 */
void pmu_least_end(const struct pmu_thread *self, struct pmu_node *node);

/** pmu_least_spoil() - what the open call counts is not the region's, or will not be */
void pmu_least_spoil(const struct pmu_thread *self, struct pmu_node *node);

/** pmu_least_drop() - there is no open call any more, and what it was is not known */
void pmu_least_drop(const struct pmu_thread *self, struct pmu_node *node);

#endif
