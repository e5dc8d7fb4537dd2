/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts: work on one thread that counts for a region of another. */
#include <errno.h>

#include "base/error.h"
#include "pmu.h"
#include "region/checkpoint.h"
#include "region/context.h"
#include "region/guarded.h"
#include "region/off.h"
#include "region/slow.h"
#include "region/team.h"
#include "region/trace.h"
#include "region/turn.h"
#include "session/enter.h"
#include "session/lifecycle.h"
#include "session/session.h"

/* --- get --- */

/* Its end takes the slow path from now on, which closes the context. */
static uint64_t context_of(struct pmu_thread *self, struct pmu_node *node)
{
	const struct pmu_team *team = pmu_team_current(self);

	if (node == self->tree->root)
		return 0;
	if (team && node == team->node)
		return team->context;
	if (self->measuring) {
		pmu_frame_make_odd(self->frame);
		return 0;
	}
	if (!node->context)
		node->context = pmu_context_bind(self, node);
	if (!node->context) {
		pmu_thread_doubt(self, PMU_DOUBT_LIMIT);
		return 0;
	}
	pmu_frame_make_odd(self->frame);
	return pmu_context_open(node->context);
}

/* In a forked child the first call takes up what was open. */
static bool come_in(struct pmu_thread **self)
{
	*self = pmu_thread_self();
	if (!*self && pmu_session_is_ours())
		return false;
	if (!*self || !(*self)->tree ||
	    *(*self)->guard !=
		    PMU_GUARD_OUTSIDE((uint32_t)__atomic_load_n(&pmu_epoch, __ATOMIC_RELAXED)))
		return pmu_region_enter(self) == 0;
	pmu_session_bar();
	return true;
}

PMU_API pmu_context_t pmu_context_get(void)
{
	uint64_t context = 0;
	struct pmu_thread *self;
	int saved = errno;

	if (__atomic_load_n(&pmu_epoch, __ATOMIC_RELAXED) < 0)
		return 0;
	if (come_in(&self)) {
		struct pmu_pause pause;

		pmu_thread_suspend(self, 1);
		pmu_pause_begin(self, &pause, PMU_BY_CONTEXT);
		pmu_pause_learn(self, &pause, PMU_BY_CONTEXT);
		if (pmu_session.config.teams)
			context = context_of(self, self->frame->node);
		pmu_pause_end(self, &pause, PMU_PAUSE_GET, NULL);
		pmu_thread_suspend(self, -1);
		pmu_session_unbar();
	}
	errno = saved;
	return context;
}

/* --- enter --- */

/* The first read was made again, so that it came late: where the regions around stand still. */
static PMU_COLD const uint64_t *in_time(const struct pmu_thread *self, struct pmu_team *team,
					const uint64_t *from)
{
	if (from == team->in_time)
		return from;
	memcpy(team->in_time, from, self->n_slots * sizeof(*from));
	pmu_cost_in_time(self, team->in_time);
	return team->in_time;
}

/*
 * Every enter ends here, whichever path it took: what follows the last read is always as much.  So
 * the compiler must not copy several at once, which it does or not by where they lie.
 */
static __attribute__((noinline)) int start_team_counted(struct pmu_thread *self,
							struct pmu_team *team)
{
	struct pmu_node *node = team->node;
	const uint64_t *from = node->start;
	uint32_t missing;

	while (unlikely((missing = self->read(self->counters, node->start)) & PMU_READ_DELAYED))
		from = in_time(self, team, from);
	node->start_missing = team->entered_missing = missing;
	for (uint32_t i = 0; i < self->n_slots; i++)
		pmu_store_relaxed(&team->entered[i], from[i]);
	pmu_compiler_barrier();
	node->start_ticks = team->entered_ticks = pmu_clock_stamp();
	guard_leave(self, self->guard);
	return 0;
}

/* The same where more is to be done, or there is nothing to read. */
static __attribute__((noinline)) int start_team_special(struct pmu_thread *self,
							struct pmu_team *team)
{
	struct pmu_node *node = team->node;
	const uint64_t *from = node->start;
	uint64_t ticks = pmu_thread_ticks(self);
	uint32_t missing = 0;

	if (self->watch_cpu >= 0)
		pmu_node_check_cpu(self, node);
	while (self->read && (missing = self->read(self->counters, node->start)) & PMU_READ_DELAYED)
		from = in_time(self, team, from);
	node->start_missing = team->entered_missing = missing;
	for (uint32_t i = 0; self->read && i < self->n_slots; i++)
		pmu_store_relaxed(&team->entered[i], from[i]);
	pmu_compiler_barrier();
	node->start_ticks = team->entered_ticks = ticks;
	guard_leave(self, self->guard);
	return 0;
}

/* Nothing changes but that a leave is due; which of them, the slow path knows. */
static void skip_enter(struct pmu_tree *tree)
{
	tree->skipped++;
	if (tree->team)
		pmu_frame_make_odd(tree->frames + 1);
}

static PMU_COLD struct pmu_team *find_context_team(struct pmu_thread *self, uint64_t context)
{
	struct pmu_team *team;
	int saved = errno, error = 0;

	if (!context || pmu_team_is_here(self, context))
		return NULL;
	team = pmu_team_find(self, context, &error);
	if (error == -ESTALE)
		pmu_thread_doubt(self, PMU_DOUBT_STALE_CONTEXT);
	else if (!team)
		pmu_thread_doubt(self, error == -ENOSPC ? PMU_DOUBT_LIMIT : PMU_DOUBT_NO_MEMORY);
	errno = saved;
	return team;
}

/*
 * Sockets see the team's region and those around it, from the first thread in to the last one out:
 * this one may be on a socket of its own.
 */
static void occupy(struct pmu_thread *self, struct pmu_team *team)
{
	struct pmu_node *node;

	team->occupied = 0;
	for (node = team->node; node->row && !pmu_node_occupancy(self, node)->entry;
	     node = node->parent)
		team->occupied++;
	for (uint32_t n = team->occupied; n > 0; n--) {
		node = team->node;
		for (uint32_t up = 1; up < n; up++)
			node = node->parent;
		pmu_node_occupy(self, node);
	}
	pmu_frame_make_odd(self->frame);
}

static void vacate(struct pmu_thread *self, const struct pmu_team *team)
{
	struct pmu_node *node = team->node;

	for (uint32_t n = team->occupied; n > 0; n--, node = node->parent)
		pmu_occupancy_end(self, pmu_node_occupancy(self, node), 0);
}

/* What it takes to find out is in no region.  Return: NULL: none is entered. */
static PMU_COLD struct pmu_team *enter_found(struct pmu_thread *self, uint64_t context)
{
	const struct pmu_context_place *place = pmu_context_place(context);
	enum pmu_pause_kind kind = PMU_PAUSE_NOTHING;
	struct pmu_pause pause;
	struct pmu_team *team;

	pmu_pause_begin(self, &pause, PMU_BY_CONTEXT);
	pmu_pause_learn(self, &pause, PMU_BY_CONTEXT);
	team = pmu_team_known(self->tree, place, context);
	if (!team) {
		team = find_context_team(self, context);
		kind = team ? PMU_PAUSE_FIND : kind;
	}
	if (!team)
		skip_enter(self->tree);
	/* on the way, for the session's lock: none of it is the team's */
	if (unlikely(pmu_was_off(self)))
		pmu_off_look(self, NULL);
	pmu_pause_end(self, &pause, kind, NULL);
	if (team)
		pmu_team_enter(self, team, place, context);
	else
		guard_leave(self, self->guard);
	if (team && self->sockets)
		occupy(self, team);
	return team;
}

static PMU_COLD int enter_suspended(struct pmu_thread *self, uint64_t context)
{
	struct pmu_team *team;

	pmu_thread_suspend(self, 1);
	team = enter_found(self, context);
	if (team)
		start_team_special(self, team);
	pmu_thread_suspend(self, -1);
	return 0;
}

/*
 * The group that counts the region's own call; of a context that is over, or none, the thread's.  As
 * many instructions each time.
 */
static inline uint32_t group_of(const struct pmu_thread *self, uint64_t context)
{
	const struct pmu_context_place *place = pmu_context_place(context);
	uint32_t is_live = (uint32_t)(pmu_load_relaxed(&place->live) == context) &
			   (uint32_t)(context > PMU_CONTEXT_TRIAL);
	uint32_t own = self->group, its = pmu_load_relaxed(&place->group);

	return own ^ ((own ^ its) & -is_live);
}

static PMU_COLD int refuse_other_group(struct pmu_thread *self)
{
	pmu_thread_doubt(self, PMU_DOUBT_OTHER_GROUP);
	skip_enter(self->tree);
	guard_leave(self, self->guard);
	return 0;
}

static PMU_COLD int enter_turned(uint64_t context, uint32_t group);

/* What a thread does for another one's region is counted by that group, or not at all. */
static PMU_COLD int enter_other_group(struct pmu_thread *self, uint64_t context, uint32_t group)
{
	if (pmu_turn_is_free(self)) {
		self->turn = group;
		guard_leave(self, self->guard);
		return enter_turned(context, group);
	}
	return refuse_other_group(self);
}

/* Ends by a jump to where each enter starts. */
static PMU_COLD int enter_slowly(struct pmu_thread *self, uint64_t context)
{
	struct pmu_team *team;

	if (self->rotates && unlikely(group_of(self, context) != self->group))
		return enter_other_group(self, context, group_of(self, context));
	if (self->suspends)
		return enter_suspended(self, context);
	team = enter_found(self, context);
	if (!team)
		return 0;
	return unlikely(self->special) ? start_team_special(self, team)
				       : start_team_counted(self, team);
}

/* No session yet, a new thread, another group, a forked child, a signal handler. */
static PMU_COLD int come_in_outside(struct pmu_thread **self)
{
	int saved = errno, rc = pmu_region_enter(self);

	if (rc == -ENOMEM)
		pmu_session_note_memory();
	errno = saved;
	if (rc == 0)
		pmu_own.inside = 0;
	return rc;
}

/* With nothing of it left on the stack.  Return: the thread, NULL, or a negative errno. */
static PMU_COLD intptr_t thread_outside(void)
{
	struct pmu_thread *self = NULL;
	int rc = come_in_outside(&self);

	return rc < 0 ? rc : rc > 0 ? 0 : (intptr_t)self;
}

/* Ends by a jump, as each enter does. */
static PMU_COLD int enter_outside(uint64_t context)
{
	intptr_t self = thread_outside();

	return self > 0 ? enter_slowly((struct pmu_thread *)self, context) : (int)self;
}

/* The thread counts the region's group now; where its counters could not be had, it does not. */
static PMU_COLD int enter_turned(uint64_t context, uint32_t group)
{
	intptr_t found = thread_outside();
	struct pmu_thread *self = (struct pmu_thread *)found;

	if (found <= 0)
		return (int)found;
	if (likely(self->group == group))
		return enter_slowly(self, context);
	return refuse_other_group(self);
}

static __attribute__((noinline)) int enter_counted(struct pmu_thread *self, uint64_t context)
{
	const struct pmu_context_place *place = pmu_context_place(context);
	struct pmu_team *team = pmu_team_known(self->tree, place, context);

	if (unlikely(self->special) || unlikely(!team))
		return enter_slowly(self, context);
	pmu_team_enter(self, team, place, context);
	return start_team_counted(self, team);
}

static inline __attribute__((always_inline)) int enter_inside(struct pmu_thread *self,
							      uint64_t context)
{
	const struct pmu_context_place *place;
	struct pmu_team *team;

	if (!self->time_only)
		return enter_counted(self, context);
	place = pmu_context_place(context);
	team = pmu_team_known(self->tree, place, context);
	if (unlikely(!team))
		return enter_slowly(self, context);
	pmu_team_enter(self, team, place, context);
	team->node->start_ticks = team->entered_ticks = pmu_clock_stamp();
	guard_leave(self, self->guard);
	return 0;
}

/* What the thread has waited is that of the regions that it had open before. */
static PMU_COLD int enter_after_off(struct pmu_thread *self, uint64_t context)
{
	pmu_off_note(self, PMU_BY_CONTEXT, PMU_PAUSE_OFF_BEGIN);
	return enter_inside(self, context);
}

PMU_API PMU_HOT int pmu_context_enter(pmu_context_t context)
{
	int32_t epoch = pmu_load_relaxed(&pmu_epoch);
	struct pmu_thread *self;

	if (unlikely(epoch < 0))
		return 0;
	self = pmu_own.self;
	if (unlikely(!guard_enter(self, self->guard, epoch)))
		return enter_outside(context);
	if (unlikely(pmu_was_off(self)))
		return enter_after_off(self, context);
	return enter_inside(self, context);
}

/* --- leave --- */

/* What was begun in it and never ended. */
static void give_up_inside(struct pmu_thread *self)
{
	struct pmu_tree *tree = self->tree;

	pmu_tree_show(self);
	for (; self->frame > tree->frames + 1; pmu_tree_pop(self))
		if (self->frame->node->name->open)
			pmu_node_give_up(self, self->frame->node);
	while (tree->detached)
		pmu_node_give_up(self, tree->detached->node);
}

static void finish_team(struct pmu_thread *self, struct pmu_team *team, uint64_t ticks,
			uint32_t missing, uint64_t *now)
{
	struct pmu_node *node = team->node;

	if (pmu_load_relaxed(team->live) != team->context)
		pmu_node_set_flags(node, node->flags | PMU_STORE_ROW_OUTLIVED);
	if (node->flags & PMU_STORE_ROW_PARTIAL)
		pmu_checkpoint_finish(self, node, ticks, missing, now);
	else
		pmu_node_finish_special(self, node, PMU_BY_TEXT, ticks, missing, now);
}

static void unskip(struct pmu_thread *self)
{
	struct pmu_tree *tree = self->tree;

	if (--tree->skipped || !tree->team || tree->detached || self->sockets ||
	    tree->team->node->flags & PMU_STORE_ROW_PARTIAL)
		return;
	tree->frames[1].literal = PMU_FRAME_TEAM;
}

static void leave_team(struct pmu_thread *self, struct pmu_team *team, uint64_t ticks,
		       uint32_t missing, uint64_t *now)
{
	uint64_t until[PMU_MAX_SLOTS];

	memcpy(until, now, self->n_slots * sizeof(*now));
	give_up_inside(self);
	pmu_cost_by_context(self, now);
	finish_team(self, team, ticks, missing, now);
	self->frame->literal = PMU_FRAME_TEAM;
	if (self->sockets)
		vacate(self, team);
	pmu_team_go_on(self, team, ticks, missing, until, true);
	memcpy(now, until, self->n_slots * sizeof(*now));
}

static void leave_any(struct pmu_thread *self, uint64_t ticks, uint32_t missing, uint64_t *now)
{
	struct pmu_team *team = pmu_team_current(self);
	enum pmu_pause_kind kind;
	struct pmu_pause pause;
	int saved = errno;

	if (unlikely(missing & PMU_READ_DELAYED))
		pmu_cost_in_time(self, now);
	missing &= ~PMU_READ_DELAYED;
	if (self->tree->skipped) {
		kind = PMU_PAUSE_SKIP;
		unskip(self);
	} else if (team) {
		kind = PMU_PAUSE_LEAVE;
		leave_team(self, team, ticks, missing, now);
	} else {
		kind = PMU_PAUSE_ALONE;
		pmu_cost_way(self, PMU_BY_CONTEXT);
	}
	/* what follows the read is in no region that goes on */
	pmu_pause_from(self, &pause, PMU_BY_CONTEXT, missing, now);
	pmu_pause_end(self, &pause, kind, NULL);
	errno = saved;
}

static PMU_COLD int leave_odd(struct pmu_thread *self, uint64_t ticks, uint32_t missing,
			      uint64_t *now)
{
	leave_any(self, ticks, missing, now);
	guard_leave(self, self->guard);
	return 0;
}

void pmu_context_leave_now(struct pmu_thread *self)
{
	uint64_t now[PMU_MAX_SLOTS] = { 0 }, ticks = pmu_thread_ticks(self);
	uint32_t missing = self->read ? self->read(self->counters, now) : 0;

	self->tree->skipped = 0;
	leave_any(self, ticks, missing, now);
}

static PMU_COLD int leave_timed(struct pmu_thread *self, uint64_t ticks)
{
	uint64_t none[PMU_MAX_SLOTS] = { 0 };

	return leave_odd(self, ticks, 0, none);
}

static PMU_COLD int leave_specially(struct pmu_thread *self)
{
	uint64_t now[PMU_MAX_SLOTS] = { 0 }, ticks;
	uint32_t missing = 0;
	int rc;

	pmu_thread_suspend(self, 1);
	ticks = pmu_thread_ticks(self);
	if (self->read)
		missing = self->read(self->counters, now);
	rc = leave_odd(self, ticks, missing, now);
	pmu_thread_suspend(self, -1);
	return rc;
}

static PMU_COLD int leave_outside(void)
{
	struct pmu_thread *self = NULL;
	int rc = come_in_outside(&self);

	return rc == 0 ? leave_specially(self) : rc < 0 ? rc : 0;
}

/* The team that is left, where that is all there is to it; else NULL. */
static inline struct pmu_team *team_to_leave(const struct pmu_thread *self)
{
	struct pmu_team *team = (struct pmu_team *)self->tree;

	if (unlikely(self->frame->literal != PMU_FRAME_TEAM) ||
	    unlikely(pmu_load_relaxed(team->live) != team->context))
		return NULL;
	return team;
}

static inline __attribute__((always_inline)) int leave_read(struct pmu_thread *self, bool traced)
{
	uint64_t *now = self->now, ticks;
	struct pmu_team *team;
	uint32_t missing;

	ticks = pmu_clock_stamp();
	missing = self->read(self->counters, now);
	team = team_to_leave(self);
	if (unlikely(!team) || unlikely(missing | team->node->start_missing))
		return leave_odd(self, ticks, missing, now);
	if (likely(pmu_team_is_alone(team)))
		pmu_team_leave(self, team);
	else
		pmu_team_go_on(self, team, ticks, 0, now, false);
	pmu_cost_by_context(self, now);
	pmu_publish(team->node, ticks - team->node->start_ticks, now, self->n_slots);
	if (traced)
		pmu_trace_call(self, team->node, ticks, now, self->n_slots);
	guard_leave(self, self->guard);
	return 0;
}

static __attribute__((noinline)) int leave_unusually(struct pmu_thread *self)
{
	return self->special ? leave_specially(self) : leave_read(self, true);
}

static __attribute__((noinline)) int leave_counted(struct pmu_thread *self)
{
	if (unlikely(self->special_to_leave))
		return leave_unusually(self);
	return leave_read(self, false);
}

/* Of time only; regions around start later. */
static __attribute__((noinline)) int go_on_timed(struct pmu_thread *self, struct pmu_team *team,
						 uint64_t ticks)
{
	uint64_t none[PMU_MAX_SLOTS] = { 0 };

	pmu_team_go_on(self, team, ticks, 0, none, false);
	pmu_publish_time(team->node, ticks - team->node->start_ticks);
	guard_leave(self, self->guard);
	return 0;
}

static inline __attribute__((always_inline)) int leave_inside(struct pmu_thread *self)
{
	struct pmu_team *team;
	uint64_t ticks;

	if (!self->time_only)
		return leave_counted(self);
	ticks = pmu_clock_stamp();
	team = team_to_leave(self);
	if (unlikely(!team))
		return leave_timed(self, ticks);
	if (unlikely(!pmu_team_is_alone(team)))
		return go_on_timed(self, team, ticks);
	/* before the totals, from which they would take registers */
	pmu_team_leave(self, team);
	pmu_publish_time(team->node, ticks - team->node->start_ticks);
	guard_leave(self, self->guard);
	return 0;
}

static PMU_COLD int leave_after_off(struct pmu_thread *self)
{
	pmu_off_note(self, PMU_BY_CONTEXT, PMU_PAUSE_OFF_END);
	return leave_inside(self);
}

PMU_API PMU_HOT int pmu_context_leave(void)
{
	int32_t epoch = pmu_load_relaxed(&pmu_epoch);
	struct pmu_thread *self;

	if (unlikely(epoch < 0))
		return 0;
	self = pmu_own.self;
	if (unlikely(!guard_enter(self, self->guard, epoch)))
		return leave_outside();
	if (unlikely(pmu_was_off(self)))
		return leave_after_off(self);
	return leave_inside(self);
}
