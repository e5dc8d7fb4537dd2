/* SPDX-License-Identifier: BSD-3-Clause */
/* What a catalog stands for where it says nothing, and its end. */
#include "group/catalog.h"

#include <stddef.h>

#include "group/intel/intel.h"

const char *pmu_catalog_devices(const struct pmu_catalog *catalog)
{
	if (catalog && catalog->sysfs)
		return catalog->sysfs[0] ? catalog->sysfs : NULL;
	/* of another machine than this one the kernel shows nothing */
	return !catalog || (!catalog->model && !catalog->id.vendor[0]) ? PMU_SYSFS_DEVICES : NULL;
}

void pmu_catalog_close(struct pmu_catalog *catalog)
{
	if (catalog->intel)
		pmu_intel_close(catalog->intel);
	catalog->intel = NULL;
	catalog->intel_error = 0;
}
