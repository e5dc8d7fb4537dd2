/* SPDX-License-Identifier: BSD-3-Clause */
/* One row of the table that is being written, as a snapshot of all of them would have it. */
#ifndef PMU_STORE_READ_ONE_H
#define PMU_STORE_READ_ONE_H

#include <stdint.h>

#include "pmu.h"
#include "store/table.h"

/**
 * pmu_store_read_one() - what a region on one path of one thread has done so far
 * @group: the group that counted the rows
 * @n_slots: of that group; @absent: those of them that are not counted
 * @number: of the thread; that of the set of merged threads is one
 * @path: names from the outermost region, as pmu_region_read() takes them; the first of them may be
 *        regions of other threads for which this one worked, the last one is its own
 * @counts: result, but for its size
 *
 * Takes as long as the path is deep, and on as many rows as are nested in that one: their calls are
 * what the library's own part in its counts goes by.  Rows that are new since the last call for
 * that thread are looked at once.
 *
 * Context: the session's lock; threads may be writing to their rows.
 * Return: 0; -ESRCH no such thread; -ENOENT it has not entered that; -ENOMEM.
 */
int pmu_store_read_one(struct pmu_table *table, uint32_t group, uint32_t n_slots, uint32_t absent,
		       uint32_t number, const char *path, struct pmu_region_counts *counts);

#endif
