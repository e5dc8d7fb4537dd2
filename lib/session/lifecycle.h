/* SPDX-License-Identifier: BSD-3-Clause */
/* A session in a process that was forked. */
#ifndef PMU_SESSION_LIFECYCLE_H
#define PMU_SESSION_LIFECYCLE_H

#include <stdbool.h>

/** pmu_session_own_lock() - in a forked child: the lock is free, even if the parent held it */
void pmu_session_own_lock(void);

/** pmu_session_is_ours() - false in a child that was forked from the session's process. */
bool pmu_session_is_ours(void);

/**
 * pmu_session_forked() - in such a child: let go of the parent's parts.  Context: lock not held.
 */
void pmu_session_forked(void);

/** pmu_session_child() - in a child that came through our fork: what it need not keep open. */
void pmu_session_child(void);

/**
 * pmu_session_unshare() - in a forked child: the parent's table is out of reach of what was
 * interrupted.
 */
void pmu_session_unshare(void);

#endif
