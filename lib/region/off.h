/* SPDX-License-Identifier: BSD-3-Clause */
/* What the thread has waited, told to the regions that were open, and to the innermost what was sampled. */
#ifndef PMU_REGION_OFF_H
#define PMU_REGION_OFF_H

#include "region/selfcost/selfcost.h"
#include "session/thread.h"

/** pmu_was_off() - has it been off its processor since it was last known to be on it, or sampled? */
static inline bool pmu_was_off(const struct pmu_thread *self)
{
	return pmu_switch_was_off(self->switched, &self->mark);
}

/**
 * pmu_off_note() - what it has waited since then is that of the regions that are open: no call has
 * come in between
 * @kind: PMU_PAUSE_OFF_BEGIN, PMU_PAUSE_OFF_END
 * Context: the guard is held; takes the session's lock.
 */
void pmu_off_note(struct pmu_thread *self, enum pmu_way way, enum pmu_pause_kind kind);

/**
 * pmu_off_look() - the same where nothing is counted anyway; keeps errno
 * @but: a region that is open, and has not started yet; NULL: none
 */
void pmu_off_look(struct pmu_thread *self, const struct pmu_node *but);

/** pmu_off_settle() - the same for another thread, which is asleep.  Context: the session's lock. */
void pmu_off_settle(struct pmu_thread *thread);

#endif
