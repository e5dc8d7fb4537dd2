/* SPDX-License-Identifier: BSD-3-Clause */
/* Several sources as one: each counts its slots of a plan. */
#ifndef PMU_COUNTERS_SEVERAL_H
#define PMU_COUNTERS_SEVERAL_H

#include "counters/backend.h"

/**
 * pmu_backend_several() - the source that opens those of @beside next to plan.main
 * @main: counts what threads do, and all slots that @beside does not; its attach() and what
 *	attach() leaves to be called are as they are alone, so a read costs what it costs there
 * @beside: kinds of slots, each of which is dealt to the source with that bit in its .beside
 *
 * Context: one thread at a time (the session's lock).
 * Return: for good; its open() takes plans with plan.main set to @main alone.  NULL where there are
 * too many.
 */
const struct pmu_backend *pmu_backend_several(const struct pmu_backend *main, uint32_t beside);

#endif
