/* SPDX-License-Identifier: BSD-3-Clause */
/* What a pair costs as one thing grows and the others stay. */
#ifndef BENCH_SWEEP_H
#define BENCH_SWEEP_H

#include <stddef.h>

/** What grows. */
enum axis { BY_NAMES, BY_DEPTH, BY_THREADS, BY_COUNTS, N_AXES };

/** A measured point: medians. */
struct point {
	/* value of PMU_BACKEND; the same pointer at each of a source's points */
	const char *source;
	enum axis axis;
	int at;    /* so many names, threads, ... */
	double ns; /* of a pair */
	double bare_ns;
	double ratio; /* median of the rounds' ratios */
};

/** sweep_points() - what measure_sweep() has measured.  Return: how many. */
size_t sweep_points(const struct point **points);

/** sweep_number() - "10,000": of a point's place on its axis */
void sweep_number(int at, char text[16]);

#endif
