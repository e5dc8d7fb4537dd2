/* SPDX-License-Identifier: BSD-3-Clause */
/* Which sockets there are to count, and which processor belongs to which. */
#ifndef PMU_COUNTERS_PERF_PLACES_H
#define PMU_COUNTERS_PERF_PLACES_H

#include <stdint.h>

#define PMU_PERF_MAX_SOCKETS 64

/** Sockets in the order of their numbers. */
struct pmu_perf_places {
	unsigned int n;
	int64_t package[PMU_PERF_MAX_SOCKETS]; /* physical_package_id; -1 is one too */
	int n_cpus;                            /* above the highest number */
	int16_t *socket;                       /* [n_cpus] index into package, -1 none */
};

/**
 * pmu_perf_places_find() - all processors that are online
 * @cpus: /sys/devices/system/cpu, or a folder like it
 * Return: 0; -ENOMEM; -ENODEV where none says where it is, with a sentence.  For
 * pmu_perf_places_free().
 */
int pmu_perf_places_find(const char *cpus, struct pmu_perf_places *places);
void pmu_perf_places_free(struct pmu_perf_places *places);

/** pmu_perf_places_of() - the socket of a processor, -1 where it is not known. */
static inline int pmu_perf_places_of(const struct pmu_perf_places *places, int cpu)
{
	return cpu >= 0 && cpu < places->n_cpus ? places->socket[cpu] : -1;
}

#endif
