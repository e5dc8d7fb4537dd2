/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What `pmu top` shows, apart from how: what regions do now and have done since the start, from two
 * looks at their program's store.
 */
#ifndef PMU_COMMAND_TOP_H
#define PMU_COMMAND_TOP_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/sample.h"
#include "report/model/block.h"
#include "report/model/model.h"

/* --- one look --- */

/** A call that has not ended. */
struct pmu_top_open {
	const struct pmu_model_row *row; /* its thread's */
	unsigned int section;            /* index in the model */
	uint32_t hash;
	/* when it began, in ns since the program's start: not before, not after */
	double earliest_ns, latest_ns;
	bool is_same; /* was open at the look before */
};

/** A store as it was at one moment. */
struct pmu_top_look {
	/*
	 * Its sums hold what threads did for other threads' regions, too: where those are in a
	 * region, they are in it.
	 */
	struct pmu_model *model;
	uint64_t *
		*held; /* [n_sections][n_rows]: ns of what is nested in a sum on the same thread */
	uint64_t threads_ns; /* how long threads have been there, all together */
	bool is_sampled;     /* its sums have what samples there were */
	unsigned int n_open;
	struct pmu_top_open *open;
};

/**
 * pmu_top_look_new() - of what was read from a store
 * @model: finished; it is the look's from here on, also after an error
 * @before: the look before; NULL: this is the first one
 * Return: for pmu_top_look_free(); NULL without memory.
 */
struct pmu_top_look *pmu_top_look_new(struct pmu_model *model, const struct pmu_top_look *before);
void pmu_top_look_free(struct pmu_top_look *look);

/**
 * pmu_top_key() - hash of what tells a sum from others of its section: its path, and whether it was
 * kept by name alone
 */
uint32_t pmu_top_key(const struct pmu_model_row *sum);
/** pmu_top_is_same_sum() - of two looks at one program */
bool pmu_top_is_same_sum(const struct pmu_model_row *a, const struct pmu_model_row *b);

/* --- what came of two --- */

/** Most counts and metrics of a program that are shown. */
#define PMU_TOP_VALUES 64

/** A count or a metric. */
struct pmu_top_value {
	const char *name, *unit;
	bool is_count;
};

/** Most functions of a region that are kept. */
#define PMU_TOP_FUNCTIONS 20u

/** A function in which a region was sampled. */
struct pmu_top_function {
	const char *name, *object; /* object "": the program itself, or not known */
	uint64_t n_samples;
};

/** Where a region's own time went in some time: an estimate.  No samples: not known, or none. */
struct pmu_top_samples {
	uint64_t n; /* of all functions */
	unsigned int n_functions;
	struct pmu_top_function *function; /* most samples first */
};

/** What a region did in some time. */
struct pmu_top_span {
	/* else nothing of it is: one look only, or the store was torn, damaged or set back between two */
	bool is_known;
	/* a share has something of a time that is known to be in some range only */
	bool is_about;
	uint64_t calls; /* that have ended */
	double time_ns; /* of these; NaN unknown */
	/* of all threads' time, that of calls that go on included, 0 to 1; NaN unknown */
	double share;
	double self;         /* the same without what is nested in it */
	const double *value; /* [n_values]; NaN unknown */
	struct pmu_top_samples samples;
};

struct pmu_top_row {
	const char *name, *path; /* any bytes */
	int parent;              /* index of a row before it; -1 */
	int depth;
	uint32_t n_threads;       /* that have been in it */
	uint32_t n_in;            /* that are in it now */
	double in_ns, in_most_ns; /* for how long the first of them, at least and at most */
	struct pmu_top_span last, start;
};

enum pmu_top_state { PMU_TOP_RUNS, PMU_TOP_ENDED, PMU_TOP_DIED };

struct pmu_top_program {
	const char *program, *command, *host, *source, *groups;
	const char *remark; /* a doubt about all of it; "" none */
	const char *store;  /* path */
	int64_t pid;
	uint32_t nth;
	uint64_t start_unix_ns;
	enum pmu_top_state state;
	double running_ns;
	double last_ns;              /* between the two looks; 0: there was one */
	struct pmu_sample_unit unit; /* between two samples; of period 0: it is not sampled */
	unsigned int n_threads;      /* that have not finished */
	unsigned int n_values;
	struct pmu_top_value *value; /* metrics first */
	unsigned int n_rows;
	struct pmu_top_row *row; /* what is nested in a row somewhere behind it */
	struct pmu_model_block *blocks;
};

/**
 * pmu_top_program_new() - what a program has done
 * @before: NULL: since its start alone; else @now was made with it
 * @now: may be gone afterwards, as @before may
 * Return: for pmu_top_program_free(); NULL without memory.
 */
struct pmu_top_program *pmu_top_program_new(const struct pmu_top_look *before,
					    const struct pmu_top_look *now);
void pmu_top_program_free(struct pmu_top_program *program);

#endif
