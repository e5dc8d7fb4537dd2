/* SPDX-License-Identifier: BSD-3-Clause */
/* How many samples were taken where, for which row. */
#ifndef PMU_COMMAND_SAMPLE_HITS_H
#define PMU_COMMAND_SAMPLE_HITS_H

#include <stddef.h>
#include <stdint.h>

#include "base/index.h"
#include "bindings/command/sample/maps.h"

struct pmu_sample_hit {
	uint64_t who; /* as in struct pmu_samples_mark */
	struct pmu_sample_at at;
	uint64_t n;
};

struct pmu_sample_hits {
	struct pmu_sample_hit *of; /* [n], as they came */
	size_t n, room;
	struct pmu_index index; /* of 1 + their numbers */
};

/** pmu_sample_hits_add() - @n more.  Return: 0 or -ENOMEM. */
int pmu_sample_hits_add(struct pmu_sample_hits *hits, uint64_t who, struct pmu_sample_at at,
			uint64_t n);

void pmu_sample_hits_free(struct pmu_sample_hits *hits);

#endif
