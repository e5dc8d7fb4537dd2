/* SPDX-License-Identifier: BSD-3-Clause */
/* The library's part of threads' own memory, for libpmu and for libpmu-preload. */
#include "base/own.h"

static uint32_t shut = PMU_GUARD_SHUT;

struct pmu_nobody pmu_nobody = { .guard = &shut };
__thread struct pmu_own pmu_own = { .self = PMU_NOBODY };
