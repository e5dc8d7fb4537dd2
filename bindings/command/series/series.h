/* SPDX-License-Identifier: BSD-3-Clause */
/* Several runs of the same program, region by region: every value of every run. */
#ifndef PMU_COMMAND_SERIES_H
#define PMU_COMMAND_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/index.h"
#include "base/strbuf.h"
#include "bindings/command/noise/noise.h"
#include "report/model/model.h"
#include "report/model/samples.h"
#include "report/report.h"

/** A value that a run does not have.  Of metrics it is NAN, which never has these bits. */
#define PMU_SERIES_MISSING UINT64_MAX

enum pmu_series_kind {
	PMU_SERIES_CALLS,
	PMU_SERIES_TIME,   /* nanoseconds */
	PMU_SERIES_COUNT,  /* without the library's own cost */
	PMU_SERIES_METRIC, /* the bits of a double */
};

/** What a region has of a measure.  Calls and metrics have the first alone. */
enum pmu_series_share {
	PMU_SERIES_ALL, /* with nested regions, and what other threads did for it */
	PMU_SERIES_OWN, /* without nested regions */
	PMU_SERIES_SHARES,
};

/** The first of a group are calls, the second is time. */
struct pmu_series_measure {
	const char *name, *unit;
	enum pmu_series_kind kind;
};

struct pmu_series_region {
	const char *name, *path;
	int parent; /* index of the one it is nested in, always before it; -1 none */
	unsigned int depth;
	bool is_flat; /* kept by name, without what was around it */
};

/**
 * One run's values; regions and measures beyond these came with later runs.  Samples are of runs that
 * were added as reports: their functions alone, those of the program with "" as their object.
 */
struct pmu_series_values {
	unsigned int n_regions, n_measures;
	uint64_t *value; /* [n_regions][n_measures][PMU_SERIES_SHARES] */
	const struct pmu_model_samples *
		*samples; /* [n_regions], NULL none; NULL: was not sampled */
};

struct pmu_series_group {
	const char *name;
	unsigned int n_measures, n_regions;
	struct pmu_series_measure *measure;
	struct pmu_series_region *region;
	struct pmu_series_values *values; /* [series.n_runs] */
	unsigned int *order;    /* [n_regions] of pmu_series_finish(): as a tree, longest first */
	struct pmu_index index; /* of regions; private, like: */
	unsigned int measure_room, region_room;
};

/** A note or doubt that some runs' reports had. */
struct pmu_series_remark {
	const char *text;
	const char *region; /* its path; "" where it is about no region */
	bool is_doubt;
	unsigned int n_runs;
	size_t last; /* the run that it was counted for last; private */
};

struct pmu_series_run {
	uint64_t start_unix_ns, duration_ns;
	bool has_end;
	struct pmu_model_run end; /* of the command, where it has one */
};

/** What a report's head tells of a run; runs may differ in it. */
enum pmu_series_text {
	PMU_SERIES_PROGRAM,
	PMU_SERIES_COMMAND,
	PMU_SERIES_HOST,
	PMU_SERIES_MACHINE,
	PMU_SERIES_CPU,
	PMU_SERIES_SOURCE,
	PMU_SERIES_SOURCE_DETAIL,
	PMU_SERIES_CLOCK,
	PMU_SERIES_PINNING,
	PMU_SERIES_VERSION,
	PMU_SERIES_TEXTS,
};

struct pmu_series {
	const char *text[PMU_SERIES_TEXTS]; /* of the first run */
	uint32_t differs;                   /* bit i: text[i] was another one in a later run */
	double clock_hz;
	unsigned int n_warmup; /* runs before these, of which nothing is here */
	const char *settings;  /* of pmu_noise_settings(); "" not known */
	struct pmu_noise_findings noise;
	unsigned int n_refusals;
	struct pmu_model_refusal *refusal; /* of the first run */
	unsigned int n_remarks, remark_room;
	struct pmu_series_remark *remark;
	struct pmu_index remarks; /* of them; private */
	size_t n_runs, run_room;
	struct pmu_series_run *run;
	unsigned int n_groups;
	struct pmu_series_group *group;
	struct pmu_model_block *blocks; /* memory of all texts */
};

/** pmu_series_kind_name() - "calls" */
const char *pmu_series_kind_name(enum pmu_series_kind kind);

/** pmu_series_text_name() - "machine" */
const char *pmu_series_text_name(enum pmu_series_text which);

/** All zero is an empty series; pmu_series_free() makes it one again. */
void pmu_series_free(struct pmu_series *series);

/**
 * pmu_series_add() - one more run
 * @model: finished, with metrics; not needed afterwards
 * Return: 0; -ENOMEM or -E2BIG with a sentence, and there is nothing to do but to free the series.
 */
int pmu_series_add(struct pmu_series *series, const struct pmu_model *model);

/**
 * pmu_series_append() - all runs of another one; of its noise and refusals nothing
 * Return: as above.
 */
int pmu_series_append(struct pmu_series *series, const struct pmu_series *more);

/** pmu_series_note() - something to be said of all runs.  Return: 0 or -ENOMEM. */
int pmu_series_note(struct pmu_series *series, const char *text);

/** pmu_series_finish() - the order of regions, after the last run.  Return: 0 or -ENOMEM. */
int pmu_series_finish(struct pmu_series *series);

/** pmu_series_is_simulated() - was it valgrind that counted, whose times are not the program's? */
bool pmu_series_is_simulated(const struct pmu_series *series);

/**
 * pmu_series_rank() - the measure that regions are ordered by: time; of a simulation instructions, or
 * the first count
 */
unsigned int pmu_series_rank(const struct pmu_series *series, const struct pmu_series_group *group);

/** pmu_series_find() - index of a region; -1: there is none */
int pmu_series_find(const struct pmu_series_group *group, const char *path, bool is_flat);

/** pmu_series_value() - as it was counted; PMU_SERIES_MISSING */
uint64_t pmu_series_value(const struct pmu_series_group *group, size_t run, unsigned int region,
			  unsigned int measure, enum pmu_series_share share);

/** pmu_series_samples() - a region's own in a run; NULL none */
const struct pmu_model_samples *pmu_series_samples(const struct pmu_series_group *group, size_t run,
						   unsigned int region);

/** What all runs say of one value; NAN where none does. */
struct pmu_series_summary {
	size_t n;                 /* runs that have it */
	double median, low, high; /* the median's interval; both NAN: too few runs */
	double least, most;
};

#define PMU_SERIES_LEVEL 0.95

/**
 * pmu_series_summarize() - the median and its interval
 * @scratch: [runs]
 */
struct pmu_series_summary pmu_series_summarize(const struct pmu_series *series,
					       const struct pmu_series_group *group,
					       unsigned int region, unsigned int measure,
					       enum pmu_series_share share, double *scratch);

/** pmu_series_elapsed() - the same for the command's time, in nanoseconds; n is 0 without it */
struct pmu_series_summary pmu_series_elapsed(const struct pmu_series *series, double *scratch);

/* Its writers.  Return: 0 or -ENOMEM. */
int pmu_series_write_text(struct pmu_strbuf *out, const struct pmu_series *series,
			  const struct pmu_text_options *options);
int pmu_series_write_json(struct pmu_strbuf *out, const struct pmu_series *series);
int pmu_series_write_csv(struct pmu_strbuf *out, const struct pmu_series *series);

#endif
