/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu check --exact-branches`: what is counted for it. */
#include "names/branches.h"

#include <string.h>

#include "base/error.h"
#include "bindings/command/command.h"
#include "bindings/command/run/run.h"

/* Arm's cores have taken branches for it; valgrind knows conditional ones alone. */
static bool counts_taken(const struct pmu_run_request *request)
{
	struct pmu_catalog catalog = { .model = NULL };
	struct pmu_event event;
	bool is_there = !request->emulate && !pmu_event_parse(PMU_TAKEN_BRANCHES, &catalog, &event);

	pmu_error_clear();
	pmu_catalog_close(&catalog);
	return is_there;
}

int pmu_run_exact_branches(const struct pmu_command *self, struct pmu_run_request *request)
{
	if (PMU_RUN_SETTING(request, PMU_EVENTS) || PMU_RUN_SETTING(request, PMU_GROUP) ||
	    request->all_metrics)
		return pmu_command_usage_error(
			self, "--exact-branches says what is counted: no -g, -e, --topdown or "
			      "--all-metrics beside it");
	PMU_RUN_SETTING(request, PMU_EVENTS) = counts_taken(request) ? PMU_TAKEN_BRANCHES
								     : PMU_CONDITIONAL_BRANCHES;
	PMU_RUN_SETTING(request, PMU_REQUIRE) = "1";
	return 0;
}
