/* SPDX-License-Identifier: BSD-3-Clause */
/* --trace: what all processes of a run did when, as one file where it is another program's. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/error.h"
#include "bindings/command/command.h"
#include "bindings/command/output.h"
#include "bindings/command/run/run.h"
#include "bindings/command/trace/trace.h"
#include "report/report.h"
#include "session/rank.h"
#include "store/read/list.h"
#include "store/save.h"

int pmu_run_check_trace(const struct pmu_run_request *request)
{
	const char *path = PMU_RUN_SETTING(request, PMU_TRACE),
		   *dot = path ? strrchr(path, '.') : NULL;
	const struct pmu_format *format;

	if (!path)
		return 0;
	if (request->repeat || request->against.we_wordv) {
		pmu_command_error("--trace is of one run, not of --repeat or --against");
		return PMU_EXIT_USAGE;
	}
	format = pmu_output_format(path, PMU_OF_TRACE);
	if (format) {
		if (!pmu_trace_check(format->trace, path))
			return 0;
		pmu_command_error("%s; the command was not started", pmu_error_text());
		return PMU_EXIT_NOT_STARTED;
	}
	if (!dot || (strcasecmp(dot, ".json") != 0 && strcasecmp(dot, ".gz") != 0))
		return 0;
	pmu_command_error("--trace %s: say .pftrace for Perfetto's format, .trace.json or .json.gz "
			  "for Chrome's, or .trace for what 'pmu report' makes these of",
			  path);
	return PMU_EXIT_USAGE;
}

static int by_entry_start(const void *a, const void *b)
{
	const struct pmu_store_entry *x = a, *y = b;

	if (x->start_unix_ns != y->start_unix_ns)
		return x->start_unix_ns < y->start_unix_ns ? -1 : 1;
	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* %r, %h and the like: of ranks, each has a run of its own. */
static int trace_path_of(const struct pmu_run_request *request, const struct pmu_store_entry *first,
			 char *path, size_t size)
{
	const char *rank = pmu_session_rank();
	char host[256] = "";
	const struct pmu_output_names names = {
		.pid = first->pid, .rank = rank ? rank : "0", .host = host, .nth = 1
	};

	gethostname(host, sizeof(host) - 1);
	return pmu_output_path(PMU_RUN_SETTING(request, PMU_TRACE), &names, path, size);
}

/* Each process's its own file: the first has the name that was given. */
static void save(const struct pmu_store_entry *entry, size_t n, const char *path)
{
	char aside[PATH_MAX];

	for (size_t i = 0; i < n; i++) {
		int rc = i ? pmu_output_aside(path, entry[i].pid, 0, aside, sizeof(aside)) : 0;

		if (rc >= 0)
			rc = pmu_store_save(entry[i].path, NULL, i ? aside : path);
		if (rc < 0)
			pmu_command_error("cannot write %s: %s", i ? aside : path, strerror(-rc));
		else if (rc == PMU_STORE_CUT)
			pmu_command_error(
				"%s lacks what came when there was no room for results any more",
				i ? aside : path);
	}
}

static void convert(const struct pmu_run_traced *traced, const struct pmu_timeline_format *format,
		    const char *path)
{
	struct pmu_trace_written written;
	int rc = pmu_trace_write(traced->store, traced->n, format, path, &written);

	if (rc)
		pmu_command_error("no trace: %s", pmu_error_text());
	else
		pmu_trace_tell(path, &written);
}

void pmu_run_traced_open(const struct pmu_run_request *request, const struct pmu_run_folder *folder,
			 int64_t pid, struct pmu_run_traced *traced)
{
	int n;

	*traced = (struct pmu_run_traced){ 0 };
	if (!PMU_RUN_SETTING(request, PMU_TRACE))
		return;
	n = pmu_store_list_folder(folder->path, &traced->entry);
	if (n <= 0)
		return;
	traced->store = calloc((size_t)n, sizeof(*traced->store));
	qsort(traced->entry, (size_t)n, sizeof(*traced->entry), by_entry_start);
	for (int i = 0; i < n && traced->store; i++)
		if (!pid || traced->entry[i].pid == pid)
			traced->store[traced->n++] = traced->entry[i].path;
}

void pmu_run_traced_close(struct pmu_run_traced *traced)
{
	free(traced->store);
	free(traced->entry);
}

void pmu_run_write_trace(const struct pmu_run_request *request, const struct pmu_run_folder *folder)
{
	const struct pmu_format *format = pmu_output_format(PMU_RUN_SETTING(request, PMU_TRACE),
							    PMU_OF_TRACE);
	struct pmu_run_traced traced;
	char path[PATH_MAX];

	if (!PMU_RUN_SETTING(request, PMU_TRACE))
		return;
	pmu_run_traced_open(request, folder, 0, &traced);
	if (!traced.n)
		pmu_command_error("no trace: the command left no results");
	else if (trace_path_of(request, &traced.entry[0], path, sizeof(path)) < 0)
		pmu_command_error("no trace: %s is too long a name",
				  PMU_RUN_SETTING(request, PMU_TRACE));
	else if (format)
		convert(&traced, format->trace, path);
	else
		save(traced.entry, traced.n, path);
	pmu_run_traced_close(&traced);
}
