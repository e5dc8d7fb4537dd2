/* SPDX-License-Identifier: BSD-3-Clause */
/* A processor's row: by itself, so that an archive's user who needs none is not linked with all names. */
#include "machine/events.h"

/* Without what knows names no processor is known. */
const struct pmu_cpu_model *pmu_cpu_model_find(const struct pmu_cpu_id *id)
{
	const struct pmu_events *events = pmu_events_get();

	return events ? events->model_find(id) : NULL;
}
