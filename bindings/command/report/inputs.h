/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of `pmu report` share. */
#ifndef PMU_COMMAND_INPUTS_H
#define PMU_COMMAND_INPUTS_H

#include "report/combine/combine.h"

/** A file and what became of it. */
struct pmu_input {
	const char *path;
	struct pmu_model *model;
	bool is_store; /* also after an error: of a program that was killed while it started */
	bool is_alive; /* its program still runs */
};

/**
 * pmu_input_read() - a store or a JSON report, told by how it begins; nothing in it is trusted
 * @input: path set, all else zero
 * Return: 0; a negative errno with a sentence that names the file.
 */
int pmu_input_read(struct pmu_input *input);

/** How several inputs belong together. */
enum pmu_merging {
	PMU_MERGE_NOT, /* nothing says that they do */
	/* they are ranks, but something else speaks against it: a sentence says what */
	PMU_MERGE_REFUSED,
	PMU_MERGE_RANKS, /* ranks of one program */
};

/** pmu_inputs_belong() - ranks of one program? */
enum pmu_merging pmu_inputs_belong(const struct pmu_input *input, size_t n);

/**
 * pmu_inputs_merge() - one model of several, metrics included
 * @n_left_out: result: inputs of processes that another input is of too; they are named, and not in
 *	it
 * Return: 0; a negative errno with a sentence.
 */
int pmu_inputs_merge(const struct pmu_input *input, size_t n, struct pmu_model **model,
		     size_t *n_left_out);

/** pmu_report_list() - print what stores there are.  Return: an exit status. */
int pmu_report_list(void);

#endif
