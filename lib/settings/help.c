/* SPDX-License-Identifier: BSD-3-Clause */
/* What people are told of the PMU_* variables. */
#include "settings/config.h"

#include "counters/backend.h"

const struct pmu_config_help pmu_config_help[] = {
#define VAR(name, values, fallback, about, member, take) { #name, values, fallback, about },
#include "settings/vars.h"
	{ NULL, NULL, NULL, NULL },
};
