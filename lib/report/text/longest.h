/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of a long table that matter most. */
#ifndef PMU_REPORT_LONGEST_H
#define PMU_REPORT_LONGEST_H

#include <stdint.h>

#include "report/model/block.h"

/** Those that are shown. */
struct pmu_longest {
	unsigned int n;
	unsigned int *at;    /* [n] indexes, ascending */
	unsigned int n_left; /* others */
	uint64_t most_left;  /* none of them has more; an upper bound */
};

/**
 * pmu_longest() - the @most of @n with the largest @key; of equal ones the first
 * @scratch: what the result lives in
 * Return: 0 or -ENOMEM.
 */
int pmu_longest(struct pmu_longest *longest, const uint64_t *key, unsigned int n, unsigned int most,
		struct pmu_model_block **scratch);

#endif
