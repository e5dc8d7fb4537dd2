/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder of a run: where the processes that it measures leave their stores. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/retry.h"
#include "bindings/command/run/run.h"
#include "store/place.h"
#include "store/read/list.h"

/*
 * Names of folders: "run-PID-STARTTIME-PIDNAMESPACE"; of results that no report could be
 * written of the same with ".json".  They are equally long in each run: commands have them in their
 * environment, which lies before the stack, and a stack that lies elsewhere has other cache misses.
 */
#define NAME_FORMAT "run-%07" PRId32 "-%014" PRIu64 "-%010" PRIu64
#define NAME_SCAN   "run-%" SCNd32 "-%" SCNu64 "-%" SCNu64 "%n"
/* In a folder that is left to processes that outlive their run. */
#define REPORTED "reported"
/*
 * What another machine's or container's run left may go after this, and so may results that were
 * not fetched.
 */
#define KEEP_S (30l * 24 * 3600)

/* --- those of runs that are gone --- */

static void empty_folder(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *file;

	while (dir && (file = readdir(dir)))
		if (strcmp(file->d_name, ".") && strcmp(file->d_name, ".."))
			unlinkat(dirfd(dir), file->d_name, 0);
	if (dir)
		closedir(dir);
}

/*
 * The run was killed before its report: what it would have been of is left over like that of any
 * killed program.
 */
static bool keep_stores(const char *place, const char *path)
{
	struct pmu_store_entry *entry;
	int n = pmu_store_list_folder(path, &entry);
	char to[3 * PMU_PLACE_MAX];

	for (int i = 0; i < n; i++) {
		const char *name = strrchr(entry[i].path, '/');

		if ((size_t)snprintf(to, sizeof(to), "%s%s", place, name ? name : "/") < sizeof(to))
			rename(entry[i].path, to);
	}
	free(entry);
	return n > 0;
}

static bool is_old(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && st.st_mtime < time(NULL) - KEEP_S;
}

static enum pmu_liveness liveness_of_run(const char *name, int *end)
{
	struct pmu_process self;
	struct pmu_store_head head = { .pid = 0 };

	*end = -1;
	sscanf(name, NAME_SCAN, &head.pid, &head.start_time, &head.pid_ns, end);
	if (*end < 0)
		return PMU_PROCESS_ALIVE;
	pmu_process_self(&self);
	memcpy(head.boot_id, self.boot_id, sizeof(head.boot_id));
	return pmu_store_liveness(&head);
}

/* A process that outlived its run still writes there. */
static bool any_alive(const char *path)
{
	struct pmu_store_entry *entry;
	int n = pmu_store_list_folder(path, &entry);
	bool alive = n < 0;

	for (int i = 0; i < n; i++)
		alive |= entry[i].liveness == PMU_PROCESS_ALIVE;
	free(entry);
	return alive;
}

static bool is_reported(const char *path)
{
	char mark[3 * PMU_PLACE_MAX];

	return (size_t)snprintf(mark, sizeof(mark), "%s/" REPORTED, path) < sizeof(mark) &&
	       !access(mark, F_OK);
}

/* Return: whether stores were moved to the others. */
static bool sweep_one(const char *place, const char *name)
{
	char path[2 * PMU_PLACE_MAX];
	enum pmu_liveness liveness;
	bool moved;
	int end;

	if (strncmp(name, "run-", 4) ||
	    (size_t)snprintf(path, sizeof(path), "%s/%s", place, name) >= sizeof(path))
		return false;
	liveness = liveness_of_run(name, &end);
	if (end > 0 && !strcmp(name + end, ".json")) {
		if (is_old(path))
			unlink(path);
		return false;
	}
	if (end < 0 || name[end] || liveness == PMU_PROCESS_ALIVE)
		return false;
	if (liveness == PMU_PROCESS_FOREIGN ? !is_old(path) : any_alive(path))
		return false;
	moved = !is_reported(path) && keep_stores(place, path);
	empty_folder(path);
	rmdir(path);
	return moved;
}

static void sweep(const char *place)
{
	DIR *dir = opendir(place);
	struct dirent *file;
	bool moved = false;

	while (dir && (file = readdir(dir)))
		moved |= sweep_one(place, file->d_name);
	if (dir)
		closedir(dir);
	if (moved)
		pmu_store_prune();
}

void pmu_run_folders_sweep(void)
{
	char place[PMU_PLACE_MAX];

	if (!pmu_store_dir(0, place, sizeof(place)))
		sweep(place);
}

/* --- this one's --- */

/* None of the folders for stores serves: another user may have taken their names. */
static int make_private(char *place, size_t size)
{
	const char *tmp = getenv("TMPDIR"), *const parent[] = { tmp && tmp[0] == '/' ? tmp : "/tmp",
								"/dev/shm" };

	for (size_t i = 0; i < PMU_ARRAY_LEN(parent); i++)
		if ((size_t)snprintf(place, size, "%s/pmu-run-XXXXXX", parent[i]) < size &&
		    mkdtemp(place))
			return 0;
	return -ENOENT;
}

int pmu_run_folder_make(struct pmu_run_folder *folder)
{
	struct pmu_process self;
	char name[80];
	int rc = pmu_store_dir(1, folder->place, sizeof(folder->place));

	folder->is_private = rc && !make_private(folder->place, sizeof(folder->place));
	if (rc && !folder->is_private)
		return rc;
	sweep(folder->place);
	pmu_process_self(&self);
	snprintf(name, sizeof(name), NAME_FORMAT, self.pid, self.start_time, self.pid_ns);
	if (strlen(folder->place) + 1 + strlen(name) >= sizeof(folder->path))
		return pmu_fail(ENAMETOOLONG, "the path of the folder for stores, %s, is too long",
				folder->place);
	strcpy(folder->path, folder->place);
	strcat(folder->path, "/");
	strcat(folder->path, name);
	/* exec: the same process has run a command before */
	empty_folder(folder->path);
	rmdir(folder->path);
	if (mkdir(folder->path, 0700))
		return pmu_fail(errno, "cannot create %s for the results: %s", folder->path,
				strerror(errno));
	return 0;
}

void pmu_run_folder_leave(const struct pmu_run_folder *folder)
{
	char mark[2 * PMU_PLACE_MAX];
	int fd;

	snprintf(mark, sizeof(mark), "%s/" REPORTED, folder->path);
	fd = PMU_RETRY(open(mark, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
	if (fd >= 0)
		close(fd);
}

void pmu_run_folder_remove(const struct pmu_run_folder *folder)
{
	empty_folder(folder->path);
	rmdir(folder->path);
	if (folder->is_private)
		rmdir(folder->place);
}
