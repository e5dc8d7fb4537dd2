/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions of which one call in so many is measured (PMU_EVERY).
 *
 * Such a node has a twin of the same name and parent, in whose row calls are counted and nothing
 * else: no time stamp, no counter read.  Which of the two a begin opens is drawn: as many calls are
 * left out as a number drawn evenly from 0 to 2 N - 2 says, then one is measured.  What is begun in
 * a call that is left out nests in the twin, and follows a rule of its own.
 */
#ifndef PMU_REGION_EVERY_H
#define PMU_REGION_EVERY_H

#include "region/tree.h"

/** Of a node and its twin. */
struct pmu_every {
	struct pmu_node *node[2]; /* the measured one, the twin; without a twin twice the same */
	uint32_t left;            /* calls until the next one is measured */
	uint32_t span;            /* 2 N - 1 */
	struct pmu_store_turns *turns; /* each measured call is one; NULL: nothing is kept of it */
};

/** A linear congruential generator (Knuth, MMIX); its high half is what is used. */
static inline uint64_t pmu_every_random(struct pmu_thread *self, uint32_t below)
{
	self->random = self->random * 6364136223846793005u + 1442695040888963407u;
	return (self->random >> 32) * below >> 32;
}

/**
 * pmu_every_first() - calls that are left out before the first one that is measured
 *
 * As if one had come into draws that had long been going on, so that each call, the first included, is
 * measured with the same chance: r with (2 N - 1 - r) / (N (2 N - 1)), the smaller one of two different
 * numbers below 2 N.
 */
static inline uint32_t pmu_every_first(struct pmu_thread *self, uint32_t n)
{
	uint64_t one = pmu_every_random(self, 2 * n), other = pmu_every_random(self, 2 * n - 1);

	other += other >= one;
	return (uint32_t)(one < other ? one : other);
}

/**
 * pmu_every_choose() - the node that the next call of @node's region opens
 *
 * As many instructions for each measured call, and for each of the others: regions around count them.
 */
static inline struct pmu_node *pmu_every_choose(struct pmu_thread *self,
						const struct pmu_node *node)
{
	struct pmu_every *every = node->every;

	if (likely(every->left)) {
		every->left--;
		return every->node[1];
	}
	every->left = (uint32_t)pmu_every_random(self, every->span);
	return every->node[0];
}

/** pmu_every_new() - for a node that has just been made.  Return: 0 or -ENOMEM. */
int pmu_every_new(struct pmu_thread *self, struct pmu_node *node);

/** pmu_every_note() - what a measured call has counted, for the error of what is estimated of all */
void pmu_every_note(const struct pmu_thread *self, const struct pmu_node *node,
		    const uint64_t *now);

/** What pmu_every_force() puts in the place of chance, and back. */
struct pmu_forced {
	uint32_t left, span;
};

/** pmu_every_force() - until pmu_every_unforce() each call is measured, or none of the next ones */
struct pmu_forced pmu_every_force(struct pmu_every *every, bool measured);
void pmu_every_unforce(struct pmu_every *every, struct pmu_forced was);

#endif
