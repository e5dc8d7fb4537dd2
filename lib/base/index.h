/* SPDX-License-Identifier: BSD-3-Clause */
/* A hash index over things that lie somewhere else: open addressing, at most three quarters full. */
#ifndef PMU_BASE_INDEX_H
#define PMU_BASE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pmu_index_place {
	uintptr_t thing; /* an address or a number, as its owner likes; 0: free */
	uint32_t hash;
};

/** All zero is an empty one. */
struct pmu_index {
	struct pmu_index_place *place;
	size_t n_places; /* a power of two, or 0 */
	size_t n;        /* of them taken */
};

/** pmu_index_reserve() - room for @more.  Return: 0; -ENOMEM, and it is as it was. */
int pmu_index_reserve(struct pmu_index *index, size_t more);

/**
 * pmu_index_find() - the place of what is wanted, or the free one where it belongs
 * @same: is @thing, which has the same hash, what is @wanted?
 * Context: after pmu_index_reserve() for one.
 */
struct pmu_index_place *pmu_index_find(const struct pmu_index *index, uint32_t hash,
				       bool (*same)(const void *wanted, uintptr_t thing),
				       const void *wanted);

/** pmu_index_take() - a free place, as pmu_index_find() returned it, for a thing with that hash */
static inline void pmu_index_take(struct pmu_index *index, struct pmu_index_place *place,
				  uint32_t hash, uintptr_t thing)
{
	*place = (struct pmu_index_place){ .thing = thing, .hash = hash };
	index->n++;
}

/** pmu_index_free() - it is an empty one again */
void pmu_index_free(struct pmu_index *index);

#endif
