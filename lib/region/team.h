/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a thread does for a region that another thread has open: each such region has a tree here.
 *
 * While the thread is in one, that is its tree: begin and end find their way in it as in any other,
 * and see nothing of what is open around it.  Its first frame is the region's own node: the row of
 * that is marked PMU_STORE_ROW_TEAM and has what is done meanwhile; the regions around have none of
 * it, for they start that much later when the thread comes back (pmu_team_leave()).
 */
#ifndef PMU_REGION_TEAM_H
#define PMU_REGION_TEAM_H

#include "region/tree.h"
#include "session/contexts.h"
#include "store/bank.h"

/** One region of another thread's.  Its own node is in frames[1], as PMU_FRAME_TEAM or odd. */
struct pmu_team {
	struct pmu_tree tree;
	struct pmu_node *node;
	struct pmu_store_row *row; /* the node's */
	struct pmu_team *next;     /* in the list of all */
	/* what the thread has left for it; NULL while it is not entered */
	struct pmu_tree *around;
	struct pmu_frame *frame; /* the innermost one there */
	uint32_t occupied;       /* innermost ones of its path that sockets see since then */
	uint64_t context;        /* by which it was entered, */
	const uint64_t *live;    /* and where it stands while its region is open */
	uint64_t entered_ticks;  /* where the regions around stand still; 0: they do not yet */
	uint32_t entered_missing;
	uint64_t entered[PMU_MAX_SLOTS];
	uint64_t in_time[PMU_MAX_SLOTS]; /* of an enter that had to read again */
};

/** What a context has been found to be for. */
struct pmu_team_known {
	uint64_t binding;      /* of struct pmu_context_place; PMU_CONTEXT_UNBOUND: nothing */
	struct pmu_team *team; /* never NULL */
};
#define PMU_TEAM_KNOWN 64u

/** A thread's teams, in one group. */
struct pmu_teams {
	struct pmu_team_known known[PMU_TEAM_KNOWN];
	struct pmu_tree paths; /* nodes of all regions they are for, and of those around them */
	struct pmu_team *all;
};

/** Those of a thread that has worked for no other one yet. */
extern struct pmu_teams pmu_teams_none __attribute__((visibility("hidden")));

/**
 * pmu_team_known() - the team that a context is for; NULL: that has to be found out
 * @place: the context's
 */
static inline struct pmu_team *pmu_team_known(const struct pmu_tree *tree,
					      const struct pmu_context_place *place,
					      uint64_t context)
{
	const struct pmu_team_known *known = &tree->teams->known[context % PMU_TEAM_KNOWN];
	struct pmu_team *team = known->team;
	uint64_t not = __atomic_load_n(&place->live, __ATOMIC_ACQUIRE) ^ context;

	/* whatever is in the way, it takes as many instructions to find that out */
	not |= known->binding ^ pmu_load_relaxed(&place->binding);
	not |= (uintptr_t)team->around;
	return likely(!not ) ? team : NULL;
}

/**
 * pmu_team_find() - the same, whatever that takes
 * @error: -ESTALE: its region has ended; -ENOMEM, -ENOSPC
 * Context: takes the session's lock.
 */
struct pmu_team *pmu_team_find(struct pmu_thread *self, uint64_t context, int *error);

/**
 * pmu_team_trial() - that of PMU_CONTEXT_TRIAL, in a tree that is not kept
 * pmu_team_forget() - it has to be found again
 */
struct pmu_team *pmu_team_trial(struct pmu_thread *self);
void pmu_team_forget(struct pmu_thread *self);

/**
 * pmu_team_next_tree() - all trees of a thread, its own first
 * @tree: NULL: the first; else the one that this was called with before
 */
struct pmu_tree *pmu_team_next_tree(const struct pmu_thread *self, const struct pmu_tree *tree);

/** pmu_team_current() - that which the thread is in; NULL: none */
static inline struct pmu_team *pmu_team_current(const struct pmu_thread *self)
{
	return self->tree->team;
}

/** pmu_team_is_here() - is a context that of a region which is open here, or of the current team? */
bool pmu_team_is_here(const struct pmu_thread *self, uint64_t context);

/** pmu_team_enter() - its tree is the thread's; its node is open, and not started */
static inline void pmu_team_enter(struct pmu_thread *self, struct pmu_team *team,
				  const struct pmu_context_place *place, uint64_t context)
{
	struct pmu_tree *around = self->tree;

	team->context = context;
	team->live = &place->live;
	team->frame = self->frame;
	pmu_compiler_barrier(); /* two at once would go through vector registers */
	team->around = around;
	PMU_PUBLISH(team->row->open, 1);
	self->lookup = team->tree.lookup;
	self->lookup_shift = team->tree.lookup_shift;
	self->tree = &team->tree;
	pmu_compiler_barrier();
	self->frame = team->tree.frames + 1;
}

/** pmu_team_is_alone() - nothing is open around the team that stands still meanwhile */
static inline bool pmu_team_is_alone(const struct pmu_team *team)
{
	return team->frame == team->around->frames && !team->around->detached;
}

/** pmu_team_leave() - its node is not open any more; the thread's tree is the one around it again */
static inline void pmu_team_leave(struct pmu_thread *self, struct pmu_team *team)
{
	struct pmu_tree *around = team->around;

	PMU_PUBLISH(team->row->open, 0);
	team->around = NULL;
	team->entered_ticks = 0;
	self->lookup = around->lookup;
	self->lookup_shift = around->lookup_shift;
	self->tree = around;
	pmu_compiler_barrier();
	self->frame = team->frame;
}

/**
 * pmu_team_go_on() - the same where something is open around, which starts that much later
 * @ticks, @missing, @now: what was read of the team's end
 * @paused: a pause follows, which takes what comes after that from each of those regions
 *
 * Until they can be told from what was done for the team, a handler that ends the program finds
 * none of those regions.
 */
void pmu_team_go_on(struct pmu_thread *self, struct pmu_team *team, uint64_t ticks,
		    uint32_t missing, const uint64_t *now, bool paused);

#endif
