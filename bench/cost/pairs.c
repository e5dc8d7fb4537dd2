/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a pair takes in the cases that people ask for: a fixed list, so that runs can be compared.
 */
#include <stdio.h>
#include <string.h>

#include "overhead.h"
#include "rounds.h"

#define N_ROUNDS MAX_ROUNDS
#define DEPTH    8
#define MANY     10000

static const char *const on_clock[] = { "PMU_BACKEND=clock", "PMU_OUTPUT=none", NULL };
static const char *const on_software[] = { "PMU_BACKEND=software", "PMU_EVENTS=" LOOP_EVENTS,
					   "PMU_OUTPUT=none", NULL };
static const char *const lengths_on_clock[] = { "PMU_BACKEND=clock", "PMU_HISTOGRAM=1",
						"PMU_OUTPUT=none", NULL };
static const char *const lengths_on_software[] = { "PMU_BACKEND=software",
						   "PMU_EVENTS=" LOOP_EVENTS, "PMU_HISTOGRAM=1",
						   "PMU_OUTPUT=none", NULL };
static const char *const off[] = { "PMU_ENABLE=0", NULL };
static const char *const nothing_set[] = { NULL };

static const struct subject {
	const char *name;
	const char *const *settings;
	struct work work;
	enum target_of target_of;
	double target;
} subjects[] = {
	{ "one region", on_clock, { "one", "clock", "none", 0, 1, N_ROUNDS, 0 }, OF_BARE, 1.10 },
	{ "one region, no PMU_ variable",
	  nothing_set,
	  { "one", "clock", "none", 0, 1, N_ROUNDS, 0 },
	  OF_BARE,
	  1.10 },
	{ "100 names in rotation",
	  on_clock,
	  { "named", "clock", "literals", 100, 1, N_ROUNDS, 0 },
	  OF_BARE,
	  1.30 },
	{ "nested, depth 8",
	  on_clock,
	  { "nested", "clock", "heap", DEPTH, 1, N_ROUNDS, 0 },
	  OF_BARE,
	  1.10 },
	{ "two threads at once",
	  on_clock,
	  { "one", "clock", "none", 0, 2, N_ROUNDS, 0 },
	  OF_BARE,
	  1.10 },
	{ "10,000 names in order",
	  on_clock,
	  { "named", "clock", "heap", MANY, 1, N_ROUNDS, 1 },
	  OF_ONE,
	  1.5 },
	{ "10,000 names at random",
	  on_clock,
	  { "named", "clock", "shuffled", MANY, 1, N_ROUNDS, 1 },
	  OF_ONE,
	  3 },
	{ "a buffer, each time another text",
	  on_clock,
	  { "buffer", "clock", "heap", DEPTH, 1, N_ROUNDS, 1 },
	  NO_TARGET,
	  0 },
	{ "pmu_region_begin_n",
	  on_clock,
	  { "counted", "clock", "none", 0, 1, N_ROUNDS, 0 },
	  NO_TARGET,
	  0 },
	{ "PMU_ENABLE=0", off, { "one", "clock", "none", 0, 1, N_ROUNDS, 0 }, NO_TARGET, 0 },
	{ "software, bare: two read(2)",
	  on_software,
	  { "one", "group", "none", 0, 1, N_ROUNDS, 0 },
	  OF_BARE,
	  1.05 },
	{ "PMU_HISTOGRAM=1",
	  lengths_on_clock,
	  { "one", "clock", "none", 0, 1, N_ROUNDS, 0 },
	  NO_TARGET,
	  0 },
	{ "PMU_HISTOGRAM=1, software",
	  lengths_on_software,
	  { "one", "group", "none", 0, 1, N_ROUNDS, 0 },
	  NO_TARGET,
	  0 },
};

static void measure_one(const struct subject *subject)
{
	struct row row = row_for(subject->name, "ns");
	struct work_notes notes;

	row.target_of = subject->target_of;
	row.target = subject->target;
	if (work_measure(&subject->work, subject->settings, &row, &notes) == 0 && notes.counts &&
	    subject->settings == nothing_set) {
		/* two time stamps are no measure for what reads counters */
		row.target_of = NO_TARGET;
		row.note = "with the machine's counters";
	}
	table_row(&row);
}

bool pairs_has(const char *only)
{
	for (size_t i = 0; i < sizeof(subjects) / sizeof(*subjects); i++)
		if (strstr(subjects[i].name, only))
			return true;
	return false;
}

void measure_pairs(const char *only)
{
	table_heading("What a begin/end pair takes, beside the bare reads of the same run", true);
	for (size_t i = 0; i < sizeof(subjects) / sizeof(*subjects); i++)
		if (!only || strstr(subjects[i].name, only))
			measure_one(&subjects[i]);
}
