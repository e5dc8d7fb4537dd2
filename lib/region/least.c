/* SPDX-License-Identifier: BSD-3-Clause */
/* The least that any of a region's calls counted. */
#include "region/least.h"

#include <errno.h>

#include "region/team.h"

static struct pmu_call *call_of(const struct pmu_thread *self, struct pmu_node *node)
{
	return *pmu_node_call(self, node);
}

/* A root has no row; and what is done for another thread's region is inside none of this one's. */
static bool is_outermost(const struct pmu_node *node)
{
	return !node->parent->row || node->flags & PMU_STORE_ROW_TEAM;
}

int pmu_least_new(struct pmu_thread *self, struct pmu_node *node)
{
	size_t nested = self->n_slots * sizeof(uint64_t);
	struct pmu_call *call = pmu_arena_alloc(&self->arena, sizeof(*call) + 2 * nested, 8);

	if (!call)
		return -ENOMEM;
	if (!self->measuring)
		call->least = (void *)pmu_thread_side(self, PMU_SIDE_LEAST, node->id);
	/*
	 * Without memory in the store, or in a tree of no report, the same work is done for a
	 * record that no reader sees.
	 */
	if (!call->least)
		call->least = pmu_arena_alloc(&self->arena, sizeof(*call->least), 8);
	if (!call->least)
		return -ENOMEM;
	call->around = is_outermost(node) ? call->nested + self->n_slots
					  : call_of(self, node->parent)->nested;
	*pmu_node_call(self, node) = call;
	return 0;
}

/* All bits set, or none. The compiler must not make a branch of it. */
static inline uint64_t mask_if(bool condition)
{
	uint64_t mask = -(uint64_t)condition;

	__asm__("" : "+r"(mask));
	return mask;
}

/* The library's own work may come out as more than was counted in all: 0 then. */
static inline uint64_t not_negative(uint64_t value)
{
	return value & ~mask_if((int64_t)value < 0);
}

static inline void keep_less(uint64_t *at, uint64_t value, uint64_t keep)
{
	uint64_t was = *at;

	/* Compared less one: so 0, which stands for none yet, is the largest. */
	keep &= mask_if(value < was - 1);
	__atomic_store_n(at, was + ((value + 1 - was) & keep), __ATOMIC_RELAXED);
}

/*
 * Regions around this one count the instructions of this function: there must be as many each time,
 * whatever the counts are. The same holds while the library measures itself, but then nothing is
 * kept.
 */
void pmu_least_note(struct pmu_thread *self, struct pmu_node *node, const uint64_t *now)
{
	struct pmu_call *call = call_of(self, node);
	const uint32_t *inner = self->rows.record->inner;
	const uint16_t *outer = node->row->outer + 1;
	uint64_t pairs = call->again + 1, kept = ~call->spoilt,
		 keep = kept & mask_if(!self->measuring & (self->read != NULL));

	for (uint32_t i = 0; i < self->n_slots; i++) {
		uint64_t all = now[i] - node->start[i];

		keep_less(&call->least->count[i],
			  not_negative(all - pairs * inner[i] - call->nested[i]),
			  keep & mask_if(!(call->missing >> i & 1)));
		call->around[i] += (call->nested[i] + pairs * outer[i]) & kept;
		call->nested[i] = 0;
	}
	call->again = 0;
	call->spoilt = 0;
	call->missing = 0;
}

void pmu_least_missing(const struct pmu_thread *self, struct pmu_node *node, uint32_t missing)
{
	call_of(self, node)->missing |= missing;
}

void pmu_least_again(const struct pmu_thread *self, struct pmu_node *node)
{
	call_of(self, node)->again++;
}

void pmu_least_spoil(const struct pmu_thread *self, struct pmu_node *node)
{
	call_of(self, node)->spoilt = ~UINT64_C(0);
}

/* Another thread's region is open here as long as this thread works for it. */
static bool is_open_here(const struct pmu_thread *self, const struct pmu_node *node)
{
	const struct pmu_team *team = self->tree->team;

	return pmu_node_is_open(node) || (team && team->node == node);
}

/* Open regions around it have seen only a part of the call, or of what is subtracted for it. */
static void spoil_around(const struct pmu_thread *self, struct pmu_node *node)
{
	while (!is_outermost(node)) {
		node = node->parent;
		if (is_open_here(self, node))
			pmu_least_spoil(self, node);
	}
}

static bool is_inside(const struct pmu_node *node, const struct pmu_node *around)
{
	while (node != around && !is_outermost(node))
		node = node->parent;
	return node == around;
}

void pmu_least_end(const struct pmu_thread *self, struct pmu_node *node)
{
	bool overlaps = node->detached;

	for (const struct pmu_detached *entry = self->tree->detached; entry; entry = entry->next)
		overlaps |= entry->node != node && is_inside(entry->node, node);
	if (!overlaps)
		return;
	pmu_least_spoil(self, node);
	spoil_around(self, node);
}

void pmu_least_drop(const struct pmu_thread *self, struct pmu_node *node)
{
	struct pmu_call *call = call_of(self, node);

	spoil_around(self, node);
	memset(call->nested, 0, self->n_slots * sizeof(call->nested[0]));
	call->again = 0;
	call->spoilt = 0;
	call->missing = 0;
}
