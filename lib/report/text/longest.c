/* SPDX-License-Identifier: BSD-3-Clause */
/* The rows of a long table that matter most. */
#include "report/text/longest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int by_longest(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

int pmu_longest(struct pmu_longest *longest, const uint64_t *key, unsigned int n, unsigned int most,
		struct pmu_model_block **scratch)
{
	uint64_t *sorted = pmu_block_array(scratch, n, sizeof(*sorted)), least = 0;
	unsigned int n_equal = n;

	*longest = (struct pmu_longest){ .at = pmu_block_array(scratch, n, sizeof(*longest->at)) };
	if (!sorted || !longest->at)
		return -ENOMEM;
	if (n > most && most) {
		memcpy(sorted, key, n * sizeof(*sorted));
		qsort(sorted, n, sizeof(*sorted), by_longest);
		least = longest->most_left = sorted[most - 1];
		/* equal ones have the places that are left */
		for (n_equal = most; n_equal && sorted[n_equal - 1] == least; n_equal--)
			;
		n_equal = most - n_equal;
	}
	for (unsigned int i = 0; i < n && longest->n < most; i++) {
		if (key[i] > least || (key[i] == least && n_equal)) {
			n_equal -= key[i] == least;
			longest->at[longest->n++] = i;
		}
	}
	longest->n_left = n - longest->n;
	return 0;
}
