/* SPDX-License-Identifier: BSD-3-Clause */
/* Callgrind's counters, as they come back through valgrind's log. */
#ifndef PMU_COUNTERS_VALGRIND_LOG_H
#define PMU_COUNTERS_VALGRIND_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/valgrind/events.h"

/** What stands where in callgrind's lines. */
struct pmu_callgrind_columns {
	unsigned int n;
	int8_t event[32]; /* enum pmu_callgrind_event, or -1 for one that is none of these */
	uint32_t known;   /* bit e: event e is there */
};

/** What callgrind says of a thread. */
struct pmu_callgrind_answer {
	int thread; /* its number of the calling one; wanted in pmu_callgrind_ask() */
	/* how often its counters have been written to a file, and set to zero by that */
	uint64_t part;
	uint64_t count[PMU_CALLGRIND_EVENTS];
};

/**
 * pmu_callgrind_log_open() - find the log, and what callgrind counts
 * @columns: result
 * @why, @size: result: a sentence where that fails
 *
 * Once opened it stays so: a forked child's counters come back through the same file.
 *
 * Context: the session's lock; under callgrind.
 * Return: 0 or a negative errno.
 */
int pmu_callgrind_log_open(struct pmu_callgrind_columns *columns, char *why, size_t size);

/** Why callgrind gave no answer. */
enum pmu_callgrind_lost {
	PMU_CALLGRIND_ANSWERS = 0,
	/* now: a handler in the midst of a question, instrumentation switched off */
	PMU_CALLGRIND_SILENT,
	PMU_CALLGRIND_CLOSED, /* the descriptor is not ours any more */
};

/**
 * pmu_callgrind_ask() - the counters of a thread
 * @answer: thread: callgrind's number of the calling thread, or 0, which is replaced by it
 * @tid: the calling thread's, as gettid(2) has it
 *
 * The thread's collection is off, so that the answer is of the moment when that was done.  No lock
 * of a program's, no allocation.
 */
enum pmu_callgrind_lost pmu_callgrind_ask(const struct pmu_callgrind_columns *columns, int tid,
					  struct pmu_callgrind_answer *answer);

#endif
