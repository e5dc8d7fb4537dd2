/* SPDX-License-Identifier: BSD-3-Clause */
/* The library's part of threads' own memory, for libpmu and for libpmu-preload. */
#include "base/own.h"

#include "base/compiler.h"

static uint32_t shut = PMU_GUARD_SHUT;

#if PMU_SANITIZED
/* AddressSanitizer takes two libraries' for a mistake, unless it lies in a section of its own. */
__attribute__((section("pmu_nobody_data")))
#endif
struct pmu_nobody pmu_nobody = { .guard = &shut };
__thread struct pmu_own pmu_own = { .self = PMU_NOBODY };
