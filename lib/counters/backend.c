/* SPDX-License-Identifier: BSD-3-Clause */
/* The sources of counts, best first. */
#include "counters/backend.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define LISTED(name) &pmu_backend_##name,
const struct pmu_backend *const pmu_backends[] = { PMU_BACKENDS(LISTED) NULL };

const struct pmu_backend *pmu_backend_find(const char *name)
{
	for (int i = 0; pmu_backends[i]; i++) {
		if (!strcmp(pmu_backends[i]->name, name))
			return pmu_backends[i];
	}
	return NULL;
}

uint32_t pmu_backend_beside(const struct pmu_backend *backend, const struct pmu_plan *plan)
{
	uint32_t slots = 0;

	for (int i = 0; pmu_backends[i]; i++)
		if (pmu_backends[i] != backend)
			slots |= pmu_plan_kinds(plan, pmu_backends[i]->beside);
	return slots & ~plan->absent;
}

int pmu_backend_probe(const struct pmu_backend *backend, const struct pmu_plan *plan,
		      struct pmu_probe *probe)
{
	uint32_t others = pmu_backend_beside(backend, plan);

	if (!others)
		return backend->probe(plan, probe);
	memset(probe, 0, sizeof(*probe));
	for (uint32_t left = others; left; left &= left - 1)
		probe->error[__builtin_ctz(left)] = -ENOENT;
	for (int i = 0; pmu_backends[i]; i++)
		if (pmu_plan_kinds(plan, pmu_backends[i]->beside) & others)
			snprintf(probe->why, sizeof(probe->why), "only the source %s counts it",
				 pmu_backends[i]->name);
	return -ENOENT;
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
