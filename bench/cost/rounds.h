/* SPDX-License-Identifier: BSD-3-Clause */
/* A subject measured in a child: pairs and bare reads take turns there, round after round. */
#ifndef BENCH_ROUNDS_H
#define BENCH_ROUNDS_H

#include <stdbool.h>

#include "bench/common/table.h"

/** What is timed; the child gets all of it as words. */
struct work {
	const char *loop;  /* as loop_find() */
	const char *bare;  /* as bare_find() */
	const char *names; /* "none", "literals", "heap", "drawn" */
	int n_names;
	int n_threads;
	int n_rounds;     /* odd: the median is one of them */
	int beside_one;   /* 1: compared with one region, too */
	const char *busy; /* what a neighbouring processor does: busy_start(); NULL: nothing */
};

#define MAX_ROUNDS 101

/** What there is to say beside the numbers of a row. */
struct work_notes {
	bool counts;      /* there are counts, not only times */
	char why[200];    /* nothing was measured; "" */
	char how[200];    /* the library's words on how it reads counts */
	char spread[120]; /* of several processes: what a median does not tell; "" */
};

/**
 * work_measure() - in a process of its own
 * @settings: its PMU_ variables, as struct child has them
 * @row: the numbers go there; where there are none, its note is in @notes
 * Return: 0 or -1.
 */
int work_measure(const struct work *work, const char *const *settings, struct row *row,
		 struct work_notes *notes);

/**
 * work_repeat() - the same in several processes, each with its memory elsewhere
 *
 * The row's numbers are those of the process with the median ratio to the bare reads, its least and
 * most those of all; low and high are the least and the greatest ratio.
 */
int work_repeat(const struct work *work, const char *const *settings, struct row *row,
		struct work_notes *notes);

#endif
