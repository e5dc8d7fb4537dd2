/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Groups in turns (PMU_ROTATE).
 *
 * Which group is counted changes with time, in an order that is drawn anew each round, so that it
 * does not keep step with the program.  A thread follows at its next begin of an outermost region:
 * each call is counted whole, by one group.  What a thread has of the others stands still meanwhile:
 * descriptors, rows, trees.
 */
#ifndef PMU_SESSION_ROTATE_H
#define PMU_SESSION_ROTATE_H

#include <stdbool.h>
#include <stdint.h>

struct pmu_thread;

/**
 * What threads look at when they begin an outermost region; relaxed: one that sees it late follows a
 * call later.
 */
struct pmu_rotation {
	uint64_t due;   /* ticks from which on the next group's turn may begin */
	uint32_t group; /* that has its turn */
};
extern struct pmu_rotation pmu_rotation __attribute__((visibility("hidden")));

/** What pmu_thread.turn says beside the index of a group. */
#define PMU_TURN_NONE UINT32_MAX /* the thread stays in its group */
#define PMU_TURN_NEXT \
	(UINT32_MAX - 1) /* it goes where rotation is, which goes on where that is due */

/** pmu_rotation_start() - the session's groups are chosen and open.  Context: the session's lock. */
void pmu_rotation_start(void);

/** pmu_rotation_is_on() - do groups change by themselves?  Context: the session's lock. */
bool pmu_rotation_is_on(void);

/**
 * pmu_rotation_turn() - as pmu_thread.turn says, which is PMU_TURN_NONE afterwards
 *
 * A thread that cannot have the other group's counters stays where it is.
 *
 * Context: the session's lock; the calling thread has no region open.
 */
void pmu_rotation_turn(struct pmu_thread *self);

/** pmu_rotation_remark() - at the session's end: what it took, as a note.  Context: as above. */
void pmu_rotation_remark(void);

#endif
