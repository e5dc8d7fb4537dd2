/* SPDX-License-Identifier: BSD-3-Clause */
/* PMU_REQUIRE: all of it, or a reason why not. */
#ifndef PMU_SESSION_REQUIRE_H
#define PMU_SESSION_REQUIRE_H

#include <stdbool.h>

#include "counters/backend.h"

/**
 * pmu_session_require() - is all of it counted, where PMU_REQUIRE=1 wants that?  Return: 0, or
 * -ENOTSUP with a sentence.
 */
int pmu_session_require(void);

/**
 * pmu_session_foretell() - would a program with this environment be measured as PMU_REQUIRE=1 wants
 * it?
 * @emulated: it will run under valgrind
 * @any: one event that was named is enough
 * Context: for `pmu run`: no session runs, and none is started.  Return: as pmu_session_require().
 */
int pmu_session_foretell(enum pmu_emulation emulated, bool any);

#endif
