/* SPDX-License-Identifier: BSD-3-Clause */
/* A group of perf events: opened together, counting together, read by one read(2). */
#ifndef PMU_COUNTERS_PERF_GROUP_H
#define PMU_COUNTERS_PERF_GROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/fd.h"
#include "counters/backend.h"
#include "plan/plan.h"

/** On what a group counts, and how its descriptors are kept. */
struct pmu_perf_where {
	pid_t pid;        /* 0 the calling thread, -1 whatever runs on @cpu */
	bool cgroup;      /* @pid is a descriptor of a cgroup's folder: what of that runs on @cpu */
	int cpu;          /* -1: wherever the thread runs */
	uint64_t config1; /* added to each core slot's own: how arm64 is asked for user
			     access */
	const struct pmu_fd_limit *limit; /* from pmu_fd_begin(), to park by; NULL: leave them */
	/*
	 * with what the threads do that it starts from now on.  Not pinned, for a thread that finds
	 * no counter shows by its times alone; each event is read by itself (perf/process.c)
	 */
	bool inherit;
	/*
	 * no group: each event by itself, counting from when it is opened on.  With inherit, of threads that begin others
	 * meanwhile: the kernel lets a thread and one that has inherited the same events exchange these when it goes from
	 * one to the other, so an event may end with the new thread, which then leads no group, and one that is
	 * enabled later may never be
	 */
	bool apart;
};

/** An open group; all zero is none. */
struct pmu_perf_group {
	uint32_t n;
	pid_t owner; /* the process that opened it; others have copies of its descriptors */
	uint8_t slot[PMU_MAX_SLOTS]; /* of each event, ascending */
	int fd[PMU_MAX_SLOTS];       /* fd[0] leads */
	uint32_t n_shared;           /* of those that the program would have for itself */
	uint64_t id[PMU_MAX_SLOTS];  /* the kernel's number of the event: tells our
					descriptor from another */
};

/** What read(2) gives for PERF_FORMAT_GROUP and both times. */
struct pmu_perf_values {
	uint64_t n;
	uint64_t enabled_ns;
	uint64_t running_ns;
	uint64_t value[PMU_MAX_SLOTS];
};

/** What a read(2) of a group needs; a thread's part that is read this way begins with it.
 */
struct pmu_perf_reader {
	struct pmu_source_thread source;
	uint32_t missing; /* slots that the group does not hold */
	uint32_t all;     /* every slot of the plan */
	uint32_t n;
	int fd;
	uint8_t slot[PMU_MAX_SLOTS];
	uint64_t id; /* of the leader */
};

/**
 * pmu_perf_group_open() - open the plan's slots, all but the absent ones, as one pinned
 * group
 * @group: result, not counting yet; empty after an error
 * @failed: result with an error: the slot that was refused
 *
 * Context: no allocation.
 * Return: 0 or the negative errno of perf_event_open.
 */
int pmu_perf_group_open(struct pmu_perf_group *group, const struct pmu_plan *plan,
			const struct pmu_perf_where *where, unsigned int *failed);

/** pmu_perf_group_enable(), _disable(), _reset() - of all events at once.  Return: 0 or a
 * negative errno. */
int pmu_perf_group_enable(const struct pmu_perf_group *group);
int pmu_perf_group_disable(const struct pmu_perf_group *group);
int pmu_perf_group_reset(const struct pmu_perf_group *group);

/** pmu_perf_group_close() - close what still is ours; the group is empty afterwards. */
void pmu_perf_group_close(struct pmu_perf_group *group);

/**
 * pmu_perf_group_read() - one system call; whether it counted all the time is the caller's to judge
 *
 * A pinned group that lost its counters says so.  Keeps errno, is no cancellation point.
 */
enum pmu_source_lost pmu_perf_group_read(const struct pmu_perf_group *group,
					 struct pmu_perf_values *got);

/**
 * pmu_perf_group_add() - a read(2) for each event of a group that is inherited, added to sum[slot]
 *
 * Return: PMU_SOURCE_TAKEN where one did not count all the time in each of its threads; what is in
 * @sum means nothing then.  Keeps errno, is no cancellation point.
 */
enum pmu_source_lost pmu_perf_group_add(const struct pmu_perf_group *group, uint64_t *sum);

/** pmu_perf_reader_init() - a reader of @group for threads with @plan. */
void pmu_perf_reader_init(struct pmu_perf_reader *reader, const struct pmu_perf_group *group,
			  const struct pmu_plan *plan);

/**
 * pmu_perf_reader_read() - a pmu_read_fn: all counts by one system call
 * @thread: a struct pmu_perf_reader
 * @value: [n_slots]
 *
 * A group that did not count all the time it was enabled has no counts.  Keeps errno, is
 * no cancellation point.
 */
uint32_t pmu_perf_reader_read(void *thread, uint64_t *value);

/** pmu_perf_reader_nothing() - a pmu_read_fn for a thread that has no counters: @missing
 * of its reader. */
uint32_t pmu_perf_reader_nothing(void *thread, uint64_t *value);

/** pmu_perf_lost() - remember that the counts have ended, and why.  Return: every slot.
 */
uint32_t pmu_perf_lost(struct pmu_perf_reader *reader, enum pmu_source_lost why);

#endif
