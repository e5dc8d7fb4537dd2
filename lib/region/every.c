/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes of which not every call is measured, and what is known of those that are. */
#include "region/every.h"

#include <errno.h>

#include "session/session.h"
#include "session/turns.h"

/* In a tree that is not kept each has a twin, which is opened where that is measured. */
static uint32_t one_in(const struct pmu_thread *self, const struct pmu_node *node)
{
	if (node->flags & PMU_STORE_ROW_TEAM)
		return 1;
	return self->measuring ? 2 : pmu_every_one_in(&pmu_session.config.every, node->name->text);
}

static int make_twin(struct pmu_thread *self, struct pmu_every *every, uint32_t n)
{
	struct pmu_node *twin = pmu_tree_twin(self, every->node[0]);

	if (!twin)
		return -ENOMEM;
	twin->every = every;
	every->node[1] = twin;
	if (self->measuring)
		return 0;
	every->span = 2 * n - 1;
	every->left = pmu_every_first(self, n);
	return 0;
}

/* Where nothing is to be kept the same work is done for a record that nobody reads. */
static struct pmu_store_turns *make_turns(struct pmu_thread *self, const struct pmu_node *node,
					  uint32_t n)
{
	struct pmu_store_turns *turns = NULL;

	if (self->rotates || !self->n_slots)
		return NULL;
	if (n > 1 && !self->measuring)
		turns = (void *)pmu_thread_side(self, PMU_SIDE_TURNS, node->id);
	if (!turns)
		turns = pmu_arena_alloc(&self->arena, sizeof(*turns), 8);
	return turns;
}

int pmu_every_new(struct pmu_thread *self, struct pmu_node *node)
{
	struct pmu_every *every = pmu_arena_alloc(&self->arena, sizeof(*every), 8);
	uint32_t n = one_in(self, node);

	if (!every)
		return -ENOMEM;
	node->every = every;
	every->node[0] = every->node[1] = node;
	every->span = 1;
	if (n > 1 && make_twin(self, every, n) < 0)
		return -ENOMEM;
	every->turns = make_turns(self, node, n);
	return 0;
}

void pmu_every_note(const struct pmu_thread *self, const struct pmu_node *node, const uint64_t *now)
{
	struct pmu_every *every = node->every;
	uint64_t more[1 + PMU_MAX_SLOTS] = { 1 };

	if (!every->turns)
		return;
	for (uint32_t i = 0; i < self->n_slots; i++)
		more[1 + i] = now[i] - node->start[i];
	pmu_turns_put(every->turns, more, self->n_slots);
}

struct pmu_forced pmu_every_force(struct pmu_every *every, bool measured)
{
	struct pmu_forced was = { every->left, every->span };

	every->left = measured ? 0 : UINT32_MAX;
	every->span = 1;
	return was;
}

void pmu_every_unforce(struct pmu_every *every, struct pmu_forced was)
{
	every->left = was.left;
	every->span = was.span;
}
