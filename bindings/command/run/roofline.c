/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu run --roofline`: what has to be counted for it. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bindings/command/command.h"
#include "bindings/command/roofline/ceilings.h"
#include "bindings/command/run/run.h"
#include "session/require.h"

#define FLOPS "FLOPS_DP,FLOPS_SP"

/* Variables that say what is counted. */
static const char *const variables[] = { "PMU_GROUP", "PMU_EVENTS", "PMU_REQUIRE" };

/* Would all of a group be counted here? */
static bool can_count(const char *group)
{
	char *before[PMU_ARRAY_LEN(variables)];
	bool can;

	for (size_t i = 0; i < PMU_ARRAY_LEN(variables); i++) {
		before[i] = getenv(variables[i]) ? strdup(getenv(variables[i])) : NULL;
		unsetenv(variables[i]);
	}
	setenv("PMU_GROUP", group, 1);
	setenv("PMU_REQUIRE", "1", 1);
	can = pmu_session_foretell(PMU_EMULATION_NONE) == 0;
	for (size_t i = 0; i < PMU_ARRAY_LEN(variables); i++) {
		if (before[i])
			setenv(variables[i], before[i], 1);
		else
			unsetenv(variables[i]);
		free(before[i]);
	}
	return can;
}

int pmu_run_roofline(struct pmu_run_request *request)
{
	const char *source = PMU_RUN_SETTING(request, PMU_BACKEND);

	if (request->ceilings) {
		struct pmu_ceilings ceilings;

		if (pmu_ceilings_read(request->ceilings, "", "", &ceilings)) {
			pmu_command_error("%s; the command was not started", pmu_error_text());
			return PMU_EXIT_NOT_STARTED;
		}
	}
	PMU_RUN_SETTING(request, PMU_ROTATE) = "1";
	if (PMU_RUN_SETTING(request, PMU_GROUP) || PMU_RUN_SETTING(request, PMU_EVENTS))
		return 0;
	/* a source that is forced has its say in what can be counted */
	if (source && setenv("PMU_BACKEND", source, 1)) {
		pmu_command_error("no memory");
		return PMU_EXIT_NOT_STARTED;
	}
	PMU_RUN_SETTING(request, PMU_GROUP) = can_count("MEM") ? FLOPS ",MEM" : FLOPS ",CACHE";
	return 0;
}
