/* SPDX-License-Identifier: BSD-3-Clause */
/* The way into the library and out of it for every public call but begin and end. */
#ifndef PMU_REGION_CALL_H
#define PMU_REGION_CALL_H

/**
 * pmu_call_enter() - inside the library, the session's lock held; what follows is in no open region
 * Return: 0, for pmu_call_leave(); -EBUSY in a signal handler that interrupted the library.
 */
int pmu_call_enter(void);
void pmu_call_leave(void);

/**
 * pmu_call_aside() - what @function does is in no open region; it may use pmu_call_enter()
 *
 * A signal handler's own regions go on to be counted meanwhile.  errno stays what it was.
 * Return: the function's; -EBUSY as pmu_call_enter(), it has not been called then.
 */
int pmu_call_aside(int (*function)(void *argument), void *argument);

/**
 * pmu_call_end_session() - pmu_session_end(), with what sleeping threads have open
 * Context: lock held.  Return: as pmu_session_end().
 */
int pmu_call_end_session(void);

/**
 * pmu_region_pause(), pmu_region_go_on() - what the calling thread does in between is in none of
 * the regions that it has open
 */
void pmu_region_pause(void);
void pmu_region_go_on(void);

#endif
