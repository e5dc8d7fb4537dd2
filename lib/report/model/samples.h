/* SPDX-License-Identifier: BSD-3-Clause */
/* Where in its code a region was when it was looked at: samples, which are estimates, never counts. */
#ifndef PMU_REPORT_SAMPLES_H
#define PMU_REPORT_SAMPLES_H

#include <stdint.h>

struct pmu_model;

/** Below it shares are not worth a line. */
#define PMU_SAMPLES_FEW 30

/** A line of a function, or what was inlined into it there. */
struct pmu_model_line {
	const char *file;   /* as debugging information has it; "" not known */
	uint32_t line;      /* 0: not known */
	uint64_t n_samples; /* of it */
};

struct pmu_model_function {
	const char *name;   /* demangled; "libfoo.so.1+0x1230" where nothing names it */
	const char *object; /* file name of the program or library; "[kernel]", "[vdso]", "[jit]"; "" not known */
	uint64_t n_samples;
	unsigned int n_lines; /* most samples first; without debugging information 0 */
	const struct pmu_model_line *line;
};

/** A region's own samples, without those of nested regions. */
struct pmu_model_samples {
	uint64_t n;               /* of all its functions */
	uint64_t period_ns;       /* CPU time between two of them */
	unsigned int n_functions; /* most samples first, then by name */
	const struct pmu_model_function *function;
};

/**
 * pmu_model_samples_add() - the samples of both as one, in memory of @model
 * @a, @b: either may be NULL; of different periods the longer one's is kept
 * Return: NULL without memory, or where both are NULL.
 */
const struct pmu_model_samples *pmu_model_samples_add(struct pmu_model *model,
						      const struct pmu_model_samples *a,
						      const struct pmu_model_samples *b);

#endif
