/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of a model's code names a processor has. */
#ifndef PMU_COMMAND_INFO_CODENAME_H
#define PMU_COMMAND_INFO_CODENAME_H

#include <stddef.h>

#include "machine/models.h"

/**
 * pmu_info_codename() - a processor's code name: what the corrections say, else the one of its
 * model's that libcpuid names, else all of its model's
 * @model: NULL for one that no table has: its name is "", as nothing tells whether libcpuid knows
 * it
 * @said: libcpuid's; ""
 */
void pmu_info_codename(const struct pmu_cpu_id *id, const struct pmu_cpu_model *model,
		       const char *said, char *name, size_t size);

#endif
