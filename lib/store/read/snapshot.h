/* SPDX-License-Identifier: BSD-3-Clause */
/* The checked reader: a live or left-over store becomes a report model. */
#ifndef PMU_STORE_SNAPSHOT_H
#define PMU_STORE_SNAPSHOT_H

#include <stdint.h>

#include "report/model/model.h"
#include "store/row.h"
#include "store/view.h"

/** Limits that no honest store reaches; beyond them it is refused. */
#define PMU_STORE_MAX_SIZE    (256ull << 30)
#define PMU_STORE_MAX_THREADS 1000000u
#define PMU_STORE_MAX_GROUPS  64u

/**
 * pmu_store_check_head() - is this the head of a store that we can read?
 * @head: copied, at least PMU_STORE_HEAD_SIZE bytes behind it are not needed
 * @size: bytes in the file
 *
 * Return: 0; -EINVAL not a store; -ENOTSUP a newer version or another byte order; -EUCLEAN damaged;
 * each with a sentence.
 */
int pmu_store_check_head(const struct pmu_store_head *head, uint64_t size);

/**
 * pmu_store_snapshot() - everything a store says, as a finished model (pmu_model_finish() included)
 * @view: may be written to while it is read: a row is read by its banks (see row.h), never skipped
 *        and never torn
 * @last: second clock point for the clock's rate; NULL: the one in the store
 * @model: result, for pmu_model_free()
 *
 * Trusts nothing: every offset, size, count and id is checked; damage costs what it hit and a note
 * that says so, the rest is reported.  Times are converted to ns; counts: net = raw - calls * inner
 * - (nested calls) * outer, never below zero without a doubt.
 *
 * Return: 0; -ENOMEM; -EUCLEAN where nothing can be trusted.
 */
int pmu_store_snapshot(const struct pmu_store_view *view, const struct pmu_clock_point *last,
		       struct pmu_model **model);

/**
 * pmu_store_snapshot_file() - the same for a file
 * @path: a regular file; followed no further than its own name
 *
 * The model's @died says that the program did not end cleanly (pid, which regions were open); for a
 * process that is still running the report is of now. Where the store was made since the last boot
 * of this machine the clock's second point is taken now. The store of another user's running
 * process is copied first, and a note says so where it changed meanwhile.
 *
 * Context: one thread at a time; SIGBUS is handled meanwhile.
 * Return: as above, or the errno of the file: -EIO where it became shorter while it was read.
 */
int pmu_store_snapshot_file(const char *path, struct pmu_model **model);

/** pmu_store_snapshot_open() - the same for a file that is open; @path: for sentences */
int pmu_store_snapshot_open(int fd, const char *path, struct pmu_model **model);

/** What pmu_store_look() has in memory. */
enum pmu_store_is {
	PMU_STORE_LIVE = 1, /* its process may be writing to it */
	PMU_STORE_FILE = 2, /* the file itself: pages that are let go of come back */
};

/**
 * pmu_store_look() - have a store's file in memory
 * @path: as above
 * @look: called once, unless there is an error before; the view is gone when it has returned.  @is:
 *        enum pmu_store_is
 *
 * Context: as above.
 * Return: what @look returned; the errno of the file, as above, with a sentence.
 */
int pmu_store_look(const char *path,
		   int (*look)(const struct pmu_store_view *view, unsigned int is, void *arg),
		   void *arg);

#endif
