/* SPDX-License-Identifier: BSD-3-Clause */
/* What libpmu-events.so offers its loaders. */
#include "base/error.h"
#include "plan/interrupts.h"
#include "plan/resolve.h"
#include "pmu.h"

__attribute__((visibility("default"))) const struct pmu_resolver pmu_resolver = {
	.events = { .size = sizeof(pmu_resolver),
		    .version = PMU_VERSION_STRING,
		    .model_find = pmu_models_find },
	.group_size = sizeof(struct pmu_group),
	.catalog_size = sizeof(struct pmu_catalog),
	.error_text = pmu_error_text,
	.group_find = pmu_group_find,
	.group_from_events = pmu_group_from_events,
	.add_interrupts = pmu_group_add_interrupts,
	.event_list = pmu_event_list_parse,
	.catalog_close = pmu_catalog_close,
};
