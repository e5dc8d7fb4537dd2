/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a thread does for a region that another thread has open: each such region has a tree here.
 *
 * While the thread is in one, that is its tree: begin and end find their way in it as in any other,
 * and see nothing of what is open around it.  Its first frame is the region's own node, whose row
 * is marked PMU_STORE_ROW_TEAM and has what is done meanwhile; the regions around have none of it,
 * for they start that much later when the thread comes back (pmu_team_leave()).
 */
#ifndef PMU_REGION_TEAM_H
#define PMU_REGION_TEAM_H

#include "region/tree.h"
#include "session/contexts.h"
#include "store/bank.h"

/** One region of another thread's. */
struct pmu_team {
	struct pmu_tree tree;
	struct pmu_node *node;
	struct pmu_team *next; /* in the list of all */
	/* What the thread has left for it; @around is NULL while it is not entered. */
	struct pmu_tree *around;
	struct pmu_frame *frame;
	struct pmu_lookup *lookup;
	uint32_t lookup_shift;
	/* While it is not entered, its own cache. */
	uint32_t own_shift;
	struct pmu_lookup *own_lookup;
	uint64_t context;          /* by which it was entered */
	uint64_t entered_ticks;    /* where the regions around stand still */
	uint32_t entered_missing;
	uint64_t entered[PMU_MAX_SLOTS];
};

/** What a context has been found to be for. */
struct pmu_team_known {
	uint64_t binding; /* of struct pmu_context_place; 0: nothing */
	struct pmu_team *team;
};
#define PMU_TEAM_KNOWN 64u

/** A thread's teams, in one group. */
struct pmu_teams {
	struct pmu_team_known known[PMU_TEAM_KNOWN];
	struct pmu_tree paths; /* nodes of all regions they are for, and of those around them */
	struct pmu_team *all;
};

/** Those of a thread that has worked for nobody yet. */
extern struct pmu_teams pmu_teams_none __attribute__((visibility("hidden")));

/** pmu_team_known() - the team that a context is for; NULL: that has to be found out */
static inline struct pmu_team *pmu_team_known(const struct pmu_thread *self, uint64_t context)
{
	const struct pmu_context_place *place = pmu_context_place(context);
	const struct pmu_team_known *known = &self->tree->teams->known[context % PMU_TEAM_KNOWN];

	if (unlikely(__atomic_load_n(&place->live, __ATOMIC_ACQUIRE) != context) ||
	    unlikely(known->binding != __atomic_load_n(&place->binding, __ATOMIC_RELAXED)) ||
	    unlikely(known->team->around))
		return NULL;
	return known->team;
}

/**
 * pmu_team_find() - the same, whatever that takes
 * @error: -ESTALE: its region has ended; -ENOMEM, -ENOSPC
 * Context: takes the session's lock.
 */
struct pmu_team *pmu_team_find(struct pmu_thread *self, uint64_t context, int *error);

/** pmu_team_current() - that which the thread is in; NULL: none */
static inline struct pmu_team *pmu_team_current(const struct pmu_thread *self)
{
	return self->tree->team;
}

/** pmu_team_is_here() - is a context that of a region which is open here, or of the current team? */
bool pmu_team_is_here(const struct pmu_thread *self, uint64_t context);

/** pmu_team_enter() - its tree is the thread's; its node is open, and not started */
static inline void pmu_team_enter(struct pmu_thread *self, struct pmu_team *team, uint64_t context)
{
	struct pmu_frame *frame = team->tree.frames + 1;
	struct pmu_node *node = team->node;

	team->context = context;
	team->around = self->tree;
	team->frame = self->frame;
	team->lookup = self->lookup;
	team->lookup_shift = self->lookup_shift;
	frame->literal = PMU_FRAME_TEAM;
	node->name->open = node;
	PMU_ROW_SET(node->row, open, 1);
	self->lookup = team->own_lookup;
	self->lookup_shift = team->own_shift;
	self->tree = &team->tree;
	self->frame = frame;
}

/** pmu_team_leave() - the thread's tree is the one around it again */
static inline void pmu_team_leave(struct pmu_thread *self, struct pmu_team *team)
{
	team->own_lookup = self->lookup;
	team->own_shift = self->lookup_shift;
	self->tree = team->around;
	self->frame = team->frame;
	self->lookup = team->lookup;
	self->lookup_shift = team->lookup_shift;
	team->around = NULL;
}

#endif
