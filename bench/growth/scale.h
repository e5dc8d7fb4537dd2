/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of bench/scale share. */
#ifndef BENCH_SCALE_H
#define BENCH_SCALE_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "bench/common/child.h"
#include "bench/common/numbers.h"
#include "bench/growth/series.h"

/**
 * cpu_ns() - processor time of the calling thread
 *
 * What others do meanwhile on its processor, and how long it waits for them, is not in it: times of
 * one size can be compared with those of another also on a machine that has more to do.
 */
static inline double cpu_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/** --quick: the two smallest sizes, each measured once. */
extern bool quick;

/* --- the parts --- */

void measure_threads(void);
void measure_regions(void);

/** child_store() - what a child does: @argument are the words after the task's name */
int child_store(char **argument);

/* --- several numbers of one child: run.c --- */

#define MOST_NUMBERS 16

/**
 * run_child() - the medians of the numbers that @child prints
 * @value: [n]; result; untouched where it fails
 * Return: 0, or -1: child->why says it.
 */
int run_child(struct child *child, double *value, size_t n);

/** What a command took: processor time, resident memory; and what it wrote. */
struct taken {
	double ms, peak_mib, out_kib;
};

/**
 * run_command() - the pmu command, the median of its times
 * @word: what follows the command's name, up to NULL
 * @out: the file that its standard output goes to
 * @size_of: the file to take the size of
 * Return: 0, or -1 with a sentence in @why.
 */
int run_command(const char *const *word, const char *out, const char *size_of, struct taken *taken,
		char *why, size_t size);

#define FOLDER_MAX 1024

/**
 * run_folder() - a new folder, on a memory file system where there is one.  Return: 0 or -1 with a
 * sentence.
 */
int run_folder(char *path, size_t size, char *why, size_t why_size);
/** run_folder_empty() - remove what is in it, one level of folders included */
void run_folder_empty(const char *path);
void run_folder_remove(const char *path);

#endif
