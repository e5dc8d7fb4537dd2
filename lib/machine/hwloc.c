/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads hwloc when the first topology is asked for. */
#include "machine/hwloc.h"

#include "base/compiler.h"
#include "base/library.h"

/* The file's name is that of an ABI, which the headers have to be of, too. */
#if HWLOC_API_VERSION >> 16 != 2
#error "libhwloc.so.15 is hwloc 2"
#endif

struct pmu_hwloc_calls pmu_hwloc;

#define CALL(name)                                                     \
	{                                                              \
		"hwloc_" #name, offsetof(struct pmu_hwloc_calls, name) \
	}
static const struct pmu_library_call table[] = {
	CALL(topology_init),
	CALL(topology_destroy),
	CALL(topology_load),
	CALL(topology_set_components),
	CALL(topology_set_all_types_filter),
	CALL(topology_set_type_filter),
	CALL(topology_set_xml),
	CALL(topology_get_allowed_cpuset),
	CALL(topology_is_thissystem),
	CALL(get_type_depth),
	CALL(get_nbobjs_by_depth),
	CALL(get_obj_by_depth),
	CALL(cpukinds_get_info),
	CALL(cpukinds_get_nr),
	CALL(cpukinds_get_by_cpuset),
	CALL(bitmap_isset),
};
_Static_assert(sizeof(pmu_hwloc) == PMU_ARRAY_LEN(table) * sizeof(void *),
	       "every function is in the table");

int pmu_hwloc_load(void)
{
	static struct pmu_library libhwloc = { .file = "libhwloc.so.15",
					       .needs = "what is where on a machine is known by "
							"hwloc 2 (Debian: libhwloc15)",
					       .calls = &pmu_hwloc,
					       .call = table,
					       .n_calls = PMU_ARRAY_LEN(table) };

	return pmu_library_load(&libhwloc);
}
