/* SPDX-License-Identifier: BSD-3-Clause */
/* What people are told of the PMU_* variables. */
#include "session/config.h"

#include "counters/valgrind/valgrind.h"
#include "store/place.h"
#include "store/read/list.h"

const struct pmu_config_help pmu_config_help[] = {
#define VAR(name, values, fallback, about, option, take) { name, values, fallback, about },
#include "session/config_vars.h"
#undef VAR
	{ NULL, NULL, NULL, NULL },
};
