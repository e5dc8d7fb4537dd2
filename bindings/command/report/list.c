/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu report` without a file: what stores there are. */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/error.h"
#include "bindings/command/command.h"
#include "bindings/command/report/inputs.h"
#include "bindings/command/run/run.h"
#include "report/encode.h"
#include "store/place.h"
#include "store/read/list.h"

static const char *const liveness_words[] = {
	[PMU_PROCESS_ALIVE] = "running",
	[PMU_PROCESS_DEAD] = "left over",
	[PMU_PROCESS_FOREIGN] = "elsewhere",
};

static void add_size(struct pmu_strbuf *out, uint64_t size)
{
	if (size < 10u << 20)
		pmu_strbuf_addf(out, "%6" PRIu64 " KiB", (size + 1023) >> 10);
	else
		pmu_strbuf_addf(out, "%6" PRIu64 " MiB", size >> 20);
}

/* A line of the list. */
struct line {
	time_t seconds;
	int32_t pid;
	const char *state, *program, *path;
	uint64_t size;
};

static void add_report_line(struct pmu_strbuf *out, const struct line *line)
{
	struct pmu_strbuf program = { 0 };
	char when[32] = "?";
	struct tm tm;

	if (localtime_r(&line->seconds, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
	pmu_strbuf_addf(out, "%-19s  %8" PRId32 "  %-9s  ", when, line->pid, line->state);
	/* a program's name may hold anything */
	pmu_encode_line(&program, line->program);
	pmu_strbuf_addf(out, "%-20s  ", pmu_strbuf_text(&program));
	add_size(out, line->size);
	pmu_strbuf_add(out, "  ");
	pmu_encode_line(out, line->path);
	pmu_strbuf_add(out, "\n");
	out->failed |= program.failed;
	pmu_strbuf_free(&program);
}

static void add_entry(struct pmu_strbuf *out, const struct pmu_store_entry *entry)
{
	/* its process may be another program by now */
	enum pmu_liveness liveness = entry->liveness == PMU_PROCESS_ALIVE && entry->ended
					     ? PMU_PROCESS_DEAD
					     : entry->liveness;
	const struct line line = { .seconds = (time_t)(entry->start_unix_ns / 1000000000u),
				   .pid = entry->pid,
				   .state = liveness_words[liveness],
				   .program = entry->program,
				   .path = entry->path,
				   .size = entry->size };

	add_report_line(out, &line);
}

/*
 * --- what `pmu run` could not write where it was to go, and has kept as JSON beside the stores ---
 */

static bool is_kept_report(const char *name)
{
	static const char ending[] = ".json";
	size_t len = strlen(name), n = strlen(ending);

	return !strncmp(name, "run-", 4) && len > n && !strcmp(name + len - n, ending);
}

static bool add_kept_file(struct pmu_strbuf *out, const char *place, const char *name)
{
	struct line line = { .state = "kept", .program = "pmu run" };
	char path[2 * PMU_PLACE_MAX];
	struct stat st;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", place, name) >= sizeof(path) ||
	    lstat(path, &st) || !S_ISREG(st.st_mode) ||
	    sscanf(name, "run-%" SCNd32, &line.pid) != 1)
		return false;
	line.path = path;
	line.seconds = st.st_mtime;
	line.size = (uint64_t)st.st_size;
	add_report_line(out, &line);
	return true;
}

static int add_kept(struct pmu_strbuf *out)
{
	char place[PMU_PLACE_MAX];
	struct dirent *file;
	DIR *dir = NULL;
	int n = 0;

	if (!pmu_store_dir(0, place, sizeof(place)))
		dir = opendir(place);
	while (dir && (file = readdir(dir)))
		if (is_kept_report(file->d_name))
			n += add_kept_file(out, place, file->d_name);
	if (dir)
		closedir(dir);
	return n;
}

int pmu_report_list(void)
{
	struct pmu_strbuf out = { 0 }, lines = { 0 };
	struct pmu_store_entry *entry;
	int n, n_kept, i;

	/* a run that was killed has left what it would have made its report of */
	pmu_run_folders_sweep();
	n = pmu_store_list(&entry);
	if (n < 0) {
		pmu_command_error("%s", pmu_error_text());
		return PMU_EXIT_FAILED;
	}
	for (i = 0; i < n; i++)
		add_entry(&lines, &entry[i]);
	free(entry);
	n_kept = add_kept(&lines);
	if (!n && !n_kept) {
		pmu_strbuf_add(&out,
			       "No stores: no program is being measured, and none ended without "
			       "its report.\n");
		return pmu_command_print(&out);
	}
	pmu_strbuf_addf(&out, "%-19s  %8s  %-9s  %-20s  %10s  %s\n", "started", "process", "state",
			"program", "size", "store");
	pmu_strbuf_add(&out, pmu_strbuf_text(&lines));
	out.failed |= lines.failed;
	pmu_strbuf_free(&lines);
	pmu_strbuf_add(&out, "\n'pmu report STORE' makes the report of one, also while "
			     "its program runs.\n");
	return pmu_command_print(&out);
}
