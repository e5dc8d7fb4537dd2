/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of bench/overhead share. */
#ifndef BENCH_OVERHEAD_H
#define BENCH_OVERHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/common/child.h"
#include "bench/common/numbers.h"
#include "bench/common/table.h"

/** Entries of what children do: @argument are the words after the task's name. */
int child_pairs(char **argument);
int child_loop(char **argument);
int child_start(char **argument);
int child_counted(char **argument);
int child_end(char **argument);
int child_report(char **argument);
int child_store(char **argument);
int child_threads(char **argument);

/* --- the parts --- */

/**
 * measure_pairs() - what a pair takes beside the bare reads
 * @only: part of a subject's name; NULL for all
 */
void measure_pairs(const char *only);
/** pairs_has() - is there a subject with @only in its name? */
bool pairs_has(const char *only);
void measure_sweep(void);
void measure_instructions(void);
void measure_counted(void);
void measure_syscalls(void);
void measure_session(void);
void measure_memory(void);

/* --- loops around pairs: loops.c; bare reads: bare.c --- */

#define MAX_COUNTS 16

struct loop;
typedef void loop_fn(struct loop *loop, size_t n_pairs);

/** What a loop works on; each thread has one. */
struct loop {
	const char **name; /* in the order in which they are used */
	size_t n_names;
	loop_fn *bare; /* two bare reads of what a pair reads */
	int n_counts;  /* what they read besides the clock: a perf group's */
	int fd[MAX_COUNTS];
	const volatile struct perf_event_mmap_page *page[MAX_COUNTS];
	volatile uint64_t sink; /* what must not be optimised away goes here */
};

loop_fn loop_one;   /* a literal name */
loop_fn loop_named; /* the names one after another */

/**
 * loop_find() - "one", "named"; "nested": all the names inside each other; "counted": a name with
 * its length; "buffer": a buffer that holds another name each time
 * Return: NULL for another.
 */
loop_fn *loop_find(const char *name);

/** loop_names() - @n texts of @len bytes (0: some) for a loop.  Return: 0 or -1 without
 * memory. */
int loop_names(struct loop *loop, size_t n, size_t len);
/** loop_literals() - up to ten thousand literals for a loop.  Return: 0 or -1 where @n is more. */
int loop_literals(struct loop *loop, size_t n);
/**
 * loop_draw() - of names from loop_names() some, again and again, at random: the same in each run
 * Return: 0 or -1 without memory.
 */
int loop_draw(struct loop *loop);

/* user level: counted without privileges */
#define LOOP_EVENTS "task-clock,page-faults,minor-faults,major-faults"

#endif
