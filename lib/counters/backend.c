/* SPDX-License-Identifier: BSD-3-Clause */
/* The sources of counts, best first. */
#include "counters/backend.h"

#include <string.h>

const struct pmu_backend *const pmu_backends[] = {
	&pmu_backend_perf,     &pmu_backend_msr,   &pmu_backend_valgrind,
	&pmu_backend_software, &pmu_backend_clock, NULL,
};

const struct pmu_backend *pmu_backend_find(const char *name)
{
	for (int i = 0; pmu_backends[i]; i++) {
		if (!strcmp(pmu_backends[i]->name, name))
			return pmu_backends[i];
	}
	return NULL;
}

const struct pmu_backend *pmu_backend_fallback(void)
{
	int i = 0;

	while (!pmu_backends[i]->fallback)
		i++;
	return pmu_backends[i];
}

const struct pmu_backend *pmu_backend_time(void)
{
	int i = 0;

	while (pmu_backends[i]->counts)
		i++;
	return pmu_backends[i];
}
