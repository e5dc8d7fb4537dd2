/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of finished threads, added up. */
#ifndef PMU_STORE_MERGE_H
#define PMU_STORE_MERGE_H

#include "base/index.h"
#include "store/table.h"

/** One group's set of merged rows; all zero until the first thread is added. */
struct pmu_merge {
	struct pmu_table_rows rows; /* rows.record is NULL before the first */
	struct pmu_index index;     /* ids of rows by parent and name */
	struct pmu_store_row **row; /* by id - 1 */
	/* likewise: both banks; NULL where no thread's row had one */
	struct pmu_store_side **side[PMU_SIDES];
	struct pmu_row_key *key; /* likewise */
	size_t n_rows_room;
	uint32_t n_merged; /* threads */
};

/**
 * pmu_merge_thread() - add a finished thread's rows to the set, then free them
 * @merge: of the thread's group
 * @number: for the set's own record, should this be its first thread
 * @thread: its rows; its record is in state FINISHED; gone afterwards
 *
 * A reader sees the thread's rows either by themselves or in the set, never twice and never not at
 * all, also when the process dies in between: every row of the set changes banks with one store,
 * which names the thread.
 *
 * Context: the session's lock.
 * Return: 0; -ENOMEM: the thread keeps its rows.
 */
int pmu_merge_thread(struct pmu_table *table, struct pmu_merge *merge, uint32_t number,
		     struct pmu_table_rows *thread);

/** pmu_merge_forget() - free the index; the rows belong to the table. */
void pmu_merge_forget(struct pmu_merge *merge);

#endif
