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

/**
 * pmu_attach_note_memory() - for want of memory a call was not counted; @self: NULL: of a thread that
 * has no record
 */
void pmu_attach_note_memory(struct pmu_thread *self);

/** pmu_make_others() - room for what it keeps of other groups, once.  Return: 0 or -ENOMEM. */
int pmu_make_others(struct pmu_thread *self);

/**
 * pmu_change_group() - keep what belongs to the group that was counted, take up what belongs to @next
 * Context: after pmu_make_others().
 */
void pmu_change_group(struct pmu_thread *self, unsigned int next);

/**
 * pmu_attach_next() - as pmu_attach_group(), from the group that it has been counting before
 * Context: after pmu_finish_group() and pmu_make_others().
 * Return: 0; a negative errno, and it is where it was, without counters.
 */
int pmu_attach_next(struct pmu_thread *self);

/**
 * pmu_turn_group() - the thread counts another group; its counters of this one stand still
 *
 * Return: 0; a negative errno, and it stays where it is.
 */
int pmu_turn_group(struct pmu_thread *self, unsigned int next);

/** pmu_close_counters() - of all groups; also a copy's in a forked child */
void pmu_close_counters(struct pmu_thread *self);

/** pmu_finish_group() - its rows stay, its counters go */
void pmu_finish_group(struct pmu_thread *self);

#endif
