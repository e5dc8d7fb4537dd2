/* SPDX-License-Identifier: BSD-3-Clause */
/* pmu-bench --ceilings: what this machine computes and moves at most. */
#ifndef BENCH_CEILINGS_H
#define BENCH_CEILINGS_H

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/ceilings/flops.h"
#include "bench/ceilings/streams.h"

#define CEILINGS_RUNS       9         /* of each loop that nothing disturbed: odd, for the median */
#define CEILINGS_MAX_RUNS   60        /* with those that other work disturbed */
#define CEILINGS_MAX_NS     120000000 /* no further run so long after the first */
#define CEILINGS_RUN_NS     2500000 /* of one run: shorter than what a scheduler gives at a time */
#define CEILINGS_MAX_FLOPS  16
#define CEILINGS_MAX_KINDS  4
#define CEILINGS_MAX_LEVELS 6 /* caches, and memory */

/** The threads that work: one, or one on each processor that the process may use. */
enum team { TEAM_ONE, TEAM_ALL, N_TEAMS };

/** A second. */
struct rate {
	double median, least, most;
	bool disturbed; /* there were not enough runs without other work on the processors */
};

/** A level of caches, or memory behind the last. */
struct level {
	char name[8]; /* "L2"; "memory" */
	size_t cache; /* bytes of one of its caches; 0: memory */
	size_t *bytes
		[N_TEAMS]; /* that each thread of the team works on, so that it is this level that moves them */
	size_t total[N_TEAMS];
	struct rate rate[CEILINGS_MAX_KINDS][N_TEAMS];
};

struct ceilings {
	char machine[200], cpu[100], host[256]; /* as a report has them */
	int64_t unix_s;                         /* when it was measured */
	int n_threads[N_TEAMS];
	int *cpus; /* [n_threads[TEAM_ALL]]: the processors; the first is that of one thread */
	const struct flops_kernel *flops[CEILINGS_MAX_FLOPS];
	struct rate flops_rate[CEILINGS_MAX_FLOPS][N_TEAMS];
	size_t n_flops;
	const struct stream_kernel *kind[CEILINGS_MAX_KINDS];
	size_t n_kinds;
	struct level level[CEILINGS_MAX_LEVELS];
	size_t n_levels;
	int n_rates, n_disturbed; /* of all */

	char path[PATH_MAX]; /* of the file; "-" */
	char wrong[200];     /* "" or what went wrong */
};

/** levels_find() - by hwloc, for ceilings->cpus.  Return: 0 or -1 without memory. */
int levels_find(struct ceilings *ceilings);
void levels_free(struct ceilings *ceilings);

/*
 * A loop on all threads of a team at the same time: median, least and most of the runs, all threads
 * together.
 * Return: 0; -1: @wrong says what went wrong.
 */
int team_flops(struct ceilings *ceilings, enum team team, const struct flops_kernel *kernel,
	       struct rate *rate);
int team_stream(struct ceilings *ceilings, enum team team, const struct stream_kernel *kernel,
		const struct level *level, struct rate *rate);

/** ceilings_print() - as a table for people */
void ceilings_print(const struct ceilings *ceilings);

/**
 * ceilings_place() - where they go, and whether anything can be written there
 * @output: a file, "-" is standard output; NULL: where pmu looks for it, in folders that are made
 * Return: 0, or -1 after a message.
 */
int ceilings_place(struct ceilings *ceilings, const char *output);
/**
 * ceilings_write() - as JSON, into a file all or nothing; "-": to standard output
 * Return: 0, or -1 after a message.
 */
int ceilings_write(const struct ceilings *ceilings, const char *path);

struct options;
/** ceilings_run() - all of it.  Return: the exit status. */
int ceilings_run(const struct options *options);

/** ceilings_child() - each loop for so many turns: what tests count.  Return: the exit status. */
int ceilings_child(char **argument);

#endif
