/* SPDX-License-Identifier: BSD-3-Clause */
/* What the thread has waited, told to the regions that were open, and to the innermost what was sampled. */
#include "region/off.h"

#include <errno.h>

#include "base/signals.h"
#include "region/team.h"
#include "region/trace.h"
#include "region/tree.h"
#include "session/session.h"

/* As under a tracer that stops it at each system call. */
#define MOST_LOOKS 4

struct adding {
	struct pmu_thread *thread;
	const struct pmu_node *but;
	bool locked; /* the session's lock is held */
	struct pmu_wait more;
};

static void add(uint64_t *to, uint64_t more)
{
	__atomic_store_n(to, *to + more, __ATOMIC_RELAXED);
}

/*
 * A program may be long past its first calls here, and think of no lock: exit() in a handler must not find it held
 * by its own thread, or there is no report.
 */
static struct pmu_store_side *new_side(const struct adding *adding, uint32_t row)
{
	struct pmu_store_side *side;
	sigset_t before;

	if (adding->locked)
		return pmu_table_side(&pmu_session.table, &adding->thread->rows, PMU_SIDE_WAITS,
				      row, 1);
	pmu_signals_hold(&before);
	side = pmu_thread_side(adding->thread, PMU_SIDE_WAITS, row);
	pmu_signals_release(&before);
	return side;
}

static void add_to(void *arg, struct pmu_node *node)
{
	const struct adding *adding = arg;

	if (node == adding->but)
		return;
	if (!node->waits)
		node->waits = (void *)new_side(adding, node->id);
	if (!node->waits)
		return;
	/* no more of a part than of the whole, at any time */
	add(&node->waits->off, adding->more.off);
	add(&node->waits->queued, adding->more.queued);
}

/* The innermost region that is open; NULL: none is. */
static const struct pmu_node *innermost(const struct pmu_thread *thread, const struct pmu_node *but)
{
	struct pmu_frame *frames = thread->tree ? thread->tree->frames : NULL;
	const struct pmu_frame *frame;

	if (!frames)
		return NULL;
	frame = pmu_frame_top(frames, thread->frame);
	if (frame > frames && frame->node == but)
		frame = pmu_frame_below(frames, frame);
	if (frame > frames)
		return frame->node;
	return thread->tree->detached ? thread->tree->detached->node : NULL;
}

static uint64_t open_ns(const struct pmu_thread *thread, const struct pmu_node *node)
{
	return pmu_table_ns(&pmu_session.table, pmu_thread_ticks(thread) - node->start_ticks);
}

/* How long the thread has been in no other region than @inside, as far as that is known. */
static uint64_t alone_ns(const struct pmu_thread *thread, const struct pmu_node *inside)
{
	const struct pmu_tree *tree = thread->tree;

	if (!inside || tree->teams != &pmu_teams_none || tree->detached ||
	    pmu_tree_is_full(thread) || !pmu_tree_is_leaf(tree, inside))
		return 0;
	return open_ns(thread, inside);
}

/*
 * At the last begin or end the word still stood: the thread has not been off for longer than that is ago, nor
 * than the innermost region is open.  What is more a hypervisor took from it earlier, which is in the same
 * clocks but of which no word tells.
 */
static void cut_stolen(const struct pmu_thread *thread, const struct pmu_node *inside,
		       struct pmu_wait *more)
{
	uint64_t open = open_ns(thread, inside);

	if (more->off > open)
		more->off = open;
	if (more->queued > more->off)
		more->queued = more->off;
}

/* For each call that is open now, in the place of the innermost. */
static void trace_waits(struct pmu_thread *self, uint32_t row, const struct pmu_wait *more)
{
	if (!row)
		return;
	pmu_trace_wait(self, row, PMU_TRACE_BLOCKED, more->off - more->queued);
	pmu_trace_wait(self, row, PMU_TRACE_RUNNABLE, more->queued);
}

static void take_and_add(struct pmu_thread *thread, const struct pmu_node *but, bool locked)
{
	struct adding adding = { .thread = thread, .but = but, .locked = locked };
	const struct pmu_node *inside = innermost(thread, but);
	uint32_t row = inside ? inside->id : 0;

	if (!pmu_samples_mark(thread, row, locked))
		return;
	adding.more = pmu_waits_take(thread);
	if (adding.more.off && inside)
		cut_stolen(thread, inside, &adding.more);
	if (adding.more.off)
		pmu_tree_each_open(thread, add_to, &adding);
	if (adding.more.off && thread->traced && !locked)
		trace_waits(thread, row, &adding.more);
	if (locked)
		return;
	if (pmu_samples_are_due(thread))
		pmu_samples_attach_late(thread, row, alone_ns(thread, inside));
	else if (pmu_samples_are_costly(thread))
		pmu_samples_leave(thread);
}

void pmu_off_settle(struct pmu_thread *thread)
{
	take_and_add(thread, NULL, true);
}

void pmu_off_look(struct pmu_thread *self, const struct pmu_node *but)
{
	int saved = errno, looks = 0;

	/*
	 * Once more, where it had to wait for the session's lock meanwhile; but not for what the library
	 * only plays to measure itself.
	 */
	while (!self->measuring && pmu_was_off(self) && looks++ < MOST_LOOKS)
		take_and_add(self, but, false);
	pmu_waits_watch(self);
	errno = saved;
}

PMU_COLD void pmu_off_note(struct pmu_thread *self, enum pmu_way way, enum pmu_pause_kind kind)
{
	struct pmu_pause pause;

	pmu_thread_suspend(self, 1);
	pmu_pause_begin(self, &pause, way);
	pmu_pause_learn(self, &pause, way);
	pmu_off_look(self, NULL);
	pmu_pause_end(self, &pause, kind, NULL);
	pmu_thread_suspend(self, -1);
}
