/* SPDX-License-Identifier: BSD-3-Clause */
/* Any text as a list of events and as the name of a group. */
#include <stdlib.h>
#include <string.h>

#include "group/group.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmu_group group;
	struct pmu_plan plan;
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	if (pmu_group_from_events(text, &group) == 0) {
		pmu_group_plan(&group, &plan);
		if (plan.n_slots < 1 || plan.n_slots > PMU_MAX_SLOTS)
			abort();
	}
	(void)pmu_group_find(text, &group);
	free(text);
	return 0;
}
