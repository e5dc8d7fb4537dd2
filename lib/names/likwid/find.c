/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds LIKWID's group files in the user's folders. */
#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "names/file/parts.h"
#include "names/likwid/parts.h"

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

struct visit {
	void (*each)(void *arg, const char *name, const char *about, const char *origin);
	void *arg;
};

/* Other texts may lie there, too. */
static void look_at_text(void *arg, const char *name, const struct pmu_group_text *text)
{
	const struct visit *visit = arg;
	struct pmu_likwid_scan scan = { .text = text->text, .len = text->len, .origin = name };
	struct pmu_likwid_line line;
	char full[sizeof(PMU_LIKWID_PREFIX) + PMU_GROUP_NAME_MAX], about[128] = "";
	bool is_group = false;

	while (pmu_likwid_scan_line(&scan, &line) > 0) {
		if (line.section == PMU_LIKWID_SHORT)
			snprintf(about, sizeof(about), "%.*s", PMU_LIKWID_SHOW(line.first));
		is_group |= line.section == PMU_LIKWID_EVENTSET;
	}
	pmu_error_clear();
	snprintf(full, sizeof(full), PMU_LIKWID_PREFIX "%s", name);
	if (is_group)
		visit->each(visit->arg, full, about, text->path);
}

void pmu_likwid_each(void (*each)(void *arg, const char *name, const char *about,
				  const char *origin),
		     void *arg)
{
	struct visit visit = { each, arg };

	pmu_group_text_each(ENDING, look_at_text, &visit);
}
