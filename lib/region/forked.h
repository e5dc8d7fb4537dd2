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

/** What a child's first call is. */
enum pmu_forked_call { PMU_FORKED_BEGIN, PMU_FORKED_END };

/**
 * pmu_forked_inherits() - a child's first call: what was open at the fork is its own now, and counted
 * Return: false also where it is no child, or has called before.
 */
bool pmu_forked_inherits(void);

/**
 * pmu_forked_call() - what is open starts anew, just before the call that is made then
 * @len: PMU_NAME_TERMINATED, or as it was given
 * Return: as that call.
 */
int pmu_forked_call(enum pmu_forked_call which, const char *name, size_t len);

/** pmu_forked_waited() - has the session that is running been waited for in this process? */
bool pmu_forked_waited(void);

/** pmu_forked_take_up() - the session has begun after all, but its thread and what was open did at the fork */
void pmu_forked_take_up(struct pmu_thread *self);

#endif
