/* SPDX-License-Identifier: BSD-3-Clause */
/* What the two halves of pmu_top_program_new() share. */
#ifndef PMU_COMMAND_TOP_MAKING_H
#define PMU_COMMAND_TOP_MAKING_H

#include "base/index.h"
#include "bindings/command/top/top.h"

/** One section, and what is made of it. */
struct pmu_top_part {
	const struct pmu_model_section *now, *before; /* before: NULL: nothing of it was there */
	struct pmu_model_section last;                /* rows: the differences */
	struct pmu_index index;                       /* of before's sums: their indices, from 1 */
	/* [n_rows] of now's sums: */
	bool *known;
	bool *about_last, *about_start;
	/* calls that go on, beyond what is in the totals; what is nested in the sum likewise */
	double *more_last, *more_start, *held_last, *held_start;
	const struct pmu_model_row *
		*was;      /* what they were before; NULL: nothing of them was there */
	unsigned int *row; /* index in the program */
};

struct pmu_top_making {
	const struct pmu_top_look *before, *now;
	struct pmu_top_part *part; /* [n_sections] */
	struct pmu_top_program *program;
	struct pmu_index rows; /* of the program: their indices, from 1 */
	struct pmu_model_block *scratch;
	double last_ns;         /* between the looks */
	double threads_last_ns; /* and of all threads together */
	bool has_last;
	bool failed;
};

/**
 * pmu_top_differ() - what sums of all sections did between the looks, and calls that go on
 * @m: its looks set, all else zero; result: parts, scratch, times; @failed without memory
 */
void pmu_top_differ(struct pmu_top_making *m);

/**
 * pmu_top_take_samples() - what a sum's samples add to the row's spans
 * @sum, @was: of the program's row @row now and before; @was: NULL: nothing of it was there
 * @m: @failed without memory
 */
void pmu_top_take_samples(struct pmu_top_making *m, const struct pmu_model_row *sum,
			  const struct pmu_model_row *was, struct pmu_top_row *row);

/** pmu_top_keep_samples() - of all rows, once they have all: what has most, in memory of the program's */
void pmu_top_keep_samples(struct pmu_top_making *m);

#endif
