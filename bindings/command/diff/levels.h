/* SPDX-License-Identifier: BSD-3-Clause */
/* Levels of paths that `pmu run` puts around a program's regions, where one side of a comparison alone has them. */
#ifndef PMU_COMMAND_DIFF_LEVELS_H
#define PMU_COMMAND_DIFF_LEVELS_H

#include "base/strbuf.h"
#include "bindings/command/diff/diff.h"

/** Bits, by their order in levels.c. */
struct pmu_diff_levels {
	unsigned int a, b; /* which of them are left out of a side's paths */
};

/** pmu_diff_levels() - of a group those that the side alone has which pmu run has made, told in a note of @diff */
struct pmu_diff_levels pmu_diff_levels(struct pmu_diff *diff, const struct pmu_diff_group *group);

/**
 * pmu_diff_levels_strip() - a region's path without @levels
 * @out: room, for as long as the result
 * Return: the path; "": it is one of them itself.
 */
const char *pmu_diff_levels_strip(unsigned int levels, const struct pmu_series_region *region,
				  struct pmu_strbuf *out);

/** A region by its path without levels. */
struct pmu_diff_stripped {
	const char *path;
	const struct pmu_series_region *region;
};

/** pmu_diff_levels_sort() - all of a group's [n_regions], in memory of @diff; NULL without it */
struct pmu_diff_stripped *pmu_diff_levels_sort(struct pmu_diff *diff, unsigned int levels,
					       const struct pmu_series_group *group);

/** pmu_diff_levels_find() - the index of the first region of that path that is not @taken; -1: there is none */
int pmu_diff_levels_find(const struct pmu_diff_stripped *sorted,
			 const struct pmu_series_group *group, const char *path, bool is_flat,
			 const bool *taken);

#endif
