/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of contexts. */
#include "session/contexts.h"

#include <string.h>

#include "base/arena.h"
#include "base/races.h"
#include "session/session.h"

static struct pmu_context_place first[PMU_CONTEXT_FIRST] = {
	[1] = { .live = PMU_CONTEXT_TRIAL, .binding = PMU_CONTEXT_BINDING },
};
struct pmu_context_place *pmu_context_places = first;
uint64_t pmu_context_mask = PMU_CONTEXT_FIRST - 1;

/* Guarded by the session's lock. */
static struct pmu_context_place *free_places;
static uint32_t n_used = PMU_CONTEXT_FIRST;
static uint64_t n_bound;

/* A page of it is there once it is used.  Return: whether there is a table of that size. */
static bool map_places(void)
{
	const size_t size = PMU_CONTEXT_PLACES * sizeof(struct pmu_context_place);
	struct pmu_context_place *places;

	if (pmu_context_mask != PMU_CONTEXT_FIRST - 1)
		return true;
	places = pmu_pages_alloc(size);
	if (!places)
		return false;
	memcpy(places, first, sizeof(first));
	pmu_races_ignore(places, size);
	__atomic_store_n(&pmu_context_places, places, __ATOMIC_RELEASE);
	__atomic_store_n(&pmu_context_mask, PMU_CONTEXT_PLACES - 1, __ATOMIC_RELEASE);
	return true;
}

static struct pmu_context_place *take_place(void)
{
	struct pmu_context_place *place = free_places;

	if (place)
		free_places = place->next;
	else if (n_used < PMU_CONTEXT_PLACES && map_places())
		place = &pmu_context_places[n_used++];
	return place;
}

uint32_t pmu_context_bind(struct pmu_thread *self, struct pmu_node *node)
{
	struct pmu_context_place *place;

	pmu_session_lock();
	place = take_place();
	if (place) {
		__atomic_store_n(&place->binding, ++n_bound, __ATOMIC_RELAXED);
		__atomic_store_n(&place->group, self->group, __ATOMIC_RELAXED);
		place->thread = self;
		place->node = node;
		place->next = self->contexts;
		self->contexts = place;
	}
	pmu_session_unlock();
	return place ? (uint32_t)(place - pmu_context_places) : 0;
}

uint64_t pmu_context_open(uint32_t index)
{
	struct pmu_context_place *place = pmu_context_place(index);

	if (!place->live)
		__atomic_store_n(&place->live, ++place->n_calls << PMU_CONTEXT_BITS | index,
				 __ATOMIC_RELEASE);
	return place->live;
}

void pmu_contexts_detach(struct pmu_thread *self)
{
	struct pmu_context_place *place;

	while ((place = self->contexts)) {
		self->contexts = place->next;
		__atomic_store_n(&place->live, 0, __ATOMIC_RELEASE);
		place->next = free_places;
		free_places = place;
	}
}

/* Not taken up again: code that the fork interrupted may still have one in hand. */
void pmu_contexts_forget(void)
{
	for (uint32_t i = PMU_CONTEXT_FIRST; i < n_used; i++)
		__atomic_store_n(&pmu_context_places[i].live, 0, __ATOMIC_RELAXED);
	free_places = NULL;
}
