/* SPDX-License-Identifier: BSD-3-Clause */
/* What of a listing is worth showing. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "bindings/command/annotate/annotate.h"

/* Each has that share of the function's samples at least, and there are no more than so many of them. */
#define LEAST_SHARE 0.01
#define MOST_HOT    40u

static int by_most(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x < *y) - (*x > *y);
}

/* @n: [@n_all] */
static uint64_t least_hot(uint64_t *n, size_t n_all, uint64_t samples)
{
	uint64_t least = (uint64_t)ceil(LEAST_SHARE * (double)samples);

	if (n_all)
		qsort(n, n_all, sizeof(*n), by_most);
	if (n_all > MOST_HOT && n[MOST_HOT] >= least)
		least = n[MOST_HOT] + 1;
	return least ? least : 1;
}

int pmu_annotate_find_hot(const struct pmu_listing *listing, struct pmu_model_block **blocks,
			  struct pmu_annotate_hot *hot)
{
	uint64_t *n;
	size_t n_lines = 0, at = 0;

	for (unsigned int f = 0; f < listing->n_files; f++)
		n_lines += listing->file[f].n_lines;
	n = pmu_block_array(blocks, n_lines + listing->n_instructions, sizeof(*n));
	if (!n)
		return -ENOMEM;
	for (unsigned int f = 0; f < listing->n_files; f++)
		for (unsigned int i = 0; i < listing->file[f].n_lines; i++)
			n[at++] = listing->file[f].line[i].n_samples;
	hot->line = least_hot(n, n_lines, listing->n_samples);
	for (unsigned int i = 0; i < listing->n_instructions; i++)
		n[i] = listing->instruction[i].n_samples;
	hot->instruction = least_hot(n, listing->n_instructions, listing->n_samples);
	return 0;
}
