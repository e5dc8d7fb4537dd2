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
	const char *names; /* "none", "literals", "heap", "shuffled" */
	int n_names;
	int n_threads;
	int n_rounds;   /* odd: the median is one of them */
	int beside_one; /* 1: compared with one region, too */
};

#define MAX_ROUNDS 101

/** What there is to say beside the numbers of a row. */
struct work_notes {
	bool counts;   /* there are counts, not only times */
	char why[200]; /* nothing was measured; "" */
	char how[200]; /* the library's words on how it reads counts */
};

/**
 * work_measure() - in a process of its own
 * @settings: its PMU_ variables, as struct child has them
 * @row: the numbers go there; where there are none, its note is in @notes
 * Return: 0 or -1.
 */
int work_measure(const struct work *work, const char *const *settings, struct row *row,
		 struct work_notes *notes);

#endif
