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

void measure_planning(void);
void measure_pinning(void);
void measure_threads(void);
void measure_regions(void);
void measure_doubts(void);

/** Entries of what children do: @argument are the words after the task's name. */
int child_topology(char **argument);
int child_plan(char **argument);
int child_pins(char **argument);
int child_store(char **argument);

/* --- machines that are larger than the recorded ones: machines.c --- */

/**
 * A recorded processor, and the shape of its machine at each size, as hwloc describes synthetic
 * topologies.
 */
struct machine {
	const char *name;
	const char *title;
	const char *cpuid; /* below tests/data */
	const char *shape; /* of a socket with 64 processors */
};
extern const struct machine machine_westmere, machine_zen;

/** The sizes of machines: processors. */
extern const struct sizes machine_sizes;

/** data_path() - of a file of the tests' data. */
void data_path(char *path, size_t size, const char *name);
/**
 * machine_topology() - write the XML of @n_cpus processors to @path.  Return: 0, or -1 with a
 * sentence in @why.
 */
int machine_topology(const struct machine *machine, unsigned int n_cpus, const char *path,
		     char *why, size_t size);

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
 * @size_of: the file whose size is wanted
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

/**
 * part_begin() - of a part that measures simulated machines
 * @sizes: result; two of them where it is to be quick
 * @folder: [FOLDER_MAX]; result, for run_folder_remove(); "" where there is none, and that is said
 */
void part_begin(struct sizes *sizes, char *folder);

/**
 * peak_kib() - most memory that this process has had, of any kind; resident_kib(): now.  Negative:
 * unknown.
 */
double peak_kib(void);
double resident_kib(void);

#endif
