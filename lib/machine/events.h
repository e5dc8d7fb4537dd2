/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * libpmu-events.so, which knows names: of processors, for the layers from here on, and of events
 * (plan/resolve.h).  A program loads it when the first name has to be looked up.
 */
#ifndef PMU_MACHINE_EVENTS_H
#define PMU_MACHINE_EVENTS_H

#include <stddef.h>

#include "machine/models.h"

/** The beginning of what it has. */
struct pmu_events {
	size_t size; /* of all that it has */
	const char *version;
	const struct pmu_cpu_model *(*model_find)(const struct pmu_cpu_id *id);
};

/**
 * pmu_events_get() - loaded at the first call, or linked
 * Return: NULL with a sentence where that fails.
 */
const struct pmu_events *pmu_events_get(void);

#endif
