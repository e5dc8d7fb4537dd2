/* SPDX-License-Identifier: BSD-3-Clause */
/* Which stores are of programs that run: in the folders for them, in those of runs, in containers. */
#include "bindings/command/top/find.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/place.h"
#include "store/place.h"
#include "store/read/list.h"

#define ENDING ".pmu"

static int add_store_path(struct pmu_top_paths *paths, const char *path)
{
	char **grown;

	if (paths->n == paths->room) {
		grown = reallocarray(paths->path, paths->room + 16, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		paths->path = grown;
		paths->room += 16;
	}
	paths->path[paths->n] = strdup(path);
	return paths->path[paths->n++] ? 0 : -ENOMEM;
}

void pmu_top_paths_free(struct pmu_top_paths *paths)
{
	while (paths->n)
		free(paths->path[--paths->n]);
	free(paths->path);
	*paths = (struct pmu_top_paths){ 0 };
}

/* --- this user's --- */

static int add_running(const struct pmu_top_wanted *wanted, struct pmu_store_entry *entry, int n,
		       struct pmu_top_paths *paths)
{
	int rc = n < 0 ? n : 0;

	for (int i = 0; i < n && !rc; i++)
		if (entry[i].liveness == PMU_PROCESS_ALIVE && !entry[i].ended &&
		    (!wanted->pid || wanted->pid == entry[i].pid))
			rc = add_store_path(paths, entry[i].path);
	free(entry);
	return rc;
}

static int add_folder(const struct pmu_top_wanted *wanted, const char *folder,
		      struct pmu_top_paths *paths)
{
	struct pmu_store_entry *entry;
	int n = pmu_store_list_folder(folder, &entry);

	return add_running(wanted, entry, n, paths);
}

/* "run-0004711-...": of the `pmu run` with that number. */
static bool is_name_of_run(const char *name, pid_t run)
{
	int pid;

	return sscanf(name, "run-%d-", &pid) == 1 && (!run || pid == run) && !strstr(name, ".json");
}

static int add_run_folders(const struct pmu_top_wanted *wanted, const char *place,
			   struct pmu_top_paths *paths)
{
	DIR *dir = opendir(place);
	char path[2 * PMU_PLACE_MAX + 16];
	struct dirent *file;
	int rc = 0;

	while (dir && !rc && (file = readdir(dir)))
		if (is_name_of_run(file->d_name, wanted->run) &&
		    (size_t)snprintf(path, sizeof(path), "%s/%s", place, file->d_name) <
			    sizeof(path))
			rc = add_folder(wanted, path, paths);
	if (dir)
		closedir(dir);
	return rc;
}

static int find_own(const struct pmu_top_wanted *wanted, struct pmu_top_paths *paths)
{
	const char *kept = pmu_store_kept();
	struct pmu_store_entry *entry;
	char place[PMU_PLACE_MAX];
	int rc = 0, n;

	for (size_t i = 0; i < PMU_N_PLACES && !rc; i++)
		if (!pmu_place_path(i, place))
			rc = add_run_folders(wanted, place, paths);
	if (rc || wanted->run)
		return rc;
	n = pmu_store_list(&entry);
	rc = add_running(wanted, entry, n, paths);
	if (!rc && kept)
		rc = add_folder(wanted, kept, paths);
	return rc;
}

/* --- one process's, wherever it lies --- */

/* "7f00-7f10 rw-s 00000000 00:15 4711   /dev/shm/pmu-0/12-345-1.pmu" (proc_pid_maps(5)) */
char *pmu_top_mapped(char *line)
{
	char *path = strchr(line, '/'), shared;
	size_t len = path ? strlen(path) : 0;

	if (!path || sscanf(line, "%*x-%*x %*c%*c%*c%c", &shared) != 1 || shared != 's' ||
	    len <= strlen(ENDING) || strcmp(path + len - strlen(ENDING), ENDING) != 0)
		return NULL;
	return path;
}

/*
 * What it has mapped, by the path in its own file system: without the right to look there, or into
 * its memory's map, nothing is found.
 */
static int find_mapped(pid_t pid, struct pmu_top_paths *paths)
{
	char name[64], path[PATH_MAX + 64], *line = NULL, *last = NULL, *mapped;
	size_t room = 0;
	int rc = 0;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/maps", (int)pid);
	maps = fopen(name, "re");
	while (maps && !rc && getline(&line, &room, maps) > 0) {
		line[strcspn(line, "\n")] = '\0';
		mapped = pmu_top_mapped(line);
		/* a store is mapped in pieces */
		if (!mapped || (last && !strcmp(last, mapped)))
			continue;
		free(last);
		last = strdup(mapped);
		if ((size_t)snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid, mapped) <
		    sizeof(path))
			rc = add_store_path(paths, path);
	}
	free(last);
	free(line);
	if (maps)
		fclose(maps);
	return rc;
}

int pmu_top_find(const struct pmu_top_wanted *wanted, struct pmu_top_paths *paths)
{
	int rc = find_own(wanted, paths);

	if (!rc && wanted->pid && !paths->n)
		rc = find_mapped(wanted->pid, paths);
	return rc;
}
