/* SPDX-License-Identifier: BSD-3-Clause */
/* Takes up what measured processes leave behind, while the command runs and at its end. */
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "bindings/command/run.h"
#include "group/metric.h"
#include "store/place.h"
#include "store/snapshot.h"

/* Stores that may lie there until the end: until then nothing is lost, even where we are killed. */
#define MANY 64
/* Processes that end together with the command, a moment later. */
#define GRACE_TRIES 20
#define GRACE_NS    10000000l

static bool make_room(struct pmu_run_parts *parts)
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

static void take_one(const struct pmu_store_entry *entry, struct pmu_run_parts *parts)
{
	struct pmu_model *model = NULL;
	bool running = entry->fate == PMU_STORE_ALIVE && !entry->ended;

	if (!make_room(parts))
		return;
	if (pmu_store_snapshot_file(entry->path, &model)) {
		snprintf(parts->unread, sizeof(parts->unread), "%s", pmu_error_text());
		parts->n_unread++;
		return;
	}
	if (running)
		pmu_model_add_note(model, "the process was still running when the command had ended: this is what it had "
					  "done by then");
	if (is_empty(model)) {
		pmu_model_free(model);
		return;
	}
	pmu_metric_fill(model);
	parts->model[parts->n++] = model;
}

static int count_alive(const struct pmu_run_folder *folder)
{
	struct pmu_store_entry *entry;
	int n = pmu_store_list_folder(folder->path, &entry), n_alive = 0;

	for (int i = 0; i < n; i++)
		n_alive += entry[i].fate == PMU_STORE_ALIVE;
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
		/* what came before an exec goes with the last one, or its number would be given again */
		if (entry[i].fate != PMU_STORE_DEAD)
			continue;
		take_one(&entry[i], parts);
		if (!parts->no_memory)
			unlink(entry[i].path);
	}
	free(entry);
}

static int by_start(const void *a, const void *b)
{
	const struct pmu_model *x = *(struct pmu_model *const *)a, *y = *(struct pmu_model *const *)b;

	if (x->start_unix_ns != y->start_unix_ns)
		return x->start_unix_ns < y->start_unix_ns ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->nth < y->nth ? -1 : x->nth > y->nth;
}

static int count_lost(const char *path)
{
	DIR *dir = opendir(path);
	const size_t len = strlen(PMU_STORE_LOST);
	struct dirent *file;
	int n = 0;

	while (dir && (file = readdir(dir))) {
		size_t at = strlen(file->d_name);

		n += at > len && !strcmp(file->d_name + at - len, PMU_STORE_LOST);
	}
	if (dir)
		closedir(dir);
	return n;
}

void pmu_run_take_all(const struct pmu_run_folder *folder, struct pmu_run_parts *parts)
{
	const struct timespec moment = { .tv_nsec = GRACE_NS };
	struct pmu_store_entry *entry;
	int n;

	for (int i = 0; i < GRACE_TRIES && count_alive(folder) > 0; i++)
		nanosleep(&moment, NULL);
	n = pmu_store_list_folder(folder->path, &entry);
	for (int i = 0; i < n; i++) {
		parts->n_alive += entry[i].fate == PMU_STORE_ALIVE;
		take_one(&entry[i], parts);
	}
	free(entry);
	parts->n_lost = count_lost(folder->path);
	if (parts->n)
		qsort(parts->model, parts->n, sizeof(*parts->model), by_start);
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
}
