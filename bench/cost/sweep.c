/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a pair costs over the number of names, the depth, the threads and the counts: each source
 * that works here.
 */
#include "sweep.h"

#include <stdio.h>
#include <string.h>

#include "bench/common/processors.h"
#include "overhead.h"
#include "rounds.h"

#define N_ROUNDS    51 /* fewer than the fixed list: there are many points */
#define MAX_POINTS  256
#define MAX_ON_AXIS 16

static const struct source {
	const char *name;
	const char *bare;     /* of a struct work */
	const char *event[9]; /* up to 8; what a machine most likely has comes first */
} sources[] = {
	{ "clock", "clock", { NULL } },
	{ "software",
	  "group",
	  { "task-clock", "page-faults", "minor-faults", "major-faults", "cpu-clock",
	    "alignment-faults", "emulation-faults", "context-switches" } },
	{ "perf",
	  "group",
	  { "instructions", "cycles", "branches", "branch-misses", "cache-references",
	    "cache-misses", "ref-cycles", "bus-cycles" } },
	{ "msr",
	  "msr",
	  { "instructions", "cycles", "branches", "branch-misses", "cache-references",
	    "cache-misses", "ref-cycles", "bus-cycles" } },
};

static struct point measured[MAX_POINTS];
static size_t n_measured;

size_t sweep_points(const struct point **points)
{
	*points = measured;
	return n_measured;
}

void sweep_number(int at, char text[16])
{
	if (at >= 1000)
		snprintf(text, 16, "%d,%03d", at / 1000, at % 1000);
	else
		snprintf(text, 16, "%d", at);
}

/* --- where to measure --- */

/* 1, 2, 4 ... and all that this process may run on. */
static int thread_counts(int *at)
{
	int n = 0, all = processors_allowed();

	for (int threads = 1; threads < all && n < MAX_ON_AXIS - 1; threads *= 2)
		at[n++] = threads;
	at[n++] = all;
	return n;
}

static int points_on(enum axis axis, int *at)
{
	static const struct {
		int n, at[5];
	} fixed[N_AXES] = {
		[BY_NAMES] = { 5, { 1, 10, 100, 1000, 10000 } },
		[BY_DEPTH] = { 5, { 1, 2, 4, 8, 16 } },
		[BY_COUNTS] = { 4, { 1, 2, 4, 8 } },
	};

	if (axis == BY_THREADS)
		return thread_counts(at);
	memcpy(at, fixed[axis].at, sizeof(fixed[axis].at));
	return fixed[axis].n;
}

/* --- one point --- */

static void settings_of(const struct source *source, int n_counts, char text[2][256],
			const char **setting)
{
	size_t len = (size_t)snprintf(text[1], sizeof(text[1]), "PMU_EVENTS=");

	snprintf(text[0], sizeof(text[0]), "PMU_BACKEND=%s", source->name);
	for (int i = 0; i < n_counts && len < sizeof(text[1]); i++)
		len += (size_t)snprintf(text[1] + len, sizeof(text[1]) - len, "%s%s", i ? "," : "",
					source->event[i]);
	*setting++ = text[0];
	*setting++ = "PMU_OUTPUT=none";
	if (n_counts)
		*setting++ = text[1];
	*setting = NULL;
}

static const char *const axis_words[N_AXES] = { "names", "depth", "threads", "counts" };

static void subject_of(const struct source *source, enum axis axis, int at, char *text, size_t size)
{
	char number[16];

	sweep_number(at, number);
	if (axis == BY_DEPTH)
		snprintf(text, size, "%s, depth %s", source->name, number);
	else
		snprintf(text, size, "%s, %s %.*s", source->name, number,
			 (int)strlen(axis_words[axis]) - (at == 1), axis_words[axis]);
}

static struct work work_at(const struct source *source, enum axis axis, int at)
{
	struct work work = { "one", source->bare, "none", 0, 1, N_ROUNDS, 0, NULL };

	if (axis == BY_THREADS)
		work.n_threads = at;
	if (axis == BY_NAMES || axis == BY_DEPTH) {
		work.loop = axis == BY_NAMES ? "named" : "nested";
		work.names = "literals";
		work.n_names = at;
	}
	return work;
}

static void keep(const struct source *source, enum axis axis, int at, const struct row *row)
{
	if (n_measured < MAX_POINTS)
		measured[n_measured++] = (struct point){ source->name, axis,      at,
							 row->value,   row->bare, row->ratio_bare };
}

/* @how: of the source's first row says how it reads.  Return: 0 or -1. */
static int measure_point(const struct source *source, enum axis axis, int at, bool *told)
{
	int n_counts = axis == BY_COUNTS ? at : source->event[0] != NULL;
	struct work work = work_at(source, axis, at);
	struct work_notes notes;
	char text[2][256], subject[64];
	const char *settings[4];
	struct row row;

	settings_of(source, n_counts, text, settings);
	subject_of(source, axis, at, subject, sizeof(subject));
	row = row_for(subject, "ns");
	row.at = (struct row_at){ source->name, axis == BY_NAMES ? at : 1,
				  axis == BY_DEPTH ? at : 1, n_counts };
	/*
	 * what a machine cannot count, or not so much at once, is no failure; the clock is there
	 * always
	 */
	row.optional = n_counts > 0;
	if (work_measure(&work, settings, &row, &notes) == 0) {
		keep(source, axis, at, &row);
		if (!*told)
			row.note = notes.how;
		*told = true;
	}
	table_row(&row);
	return row.value < 0 ? -1 : 0;
}

/* --- a source --- */

static void measure_axis(const struct source *source, enum axis axis, bool *told)
{
	int at[MAX_ON_AXIS], n = points_on(axis, at);

	for (int i = 0; i < n; i++) {
		int rc = measure_point(source, axis, at[i], told);

		/* what a source cannot do once it cannot do more of */
		if (rc < 0 && (!*told || axis == BY_COUNTS))
			return;
	}
}

static void measure_source(const struct source *source)
{
	bool told = false; /* how it reads: then it works here */

	if (source->event[0]) {
		measure_axis(source, BY_COUNTS, &told);
		if (!told)
			return;
	}
	for (int axis = BY_NAMES; axis <= BY_THREADS; axis++)
		measure_axis(source, (enum axis)axis, &told);
}

void measure_sweep(void)
{
	table_heading(
		"How a pair's cost grows (else 1 name, depth 1, 1 thread; the clock, or 1 count)",
		true);
	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
		measure_source(&sources[i]);
}
