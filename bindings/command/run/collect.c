/* SPDX-License-Identifier: BSD-3-Clause */
/* Takes up what measured processes leave behind, while the command runs and at its end. */
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/lost.h"
#include "base/place.h"
#include "base/retry.h"
#include "base/sysfile.h"
#include "bindings/command/run/run.h"
#include "bindings/command/sample/sample.h"
#include "pmu.h"
#include "report/model/metric.h"
#include "store/place.h"
#include "store/read/list.h"
#include "store/read/snapshot.h"
#include "store/row.h"

/* Stores that may lie there until the end: until then nothing is lost, even where we are killed. */
#define MANY 64
/* Processes that end together with the command, a moment later. */
#define GRACE_TRIES 20
#define GRACE_NS    10000000l

/* What a process that still ran when the command ended had done by then. */
struct early {
	char path[sizeof(((struct pmu_store_entry *)0)->path)];
	struct pmu_model *model; /* NULL: taken */
};

struct earlies {
	struct early *of;
	size_t n;
};

static bool make_parts_room(struct pmu_run_parts *parts)
{
	size_t room = parts->room ? 2 * parts->room : 16;
	struct pmu_model **grown;

	if (parts->n < parts->room)
		return true;
	grown = reallocarray(parts->model, room, sizeof(*grown));
	if (!grown) {
		parts->no_memory = true;
		return false;
	}
	parts->model = grown;
	parts->room = room;
	return true;
}

/* Measured where nothing happened: started, and gone before its first region. */
static bool is_empty(const struct pmu_model *model)
{
	for (unsigned int i = 0; i < model->n_sections; i++)
		if (model->section[i].n_rows)
			return false;
	return !model->n_doubts;
}

static bool is_running(const struct pmu_store_entry *entry)
{
	return entry->liveness == PMU_PROCESS_ALIVE && !entry->ended;
}

static void note_unread(struct pmu_run_parts *parts)
{
	snprintf(parts->unread, sizeof(parts->unread), "%s", pmu_error_text());
	parts->n_unread++;
}

static struct pmu_model *read_one(const struct pmu_store_entry *entry, struct pmu_run_parts *parts)
{
	struct pmu_model *model = NULL;

	if (pmu_store_snapshot_file(entry->path, &model)) {
		note_unread(parts);
		return NULL;
	}
	pmu_sample_give(parts->samples, entry->path, model, true);
	return model;
}

/* Return: whether there was something in it. */
static bool take_model(struct pmu_model *model, struct pmu_run_parts *parts)
{
	parts->n_off += model && is_empty(model) && model->is_off;
	if (!model || is_empty(model) || !make_parts_room(parts)) {
		pmu_model_free(model);
		return false;
	}
	pmu_metric_fill(model);
	parts->model[parts->n++] = model;
	return true;
}

/* --- those that still run --- */

/* What cannot be read may just be beginning: it is no loss yet. */
static void look_early(const struct pmu_run_folder *folder, struct pmu_run_parts *parts,
		       struct earlies *early)
{
	struct pmu_store_entry *entry;
	int n = pmu_store_list_folder(folder->path, &entry);

	early->of = calloc(n > 0 ? (size_t)n : 1, sizeof(*early->of));
	parts->no_memory |= !early->of;
	for (int i = 0; early->of && i < n; i++) {
		struct early *one = &early->of[early->n];

		if (!is_running(&entry[i]))
			continue;
		strcpy(one->path, entry[i].path);
		if (pmu_store_snapshot_file(one->path, &one->model))
			continue;
		pmu_sample_give(parts->samples, one->path, one->model, false);
		early->n++;
	}
	free(entry);
}

/* What began after the command's end is not of its run. */
static void take_running(const struct pmu_store_entry *entry, const struct earlies *early,
			 struct pmu_run_parts *parts)
{
	for (size_t i = 0; i < early->n; i++) {
		struct early *one = &early->of[i];

		if (!one->model || strcmp(one->path, entry->path) != 0)
			continue;
		pmu_model_add_note(
			one->model,
			"the process was still running when the command had ended: this is what it "
			"had done by then");
		if (take_model(one->model, parts))
			pmu_run_outliving_drop(&parts->outliving, entry->pid);
		one->model = NULL;
	}
}

static void free_earlies(struct earlies *early)
{
	for (size_t i = 0; i < early->n; i++)
		pmu_model_free(early->of[i].model);
	free(early->of);
}

/* --- all of them --- */

/* Also those that are another program by now, which may have no store yet. */
static int count_alive(const struct pmu_run_folder *folder)
{
	struct pmu_store_entry *entry;
	int n = pmu_store_list_folder(folder->path, &entry), n_alive = 0;

	for (int i = 0; i < n; i++)
		n_alive += entry[i].liveness == PMU_PROCESS_ALIVE;
	free(entry);
	return n_alive;
}

static bool has_many(const char *path)
{
	DIR *dir = opendir(path);
	int n = 0;

	while (dir && n <= MANY && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n > MANY;
}

/* Stores lie in memory as a rule, 64 KiB and more each: a build starts thousands of processes. */
void pmu_run_take(const struct pmu_run_folder *folder, struct pmu_run_parts *parts)
{
	struct pmu_store_entry *entry;
	int n;

	if (!has_many(folder->path))
		return;
	n = pmu_store_list_folder(folder->path, &entry);
	for (int i = 0; i < n; i++) {
		/*
		 * what came before an exec goes with the last one, or its number would be given
		 * again
		 */
		if (entry[i].liveness != PMU_PROCESS_DEAD)
			continue;
		take_model(read_one(&entry[i], parts), parts);
		if (!parts->no_memory)
			unlink(entry[i].path);
	}
	free(entry);
}

/* Return: whether it was not known. */
static bool mark_ended(const char *path)
{
	const off_t at = offsetof(struct pmu_store_head, next);
	const uint32_t ended = PMU_NEXT_EXIT;
	int fd = PMU_RETRY(open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW));
	uint32_t next;
	bool marked;

	if (fd < 0)
		return false;
	marked = PMU_RETRY(pread(fd, &next, sizeof(next), at)) == sizeof(next) &&
		 next == PMU_NEXT_GOES_ON &&
		 PMU_RETRY(pwrite(fd, &ended, sizeof(ended), at)) == sizeof(ended);
	close(fd);
	return marked;
}

bool pmu_run_ended(const struct pmu_run_folder *folder, pid_t pid)
{
	struct pmu_store_entry *entry;
	int n = pmu_store_list_process(folder->path, pid, &entry);
	bool marked = false;

	for (int i = 0; i < n; i++)
		if (entry[i].pid == pid && entry[i].liveness == PMU_PROCESS_DEAD && !entry[i].ended)
			marked |= mark_ended(entry[i].path);
	free(entry);
	return marked;
}

static int by_model_start(const void *a, const void *b)
{
	const struct pmu_model *x = *(struct pmu_model *const *)a,
			       *y = *(struct pmu_model *const *)b;

	if (x->start_unix_ns != y->start_unix_ns)
		return x->start_unix_ns < y->start_unix_ns ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->nth < y->nth ? -1 : x->nth > y->nth;
}

static void find_lost(const char *path, struct pmu_run_parts *parts)
{
	DIR *dir = opendir(path);
	const size_t len = strlen(PMU_LOST_ENDING);
	char name[PMU_PLACE_MAX + sizeof(((struct dirent *)0)->d_name)];
	struct dirent *file;

	while (dir && (file = readdir(dir))) {
		size_t at = strlen(file->d_name);

		if (at <= len || strcmp(file->d_name + at - len, PMU_LOST_ENDING) != 0)
			continue;
		parts->n_lost++;
		snprintf(name, sizeof(name), "%s/%s", path, file->d_name);
		if (!parts->lost[0] && pmu_sysfile_read(name, parts->lost, sizeof(parts->lost)) < 0)
			parts->lost[0] = '\0';
	}
	if (dir)
		closedir(dir);
}

/*
 * First processes, then stores: one that is in an exec has no environment to be found by, but has left a store by
 * then.
 */
static void wait_for_last(const struct pmu_run_folder *folder, struct pmu_run_outliving *outliving)
{
	const struct timespec moment = { .tv_nsec = GRACE_NS };
	int n_alive;

	pmu_run_outliving_find(folder, outliving);
	n_alive = count_alive(folder);
	for (int i = 0; i < GRACE_TRIES && (outliving->n || n_alive); i++) {
		nanosleep(&moment, NULL);
		/* one that is gone may have started others since */
		if (outliving->n && !pmu_run_outliving_any(folder, outliving))
			pmu_run_outliving_find(folder, outliving);
		n_alive = count_alive(folder);
	}
	if (outliving->n)
		pmu_run_outliving_find(folder, outliving);
}

void pmu_run_take_all(const struct pmu_run_folder *folder, struct pmu_run_parts *parts)
{
	struct earlies early = { .n = 0 };
	struct pmu_store_entry *entry;
	int n;

	look_early(folder, parts, &early);
	wait_for_last(folder, &parts->outliving);
	n = pmu_store_list_folder(folder->path, &entry);
	if (n < 0)
		note_unread(parts);
	for (int i = 0; i < n; i++) {
		parts->n_alive += entry[i].liveness == PMU_PROCESS_ALIVE;
		if (is_running(&entry[i]))
			take_running(&entry[i], &early, parts);
		else
			take_model(read_one(&entry[i], parts), parts);
	}
	free(entry);
	free_earlies(&early);
	find_lost(folder->path, parts);
	if (parts->n)
		qsort(parts->model, parts->n, sizeof(*parts->model), by_model_start);
}

void pmu_run_note(struct pmu_run_parts *parts, const char *fmt, ...)
{
	va_list args;

	if (parts->n_notes == PMU_ARRAY_LEN(parts->note))
		return;
	va_start(args, fmt);
	vsnprintf(parts->note[parts->n_notes++], sizeof(parts->note[0]), fmt, args);
	va_end(args);
}

void pmu_run_parts_free(struct pmu_run_parts *parts)
{
	for (size_t i = 0; i < parts->n; i++)
		pmu_model_free(parts->model[i]);
	free(parts->model);
	pmu_model_free(parts->job);
}
