/* SPDX-License-Identifier: BSD-3-Clause */
/* Where stores lie, and which process wrote each. */
#ifndef PMU_STORE_PLACE_H
#define PMU_STORE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/process.h"
#include "store/row.h"

/** Names a folder in which stores stay after their program's end. */
#define PMU_STORE_VARIABLE "PMU_STORE"

/** pmu_store_kept() - the folder that PMU_STORE names; NULL: none, or no absolute path. */
const char *pmu_store_kept(void);

/** pmu_store_keep() - a session starts.  Return: whether its store is kept. */
bool pmu_store_keep(void);

/**
 * pmu_store_inherit() - in a forked child: the parent's store is kept, so its own are from here on
 *
 * Also where the program clears its environment: the command makes the report all the same.
 */
void pmu_store_inherit(void);

/**
 * pmu_store_say_lost() - where stores are kept, this process will have none; why: a sentence
 * Return: 0; a negative errno: `pmu run` will not say it.
 */
int pmu_store_say_lost(const char *sentence);

/** pmu_store_liveness() - of the process that wrote the store */
enum pmu_liveness pmu_store_liveness(const struct pmu_store_head *head);
/** pmu_store_process() - that process */
struct pmu_process pmu_store_process(const struct pmu_store_head *head);

/**
 * pmu_store_dir() - the folder for stores
 * @create: make it (0700) where it is missing
 * @dir: result
 *
 * $XDG_RUNTIME_DIR/pmu (where XDG_RUNTIME_DIR is ours), /dev/shm/pmu-UID, $TMPDIR/pmu-UID (or
 * /tmp): the first that is a directory of ours with no rights for others; symbolic links are
 * refused.  The environment is read by secure_getenv().
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
int pmu_store_create(const struct pmu_process *owner, char *path, size_t size, uint32_t *nth);

#endif
