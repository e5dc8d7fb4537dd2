/* SPDX-License-Identifier: BSD-3-Clause */
/* Caches as hwloc has them, and how much data is in one level and no nearer. */
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/ceilings/ceilings.h"

#define MOST_BYTES  ((size_t)2 << 30) /* of all threads: to fill it takes a second */
#define LEAST_BYTES ((size_t)64 << 20)
#define MEMORY      "memory"

static const hwloc_obj_type_t types[] = { HWLOC_OBJ_L1CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE,
					  HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L5CACHE };
#define N_TYPES (sizeof(types) / sizeof(*types))

static hwloc_topology_t load(void)
{
	hwloc_topology_t topology;

	if (hwloc_topology_init(&topology) < 0)
		return NULL;
	for (size_t i = 0; i < N_TYPES; i++)
		hwloc_topology_set_type_filter(topology, types[i], HWLOC_TYPE_FILTER_KEEP_ALL);
	/* it would move this thread about to ask each processor */
	hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
	if (hwloc_topology_load(topology) == 0)
		return topology;
	hwloc_topology_destroy(topology);
	return NULL;
}

static hwloc_obj_t cache_of(hwloc_topology_t topology, hwloc_obj_type_t type, int cpu)
{
	hwloc_obj_t pu = hwloc_get_pu_obj_by_os_index(topology, (unsigned int)cpu);

	return pu ? hwloc_get_ancestor_obj_by_type(topology, type, pu) : NULL;
}

/* What a thread has of a cache that others of the team use as well. */
static size_t share_of(hwloc_obj_t cache, const int *cpus, int n_threads)
{
	size_t sharers = 0;

	for (int i = 0; i < n_threads; i++)
		sharers += hwloc_bitmap_isset(cache->cpuset, (unsigned int)cpus[i]) != 0;
	return cache->attr->cache.size / (sharers ? sharers : 1);
}

/*
 * Half of the share, and more where that would fit into the level before: a cache may have only
 * what the one before it has thrown out.
 */
static size_t data_in(size_t share, size_t before)
{
	return share >= 4 * before ? share / 2 : before + share / 2;
}

/* Memory of a container may be less than the machine's. */
static size_t memory_at_most(void)
{
	FILE *file = fopen("/sys/fs/cgroup/memory.max", "re");
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
	size_t most = MOST_BYTES;
	unsigned long long limit;

	if (pages > 0 && size > 0 && (size_t)pages / 8 * (size_t)size < most)
		most = (size_t)pages / 8 * (size_t)size;
	if (file) {
		if (fscanf(file, "%llu", &limit) == 1 && limit / 4 < most)
			most = (size_t)limit / 4;
		fclose(file);
	}
	return most;
}

static struct level *add_level(struct ceilings *ceilings, const char *name, size_t cache)
{
	struct level *level = &ceilings->level[ceilings->n_levels];

	snprintf(level->name, sizeof(level->name), "%s", name);
	level->cache = cache;
	for (enum team team = 0; team < N_TEAMS; team++) {
		level->bytes[team] = calloc((size_t)ceilings->n_threads[team],
					    sizeof(*level->bytes[team]));
		if (!level->bytes[team])
			return NULL;
	}
	ceilings->n_levels++;
	return level;
}

/* @before: of each thread, what it has of all levels so far */
static void fill_level(const struct ceilings *ceilings, hwloc_topology_t topology,
		       hwloc_obj_type_t type, struct level *level, size_t *before[N_TEAMS])
{
	for (enum team team = 0; team < N_TEAMS; team++) {
		int n = ceilings->n_threads[team];

		for (int i = 0; i < n; i++) {
			hwloc_obj_t cache = cache_of(topology, type, ceilings->cpus[i]);
			size_t share = cache ? share_of(cache, ceilings->cpus, n) : 0;

			/* of a core that has no such level, what it has before it */
			level->bytes[team][i] = share ? data_in(share, before[team][i])
						      : before[team][i] / 2;
			level->total[team] += level->bytes[team][i];
			if (share > before[team][i])
				before[team][i] = share;
		}
	}
}

/* Four times what the last caches hold. */
static void fill_memory(const struct ceilings *ceilings, struct level *level,
			size_t *before[N_TEAMS])
{
	size_t most = memory_at_most();

	for (enum team team = 0; team < N_TEAMS; team++) {
		size_t n = (size_t)ceilings->n_threads[team], total = 0;

		for (size_t i = 0; i < n; i++)
			total += 4 * before[team][i];
		if (total < LEAST_BYTES)
			total = LEAST_BYTES;
		if (total > most)
			total = most;
		for (size_t i = 0; i < n; i++)
			level->bytes[team][i] = total / n;
		level->total[team] = total;
	}
}

static int find_all(struct ceilings *ceilings, hwloc_topology_t topology, size_t *before[N_TEAMS])
{
	struct level *level;

	for (size_t t = 0; topology && t < N_TYPES; t++) {
		hwloc_obj_t cache = cache_of(topology, types[t], ceilings->cpus[0]);
		char name[8];

		if (!cache || !cache->attr->cache.size)
			continue;
		snprintf(name, sizeof(name), "L%zu", t + 1);
		level = add_level(ceilings, name, cache->attr->cache.size);
		if (!level)
			return -1;
		fill_level(ceilings, topology, types[t], level, before);
	}
	level = add_level(ceilings, MEMORY, 0);
	if (!level)
		return -1;
	fill_memory(ceilings, level, before);
	return 0;
}

int levels_find(struct ceilings *ceilings)
{
	hwloc_topology_t topology = load();
	size_t *before[N_TEAMS];
	int rc = -1;

	for (enum team team = 0; team < N_TEAMS; team++)
		before[team] = calloc((size_t)ceilings->n_threads[team], sizeof(*before[team]));
	if (before[TEAM_ONE] && before[TEAM_ALL])
		rc = find_all(ceilings, topology, before);
	for (enum team team = 0; team < N_TEAMS; team++)
		free(before[team]);
	if (topology)
		hwloc_topology_destroy(topology);
	return rc;
}

void levels_free(struct ceilings *ceilings)
{
	for (size_t i = 0; i < CEILINGS_MAX_LEVELS; i++)
		for (enum team team = 0; team < N_TEAMS; team++)
			free(ceilings->level[i].bytes[team]);
}
