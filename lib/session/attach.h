/* SPDX-License-Identifier: BSD-3-Clause */
/* What thread.c does with a thread and the group that it counts.  Context: the session's lock. */
#ifndef PMU_SESSION_ATTACH_H
#define PMU_SESSION_ATTACH_H

struct pmu_thread;

/**
 * pmu_attach_group() - put the thread where the group that is counted now expects it
 * Return: 0 or a negative errno.
 */
int pmu_attach_group(struct pmu_thread *self);

/** pmu_change_group() - keep what belongs to the group that was counted, take up what belongs to @next */
void pmu_change_group(struct pmu_thread *self, unsigned int next);

/** pmu_finish_group() - its rows stay, its counters go */
void pmu_finish_group(struct pmu_thread *self);

#endif
