/* SPDX-License-Identifier: BSD-3-Clause */
/* What an output's name asks for. */
#ifndef PMU_COMMAND_OUTPUT_H
#define PMU_COMMAND_OUTPUT_H

#include <stddef.h>

#include "report/report.h"

/**
 * pmu_output_path_of() - pmu_output_path() for a report
 * @model: NULL: of no one process; this one's number stands for it
 */
int pmu_output_path_of(const char *configured, const struct pmu_model *model, char *path,
		       size_t size);

#endif
