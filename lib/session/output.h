/* SPDX-License-Identifier: BSD-3-Clause */
/* The reports that PMU_OUTPUT asks for. */
#ifndef PMU_SESSION_OUTPUT_H
#define PMU_SESSION_OUTPUT_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "report/model/model.h"

/** pmu_output_wants_stdout() - PMU_OUTPUT names "-". */
bool pmu_output_wants_stdout(void);

/** pmu_output_write_all() - the reports that PMU_OUTPUT asks for.  Return: 0 or the first error. */
int pmu_output_write_all(const struct pmu_model *model);

/** A report that is ready to go, and where to. */
struct pmu_output {
	const char *configured; /* a path of PMU_OUTPUT, "-", or NULL for standard error */
	struct pmu_strbuf text;
	char *path; /* of a file; found and kept from others */
	int lock;   /* descriptor of the lock on names, -1 */
};

/**
 * pmu_output_prepare() - render it and find its name.  Context: lock held.  Return: 0, for
 * pmu_output_send().
 */
int pmu_output_prepare(struct pmu_output *output, const struct pmu_model *model,
		       const char *configured);

/**
 * pmu_output_name() - only find a name, for a file that the caller writes, and keep it from others
 * Context: lock held.  Return: 0, for pmu_output_forget(); a negative errno with a sentence.
 */
int pmu_output_name(struct pmu_output *output);
void pmu_output_forget(struct pmu_output *output);

/** pmu_output_send() - write it, and forget it.  Context: the lock need not be held. */
int pmu_output_send(struct pmu_output *output);

#endif
