/* SPDX-License-Identifier: BSD-3-Clause */
/* How the library is measured with itself: often enough to know what is the same each time. */
#ifndef PMU_REGION_SELFCOST_MEASURE_H
#define PMU_REGION_SELFCOST_MEASURE_H

#include "pmu.h"
#include "region/selfcost/selfcost.h"

/* The least of so many is what a call costs when nothing comes in between. */
#define PMU_MEASURE_REPEATS 4
/*
 * What comes out so at least so often is what a call counts; anything else depends on more than the
 * call.
 */
#define PMU_MEASURE_STEADY (PMU_MEASURE_REPEATS - 1)
/*
 * Where an interrupt, or another thread on a processor that is counted, came in between, it is tried
 * so often.
 */
#define PMU_MEASURE_ATTEMPTS 4

/* Differences of counts: a source that goes back a little has none. */
static inline bool pmu_keep_less(uint64_t *least, uint64_t value)
{
	bool is_less = (int64_t)value >= 0 && value < *least;

	if (is_less)
		*least = value;
	return is_less;
}

/**
 * The least of a few brackets: ticks, counts, and from the first read to that of the begin between
 * them.
 */
struct pmu_least {
	uint64_t ticks;
	uint64_t count[PMU_MAX_SLOTS], begin[PMU_MAX_SLOTS];
	unsigned int times[PMU_MAX_SLOTS]; /* that count[] came out so */
};

static inline void pmu_keep_count(struct pmu_least *least, uint32_t slot, uint64_t count)
{
	if (pmu_keep_less(&least->count[slot], count))
		least->times[slot] = 0;
	least->times[slot] += count == least->count[slot];
}

/* Did what can be known of each slot come out the same often enough? */
static inline bool pmu_is_steady(const struct pmu_thread *self, enum pmu_way way,
				 const struct pmu_least *least)
{
	uint32_t hopeless = pmu_thread_missing(self) | self->unsteady | self->cost->unknown |
			    self->cost->by[way].rough;

	for (uint32_t i = 0; i < self->n_slots; i++)
		if (!(hopeless >> i & 1) && least->times[i] < PMU_MEASURE_STEADY)
			return false;
	return true;
}

/*
 * Through pointers, a call is two or three instructions wherever it is compiled: the name, its
 * length, and the jump.
 */
typedef int pmu_call_fn(const char *name);
typedef int pmu_call_n_fn(const char *name, size_t len);

/* So that the last call is a call, not a jump behind what the function has to put back. */
#define PMU_NO_TAIL_CALL() __asm__ volatile("")

/**
 * pmu_scenes_inner() - what an empty region counts, into the thread's record
 * pmu_scenes_remainders() - what calls of a way leave behind off the fast path, into the thread's
 * cost
 *
 * Context: in a tree that is not kept, by the thread itself, as if from outside the library.
 */
void pmu_scenes_inner(struct pmu_thread *self);
void pmu_scenes_remainders(struct pmu_thread *self, enum pmu_way way);

#endif
