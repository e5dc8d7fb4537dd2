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

#define CALL(name) { "hwloc_" #name, offsetof(struct pmu_hwloc_calls, name) },
static const struct pmu_library_call table[] = { PMU_HWLOC_CALLS(CALL) };

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
