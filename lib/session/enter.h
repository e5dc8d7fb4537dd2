/* SPDX-License-Identifier: BSD-3-Clause */
/* How a thread comes in, and how its signal handlers are kept out meanwhile. */
#ifndef PMU_SESSION_ENTER_H
#define PMU_SESSION_ENTER_H

#include <stdbool.h>

/**
 * pmu_session_shed() - a thread of a forked child takes what it finds for what it is: a copy.
 * Before anything else.
 */
void pmu_session_shed(void);

/**
 * pmu_session_bar(), pmu_session_unbar() - keep this thread's signal handlers out meanwhile
 *
 * Before the session's lock is taken: a handler's first call of a region would wait for it for
 * ever.
 */
void pmu_session_bar(void);
void pmu_session_unbar(void);

/**
 * pmu_session_turn_away() - pmu_session_unbar() of a thread that lacks what begin and end need: its
 * next call takes the slow path again, too, and finds that out
 */
void pmu_session_turn_away(void);

/**
 * pmu_session_note_memory() - a call of the calling thread was not counted for want of memory: in
 * its record, or where it has none as a note
 * Context: outside; takes the lock.
 */
void pmu_session_note_memory(void);

/**
 * pmu_session_inside() - is the calling thread in a call of this library (so this is a signal
 * handler)?
 */
bool pmu_session_inside(void);

#endif
