/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a pair takes in the cases that people ask for: a fixed list, so that runs can be compared.
 */
#include <stdio.h>
#include <string.h>

#include "overhead.h"
#include "rounds.h"

#define N_ROUNDS 31 /* of each process */
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

static const char *const by_one_name[] = { "one", "clock", "none" };

static const struct subject {
	const char *name;
	const char *const *settings;
	const char *const *words; /* loop, bare, names of a struct work */
	int n_names, n_threads, beside_one;
	const char *busy;
	enum target_of target_of;
	double target;
} subjects[] = {
#define WORDS(...) ((const char *const[]){ __VA_ARGS__ })
	{ "one region", on_clock, by_one_name, 0, 1, 0, NULL, OF_BARE, 1.10 },
	{ "one region, no PMU_ variable", nothing_set, by_one_name, 0, 1, 0, NULL, OF_BARE, 1.10 },
	{ "one region, integers beside it", on_clock, by_one_name, 0, 1, 0, "integers", OF_BARE,
	  1.30 },
	{ "one region, memory beside it", on_clock, by_one_name, 0, 1, 0, "memory", OF_BARE, 1.30 },
	{ "100 names in rotation", on_clock, WORDS("named", "clock", "literals"), 100, 1, 0, NULL,
	  OF_BARE, 1.30 },
	{ "nested, depth 8", on_clock, WORDS("nested", "clock", "heap"), DEPTH, 1, 0, NULL, OF_BARE,
	  1.10 },
	{ "two threads at once", on_clock, by_one_name, 0, 2, 0, NULL, OF_BARE, 1.10 },
	{ "10,000 names in order", on_clock, WORDS("named", "clock", "heap"), MANY, 1, 1, NULL,
	  OF_ONE, 1.3 },
	{ "10,000 names at random", on_clock, WORDS("named", "clock", "drawn"), MANY, 1, 1, NULL,
	  OF_ONE, 2 },
	{ "a buffer, each time another text", on_clock, WORDS("buffer", "clock", "heap"), DEPTH, 1,
	  1, NULL, NO_TARGET, 0 },
	{ "pmu_region_begin_n", on_clock, WORDS("counted", "clock", "none"), 0, 1, 0, NULL,
	  NO_TARGET, 0 },
	{ "PMU_ENABLE=0", off, by_one_name, 0, 1, 0, NULL, NO_TARGET, 0 },
	{ "software, bare: two read(2)", on_software, WORDS("one", "group", "none"), 0, 1, 0, NULL,
	  OF_BARE, 1.05 },
	{ "PMU_HISTOGRAM=1", lengths_on_clock, by_one_name, 0, 1, 0, NULL, NO_TARGET, 0 },
	{ "PMU_HISTOGRAM=1, software", lengths_on_software, WORDS("one", "group", "none"), 0, 1, 0,
	  NULL, NO_TARGET, 0 },
#undef WORDS
};

static void measure_one(const struct subject *subject)
{
	const struct work work = { subject->words[0],   subject->words[1],  subject->words[2],
				   subject->n_names,    subject->n_threads, N_ROUNDS,
				   subject->beside_one, subject->busy };
	struct row row = row_for(subject->name, "ns");
	struct work_notes notes;

	row.target_of = subject->target_of;
	row.target = subject->target;
	row.optional = subject->busy;
	if (work_repeat(&work, subject->settings, &row, &notes) == 0 && notes.counts &&
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
