/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions of a thread when measuring is switched off and on (session/control.h). */
#ifndef PMU_REGION_CUT_H
#define PMU_REGION_CUT_H

#include <stdbool.h>

struct pmu_thread;

/**
 * pmu_cut_stop() - measuring is being switched off: what is open ends here, a call each
 *
 * The last thread to come by that had a region open, asleep or not, lets all calls return at once.
 * @self: NULL: none is attached, or it has been here
 * Context: inside, its guard held; takes the session's lock.
 */
void pmu_cut_stop(struct pmu_thread *self);

/**
 * pmu_cut_resume() - it is on again: the thread goes on with the region that its life is
 * Context: inside, its guard held.
 */
void pmu_cut_resume(struct pmu_thread *self);

/** pmu_cut_is_missed() - may an end without a begin be of a call that began while measuring was off? */
bool pmu_cut_is_missed(const struct pmu_thread *self);

#endif
