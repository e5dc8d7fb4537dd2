/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of pmu-bench share: what is asked for, and what came out. */
#ifndef BENCH_SUITE_H
#define BENCH_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/kernels/kernel.h"

#define SUITE_MAX_THREADS        1024
#define SUITE_MAX_KERNELS        64
#define SUITE_MAX_PROCESSES      1000
#define SUITE_MAX_VERIFIED_CALLS 1000

/* --- what is asked for: options.c --- */

struct options {
	const struct kernel *kernel[SUITE_MAX_KERNELS];
	size_t n_kernels;
	size_t from, to; /* bytes of all threads together; 0: each kernel's own size */
	int n_threads;   /* 0: one for each processor */
	double seconds;  /* of each row */
	/* a fixed number of regions of one pass each; 0: as many as the time allows */
	uint64_t calls;
	/* bytes of the last level that the model is to reckon with; 0: this machine's */
	size_t cache;
	int processes; /* of each source, to verify; 0: as many as suits */
	bool bare, json, emulate, verify, ceilings;
	const char *output; /* a file for ceilings; NULL: where pmu looks for it */
};

/** What options_parse() returns. */
enum options_result { OPTIONS_GO, OPTIONS_DONE, OPTIONS_WRONG };

/** options_parse() - Prints what is wrong, or what was asked for, where that is not a run. */
enum options_result options_parse(int argc, char **argv, struct options *options);

/* --- where it runs: surroundings.c --- */

struct surroundings {
	char machine[200]; /* as a report has it */
	char source[200];  /* of counts, and why it is no better one */
	char why_not[200]; /* "" */
	char mend[200];    /* "" */
	char pinning[100];
	int processors; /* that this process may run on */
	bool simulated; /* by valgrind: times mean nothing */
	size_t cache;   /* bytes of one cache of the last level; 0: unknown */
	int n_caches;   /* how many of them there are */
};

/** surroundings_simulated() - does this program run under valgrind? */
bool surroundings_simulated(void);
/**
 * surroundings_find() - once the session runs; @processors: counted before it.  Return: 0 or a
 * negative errno.
 */
int surroundings_find(int processors, struct surroundings *where);

/* --- what came out: team.c --- */

/** What was counted, and how pmu_count_name() calls it here. */
enum what { INSTRUCTIONS, BRANCHES, MISPREDICTED, LINES, N_WHAT };

struct result {
	const struct kernel *kernel;
	size_t bytes;           /* of all threads: asked for, or what the kernel takes at least */
	uint64_t passes, calls; /* of each thread; a call is a region round so many passes */
	double iterations;      /* of a pass of one thread, on average */
	/* work a second, all threads together; NAN where times mean nothing */
	double rate;
	double ns, ns_min, ns_max; /* an iteration: median of the calls, least, most */
	/* rate with regions by the rate without; NAN where that was not asked for */
	double of_bare;
	double counted[N_WHAT]; /* an iteration; NAN: missing */
	double model[N_WHAT];   /* what it should be; NAN: cannot be told */
	const char *wrong;      /* what went wrong; NULL */
};

/** team_run() - one kernel at one size on all threads. */
void team_run(const struct options *options, const struct surroundings *where,
	      const struct kernel *kernel, size_t bytes, struct result *result);

/**
 * lines_expected() - lines that a pass fetches, of @bytes of data beside so large a cache; NAN:
 * cannot be told
 */
double lines_expected(const struct model *model, double bytes, double cache);

/* --- counts.c --- */

/**
 * counts_take() - add what the calling thread counted in a region; NAN where something is missing.
 */
void counts_take(const char *region, double *counted);
/** counts_name() - how the library calls it; NULL where it is not counted here. */
const char *counts_name(enum what what);

/* --- text.c and json.c --- */

/** One way to print results. */
struct writer {
	void (*begin)(const struct options *options, const struct surroundings *where);
	void (*row)(const struct result *result);
	void (*end)(void);
};

extern const struct writer suite_text, suite_json;

/**
 * size_text() - "64M" or "1000"; in a buffer that the next call uses again; not for several
 * threads.
 */
const char *size_text(size_t bytes);

/* --- emulate.c --- */

/**
 * emulate() - become this program under valgrind
 * @options: of this run
 * @argv: the same in words
 * Return: only where it fails; printed.
 */
void emulate(const struct options *options, char **argv);

/**
 * emulate_command() - the pmu command that was installed, or built, with this program; else "pmu",
 * that of PATH
 */
const char *emulate_command(char *path, size_t room);

/**
 * emulate_cache() - choose the cache that is simulated, and note it; false: it cannot be; printed.
 */
bool emulate_cache(struct options *options);

#endif
