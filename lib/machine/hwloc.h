/* SPDX-License-Identifier: BSD-3-Clause */
/* hwloc's functions: for topology.c. */
#ifndef PMU_MACHINE_HWLOC_H
#define PMU_MACHINE_HWLOC_H

#include <hwloc.h>

/** Those that are used, without "hwloc_" in front. */
#define PMU_HWLOC_CALLS(CALL)               \
	CALL(topology_init)                 \
	CALL(topology_destroy)              \
	CALL(topology_load)                 \
	CALL(topology_set_components)       \
	CALL(topology_set_all_types_filter) \
	CALL(topology_set_type_filter)      \
	CALL(topology_set_xml)              \
	CALL(topology_get_allowed_cpuset)   \
	CALL(topology_is_thissystem)        \
	CALL(get_type_depth)                \
	CALL(get_nbobjs_by_depth)           \
	CALL(get_obj_by_depth)              \
	CALL(cpukinds_get_info)             \
	CALL(cpukinds_get_nr)               \
	CALL(cpukinds_get_by_cpuset)        \
	CALL(bitmap_isset)

struct pmu_hwloc_calls {
#define PMU_HWLOC_CALL(name) __typeof__(hwloc_##name) *name;
	PMU_HWLOC_CALLS(PMU_HWLOC_CALL)
};

/** Filled in once pmu_hwloc_load() has returned 0. */
extern struct pmu_hwloc_calls pmu_hwloc;

/**
 * pmu_hwloc_load() - loads hwloc, once
 *
 * With libudev, which it needs, it is a quarter of a millisecond at a program's start.
 *
 * Context, return: as pmu_library_load().
 */
int pmu_hwloc_load(void);

#endif
