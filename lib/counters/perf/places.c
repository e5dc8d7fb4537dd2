/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads from sysfs to which socket each processor belongs. */
#include "counters/perf/places.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/sysfile.h"
#include "machine/mask.h"

#define NOWHERE (-1)

/* Source: Linux, Documentation/ABI/stable/sysfs-devices-system-cpu: physical_package_id */
static int read_package(const char *cpus, int cpu, int64_t *package)
{
	char path[512];

	if ((size_t)snprintf(path, sizeof(path), "%s/cpu%d/topology/physical_package_id", cpus,
			     cpu) >= sizeof(path))
		return -ENAMETOOLONG;
	return pmu_sysfile_i64(path, package);
}

/* Its index; the list stays in ascending order and indices below are moved up by the caller. */
static int insert(struct pmu_perf_places *places, int64_t package, unsigned int *at)
{
	unsigned int i = 0;

	while (i < places->n && places->package[i] < package)
		i++;
	*at = i;
	if (i < places->n && places->package[i] == package)
		return 0;
	if (places->n == PMU_PERF_MAX_SOCKETS)
		return -ENOSPC;
	memmove(&places->package[i + 1], &places->package[i],
		(places->n - i) * sizeof(places->package[0]));
	places->package[i] = package;
	places->n++;
	return 1;
}

static void place_cpu(struct pmu_perf_places *places, int cpu, int64_t package)
{
	unsigned int at;
	int rc = insert(places, package, &at);

	for (int i = 0; i < cpu && rc > 0; i++)
		if (places->socket[i] >= (int)at)
			places->socket[i]++;
	if (rc >= 0)
		places->socket[cpu] = (int16_t)at;
}

static int read_online(const char *cpus, struct pmu_mask *online)
{
	char path[512], text[1024];
	long len;

	if ((size_t)snprintf(path, sizeof(path), "%s/online", cpus) >= sizeof(path))
		return -ENAMETOOLONG;
	len = pmu_sysfile_read(path, text, sizeof(text));
	return len < 0 ? (int)len : pmu_mask_parse(text, online);
}

static int count_cpus(const struct pmu_mask *online)
{
	int n = 0;

	for (int cpu = pmu_mask_next(online, 0); cpu >= 0; cpu = pmu_mask_next(online, cpu + 1))
		n = cpu + 1;
	return n;
}

int pmu_perf_places_find(const char *cpus, struct pmu_perf_places *places)
{
	struct pmu_mask online = { { 0 } };
	int64_t package;

	memset(places, 0, sizeof(*places));
	if (!read_online(cpus, &online))
		places->n_cpus = count_cpus(&online);
	places->socket = calloc((size_t)places->n_cpus + 1, sizeof(places->socket[0]));
	if (!places->socket)
		return pmu_fail(ENOMEM, "no memory for a list of %d processors", places->n_cpus);
	for (int cpu = 0; cpu < places->n_cpus; cpu++) {
		places->socket[cpu] = NOWHERE;
		if (pmu_mask_has(&online, cpu) && !read_package(cpus, cpu, &package))
			place_cpu(places, cpu, package);
	}
	if (places->n)
		return 0;
	pmu_perf_places_free(places);
	return pmu_fail(ENODEV, "%s does not say to which socket a processor belongs", cpus);
}

void pmu_perf_places_free(struct pmu_perf_places *places)
{
	free(places->socket);
	places->socket = NULL;
	places->n_cpus = 0;
	places->n = 0;
}
