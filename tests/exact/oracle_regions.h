/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What pmu.h says of regions: which of them are open in a thread, on which paths, and what each has counted.  Written
 * from that text, not from the library.
 */
#ifndef PMU_TESTS_EXACT_ORACLE_REGIONS_H
#define PMU_TESTS_EXACT_ORACLE_REGIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Of a thread. */
struct regions;

/** regions_limit() - from then on a thread's are kept by name, without a path, when it has this many (PMU_MAX_REGIONS) */
void regions_limit(size_t n);

/**
 * regions_new() - a thread's
 * @process: number of its process; contexts are valid there alone
 */
struct regions *regions_new(int process);

/** regions_forked() - of a child's only thread: what @parent has open goes on from zero */
struct regions *regions_forked(const struct regions *parent, int process);

/** regions_step() - the program has executed @n instructions more; fewer, where @n is negative */
void regions_step(struct regions *self, int64_t n);

/** regions_are_open() - is anything, which instructions could be counted in, or left? */
bool regions_are_open(const struct regions *self);

/** regions_now() - instructions so far, from anywhere on; those that are in no region may be missing */
uint64_t regions_now(const struct regions *self);

/**
 * regions_begin(), regions_end() - a call that was not refused
 * @name: its bytes, NUL-terminated
 * @at: regions_now() where the call was made
 */
void regions_begin(struct regions *self, const char *name);
void regions_end(struct regions *self, const char *name, uint64_t at);

/** regions_end_refused() - an end of a region that is not open: the report has its name, which counts for the limit */
void regions_end_refused(struct regions *self, const char *name);

/** regions_get(), regions_enter(), regions_leave() - likewise, of contexts; @context is what the call returned or got */
void regions_get(struct regions *self, uint64_t context);
void regions_enter(struct regions *self, uint64_t context, uint64_t at);
void regions_leave(struct regions *self, uint64_t at);

/** regions_reset() - whatever has that name is at zero again */
void regions_reset(struct regions *self, const char *name);

/** regions_checkpoint() - what is open has what it did up to @at, even if it never ends */
void regions_checkpoint(struct regions *self, uint64_t at);

/** regions_forget() - the session has ended: nothing is open any more */
void regions_forget(struct regions *self);

/** regions_begin_inherited() - in a forked child: its first call of the library is on the way */
void regions_begin_inherited(struct regions *self);

/**
 * regions_print() - all threads' sums: "CALLS INSTRUCTIONS PATH"
 *
 * "# about PATH" comes before those with net counts only about right, says pmu.h: something in them was never ended,
 * or reset.  "team " stands before what was done in a context: no region that its thread has opened has it.
 */
void regions_print(FILE *out);

#endif
