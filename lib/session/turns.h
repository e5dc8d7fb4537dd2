/* SPDX-License-Identifier: BSD-3-Clause */
/* What a turn's calls have counted, when it ends: how much turns differ tells what an estimate is worth. */
#ifndef PMU_SESSION_TURNS_H
#define PMU_SESSION_TURNS_H

#include <stdint.h>

struct pmu_store_turns;
struct pmu_thread;

/** A thread's totals at the end of the last turn of a group, a piece for each row; all zero: none yet. */
struct pmu_turned {
	uint64_t *piece;             /* [n * size]: calls, and each slot's count */
	struct pmu_store_turns **to; /* [n] */
	uint32_t n, n_slots;
};

/** pmu_turns_add() - a turn ends.  Context: the session's lock; no region of the thread's is open. */
void pmu_turns_add(struct pmu_thread *self);

void pmu_turns_forget(struct pmu_turned *turned);

#endif
