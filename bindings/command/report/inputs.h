/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of `pmu report` share. */
#ifndef PMU_COMMAND_INPUTS_H
#define PMU_COMMAND_INPUTS_H

#include "reports/combine/combine.h"

/** A file and what became of it. */
struct pmu_input {
	const char *path;
	struct pmu_model *model;
	/*
	 * Instead of the model where the file is of repeated runs; for pmu_series_free() and free().
	 * Only with wants_series, else such a file is refused.
	 */
	struct pmu_series *series;
	bool wants_series;
	/*
	 * Where a store stays open, -1 until it is: it is still there when its program has ended and
	 * removed it.  NULL: it is closed again.
	 */
	int *kept;
	bool is_store; /* also after an error: of a program that was killed while it started */
	bool is_alive; /* its program still runs */
	/* Of pmu_inputs_gather(): */
	char *error;                  /* why it could not be read */
	bool no_room;                 /* so it says then: the others have taken it */
	const struct pmu_input *twin; /* has a process of it already: it is left out */
};

/**
 * pmu_input_read() - a store or a JSON report, told by how it begins; nothing in it is trusted
 * @input: path and wants_series set, all else zero
 * Return: 0; a negative errno with a sentence that names the file.
 */
int pmu_input_read(struct pmu_input *input);

/** pmu_input_is_ranked() - is it of ranks alone? */
bool pmu_input_is_ranked(const struct pmu_model *model);
/** pmu_input_rank() - its first one; -1: it has none */
int pmu_input_rank(const struct pmu_model *model);

/** How several inputs belong together. */
enum pmu_merging {
	PMU_MERGE_NOT, /* nothing says that they do */
	/* they are ranks, but something else does not fit: a sentence says what */
	PMU_MERGE_REFUSED,
	PMU_MERGE_RANKS, /* ranks of one program */
};

/** pmu_inputs_belong() - ranks of one program? */
enum pmu_merging pmu_inputs_belong(const struct pmu_input *input, size_t n);

/**
 * pmu_inputs_merge() - one model of several, metrics included
 * @tree: programs below the regions that started them
 * @n_left_out: result: inputs of processes that another input is of too; they are named, and not in
 *	it
 * Return: 0; a negative errno with a sentence.
 */
int pmu_inputs_merge(const struct pmu_input *input, size_t n, bool tree, struct pmu_model **model,
		     size_t *n_left_out);

/**
 * pmu_inputs_gather() - one model of the reports of one program's ranks, metrics included, without
 * the threads' rows; no more than a few of them are in memory at once
 * @input: paths set; their models are gone afterwards
 * @merge: ranks or not
 * @counts: also how counts are spread over ranks
 *
 * What cannot be read is left out.  The caller reports inputs with an error or a twin.
 *
 * Return: 0; -ENOTSUP: these are no ranks of one program, or have something that does not add up
 * one by one, which pmu_inputs_belong() and pmu_inputs_merge() may know better; -ENOMEM, -E2BIG with
 * a sentence.
 */
int pmu_inputs_gather(struct pmu_input *input, size_t n, bool merge, bool counts,
		      struct pmu_model **model);

/** pmu_report_list() - print what stores there are.  Return: an exit status. */
int pmu_report_list(void);

#endif
