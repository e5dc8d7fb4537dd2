/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of bench/overhead share: rows of its tables, and children that do the
 * measuring. */
#ifndef BENCH_OVERHEAD_H
#define BENCH_OVERHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* --- the table: table.c
 * -------------------------------------------------------------------- */

/** One line. A value that was not measured is negative: it is left out. */
struct row {
	const char *subject;
	int threads;
	double value, min, max; /* median, least, most, in @unit */
	const char *unit;
	double bare;	   /* what the bare reads took beside it */
	double ratio_bare; /* medians of the ratios of each round: to the bare reads, */
	double ratio_one;  /* and to one region alone */
	enum target_of { NO_TARGET, OF_VALUE, OF_BARE, OF_ONE } target_of;
	double target;
	const char *note; /* why nothing was measured, or a remark; NULL */
};

/** A row of @subject in which nothing is measured yet. */
struct row row_for(const char *subject, const char *unit);

/** table_begin() - text on standard output, or one JSON object with "rows" */
void table_begin(bool json);
/** table_heading() - of the rows that follow; @beside_bare: they are compared with bare
 * reads */
void table_heading(const char *text, bool beside_bare);
void table_row(const struct row *row);
/** table_end() - Return: the number of rows that have no value. */
int table_end(void);

/* --- children: child.c
 * --------------------------------------------------------------------- */

/** This program once more, in an environment of its own. */
struct child {
	const char *const *tool; /* what runs it: words that end with NULL, or NULL */
	const char *const
		*settings; /* "PMU_X=y" words that end with NULL; no other PMU_ stays */
	const char *argument[4]; /* after --child */
	char *out, *err;	 /* result: what it wrote; for child_free() */
	char why[200];		 /* result: why it failed */
};

/** child_run() - Return: 0, or -1 where it could not be started or failed: why says it.
 */
int child_run(struct child *child);
void child_free(struct child *child);

/** Entries of what children do: @argument are the words after the task's name. */
int child_pairs(char **argument);
int child_loop(char **argument);
int child_start(char **argument);
int child_report(char **argument);
int child_store(char **argument);
int child_threads(char **argument);

/* --- the parts
 * ----------------------------------------------------------------------------- */

/**
 * measure_pairs() - what a pair takes beside the bare reads
 * @only: part of a subject's name; NULL for all
 */
void measure_pairs(const char *only);
void measure_instructions(void);
void measure_syscalls(void);
void measure_session(void);
void measure_memory(void);

/* --- loops around pairs: loops.c
 * ----------------------------------------------------------- */

/** What a loop works on; each thread has one. */
struct loop {
	const char **name; /* in the order in which they are used */
	size_t n_names;
	int fd;			/* of a perf group, for the bare reads */
	volatile uint64_t sink; /* what must not be optimised away goes here */
};

typedef void loop_fn(struct loop *loop, size_t n_pairs);

loop_fn loop_bare_clock; /* two time stamps */
loop_fn loop_bare_read;	 /* two read(2) of a perf group */
loop_fn loop_one;	 /* a literal name */
loop_fn loop_named;	 /* the names one after another */
loop_fn loop_counted;	 /* a name with its length */
loop_fn loop_nested;	 /* DEPTH regions inside each other */
loop_fn loop_buffer;	 /* a buffer that holds another text each time */
#define DEPTH 8

/** loop_names() - @n texts of @len bytes (0: some) for a loop.  Return: 0 or -1 without
 * memory. */
int loop_names(struct loop *loop, size_t n, size_t len);
/** loop_literals() - a hundred literals for a loop. */
void loop_literals(struct loop *loop);
/** loop_shuffle() - the names in another order, the same in each run. */
void loop_shuffle(struct loop *loop);
/** loop_group() - the perf group that PMU_EVENTS=LOOP_EVENTS counts.  Return: 0 or -1,
 * errno. */
int loop_group(struct loop *loop);
/* user level: anybody may count them */
#define LOOP_EVENTS "task-clock,page-faults,minor-faults,major-faults"

/* --- numbers
 * ------------------------------------------------------------------------------- */

static inline double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/** sort_numbers() - ascending; then median, least and most are [n / 2], [0] and [n - 1]
 * for an odd n. */
void sort_numbers(double *number, size_t n);

#endif
