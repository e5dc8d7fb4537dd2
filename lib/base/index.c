/* SPDX-License-Identifier: BSD-3-Clause */
/* Places go by the low bits of the hash; what is taken already sends on to the next. */
#include "base/index.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"

#define FIRST_PLACES 256u

/* Three quarters full at most, so that a search ends, and soon. */
static size_t places_for(size_t n)
{
	size_t places = FIRST_PLACES;

	while (3 * places < 4 * n)
		places *= 2;
	return places;
}

static struct pmu_index_place *first_free_place(const struct pmu_index *index, uint32_t hash)
{
	size_t mask = index->n_places - 1, i = hash & mask;

	while (index->place[i].thing)
		i = (i + 1) & mask;
	return &index->place[i];
}

/* Zeroed places of an index that is gone, for the next one: a report has several, one after another. */
static struct pmu_index_place *spare;

static struct pmu_index_place *places_alloc(size_t n)
{
	struct pmu_index_place *places = n == FIRST_PLACES ? __atomic_exchange_n(&spare, NULL,
										 __ATOMIC_ACQUIRE)
							   : NULL;

	return places ? places : pmu_pages_alloc(n * sizeof(*places));
}

static void places_free(struct pmu_index_place *places, size_t n)
{
	if (n == FIRST_PLACES) {
		memset(places, 0, n * sizeof(*places));
		places = __atomic_exchange_n(&spare, places, __ATOMIC_RELEASE);
	}
	pmu_pages_free(places, n * sizeof(*places));
}

int pmu_index_reserve(struct pmu_index *index, size_t more)
{
	struct pmu_index grown = { .n_places = places_for(index->n + more), .n = index->n };

	if (grown.n_places <= index->n_places)
		return 0;
	grown.place = places_alloc(grown.n_places);
	if (!grown.place)
		return -ENOMEM;
	for (size_t i = 0; i < index->n_places; i++)
		if (index->place[i].thing)
			*first_free_place(&grown, index->place[i].hash) = index->place[i];
	pmu_index_free(index);
	*index = grown;
	return 0;
}

struct pmu_index_place *pmu_index_find(const struct pmu_index *index, uint32_t hash,
				       bool (*same)(const void *wanted, uintptr_t thing),
				       const void *wanted)
{
	size_t mask = index->n_places - 1, i = hash & mask;

	while (index->place[i].thing &&
	       !(index->place[i].hash == hash && same(wanted, index->place[i].thing)))
		i = (i + 1) & mask;
	return &index->place[i];
}

void pmu_index_free(struct pmu_index *index)
{
	if (index->place)
		places_free(index->place, index->n_places);
	*index = (struct pmu_index){ 0 };
}
