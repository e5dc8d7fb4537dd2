/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of contexts. */
#include "session/contexts.h"

#include "session/session.h"

/* A page of it is there once it is used. */
struct pmu_context_place pmu_context_places[PMU_CONTEXT_PLACES];

/* Guarded by the session's lock. */
static struct pmu_context_place *free_places;
static uint32_t n_used = 2;
static uint64_t n_bound;

static struct pmu_context_place *take_place(void)
{
	struct pmu_context_place *place = free_places;

	if (place)
		free_places = place->next;
	else if (n_used < PMU_CONTEXT_PLACES)
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
	struct pmu_context_place *place = &pmu_context_places[index];

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
	for (uint32_t i = 2; i < n_used; i++)
		__atomic_store_n(&pmu_context_places[i].live, 0, __ATOMIC_RELAXED);
	free_places = NULL;
}
