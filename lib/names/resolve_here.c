/* SPDX-License-Identifier: BSD-3-Clause */
/* For programs that are linked with what knows names: nothing is loaded. */
#include "plan/resolve.h"

const struct pmu_events *pmu_events_get(void)
{
	return &pmu_resolver.events;
}
