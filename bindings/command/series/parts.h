/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of a series share: how it grows, by a run's report or by a file's. */
#ifndef PMU_COMMAND_SERIES_PARTS_H
#define PMU_COMMAND_SERIES_PARTS_H

#include "bindings/command/series/series.h"
#include "report/model/block.h"

/** Most runs, and most values of one run, in a series. */
#define PMU_SERIES_MAX_RUNS   100000u
#define PMU_SERIES_MAX_VALUES ((size_t)1 << 28)

/** pmu_series_keep() - a copy that lives as long as the series; NULL is ""; "" without memory */
const char *pmu_series_keep(struct pmu_series *series, const char *text);

/** pmu_series_new_run() - the last one, with no values yet.  Return: 0; a negative errno. */
int pmu_series_new_run(struct pmu_series *series);

/*
 * The one that has this name, which may be a new one.  NULL or -1: no memory.
 */
struct pmu_series_group *pmu_series_group(struct pmu_series *series, const char *name);
int pmu_series_measure(struct pmu_series *series, struct pmu_series_group *group, const char *name,
		       const char *unit, enum pmu_series_kind kind);
/** @parent: index; -1 none */
int pmu_series_region(struct pmu_series *series, struct pmu_series_group *group, const char *path,
		      bool is_flat, const char *name, int parent);

/** pmu_series_values() - room for a run's, all missing.  Return: 0; a negative errno. */
int pmu_series_values(const struct pmu_series_group *group, struct pmu_series_values *values);

/**
 * pmu_series_take_samples() - a copy of a region's in the last run
 * @program: objects of that name are the program itself
 * Return: 0 or -ENOMEM.
 */
int pmu_series_take_samples(struct pmu_series *series, struct pmu_series_values *values,
			    unsigned int region, const struct pmu_model_samples *samples,
			    const char *program);

static inline uint64_t *pmu_series_at(const struct pmu_series_values *values, unsigned int region,
				      unsigned int measure)
{
	return values->value + ((size_t)region * values->n_measures + measure) * PMU_SERIES_SHARES;
}

/**
 * pmu_series_remark() - the last run has it, too
 * @n_runs: 1; of a file, in how many it was
 * Return: 0 or -ENOMEM.
 */
int pmu_series_remark(struct pmu_series *series, const char *text, const char *region,
		      bool is_doubt, unsigned int n_runs);

#endif
