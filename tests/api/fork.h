/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of processes that copy or replace themselves share. */
#ifndef PMU_TESTS_API_FORK_H
#define PMU_TESTS_API_FORK_H

#include "run.h"

/*
 * A child of a process with several threads may find the allocator's locks taken for ever
 * by threads that it does not have; the leak checker asks for all of them at exit.
 */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

static const char *const quick[] = { "PMU_PIN=none", "PMU_BACKEND=clock", NULL };

static inline void begin_end(const char *name)
{
	if (pmu_region_begin(name) < 0 || pmu_region_end(name) < 0)
		want(false);
}

static inline void wait_for(pid_t pid)
{
	int status = -1;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	want_int(status, 0);
}

static inline int calls_in_any(const struct run *r, const char *path, int *n_reports)
{
	DIR *dir = opendir(r->dir);
	struct dirent *entry;
	int calls = 0;

	*n_reports = 0;
	while (dir && (entry = readdir(dir))) {
		json_t *report;

		if (!strstr(entry->d_name, ".json"))
			continue;
		report = run_load(r, entry->d_name);
		++*n_reports;
		if (run_calls(report, path) > 0)
			calls += (int)run_calls(report, path);
		json_decref(report);
	}
	if (dir)
		closedir(dir);
	return calls;
}

#endif
