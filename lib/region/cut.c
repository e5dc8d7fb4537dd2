/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions of a thread when measuring is switched off and on. */
#include "region/cut.h"

#include <string.h>

#include "base/main.h"
#include "base/room.h"
#include "region/checkpoint.h"
#include "region/context.h"
#include "region/off.h"
#include "region/slow.h"
#include "region/team.h"
#include "region/tree.h"
#include "session/session.h"

/* --- off --- */

static int end_now(struct pmu_thread *self, const struct pmu_node *node, size_t len)
{
	uint64_t now[PMU_MAX_SLOTS] = { 0 }, ticks = pmu_thread_ticks(self);
	uint32_t missing = self->read ? self->read(self->counters, now) : 0;

	return pmu_end_other(self, node->name->text, len, ticks, missing, now);
}

/* All calls of the thread's tree, but for that of a team, which is left.  Return: whether all went well. */
static bool end_tree(struct pmu_thread *self, uint32_t *n)
{
	const struct pmu_tree *tree = self->tree;
	uint32_t own = tree->team ? 1 : 0;
	int rc = 0;

	for (; rc >= 0 && self->frame > tree->frames + own; ++*n) {
		const struct pmu_frame *frame = self->frame;

		rc = end_now(self, frame->node,
			     pmu_frame_is_sized(frame) ? frame->node->name->len
						       : PMU_NAME_TERMINATED);
	}
	for (; rc >= 0 && tree->detached; ++*n)
		rc = end_now(self, tree->detached->node, PMU_NAME_TERMINATED);
	return rc >= 0;
}

/* Libpmu-preload's regions last as long as their thread. */
static bool is_own_life(const struct pmu_node *node)
{
	return &pmu_main_word && __atomic_load_n(&pmu_main_word, __ATOMIC_RELAXED) &&
	       (!strcmp(node->name->text, PMU_MAIN_NAME) || !strcmp(node->name->text, "thread"));
}

/* Its name, if it is open: around whichever teams the thread is in.  NULL: none. */
static const char *find_life(const struct pmu_thread *self)
{
	const struct pmu_frame *frame = self->frame;
	const struct pmu_tree *tree = self->tree;

	while (tree->team && tree->team->around) {
		frame = tree->team->frame;
		tree = tree->team->around;
	}
	return frame > tree->frames && is_own_life(tree->frames[1].node)
		       ? tree->frames[1].node->name->text
		       : NULL;
}

/* A stand-in that the thread is in comes out with another epoch, and leaves that alone. */
static void forget_aside(struct pmu_thread *self)
{
	if (!self->cost || !self->cost->aside.at)
		return;
	self->cost->aside.at = 0;
	pmu_thread_suspend(self, -1);
}

/* Return: how many calls it were, but for the thread's life. */
static uint32_t end_all(struct pmu_thread *self)
{
	const char *life;
	uint32_t n = 0;

	if (!self->tree)
		return 0;
	life = find_life(self);
	if (life)
		self->life = life;
	while (end_tree(self, &n) && self->tree->team)
		pmu_context_leave_now(self);
	self->tree->skipped = 0;
	return life && n ? n - 1 : n;
}

/*
 * One that has looked at the epoch before it changed and is not inside yet is not seen: it is found when
 * measuring is on again (struct pmu_control.off_epoch).  ThreadSanitizer would report a race with a guard's
 * thread, which stores there plainly.  Context: the session's lock.
 */
static bool any_goes_on(void)
{
	for (const struct pmu_thread *thread = pmu_session.threads; thread; thread = thread->next)
		if (!pmu_load_relaxed(&thread->stopped) &&
		    (pmu_thread_any_open(thread) ||
		     (!PMU_TSAN && thread != pmu_own.self && pmu_load_relaxed(thread->guard) & 1)))
			return true;
	return false;
}

static int stop_others(void *unused)
{
	(void)unused;
	pmu_control_cut(pmu_region_stop_asleep());
	if (!any_goes_on())
		pmu_control_stopped();
	return 0;
}

void pmu_cut_stop(struct pmu_thread *self)
{
	uint32_t n = 0;

	if (self) {
		pmu_thread_suspend(self, 1);
		forget_aside(self);
		if (self->tree && pmu_was_off(self))
			pmu_off_look(self, NULL);
		n = end_all(self);
		pmu_thread_suspend(self, -1);
	}
	pmu_session_lock();
	if (self)
		pmu_store_relaxed(&self->stopped, true);
	if (pmu_session.running && pmu_session.control.state == PMU_CONTROL_STOPPING) {
		pmu_control_cut(n);
		if (pmu_control_due() || self)
			pmu_with_room(stop_others, NULL);
	}
	pmu_session_unlock();
}

/* --- on --- */

/* What slept when it was switched off has what was until then: its call ends with that. */
static void end_stale(struct pmu_thread *self)
{
	uint64_t now[PMU_MAX_SLOTS] = { 0 }, ticks = pmu_thread_ticks(self);
	uint32_t missing = self->read ? self->read(self->counters, now) : 0;

	for (struct pmu_frame *frame = self->frame; frame > self->tree->frames; frame--) {
		struct pmu_node *node = frame->node;

		pmu_frame_make_odd(frame);
		node->start_ticks = ticks;
		node->start_missing = missing & ~PMU_READ_DELAYED;
		memcpy(node->start, now, self->n_slots * sizeof(*now));
	}
	end_all(self);
}

static void go_on_living(struct pmu_thread *self)
{
	int rc;
	struct pmu_node *node = pmu_begin_uncached(self, self->life, PMU_NAME_TERMINATED, &rc);

	if (node)
		pmu_node_start_special(self, node);
}

void pmu_cut_resume(struct pmu_thread *self)
{
	if (!self->tree)
		return;
	pmu_thread_suspend(self, 1);
	pmu_thread_unflag(self, PMU_THREAD_SETTLED);
	/* what it has waited meanwhile is no region's */
	if (!self->tree->team && self->frame > self->tree->frames)
		end_stale(self);
	else
		end_all(self);
	if (pmu_was_off(self))
		pmu_off_look(self, NULL);
	self->resumes = false;
	pmu_store_relaxed(&self->stopped, false);
	self->missed = true;
	if (self->life)
		go_on_living(self);
	self->life = NULL;
	pmu_thread_suspend(self, -1);
}

bool pmu_cut_is_missed(const struct pmu_thread *self)
{
	const struct pmu_tree *tree = self->tree;

	return self->missed && !tree->team && !tree->detached &&
	       (self->frame == tree->frames ||
		(self->frame == tree->frames + 1 && is_own_life(self->frame->node)));
}
