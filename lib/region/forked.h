/* SPDX-License-Identifier: BSD-3-Clause */
/* A forked child that has used no region yet. */
#ifndef PMU_REGION_FORKED_H
#define PMU_REGION_FORKED_H

#include "pmu.h"
#include "session/session.h"

/**
 * pmu_forked_wait() - what was open goes on from now, and a session is not begun before it is needed
 *
 * Not where counters are read, which have to be open for that, nor where more than times is kept.
 *
 * Return: 1: so it is, or was before; 0: not here.
 */
int pmu_forked_wait(void);

/** pmu_forked_checkpoint() - pmu_checkpoint() in such a child: its whole store, at its end */
void pmu_forked_checkpoint(enum pmu_next next);

/** pmu_forked_waited() - has the session that is running been waited for in this process? */
bool pmu_forked_waited(void);

/** pmu_forked_take_up() - the session has begun after all, but its thread and what was open did at the fork */
void pmu_forked_take_up(struct pmu_thread *self);

#endif
