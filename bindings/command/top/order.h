/* SPDX-License-Identifier: BSD-3-Clause */
/* Which rows are shown, and in which order. */
#ifndef PMU_COMMAND_TOP_ORDER_H
#define PMU_COMMAND_TOP_ORDER_H

#include "bindings/command/top/top.h"

/** What a column has of a region. */
enum pmu_top_what {
	PMU_TOP_NAME,
	PMU_TOP_CALLS, /* between the looks: a second */
	PMU_TOP_SHARE,
	PMU_TOP_SELF,
	PMU_TOP_MEAN,  /* time of a call */
	PMU_TOP_VALUE, /* a count or metric; a count between the looks: a second */
	PMU_TOP_THREADS,
	PMU_TOP_OPEN,
};

struct pmu_top_field {
	enum pmu_top_what what;
	bool start;                 /* since the program's start, else since the look before */
	struct pmu_top_value value; /* PMU_TOP_VALUE: which; unit NULL: the first of that name */
};

/** pmu_top_number() - of a region in that column; NaN unknown, and of its name */
double pmu_top_number(const struct pmu_top_program *program, const struct pmu_top_row *row,
		      const struct pmu_top_field *field);

struct pmu_top_order {
	struct pmu_top_field by; /* largest first; names from a to z */
	bool reverse;
	bool flat;          /* a list of all, else each below the one it is nested in */
	const char *filter; /* part of a name or path, or a pattern of either; NULL or "" all */
	bool functions;     /* below a region the functions in which it was sampled */
};

/** A row; or a program, with row < 0, before its rows. */
struct pmu_top_line {
	const struct pmu_top_program *program;
	int row;
	bool is_match;                           /* else it is there for what is nested in it */
	const struct pmu_top_function *function; /* of the row's, below it; NULL: the row itself */
};

/** Functions that stand below a region, of its last interval, and the samples that it takes. */
#define PMU_TOP_FUNCTIONS_SHOWN 5u

/** pmu_top_shown_samples() - what is told of a region: of the last interval, or, with one look, since the start */
const struct pmu_top_samples *pmu_top_shown_samples(const struct pmu_top_program *program,
						    const struct pmu_top_row *row);

/**
 * pmu_top_lines() - of all programs
 * @n_lines: result
 * Return: for free(); NULL without memory.
 */
struct pmu_top_line *pmu_top_lines(const struct pmu_top_program *const *program, size_t n,
				   const struct pmu_top_order *order, size_t *n_lines);

#endif
