/* SPDX-License-Identifier: BSD-3-Clause */
/* Where stores lie, whose they are, and what becomes of those left over. */
#ifndef PMU_STORE_PLACE_H
#define PMU_STORE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/row.h"

/** Left-over stores kept per user and folder; older ones are removed. */
#define PMU_STORE_KEEP 32

/** Names a folder in which stores stay after their program's end. */
#define PMU_STORE_VARIABLE "PMU_STORE"

/** pmu_store_kept() - the folder that PMU_STORE names; NULL: none, or no absolute path. */
const char *pmu_store_kept(void);

/** pmu_store_keep() - a session starts.  Return: whether its store is kept. */
bool pmu_store_keep(void);

/**
 * pmu_store_inherit() - in a forked child whose parent's store is kept: so are its own from here on
 *
 * Programs clear their environment, and somebody still makes the report.
 */
void pmu_store_inherit(void);

/**
 * Ends the names of empty files that stand for stores for which there was no room where they are
 * kept.
 */
#define PMU_STORE_LOST ".lost"

/** pmu_store_say_lost() - leave one there */
void pmu_store_say_lost(void);

/** This process, as a store's head names it. */
struct pmu_store_owner {
	int32_t pid;
	uint64_t start_time;
	uint64_t pid_ns;
	char boot_id[40];
};

/** pmu_store_owner_self() - from /proc; what cannot be read stays 0 or "".  No allocation. */
void pmu_store_owner_self(struct pmu_store_owner *owner);

enum pmu_store_fate {
	PMU_STORE_ALIVE,  /* its process runs */
	PMU_STORE_DEAD,   /* it does not */
	PMU_STORE_FOREIGN /* another pid namespace or machine: cannot be told */
};

/** pmu_store_fate() - by pid, start time, pid namespace and boot. */
enum pmu_store_fate pmu_store_fate(const struct pmu_store_head *head);

/**
 * pmu_store_dir() - the folder for stores
 * @create: make it (0700) where it is missing
 * @dir: result
 *
 * $XDG_RUNTIME_DIR/pmu, /dev/shm/pmu-UID, $TMPDIR/pmu-UID (or /tmp): the first that is a directory
 * of ours with no rights for others; symbolic links are refused.  The environment is read by
 * secure_getenv().
 *
 * Return: 0, or -ENOENT with a sentence that names each place and why not.
 */
int pmu_store_dir(int create, char *dir, size_t size);

/**
 * pmu_store_create() - a new file of ours in the folder, O_EXCL | O_NOFOLLOW, 0600
 * @owner: names the file: PID-STARTTIME-NTH.pmu
 * @path: result
 * @nth: result: the program's number in this process, 1 + the stores that already bear its pid and
 *	start time
 *
 * Where PMU_STORE names a folder, there and nowhere else.
 *
 * Return: a descriptor open for reading and writing, or a negative errno with a sentence.
 */
int pmu_store_create(const struct pmu_store_owner *owner, char *path, size_t size, uint32_t *nth);

/**
 * pmu_store_prune() - remove the oldest dead stores of a folder beyond PMU_STORE_KEEP.  Return: how
 * many.
 */
int pmu_store_prune(void);

/** One file in the folder. */
struct pmu_store_entry {
	char path[512];
	char program[64];
	int32_t pid;
	enum pmu_store_fate fate;
	int ended; /* its session has ended, or its process has gone on as another program */
	uint64_t start_unix_ns;
	uint64_t size;
};

/**
 * pmu_store_list() - the stores of this user, newest first
 * @entries: result, for free(); NULL when there are none
 * Return: how many, or a negative errno.
 */
int pmu_store_list(struct pmu_store_entry **entries);

/** pmu_store_list_folder() - those of one folder, in any order; none where it is not ours alone */
int pmu_store_list_folder(const char *folder, struct pmu_store_entry **entries);

#endif
