/* SPDX-License-Identifier: BSD-3-Clause */
/* Contexts: work on one thread that counts for a region of another. */
#include <errno.h>

#include "base/error.h"
#include "pmu.h"
#include "region/checkpoint.h"
#include "region/guarded.h"
#include "region/slow.h"
#include "region/team.h"
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
		pmu_pause_begin(self, &pause, PMU_BY_TEXT);
		if (pmu_session.config.teams)
			context = context_of(self, self->frame->node);
		pmu_pause_end(self, &pause, PMU_PAUSE_CALL, NULL);
		pmu_thread_suspend(self, -1);
		pmu_session_unbar();
	}
	errno = saved;
	return context;
}

/* --- enter --- */

/*
 * Every enter ends here, whichever path it took.  A read that must be made again is: what follows
 * it is always as much.
 */
static __attribute__((noinline)) int start_counted(struct pmu_thread *self, struct pmu_team *team)
{
	struct pmu_node *node = team->node;
	uint32_t missing;

	do
		missing = self->read(self->counters, node->start);
	while (unlikely(missing & PMU_READ_DELAYED));
	node->start_missing = team->entered_missing = missing;
	for (uint32_t i = 0; i < self->n_slots; i++)
		team->entered[i] = node->start[i];
	node->start_ticks = team->entered_ticks = pmu_clock_stamp();
	guard_leave(self, self->guard);
	return 0;
}

static __attribute__((noinline)) int start_special(struct pmu_thread *self, struct pmu_team *team)
{
	struct pmu_node *node = team->node;

	node->start_missing = 0;
	pmu_node_start_special(self, node);
	team->entered_missing = node->start_missing;
	for (uint32_t i = 0; self->read && i < self->n_slots; i++)
		team->entered[i] = node->start[i];
	team->entered_ticks = node->start_ticks;
	guard_leave(self, self->guard);
	return 0;
}

static inline int start(struct pmu_thread *self, struct pmu_team *team)
{
	return unlikely(self->special) ? start_special(self, team) : start_counted(self, team);
}

/* Nothing changes but that a leave is due. */
static int skip(struct pmu_thread *self)
{
	self->tree->skipped++;
	guard_leave(self, self->guard);
	return 0;
}

static PMU_COLD struct pmu_team *find(struct pmu_thread *self, uint64_t context)
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

/* What it takes to find out is in no region. */
static PMU_COLD int enter_found(struct pmu_thread *self, uint64_t context)
{
	struct pmu_pause pause;
	struct pmu_team *team;

	pmu_pause_begin(self, &pause, PMU_BY_TEXT);
	team = find(self, context);
	pmu_pause_end(self, &pause, PMU_PAUSE_CALL, NULL);
	if (!team)
		return skip(self);
	pmu_team_enter(self, team, context);
	return start(self, team);
}

static PMU_COLD int enter_slowly(struct pmu_thread *self, uint64_t context)
{
	int rc;

	pmu_thread_suspend(self, 1);
	rc = enter_found(self, context);
	pmu_thread_suspend(self, -1);
	return rc;
}

/* No session yet, a new thread, another group, a forked child, a signal handler. */
static PMU_COLD int enter_outside(uint64_t context)
{
	struct pmu_thread *self;
	int saved = errno, rc = pmu_region_enter(&self);

	errno = saved;
	if (rc)
		return rc < 0 ? rc : 0;
	pmu_inside = 0;
	return enter_slowly(self, context);
}

PMU_API PMU_HOT int pmu_context_enter(pmu_context_t context)
{
	int32_t epoch = pmu_load_relaxed(&pmu_epoch);
	struct pmu_thread *self;
	struct pmu_team *team;

	if (unlikely(epoch < 0))
		return 0;
	self = pmu_self;
	if (unlikely(!guard_enter(self, self->guard, epoch)))
		return enter_outside(context);
	if (unlikely(self->special) && unlikely(!self->time_only))
		return enter_slowly(self, context);
	team = pmu_team_known(self, context);
	if (unlikely(!team))
		return enter_slowly(self, context);
	pmu_team_enter(self, team, context);
	if (!self->time_only)
		return start_counted(self, team);
	team->node->start_ticks = team->entered_ticks = pmu_clock_stamp();
	guard_leave(self, self->guard);
	return 0;
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

static void finish(struct pmu_thread *self, struct pmu_team *team, uint64_t ticks, uint32_t missing,
		   uint64_t *now)
{
	struct pmu_node *node = team->node;

	if (pmu_context_place(team->context)->live != team->context)
		PMU_ROW_SET(node->row, flags, node->row->flags | PMU_STORE_ROW_OUTLIVED);
	if (node->row->flags & PMU_STORE_ROW_PARTIAL)
		pmu_checkpoint_finish(self, node, ticks, missing, now);
	else
		pmu_node_finish_special(self, node, PMU_BY_TEXT, ticks, missing, now);
}

/* They stood still meanwhile: each starts that much later. */
static void go_on_around(struct pmu_thread *self, const struct pmu_team *team, uint64_t ticks,
			 uint32_t missing, const uint64_t *now)
{
	missing |= team->entered_missing;
	for (struct pmu_frame *frame = self->frame; frame > self->tree->frames; frame--) {
		struct pmu_node *node = frame->node;

		if (frame->count & PMU_FRAME_AGAIN)
			continue;
		node->start_ticks += ticks - team->entered_ticks;
		node->start_missing |= missing;
		for (uint32_t i = 0; i < self->n_slots; i++)
			node->start[i] += now[i] - team->entered[i];
	}
}

static void leave_team(struct pmu_thread *self, struct pmu_team *team, uint64_t ticks,
		       uint32_t missing, uint64_t *now)
{
	uint64_t until[PMU_MAX_SLOTS];

	memcpy(until, now, self->n_slots * sizeof(*now));
	give_up_inside(self);
	finish(self, team, ticks, missing, now);
	pmu_team_leave(self, team);
	go_on_around(self, team, ticks, missing, until);
	memcpy(now, until, self->n_slots * sizeof(*now));
}

static PMU_COLD int leave_odd(struct pmu_thread *self, uint64_t ticks, uint32_t missing,
			      uint64_t *now)
{
	struct pmu_team *team = pmu_team_current(self);
	struct pmu_pause pause;
	int saved = errno;

	if (unlikely(missing & PMU_READ_DELAYED))
		pmu_cost_in_time(self, now);
	missing &= ~PMU_READ_DELAYED;
	if (!self->tree->skipped && team)
		leave_team(self, team, ticks, missing, now);
	else
		self->tree->skipped -= self->tree->skipped > 0;
	/* what follows the read is in no region that goes on */
	pmu_pause_from(self, &pause, PMU_BY_TEXT, missing, now);
	pmu_pause_end(self, &pause, PMU_PAUSE_CALL, NULL);
	errno = saved;
	guard_leave(self, self->guard);
	return 0;
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
	struct pmu_thread *self;
	int saved = errno, rc = pmu_region_enter(&self);

	errno = saved;
	if (rc)
		return rc < 0 ? rc : 0;
	pmu_inside = 0;
	return leave_specially(self);
}

/* Is nothing to be done but to add up and to go back? */
static inline bool is_plain(const struct pmu_thread *self, const struct pmu_team *team)
{
	return likely(team) && likely(!team->tree.skipped) &&
	       likely(self->frame == team->tree.frames + 1) &&
	       likely(self->frame->literal == PMU_FRAME_TEAM) && likely(!team->tree.detached) &&
	       likely(pmu_load_relaxed(&pmu_context_place(team->context)->live) == team->context);
}

PMU_API PMU_HOT int pmu_context_leave(void)
{
	int32_t epoch = pmu_load_relaxed(&pmu_epoch);
	struct pmu_thread *self;
	struct pmu_team *team;
	uint32_t missing = 0;
	uint64_t *now, ticks;

	if (unlikely(epoch < 0))
		return 0;
	self = pmu_self;
	if (unlikely(!guard_enter(self, self->guard, epoch)))
		return leave_outside();
	if (unlikely(self->special) && unlikely(!self->time_only))
		return leave_specially(self);
	ticks = pmu_clock_stamp();
	now = self->now;
	if (!self->time_only)
		missing = self->read(self->counters, now);
	team = pmu_team_current(self);
	if (unlikely(!is_plain(self, team)) || unlikely(missing | team->node->start_missing))
		return leave_odd(self, ticks, missing, now);
	pmu_node_finish(self, team->node, ticks, now, self->time_only ? 0 : self->n_slots);
	pmu_team_leave(self, team);
	if (self->frame > self->tree->frames)
		go_on_around(self, team, ticks, 0, now);
	guard_leave(self, self->guard);
	return 0;
}
