/* SPDX-License-Identifier: BSD-3-Clause */
/* hwloc's functions: for topology.c. */
#ifndef PMU_MACHINE_HWLOC_H
#define PMU_MACHINE_HWLOC_H

#include <hwloc.h>

/** Those that are used, without "hwloc_" in front. */
struct pmu_hwloc_calls {
	__typeof__(hwloc_topology_init) *topology_init;
	__typeof__(hwloc_topology_destroy) *topology_destroy;
	__typeof__(hwloc_topology_load) *topology_load;
	__typeof__(hwloc_topology_set_components) *topology_set_components;
	__typeof__(hwloc_topology_set_all_types_filter) *topology_set_all_types_filter;
	__typeof__(hwloc_topology_set_type_filter) *topology_set_type_filter;
	__typeof__(hwloc_topology_set_xml) *topology_set_xml;
	__typeof__(hwloc_topology_get_allowed_cpuset) *topology_get_allowed_cpuset;
	__typeof__(hwloc_topology_is_thissystem) *topology_is_thissystem;
	__typeof__(hwloc_get_type_depth) *get_type_depth;
	__typeof__(hwloc_get_nbobjs_by_depth) *get_nbobjs_by_depth;
	__typeof__(hwloc_get_obj_by_depth) *get_obj_by_depth;
	__typeof__(hwloc_cpukinds_get_info) *cpukinds_get_info;
	__typeof__(hwloc_cpukinds_get_nr) *cpukinds_get_nr;
	__typeof__(hwloc_cpukinds_get_by_cpuset) *cpukinds_get_by_cpuset;
	__typeof__(hwloc_bitmap_isset) *bitmap_isset;
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
