/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds LIKWID's group files in the user's folders. */
#include <errno.h>

#include "base/error.h"
#include "group/file/parts.h"
#include "group/likwid/likwid.h"

#define ENDING ".txt"

int pmu_likwid_find(const char *name, struct pmu_catalog *catalog, struct pmu_group *group)
{
	struct pmu_group_text file;
	int rc = pmu_group_text_load(name, ENDING, &file);

	if (rc == -ENOENT)
		return pmu_fail(EINVAL,
				"no folder of PMU_GROUP_PATH has a file %.60s" ENDING
				": set it to the folder of LIKWID's groups for this processor, "
				"like /usr/share/likwid/perfgroups/ICX",
				name);
	if (rc)
		return rc;
	rc = pmu_likwid_parse(file.text, file.len, file.path, file.name, catalog, group);
	pmu_group_text_free(&file);
	return rc;
}
