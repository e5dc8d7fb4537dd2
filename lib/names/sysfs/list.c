/* SPDX-License-Identifier: BSD-3-Clause */
/* Walks through all PMUs of the kernel and their named events. */
#include <stdio.h>

#include "base/error.h"
#include "names/sysfs/files.h"
#include "names/sysfs/sysfs.h"

static void list_events(const struct pmu_sysfs_pmu *pmu,
			void (*event)(void *arg, const char *pmu, const char *name,
				      const char *terms, const char *unit),
			void *arg)
{
	struct pmu_sysfs_names names = { 0 };

	pmu_sysfs_names(pmu, "events", &names);
	for (size_t i = 0; i < names.n; i++) {
		char terms[PMU_SYSFS_TEXT_MAX];
		struct pmu_sysfs_scale scale;

		if (pmu_sysfs_read(pmu, "events", names.name[i], "", terms) < 0)
			continue;
		if (pmu_sysfs_scale(pmu, names.name[i], &scale) < 0)
			scale.unit[0] = '\0';
		event(arg, pmu->name, names.name[i], terms, scale.unit);
	}
	pmu_sysfs_names_free(&names);
}

void pmu_sysfs_each(const char *devices,
		    void (*pmu)(void *arg, const char *name, unsigned int n_boxes),
		    void (*event)(void *arg, const char *pmu, const char *name, const char *terms,
				  const char *unit),
		    void *arg)
{
	struct pmu_sysfs_names names = { 0 };
	struct pmu_sysfs_pmu one;

	pmu_sysfs_pmus(devices, &names);
	for (size_t i = 0; i < names.n; i++) {
		if (pmu_sysfs_open(devices, names.name[i], &one) < 0)
			continue;
		pmu(arg, one.name, (unsigned int)one.n_boxes);
		list_events(&one, event, arg);
	}
	pmu_sysfs_names_free(&names);
	pmu_error_clear();
}
