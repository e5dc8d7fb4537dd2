/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where a run takes place: what the library's own report says of it, and the size of the last-level
 * cache.
 */
#include "bench/suite/suite.h"

#include <hwloc.h>
#include <stdio.h>

#ifdef HAVE_VALGRIND_CALLGRIND_H
#include <valgrind/valgrind.h>
#endif

#include "bench/common/report.h"

bool surroundings_simulated(void)
{
#ifdef RUNNING_ON_VALGRIND
	return RUNNING_ON_VALGRIND > 0;
#else
	return false;
#endif
}

static void take_source(const json_t *report, struct surroundings *where)
{
	const json_t *source = json_object_get(report, "source");
	const json_t *refused = json_array_get(json_object_get(report, "refused"), 0);
	const char *name = json_string_value(json_object_get(source, "name"));
	const char *detail = json_string_value(json_object_get(source, "detail"));

	snprintf(where->source, sizeof(where->source), "%s: %s", name ? name : "none",
		 detail ? detail : "nothing is counted");
	report_text(where->why_not, sizeof(where->why_not), json_object_get(refused, "why"));
	report_text(where->mend, sizeof(where->mend), json_object_get(refused, "mend"));
}

static void find_last_level(struct surroundings *where)
{
	static const hwloc_obj_type_t levels[] = { HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE,
						   HWLOC_OBJ_L1CACHE };
	hwloc_topology_t topology;

	if (hwloc_topology_init(&topology) < 0)
		return;
	for (int i = 0; i < 3; i++)
		hwloc_topology_set_type_filter(topology, levels[i], HWLOC_TYPE_FILTER_KEEP_ALL);
	/* it would move this thread about to ask each processor */
	hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
	if (hwloc_topology_load(topology) == 0) {
		for (int i = 0; i < 3 && where->cache == 0; i++) {
			hwloc_obj_t cache = hwloc_get_next_obj_by_type(topology, levels[i], NULL);

			if (!cache)
				continue;
			where->cache = cache->attr->cache.size;
			where->n_caches = hwloc_get_nbobjs_by_type(topology, levels[i]);
		}
	}
	hwloc_topology_destroy(topology);
}

int surroundings_find(int processors, struct surroundings *where)
{
	json_t *report;
	int rc;

	*where = (struct surroundings){ .processors = processors,
					.simulated = surroundings_simulated() };
	/* what is simulated has a cache of its own, which only --cache can tell */
	if (!where->simulated)
		find_last_level(where);
	rc = report_now(&report);
	if (rc < 0)
		return rc;
	report_text(where->machine, sizeof(where->machine),
		    json_object_get(json_object_get(report, "machine"), "description"));
	report_text(where->pinning, sizeof(where->pinning), json_object_get(report, "pinning"));
	take_source(report, where);
	json_decref(report);
	return 0;
}
