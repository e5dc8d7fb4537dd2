/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of several processes as one: MPI ranks, or what a command has started. */
#ifndef PMU_REPORTS_COMBINE_COMBINE_H
#define PMU_REPORTS_COMBINE_COMBINE_H

#include "report/model/model.h"

enum pmu_combine {
	PMU_COMBINE_RANKS,    /* regions of the same path are one row */
	PMU_COMBINE_PROGRAMS, /* the same, below a row for each program, "gcc" (PMU_ROW_PROGRAM) */
	PMU_COMBINE_TREE,     /* and that below the region that started it, where it is known */
};

/**
 * pmu_model_combine() - one model of several
 * @part: finished models; they stay as they are and may be freed afterwards; one that is combined
 *        itself counts as the processes it is of
 * @n: 1 or more
 * @combined: result: the threads of all, each with the number of its part; sections by the group's
 *            name; notes, doubts and refusals of all, each said once with the parts it is of;
 *            finished, with metrics left missing (pmu_metric_fill() makes them where formulas are
 *            known)
 *
 * The parts are in the order of their ranks where each has one, else of their start.  Columns of a
 * group that only some parts have are missing in the others, and so in the sums.  A metric that the
 * parts make by different formulas is left missing.  Head texts in which the parts differ say which
 * has what; program, host and cpu are "" then. What was counted for one socket by several processes
 * is missing in sums: each counted all of it.
 *
 * Return: 0; -ENOMEM; -E2BIG beyond what a model holds; each with a sentence.
 */
int pmu_model_combine(struct pmu_model *const *part, unsigned int n, enum pmu_combine how,
		      struct pmu_model **combined);

/**
 * Reports of ranks that are added up one after another: of as many as there may be only a small part
 * stays in memory.
 */
struct pmu_gathering;

/**
 * pmu_gather_new() - for pmu_gather_end() or pmu_gather_drop(); NULL without memory
 * @counts: also keep what each rank has of each count
 */
struct pmu_gathering *pmu_gather_new(bool counts);

/**
 * pmu_gather_add() - one more; it stays as it is and may be freed then
 *
 * Return: 0; -E2BIG: there is no room for it beside the others, and nothing of it is in there.
 * -ENOTSUP: it has rows of programs, or teams as others have none, which only pmu_model_combine()
 * adds up; -ENOMEM; after these two there is no way but pmu_gather_drop().
 */
int pmu_gather_add(struct pmu_gathering *g, const struct pmu_model *model);

/**
 * pmu_gather_end() - as pmu_model_combine() with PMU_COMBINE_RANKS makes it of all of them, but for
 * the threads' rows: portions are there instead.
 * @g: freed
 */
int pmu_gather_end(struct pmu_gathering *g, struct pmu_model **combined);

void pmu_gather_drop(struct pmu_gathering *g);

/** pmu_model_is_ranked() - has each part of a combined model a rank? */
bool pmu_model_is_ranked(const struct pmu_model *model);

/**
 * pmu_parts_compare() - by process, and the programs of one in their order; below 0 where @a comes
 * first, 0: the same
 */
int pmu_parts_compare(const struct pmu_model_part *a, const struct pmu_model_part *b);

/**
 * pmu_parts_processes() - of how many processes parts are; one that went on as other programs is a
 * part for each
 * @at: indexes of @n of them; NULL: the first @n
 * Without memory as many as there are parts.
 */
unsigned int pmu_parts_processes(const struct pmu_model_part *part, const unsigned int *at,
				 unsigned int n);

/** pmu_model_n_ranks() - different ranks among the parts of such a model */
unsigned int pmu_model_n_ranks(const struct pmu_model *model);

#endif
