/* SPDX-License-Identifier: BSD-3-Clause */
/* Folders for stores, and new stores in them. */
#define PMU_STORE_READER 1
#include "store/place.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/lost.h"
#include "base/place.h"
#include "base/retry.h"
#include "base/write.h"

/* If this much cannot be reserved for a new file, its disk is full: the next folder is tried. */
#define FIRST_RESERVE (64 * 1024)
/* Stores of one process: one per exec. */
#define NTH_MAX 100000u

/* Of a session of this process, or of the parent's. */
static char last_kept[PMU_PLACE_MAX];
static bool inherited;

const char *pmu_store_kept(void)
{
	const char *kept = secure_getenv(PMU_STORE_VARIABLE);

	if (kept && kept[0] == '/')
		return kept;
	return inherited && last_kept[0] ? last_kept : NULL;
}

bool pmu_store_keep(void)
{
	const char *kept = pmu_store_kept();

	if (kept != last_kept &&
	    snprintf(last_kept, sizeof(last_kept), "%s", kept ? kept : "") >= PMU_PLACE_MAX)
		last_kept[0] = '\0';
	return kept != NULL;
}

void pmu_store_inherit(void)
{
	inherited = true;
}

/* Adds "PATH: WHY" to the list of folders that could not be used. */
static void list_refusal(char *list, size_t size, const char *path, const char *why)
{
	size_t len = strlen(list);

	/* what does not fit is left out */
	if (snprintf(list + len, size - len, "%s%s: %s", len ? "; " : "", path, why) < 0)
		list[len] = '\0';
}

int pmu_store_dir(int create, char *dir, size_t size)
{
	char path[PMU_PLACE_MAX], refused[400] = "";
	const char *why;
	size_t nth;
	int fd;

	for (nth = 0; nth < PMU_N_PLACES; nth++) {
		if (pmu_place_path(nth, path))
			continue;
		fd = pmu_place_open(path, create, &why);
		if (fd >= 0) {
			close(fd);
			if ((size_t)snprintf(dir, size, "%s", path) < size)
				return 0;
			why = "the path is too long";
		}
		list_refusal(refused, sizeof(refused), path, why);
	}
	return pmu_fail(ENOENT, "no folder for stores (%s)", refused);
}

static int store_name(const struct pmu_process *owner, uint32_t nth, char *name, size_t size)
{
	return snprintf(name, size, "%" PRId32 "-%" PRIu64 "-%" PRIu32 ".pmu", owner->pid,
			owner->start_time, nth);
}

/* The folders that new stores go to, best first. */
static int new_place(size_t n, char path[PMU_PLACE_MAX])
{
	const char *kept = pmu_store_kept();

	if (!kept)
		return pmu_place_path(n, path);
	return n == 0 && snprintf(path, PMU_PLACE_MAX, "%s", kept) < PMU_PLACE_MAX ? 0 : -ENOENT;
}

/* Where new stores go, best first; "": no such folder is named. */
typedef char place_paths[PMU_N_PLACES][PMU_PLACE_MAX];

/* @dir_fd: of those that are there and ours alone; -1: not */
static void open_store_places(place_paths path, int dir_fd[PMU_N_PLACES])
{
	const char *why;

	for (size_t n = 0; n < PMU_N_PLACES; n++) {
		dir_fd[n] = -1;
		if (new_place(n, path[n]))
			path[n][0] = '\0';
		else
			dir_fd[n] = pmu_place_open(path[n], 0, &why);
	}
}

static void close_places(const int dir_fd[PMU_N_PLACES])
{
	for (size_t n = 0; n < PMU_N_PLACES; n++)
		if (dir_fd[n] >= 0)
			close(dir_fd[n]);
}

/*
 * The first number that no store of this process bears, in any folder.  A program that is followed
 * by another one leaves its store behind, so there are no gaps.
 */
static uint32_t next_nth(const struct pmu_process *owner, const int dir_fd[PMU_N_PLACES])
{
	uint32_t nth = 0;
	bool taken = true;
	char name[64];

	while (taken && ++nth < NTH_MAX) {
		taken = false;
		store_name(owner, nth, name, sizeof(name));
		for (size_t n = 0; n < PMU_N_PLACES && !taken; n++)
			taken = dir_fd[n] >= 0 &&
				!faccessat(dir_fd[n], name, F_OK, AT_SYMLINK_NOFOLLOW);
	}
	return nth;
}

/* A new file with room on its disk, or a negative errno. */
static int create_in(int dir_fd, const char *name)
{
	int fd, rc;

	fd = PMU_RETRY(
		openat(dir_fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
	if (fd < 0)
		return -errno;
	/* Undoes the umask; and reserves space now, without changing the size. */
	rc = fchmod(fd, 0600) ? -errno
			      : pmu_write_reserve(fd, FALLOC_FL_KEEP_SIZE, 0, FIRST_RESERVE);
	if (!rc || rc == -EOPNOTSUPP || rc == -ENOSYS)
		return fd;
	unlinkat(dir_fd, name, 0);
	close(fd);
	return rc;
}

/* The first number from *nth on that is free in this folder. */
static int create_numbered(const char *place, int dir_fd, const struct pmu_process *owner,
			   char *path, size_t size, uint32_t *nth)
{
	char name[64];
	int fd;

	for (; *nth < NTH_MAX; ++*nth) {
		store_name(owner, *nth, name, sizeof(name));
		if ((size_t)snprintf(path, size, "%s/%s", place, name) >= size)
			return -ENAMETOOLONG;
		fd = create_in(dir_fd, name);
		if (fd != -EEXIST)
			return fd;
	}
	return -EEXIST;
}

int pmu_store_create(const struct pmu_process *owner, char *path, size_t size, uint32_t *nth)
{
	int dir_fd[PMU_N_PLACES], fd = -1;
	char refused[400] = "";
	place_paths place;
	const char *why;

	open_store_places(place, dir_fd);
	/* Where a store is kept, creating it finds the number. */
	*nth = pmu_store_kept() ? 1 : next_nth(owner, dir_fd);
	for (size_t n = 0; n < PMU_N_PLACES && fd < 0; n++) {
		if (!place[n][0])
			continue;
		if (dir_fd[n] < 0)
			dir_fd[n] = pmu_place_open(place[n], !pmu_store_kept(), &why);
		if (dir_fd[n] >= 0) {
			fd = create_numbered(place[n], dir_fd[n], owner, path, size, nth);
			why = strerror(fd < 0 ? -fd : 0);
		}
		if (fd < 0)
			list_refusal(refused, sizeof(refused), place[n], why);
	}
	close_places(dir_fd);
	return fd >= 0 ? fd : pmu_fail(ENOENT, "cannot create a store (%s)", refused);
}

struct pmu_process pmu_store_process(const struct pmu_store_head *head)
{
	struct pmu_process process = { .pid = head->pid,
				       .start_time = head->start_time,
				       .pid_ns = head->pid_ns };

	_Static_assert(sizeof(process.boot_id) == sizeof(head->boot_id), "a head has room for it");
	memcpy(process.boot_id, head->boot_id, sizeof(process.boot_id));
	return process;
}

enum pmu_liveness pmu_store_liveness(const struct pmu_store_head *head)
{
	struct pmu_process process = pmu_store_process(head);

	return pmu_process_liveness(&process);
}

int pmu_store_say_lost(const char *sentence)
{
	const char *why, *kept = pmu_store_kept();
	int fd = kept ? pmu_place_open(kept, 0, &why) : -1;

	if (fd < 0)
		return fd;
	close(fd);
	return pmu_lost_say(kept, sentence);
}
