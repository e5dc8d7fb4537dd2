/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is compared, one a program: worker.c linked with one contender.  Libraries of this kind
 * install handlers and take counters, so no two of them share a process.
 */
#ifndef BENCH_WORKER_H
#define BENCH_WORKER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define WHY_LEN 200 /* bytes of a reason */
#define N_NAMES 100
#define THREADS 2

/**
 * The one name of a region: no blank in it, which LIKWID does not take.  A literal where it is
 * used.
 */
#define THE_NAME "one_region"
/** N_NAMES others. */
extern const char *const names[N_NAMES];

/** What a region counts. */
enum what { TIME, PAGE_FAULTS, INSTRUCTIONS };

/** The pairs that the first thread has made. */
struct done {
	size_t one;   /* of THE_NAME */
	size_t named; /* of each of the names */
};

/** What fails says why and returns false. */
struct contender {
	/* once, on the first thread */
	bool (*start)(enum what what, char why[WHY_LEN]);
	/* on each thread, after start(); NULL: there is nothing to do */
	bool (*attach)(enum what what, char why[WHY_LEN]);
	/* the annotated loop: begin and end around nothing */
	void (*one)(size_t n_pairs);
	/* the same for all the names in turn, @n_rounds times; NULL: it knows no names */
	void (*named)(size_t n_rounds);
	/* whether all of @done was recorded; NULL: each call told */
	bool (*check)(const struct done *done, char why[WHY_LEN]);
	/* name and version of the library; NULL: there is none */
	const char *(*version)(void);
	/*
	 * what it has left that outlives the process, also after a start() that failed; NULL:
	 * nothing
	 */
	void (*end)(void);
};
extern const struct contender contender;

/** The CPUs on which the threads run, and how many there are. */
extern int worker_cpu[THREADS];
extern int worker_n_cpus;

/** because() - what a function of a contender returns that fails: false */
__attribute__((format(printf, 2, 3))) static inline bool because(char why[WHY_LEN],
								 const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, WHY_LEN, format, args);
	va_end(args);
	return false;
}

#endif
