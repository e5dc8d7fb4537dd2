/* SPDX-License-Identifier: BSD-3-Clause */
/* A ring's calls as slices that lie in each other, in the order of their begins and ends. */
#ifndef PMU_COMMAND_TRACE_NEST_H
#define PMU_COMMAND_TRACE_NEST_H

#include "bindings/command/trace/source.h"

/** A call between its begin and its end. */
struct pmu_slice {
	uint64_t index; /* of its record */
	struct pmu_trace_call call;
	const struct pmu_trace_row *row;
	/*
	 * Ticks at which it begins and ends, as they are shown: where a region stood still for a
	 * while, its record begins too late for what is in it.
	 */
	uint64_t begin, end;
	bool is_leaf; /* nothing is in it */
	bool beside;  /* on a track of its own: it ends after the region that it was begun in */
	/*
	 * It had not ended: there is no record of it.  It had begun when it is shown to begin, or before;
	 * it has no counts, and is no call.
	 */
	bool is_open;
	uint64_t again; /* calls of the same region in it */
	/* ns of its time; from the end on, where they are known (@waits_known) */
	uint64_t blocked_ns, runnable_ns;
	bool waits_known;
	/*
	 * [n_slots] what it counted, without the library's own work; as differences: they may be
	 * negative.  From the end on.
	 */
	uint64_t count[PMU_MAX_SLOTS];
	uint64_t cost[PMU_MAX_SLOTS]; /* of what is nested in it */
};

/** Callbacks of a walk: they return 0 or a negative errno, which ends it. */
struct pmu_nest_listener {
	int (*begin)(void *arg, const struct pmu_slice *slice);
	int (*end)(void *arg, const struct pmu_slice *slice);
	/* a call inside another of the same region has ended: only when is known */
	int (*again)(void *arg, const struct pmu_slice *slice);
	void *arg;
};

/**
 * pmu_nest_walk() - all calls of a ring
 *
 * What is not beside lies in each other: a slice ends before what it is in, and times do not go back.
 * Memory: 4 bytes a call.
 * Return: 0; -ENOMEM; what the listener returned.
 */
int pmu_nest_walk(const struct pmu_trace_source *source, const struct pmu_trace_ring *ring,
		  const struct pmu_nest_listener *listener);

#endif
