/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of traces on their way into a page: gathered, and the longest of them kept. */
#ifndef PMU_COMMAND_PAGE_CALLS_H
#define PMU_COMMAND_PAGE_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "store/row.h"

/** Flags of a kind, as timeline.c has them; above them is how deep a call is nested. */
enum pmu_page_kind {
	PMU_PAGE_PART = 1,
	PMU_PAGE_OPEN = 2,
	PMU_PAGE_BESIDE = 4,
	PMU_PAGE_AGAIN = 8,
	PMU_PAGE_COUNTS = 16,
	PMU_PAGE_FLAGS = 32,
};

struct pmu_page_call {
	uint64_t begin, length; /* ns */
	uint64_t again;         /* calls of the same region in it */
	uint32_t lane, row;     /* the row is the lane's */
	uint32_t kind;
	uint32_t counts_len; /* bytes of calls.counts */
	size_t counts_at;
};

/** A thread. */
struct pmu_page_lane {
	uint32_t process, number;
	int64_t tid;
	char name[sizeof(((struct pmu_store_thread *)NULL)->name) + 1];
	uint64_t lost, left_out;
	uint32_t n_rows;
	struct pmu_strbuf rows; /* as they stand in the page */
};

struct pmu_page_calls {
	struct pmu_page_call *call; /* a lane's are neighbours */
	size_t n, room;
	struct pmu_strbuf counts;
	struct pmu_page_lane *lane;
	size_t n_lanes, room_lanes;
	struct pmu_strbuf *process; /* its JSON, up to the threads */
	size_t n_processes, room_processes;
	unsigned int untraced;
	/* while a process is told */
	uint32_t depth;
	uint32_t *place,
		*lane_of; /* [n_rows] where a row is in its lane, and which that was, from 1 on */
	uint64_t bound;   /* ns: what is shorter has no chance */
	/* how many are not here, and how long the longest of them was; the same for counts */
	uint64_t not_shown, not_shown_ns;
	uint64_t without_counts, without_counts_ns;
};

/**
 * pmu_page_calls_gather() - those of stores
 * @calls: all zero; for pmu_page_calls_free() also after an error
 * @store: [@n] their files
 *
 * Return: 0; a negative errno with a sentence: -ENODATA where none of them has a trace.
 */
int pmu_page_calls_gather(struct pmu_page_calls *calls, const char *const *store, size_t n);
void pmu_page_calls_free(struct pmu_page_calls *calls);

/** pmu_page_leave_out() - count a call that something is left out of */
void pmu_page_leave_out(const struct pmu_page_call *call, uint64_t *n, uint64_t *longest_ns);

/** pmu_page_keep_longest() - PMU_PAGE_SLICES of them; of those that are as long as each other the first */
void pmu_page_keep_longest(struct pmu_page_calls *calls);

/** pmu_page_limit_counts() - to what a page has room for: those of the longest calls */
void pmu_page_limit_counts(struct pmu_page_calls *calls);

#endif
