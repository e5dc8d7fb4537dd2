/* SPDX-License-Identifier: BSD-3-Clause */
/* Which stores there are, and what becomes of those left over. */
#ifndef PMU_STORE_READ_LIST_H
#define PMU_STORE_READ_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/process.h"
#include "store/row.h"

/**
 * Left-over stores are kept so many days after they were found, and the newest that have so many
 * MiB together.
 */
#define PMU_STORE_DAYS_VARIABLE "PMU_KEEP_DAYS"
#define PMU_STORE_MIB_VARIABLE  "PMU_KEEP_MIB"
#define PMU_STORE_DAYS          30
#define PMU_STORE_MIB           256

/**
 * pmu_store_head_of_name() - which process made a store, where it was killed before it had written
 * the head
 * @name: of the file, without its folder
 * @head: result: pid and start time, for pmu_store_liveness()
 *
 * Return: whether it is a store's name.
 */
bool pmu_store_head_of_name(const char *name, struct pmu_store_head *head);

/**
 * pmu_store_prune() - remove the dead stores that are to be kept no longer, in each folder
 *
 * The first look at a dead one that has not been written to for so long notes when that was; its
 * days count from there: a program may have run for longer than that.
 *
 * Return: how many.
 */
int pmu_store_prune(void);

/** pmu_store_prune_folder() - likewise in one */
int pmu_store_prune_folder(const char *folder);

/**
 * pmu_store_prune_beside() - likewise in the folder of a new store, if any seems to be one that goes
 * @path: of the store
 *
 * For the start of a session, which has to cost the same whatever lies there: a few files, drawn
 * from all, say how old they are and how much they take.
 */
int pmu_store_prune_beside(const char *path);

/** One file in the folder. */
struct pmu_store_entry {
	char path[512];
	char program[64];
	int32_t pid;
	struct pmu_process process;
	enum pmu_liveness liveness;
	int ended; /* its session has ended, or its process has gone on as another program */
	uint64_t start_unix_ns;
	uint64_t size; /* bytes that it takes */
	uint64_t changed_unix_ns;
	bool found; /* to be dead, then; see pmu_store_prune() */
};

/**
 * pmu_store_list() - the stores of this user, newest first
 * @entries: result, for free(); NULL when there are none
 * Return: how many, or a negative errno.
 */
int pmu_store_list(struct pmu_store_entry **entries);

/**
 * pmu_store_list_folder() - those of one folder, in any order; none where it does not exist, or is not ours alone
 *
 * Of one that cannot be opened now only what its name says is known.
 * Return: how many, or a negative errno with a sentence.
 */
int pmu_store_list_folder(const char *folder, struct pmu_store_entry **entries);

/** pmu_store_list_process() - likewise those of one process alone, by their names */
int pmu_store_list_process(const char *folder, int32_t pid, struct pmu_store_entry **entries);

#endif
