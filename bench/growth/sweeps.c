/* SPDX-License-Identifier: BSD-3-Clause */
/* Stores of growing size, what making them takes, and what reports of them take. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/growth/scale.h"
#include "bench/growth/stores.h"

/* A store's numbers are KiB and times; a report's are these. */
enum report_number { MS, KIB, PEAK_MIB, N_REPORT_NUMBERS };

/* What `pmu report` is told, and which file it writes. */
static const struct report {
	const char *title;
	const char *option[2];
	const char *file;
	enum target file_target;
} reports[] = {
	{ "text", { NULL }, NULL, NO_TARGET }, /* at most a hundred regions */
	{ "text, all rows of all threads", { "--threads", "--all" }, NULL, LINEAR },
	{ "JSON", { NULL }, "report.json", LINEAR },
	{ "CSV", { NULL }, "report.csv", LINEAR },
};
#define N_REPORTS (sizeof(reports) / sizeof(*reports))
enum { TEXT, ALL_TEXT, JSON, CSV };

/* A report that is made from the JSON one. */
static const char read_back[] = "JSON read again, as text";

/* What the CSV report says of what was called: none of it may differ. */
enum check { WRONG_ROWS, WRONG_THREADS, N_CHECKS };

/** One of growing stores. */
struct sweep {
	const char *title;
	struct sizes sizes;
	unsigned int n_threads, n_regions; /* 0: what grows */
	const char *const *settings;       /* beside those of every store */
	unsigned int n_rounds;
	bool with_json; /* text and back */
};

/*
 * Its targets: where threads grow in number, and where their regions do.  A thread's end gives the
 * memory of all of its regions back.  Later calls find their region in a cache at the smallest
 * sizes and in memory at the largest: no algorithm makes that flat.  First calls wait for each
 * other, and now and then for one that has lost its processor in the middle: that is noise, of the
 * kind that many threads have more of.
 */
static const struct {
	const char *what, *unit;
	enum target of_threads, of_regions;
	bool exact;
} store_numbers[N_STORE_NUMBERS] = {
	[STORE_KIB] = { "store, file", "KiB", LINEAR, LINEAR, true },
	[RESIDENT_KIB] = { "memory that the regions took", "KiB", LINEAR, LINEAR, true },
	[ATTACH_US] = { "a thread's start", "us", FLAT, FLAT, false },
	[FIRST_NS] = { "first call of a region in a thread", "ns", FLAT, FLAT, false },
	[PAIR_NS] = { "each later call", "ns", FLAT, NO_TARGET, false },
	[END_US] = { "a thread's end", "us", FLAT, LINEAR, false },
	[READ_US] = { "pmu_region_read() of another thread", "us", FLAT, FLAT, false },
	[REPORT_MS] = { "pmu_report(), text", "ms", LINEAR, LINEAR, false },
};

/* All rows of a sweep. */
struct rows {
	struct series store[N_STORE_NUMBERS];
	struct series check[N_CHECKS];
	struct series report[N_REPORTS + 1][N_REPORT_NUMBERS];
	char title[N_REPORTS + 1][N_REPORT_NUMBERS][80];
};

static void name_report(struct rows *rows, size_t i, const char *title, enum target file_target)
{
	static const char *const of[] = { [MS] = "", [KIB] = ", size", [PEAK_MIB] = ", memory" };
	static const char *const unit[] = { [MS] = "ms", [KIB] = "KiB", [PEAK_MIB] = "MiB" };

	/* a report's size depends on the digits of its times */
	for (int k = 0; k < N_REPORT_NUMBERS; k++) {
		snprintf(rows->title[i][k], sizeof(rows->title[i][k]), "%s%s", title, of[k]);
		rows->report[i][k] = series_for(rows->title[i][k], unit[k],
						k == KIB ? file_target : LINEAR, k == PEAK_MIB);
	}
}

static void name_rows(const struct sweep *sweep, struct rows *rows)
{
	for (int i = 0; i < N_STORE_NUMBERS; i++)
		rows->store[i] = series_for(store_numbers[i].what, store_numbers[i].unit,
					    sweep->n_threads ? store_numbers[i].of_regions
							     : store_numbers[i].of_threads,
					    store_numbers[i].exact);
	rows->check[WRONG_ROWS] = series_for("regions of threads with wrong calls", "", NONE, true);
	rows->check[WRONG_THREADS] = series_for("threads that are not apart", "", NONE, true);
	for (size_t i = 0; i < N_REPORTS; i++)
		name_report(rows, i, reports[i].title, reports[i].file_target);
	name_report(rows, N_REPORTS, read_back, NO_TARGET);
}

static void fail_all(struct rows *rows, const char *why)
{
	for (int i = 0; i < N_STORE_NUMBERS; i++)
		series_fail(&rows->store[i], why);
	for (int i = 0; i < N_CHECKS; i++)
		series_fail(&rows->check[i], why);
	for (size_t i = 0; i <= N_REPORTS; i++)
		for (int k = 0; k < N_REPORT_NUMBERS; k++)
			series_fail(&rows->report[i][k], why);
}

/* --- are the numbers right? --- */

/* What is counted while the lines of the CSV report are gone through. */
struct counted {
	unsigned int n_threads, n_regions, n_calls; /* as they were made */
	unsigned int *regions;                      /* [n_threads] right rows of each */
	double wrong;
};

/* group,path,name,depth,thread,calls,...; no name here holds a comma. */
static void count_line(struct counted *counted, char *line)
{
	char *field[6], *rest = line;
	unsigned long thread;
	int n = 0;

	while (n < 6 && (field[n] = strsep(&rest, ",")))
		n++;
	if (n < 6 || !strcmp(field[4], "thread"))
		return;
	if (!strcmp(field[4], "all")) {
		counted->wrong += strtoul(field[5], NULL, 10) !=
				  (unsigned long)counted->n_calls * counted->n_threads;
		return;
	}
	thread = strtoul(field[4], NULL, 10);
	if (thread >= counted->n_threads || strtoul(field[5], NULL, 10) != counted->n_calls)
		counted->wrong++;
	else
		counted->regions[thread]++;
}

static int check_calls(const char *path, struct counted *counted, double value[N_CHECKS])
{
	FILE *file = fopen(path, "r");
	size_t room = 0;
	char *line = NULL;

	counted->regions = calloc(counted->n_threads, sizeof(*counted->regions));
	if (!file || !counted->regions) {
		if (file)
			fclose(file);
		free(counted->regions);
		return -1;
	}
	while (getline(&line, &room, file) > 0)
		count_line(counted, line);
	free(line);
	fclose(file);
	value[WRONG_ROWS] = counted->wrong;
	value[WRONG_THREADS] = 0;
	for (unsigned int i = 0; i < counted->n_threads; i++)
		value[WRONG_THREADS] += counted->regions[i] != counted->n_regions;
	free(counted->regions);
	return 0;
}

/* --- reports --- */

static void put_report(struct series row[N_REPORT_NUMBERS], unsigned int at,
		       const struct taken *taken, const char *failed)
{
	const double value[] = {
		[MS] = taken->ms, [KIB] = taken->out_kib, [PEAK_MIB] = taken->peak_mib
	};

	for (int k = 0; k < N_REPORT_NUMBERS; k++) {
		if (failed)
			series_fail(&row[k], failed);
		else
			row[k].value[at] = value[k];
	}
}

static void make_report(struct series row[N_REPORT_NUMBERS], unsigned int at,
			const struct report *report, const char *input, const char *folder)
{
	char text[PATH_MAX], file[PATH_MAX], why[200];
	const char *word[8] = { "report", input };
	struct taken taken;
	int n = 2, rc;

	snprintf(text, sizeof(text), "%s/report.txt", folder);
	snprintf(file, sizeof(file), "%s/%s", folder, report->file ? report->file : "");
	for (int i = 0; i < 2 && report->option[i]; i++)
		word[n++] = report->option[i];
	if (report->file) {
		word[n++] = "-o";
		word[n++] = file;
	}
	rc = run_command(word, text, report->file ? file : text, &taken, why, sizeof(why));
	put_report(row, at, &taken, rc < 0 ? why : NULL);
}

static void make_reports(struct rows *rows, unsigned int at, const char *folder, bool with_json)
{
	static const struct report again = { .option = { NULL } };
	char store[2 * PATH_MAX], json[PATH_MAX];

	if (store_path(folder, store, sizeof(store)) < 0) {
		for (size_t i = 0; i <= N_REPORTS; i++)
			put_report(rows->report[i], at, &(struct taken){ .ms = 0 },
				   "the store is not there");
		return;
	}
	for (size_t i = 0; i < N_REPORTS; i++)
		make_report(rows->report[i], at, &reports[i], store, folder);
	snprintf(json, sizeof(json), "%s/%s", folder, reports[JSON].file);
	if (with_json)
		make_report(rows->report[N_REPORTS], at, &again, json, folder);
}

/* --- one size --- */

static void make_store(const struct sweep *sweep, unsigned int at, const char *folder,
		       struct rows *rows)
{
	char words[3][16], setting[PATH_MAX + 32], csv[PATH_MAX];
	const char *settings[16] = { setting, "PMU_OUTPUT=none" };
	struct child child = { .settings = settings,
			       .argument = { "store", words[0], words[1], words[2] } };
	struct counted counted = {
		.n_threads = sweep->n_threads ? sweep->n_threads : sweep->sizes.size[at],
		.n_regions = sweep->n_regions ? sweep->n_regions : sweep->sizes.size[at],
		.n_calls = 1 + sweep->n_rounds
	};
	double value[N_STORE_NUMBERS], check[N_CHECKS];

	snprintf(setting, sizeof(setting), "XDG_RUNTIME_DIR=%s", folder);
	for (int i = 0; sweep->settings[i]; i++)
		settings[i + 2] = sweep->settings[i];
	snprintf(words[0], sizeof(words[0]), "%u", counted.n_threads);
	snprintf(words[1], sizeof(words[1]), "%u", counted.n_regions);
	snprintf(words[2], sizeof(words[2]), "%u", sweep->n_rounds);
	if (run_child(&child, value, N_STORE_NUMBERS) < 0) {
		fail_all(rows, child.why);
		return;
	}
	for (int i = 0; i < N_STORE_NUMBERS; i++) {
		rows->store[i].value[at] = value[i];
		if (value[i] < 0)
			series_fail(&rows->store[i], "the child could not tell");
	}
	make_reports(rows, at, folder, sweep->with_json);
	snprintf(csv, sizeof(csv), "%s/%s", folder, reports[CSV].file);
	if (check_calls(csv, &counted, check) < 0)
		check[WRONG_ROWS] = check[WRONG_THREADS] = -1;
	for (int i = 0; i < N_CHECKS; i++) {
		rows->check[i].value[at] = check[i];
		if (check[i] < 0)
			series_fail(&rows->check[i], "there is no CSV report");
	}
}

static void measure_size(const struct sweep *sweep, unsigned int at, struct rows *rows)
{
	char folder[FOLDER_MAX], why[200] = "";

	if (run_folder(folder, sizeof(folder), why, sizeof(why)) < 0)
		fail_all(rows, why);
	else
		make_store(sweep, at, folder, rows);
	run_folder_remove(folder);
}

/* --- the sweeps --- */

static void measure_sweep(struct sweep *sweep)
{
	struct rows rows;

	name_rows(sweep, &rows);
	if (quick)
		sweep->sizes.n = 2;
	series_heading(sweep->title, &sweep->sizes);
	for (unsigned int at = 0; at < sweep->sizes.n; at++)
		measure_size(sweep, at, &rows);
	for (int i = 0; i < N_STORE_NUMBERS; i++)
		series_row(&rows.store[i]);
	for (int i = 0; i < N_CHECKS; i++)
		series_row(&rows.check[i]);
	for (size_t i = 0; i < N_REPORTS + sweep->with_json; i++)
		for (int k = 0; k < N_REPORT_NUMBERS; k++)
			series_row(&rows.report[i][k]);
}

#define THREAD_SIZES                        \
	{                                   \
		"threads", 4,               \
		{                           \
			128, 256, 512, 1024 \
		}                           \
	}
#define REGION_SIZES                            \
	{                                       \
		"regions", 4,                   \
		{                               \
			1250, 2500, 5000, 10000 \
		}                               \
	}

static const char *const on_clock[] = { "PMU_BACKEND=clock", "PMU_PIN=none", NULL };
static const char *const on_software[] = {
	"PMU_BACKEND=software", "PMU_PIN=none",
	"PMU_EVENTS=task-clock,page-faults,minor-faults,major-faults,context-switches,cpu-migrations,"
	"alignment-faults,emulation-faults",
	NULL
};

void measure_threads(void)
{
	struct sweep clock = { "Threads with 100 regions each, on the clock",
			       THREAD_SIZES,
			       0,
			       100,
			       on_clock,
			       10,
			       true };
	struct sweep software = { "Threads with 100 regions each, 8 software counts",
				  THREAD_SIZES,
				  0,
				  100,
				  on_software,
				  2,
				  false };

	measure_sweep(&clock);
	measure_sweep(&software);
}

void measure_regions(void)
{
	struct sweep clock = {
		"Regions of 16 threads, on the clock", REGION_SIZES, 16, 0, on_clock, 10, false
	};
	struct sweep software = { "Regions of 16 threads, 8 software counts",
				  REGION_SIZES,
				  16,
				  0,
				  on_software,
				  2,
				  false };

	measure_sweep(&clock);
	measure_sweep(&software);
}
