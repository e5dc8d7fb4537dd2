/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processes that outlive the command: one that was only forked has no store before its first region
 * or its end.
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bindings/command/run/run.h"
#include "store/place.h"

#define NAMED 3u

/*
 * Its environment at its last exec names the run's folder.  Becoming the reaper of orphans would
 * tell as well, and show in what the command's processes see.  A zombie has no environment.
 */
static bool is_process_of_run(const struct pmu_run_folder *folder, pid_t pid)
{
	char path[64], *word = NULL;
	const size_t len = sizeof(PMU_STORE_VARIABLE "=") - 1;
	bool found = false;
	size_t room = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	file = fopen(path, "re");
	while (file && !found && getdelim(&word, &room, '\0', file) > 0)
		found = !strncmp(word, PMU_STORE_VARIABLE "=", len) &&
			!strcmp(word + len, folder->path);
	if (file)
		fclose(file);
	free(word);
	return found;
}

void pmu_run_outliving_find(const struct pmu_run_folder *folder,
			    struct pmu_run_outliving *outliving)
{
	DIR *dir = opendir("/proc");
	struct dirent *file;

	outliving->n = 0;
	while (dir && outliving->n < PMU_RUN_OUTLIVING && (file = readdir(dir))) {
		pid_t pid = isdigit((unsigned char)file->d_name[0]) ? (pid_t)atoi(file->d_name) : 0;

		if (pid > 0 && pid != getpid() && is_process_of_run(folder, pid))
			outliving->pid[outliving->n++] = pid;
	}
	if (dir)
		closedir(dir);
}

bool pmu_run_outliving_any(const struct pmu_run_folder *folder,
			   const struct pmu_run_outliving *outliving)
{
	for (size_t i = 0; i < outliving->n; i++)
		if (is_process_of_run(folder, outliving->pid[i]))
			return true;
	return false;
}

void pmu_run_outliving_drop(struct pmu_run_outliving *outliving, pid_t pid)
{
	size_t n = 0;

	for (size_t i = 0; i < outliving->n; i++)
		if (outliving->pid[i] != pid)
			outliving->pid[n++] = outliving->pid[i];
	outliving->n = n;
}

static void add_process_name(struct pmu_strbuf *text, pid_t pid)
{
	char path[64], name[32] = "";
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	file = fopen(path, "re");
	if (file && fgets(name, sizeof(name), file))
		name[strcspn(name, "\n")] = '\0';
	if (file)
		fclose(file);
	pmu_strbuf_addf(text, "%s %d", name[0] ? name : "process", (int)pid);
}

void pmu_run_outliving_note(const struct pmu_run_outliving *outliving, struct pmu_run_parts *parts)
{
	struct pmu_strbuf text = { 0 };
	size_t n = outliving->n;

	if (!n)
		return;
	for (size_t i = 0; i < n && i < NAMED; i++) {
		pmu_strbuf_add(&text, i ? ", " : "");
		add_process_name(&text, outliving->pid[i]);
	}
	pmu_run_note(parts,
		     "still running when the command had ended, and not in this report: %s%s",
		     pmu_strbuf_text(&text), n > NAMED ? " and others" : "");
	pmu_strbuf_free(&text);
}
