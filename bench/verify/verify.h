/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of `pmu-bench --verify` share. */
#ifndef BENCH_VERIFY_H
#define BENCH_VERIFY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "bench/suite/suite.h"
#include "bench/verify/around.h"

#define VERIFY_MAX_COUNTS 16
#define VERIFY_PROCESSES  3
#define VERIFY_CALLS      5
#define VERIFY_BYTES      (256 << 10)

/* --- what there is to know: known.c --- */

/** How well a count can be foretold. */
enum known {
	KNOWN_NOT,     /* the model does not say: cycles */
	KNOWN_LIKE,    /* how a processor of the model's kind would have it: misses */
	KNOWN_DEFINED, /* by the model; what the event is, differs between processors: loads */
	KNOWN_EXACT,   /* to the instruction */
};

/** What one pass does. */
struct facts {
	/* of the loop; NAN: cannot be told */
	double instructions, branches, mispredicted, loads, stores, lines;
	struct around around;
};

/**
 * What a count of it should be: @least to @most, which are the same where it is known to the
 * instruction.
 */
struct expected {
	enum known known;
	double least, most; /* NAN: cannot be told */
	const char *heading;
};

struct expected expected_of(const char *label, const struct facts *facts);

/* --- what is counted: count.c, interrupts.c --- */

/**
 * count_child() - in a process of its own: bracket passes with regions, and write what each counted
 * as JSON
 * @argument: calls, bytes, cache in bytes or 0, names of kernels with commas between
 * Return: the exit status.
 */
int count_child(char **argument);

/** interrupts_of() - that a processor has had so far; -1 where that cannot be told */
double interrupts_of(int cpu);

/* --- what comes of it: tally.c --- */

/** What calls of one kernel counted of one event, all processes together. */
struct tally {
	char label[80];
	struct expected expected;
	int calls;
	int exact; /* nothing is wrong with them */
	/* more by no more than interrupts and faults of the call, beside calls that are exact */
	int explained;
	/* other programs ran on the processor, and it is the processor that was counted */
	int aside;
	int wrong;
	double least, most; /* counted */
};

/** A kernel under one source and one group. */
struct row {
	const struct kernel *kernel;
	size_t bytes;
	char wrong[100]; /* its result, its memory; "" */
	size_t n_tallies;
	struct tally tally[VERIFY_MAX_COUNTS];
};

/** A source of counts and a group of events. */
struct block {
	const struct source *source;
	const char *group;
	char machine[200], detail[200];
	char why_not[300], mend[200]; /* it cannot be counted here; "" */
	struct row *row;
	size_t n_rows;
	int calls, met;            /* met: with an interrupt or a fault in them */
	double interrupts, faults; /* in all of them; interrupts: NAN where unknown */
	json_t *processes;         /* as they came */
};

/** tally_block() - @block->processes, by kernel and event */
void tally_block(struct block *block, const struct options *options, const struct around *around);

/** tally_error() - how far a count is off: 0 within what is expected */
double tally_error(const struct expected *expected, double counted);

/** Is it one that has to be right? */
static inline bool tally_counts(const struct tally *tally)
{
	return tally->expected.known == KNOWN_EXACT;
}

/* --- all of it: verify.c --- */

/** One way in which counts come about. */
struct source {
	const char *name; /* in JSON */
	const char *about;
	const char *backend;  /* "PMU_BACKEND=perf" */
	const char *setting;  /* one more; NULL */
	const char *must_say; /* in the report's words of it; NULL */
	bool processor;       /* what it counts is the processor's, whatever runs there */
};

struct verdict {
	const struct options *options;
	int processes, calls;
	size_t bytes;
	const struct around *around; /* of each kernel asked for */
	struct block *block;
	size_t n_blocks;
	int right, explained, aside, wrong; /* calls, of what is to be exact */
	/* rows with a wrong result, or that were not counted */
	int spoilt;
};

/** verify() - Return: the exit status. */
int verify(struct options *options);

void verify_text(const struct verdict *verdict);
void verify_json(const struct verdict *verdict);

#define VERIFY_WRONG   1
#define VERIFY_NOTHING 3 /* there is nothing here that can count */

#endif
