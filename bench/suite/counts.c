/* SPDX-License-Identifier: BSD-3-Clause */
/* What the library counted in a region, in the words of the models. */
#include "bench/suite/suite.h"

#include <string.h>

#include "pmu.h"

/* What a count may be called: by a PMU, by valgrind. */
static const char *const names[N_WHAT][3] = {
	[INSTRUCTIONS] = { "instructions" },
	[BRANCHES] = { "branches", "conditional and indirect branches", "conditional branches" },
	[MISPREDICTED] = { "branch-misses", "conditional and indirect branch-misses",
			   "conditional branch-misses" },
	[LINES] = { "cache-misses" },
};

static int slot_of(enum what what)
{
	const char *label;

	for (unsigned int slot = 0; (label = pmu_count_name(slot)); slot++)
		for (size_t i = 0; i < 3 && names[what][i]; i++)
			if (!strcmp(label, names[what][i]))
				return (int)slot;
	return -1;
}

const char *counts_name(enum what what)
{
	int slot = slot_of(what);

	return slot < 0 ? NULL : pmu_count_name((unsigned int)slot);
}

void counts_take(const char *region, double *counted)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };
	bool known = pmu_region_read(region, PMU_THREAD_SELF, &counts) == 0;

	for (enum what what = 0; what < N_WHAT; what++) {
		int slot = slot_of(what);

		if (known && slot >= 0 && !(counts.missing & 1u << slot))
			counted[what] += (double)counts.net[slot];
		else
			counted[what] = NAN;
	}
}
