/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu run`: whether a group can be counted here, before anything is started. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bindings/command/command.h"
#include "bindings/command/run/run.h"
#include "session/require.h"

/* What says what is counted, and by which source. */
static const char *const variables[] = { "PMU_GROUP", "PMU_EVENTS", "PMU_REQUIRE", "PMU_BACKEND" };

static void set_again(const char *variable, const char *value)
{
	if (value)
		setenv(variable, value, 1);
	else
		unsetenv(variable);
}

bool pmu_run_can_count(const struct pmu_run_request *request, const char *group, bool any)
{
	const char *source = PMU_RUN_SETTING(request, PMU_BACKEND);
	char *before[PMU_ARRAY_LEN(variables)];
	bool can;

	for (size_t i = 0; i < PMU_ARRAY_LEN(variables); i++)
		before[i] = getenv(variables[i]) ? strdup(getenv(variables[i])) : NULL;
	setenv("PMU_GROUP", group, 1);
	unsetenv("PMU_EVENTS");
	setenv("PMU_REQUIRE", "1", 1);
	if (source)
		setenv("PMU_BACKEND", source, 1);
	can = pmu_session_foretell(pmu_run_emulation(request), any) == 0;
	for (size_t i = 0; i < PMU_ARRAY_LEN(variables); i++) {
		set_again(variables[i], before[i]);
		free(before[i]);
	}
	return can;
}

int pmu_run_topdown(const struct pmu_run_request *request)
{
	if (pmu_run_can_count(request, "TMA1", true))
		return 0;
	pmu_command_error("--topdown: %s; nothing was run", pmu_error_text());
	return PMU_EXIT_NOT_STARTED;
}
