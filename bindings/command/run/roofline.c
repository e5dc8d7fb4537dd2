/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu run --roofline`: what has to be counted for it. */
#include "base/error.h"
#include "bindings/command/command.h"
#include "bindings/command/roofline/ceilings.h"
#include "bindings/command/run/run.h"

#define FLOPS "FLOPS_DP,FLOPS_SP"

int pmu_run_roofline(struct pmu_run_request *request)
{
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
	PMU_RUN_SETTING(request, PMU_GROUP) = pmu_run_can_count(request, "MEM", false)
						      ? FLOPS ",MEM"
						      : FLOPS ",CACHE";
	return 0;
}
