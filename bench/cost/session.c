/* SPDX-License-Identifier: BSD-3-Clause */
/* Times what happens once: the start of a session, its end, and a report. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "overhead.h"
#include "pmu.h"

#define N_RUNS    21
#define N_REGIONS 100

/* --- in the child --- */

/* Milliseconds of pmu_init(), and until the thread is ready for its first region. */
int child_start(char **argument)
{
	double start = now_ns(), started, attached;

	(void)argument;
	if (pmu_init(NULL) < 0)
		return 1;
	started = now_ns();
	if (pmu_thread_attach() < 0)
		return 1;
	attached = now_ns();
	printf("%.6f %.6f\n", (started - start) / 1e6, (attached - start) / 1e6);
	return 0;
}

static void *enter_regions(void *arg)
{
	struct loop *loop = arg;

	loop_named(loop, 10 * loop->n_names);
	return NULL;
}

/* Regions on two threads, for a report. */
static int work_in_regions(void)
{
	struct loop loop = { 0 };
	pthread_t other;

	if (loop_names(&loop, N_REGIONS, 0) < 0 || pmu_init(NULL) < 0 ||
	    pthread_create(&other, NULL, enter_regions, &loop))
		return -1;
	enter_regions(&loop);
	pthread_join(other, NULL);
	return 0;
}

/* The file at @path has something in it; then it is gone. */
static int take_away(const char *path)
{
	struct stat written;
	int rc = stat(path, &written) < 0 || written.st_size == 0 ? -1 : 0;

	unlink(path);
	return rc;
}

/* Milliseconds of a text report on what two threads did. */
int child_report(char **argument)
{
	char path[64];
	double start, ms;
	int rc;

	(void)argument;
	snprintf(path, sizeof(path), "/dev/shm/overhead-%d.txt", (int)getpid());
	if (work_in_regions() < 0)
		return 1;
	start = now_ns();
	rc = pmu_report(path);
	ms = (now_ns() - start) / 1e6;
	if (take_away(path) < 0 || rc < 0) {
		fprintf(stderr, "no report: %s\n", pmu_last_error());
		return 1;
	}
	printf("%.6f\n", ms);
	return 0;
}

/*
 * end [FORMAT]: milliseconds of pmu_fini(), with a report of that format as a file, or without one.
 */
int child_end(char **argument)
{
	char setting[80];
	const char *path = setting + strlen("PMU_OUTPUT=");
	double start, ms;
	int rc;

	if (argument[0])
		snprintf(setting, sizeof(setting), "PMU_OUTPUT=/dev/shm/overhead-%d.%s",
			 (int)getpid(), argument[0]);
	else
		snprintf(setting, sizeof(setting), "PMU_OUTPUT=none");
	putenv(setting);
	if (work_in_regions() < 0)
		return 1;
	start = now_ns();
	rc = pmu_fini();
	ms = (now_ns() - start) / 1e6;
	if ((argument[0] && take_away(path) < 0) || rc < 0) {
		fprintf(stderr, "no report: %s\n", pmu_last_error());
		return 1;
	}
	printf("%.6f\n", ms);
	return 0;
}

/* --- in the parent --- */

/* The median over child processes of the @n numbers that each of them prints. */
static void measure(struct row *row, int n, const char *task, const char *word,
		    const char *const *settings)
{
	struct child child = { .settings = settings, .argument = { task, word } };
	double ms[2][N_RUNS] = { 0 };

	for (int run = 0; run < N_RUNS; run++) {
		if (child_run(&child) < 0 ||
		    sscanf(child.out, "%lf %lf", &ms[0][run], &ms[1][run]) != n) {
			for (int i = 0; i < n; i++) {
				row[i].note = child.why[0] ? child.why
							   : "its numbers are unreadable";
				table_row(&row[i]);
			}
			child_free(&child);
			return;
		}
		child_free(&child);
	}
	for (int i = 0; i < n; i++) {
		sort_numbers(ms[i], N_RUNS);
		row[i].value = ms[i][N_RUNS / 2];
		row[i].min = ms[i][0];
		row[i].max = ms[i][N_RUNS - 1];
		table_row(&row[i]);
	}
}

static void measure_start(const char *init, const char *first_region, double target,
			  const char *const *settings)
{
	struct row row[2] = { row_for(init, "ms"), row_for(first_region, "ms") };

	row[0].target_of = row[1].target_of = OF_VALUE;
	row[0].target = row[1].target = target;
	measure(row, 2, "start", NULL, settings);
}

static void measure_end(const char *subject, const char *format, const char *const *settings)
{
	struct row row = row_for(subject, "ms");

	row.threads = 2;
	measure(&row, 1, "end", format, settings);
}

void measure_session(void)
{
	static const char *const unpinned[] = { "PMU_BACKEND=clock", "PMU_PIN=none",
						"PMU_OUTPUT=none", NULL };
	static const char *const on_clock[] = { "PMU_BACKEND=clock", "PMU_OUTPUT=none", NULL };
	static const char *const on_software[] = { "PMU_BACKEND=software", "PMU_OUTPUT=none",
						   NULL };
	static const char *const nothing_set[] = { NULL };
	struct row report = row_for("report, 100 regions on 2 threads", "ms");

	table_heading("What happens once, each time in a process of its own", false);
	measure_start("start, clock, PMU_PIN=none", "start, ... up to the first region", 2,
		      unpinned);
	measure_start("start, clock", "start, ... up to the first region", 30, on_clock);
	measure_start("start, no PMU_ variable", "start, ... up to the first region", 30,
		      nothing_set);
	measure_start("start, software", "start, ... up to the first region", 30, on_software);
	report.threads = 2;
	report.target_of = OF_VALUE;
	report.target = 5;
	measure(&report, 1, "report", NULL, unpinned);
	measure_end("end, ... without a report", NULL, unpinned);
	measure_end("end, ... with a text report as a file", "txt", unpinned);
	measure_end("end, ... with a JSON report as a file", "json", unpinned);
}
