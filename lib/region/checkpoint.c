/* SPDX-License-Identifier: BSD-3-Clause */
/* What open regions have done so far, published as if they ended here; their calls go on. */
#include "region/checkpoint.h"

#include <errno.h>
#include <time.h>

#include "base/owner.h"
#include "base/process.h"
#include "pmu.h"
#include "region/forked.h"
#include "region/least.h"
#include "region/off.h"
#include "region/selfcost/selfcost.h"
#include "region/slow.h"
#include "region/team.h"
#include "region/trace.h"
#include "session/enter.h"
#include "session/lifecycle.h"
#include "session/session.h"

/*
 * Adds time and counts of an open call so far. The call has not ended, so neither the number of
 * calls nor least and most change.
 */
static void publish_part(const struct pmu_thread *self, struct pmu_node *node, uint64_t ticks,
			 const uint64_t *now)
{
	struct pmu_banks banks = pmu_node_banks(node);

	pmu_bank_copy_times(banks.was, banks.is);
	pmu_bank_put(&banks.is->ticks, banks.was->ticks + ticks);
	pmu_bank_add_counts(banks.was, banks.is, now, node->start, self->n_slots);
	pmu_node_commit(node, &banks);
}

/* Adds what came after the checkpoint, and the call itself with its whole length. */
static void publish_rest(const struct pmu_thread *self, struct pmu_node *node, uint64_t ticks,
			 const uint64_t *now)
{
	struct pmu_banks banks = pmu_node_banks(node);

	pmu_bank_add_time(banks.was, banks.is, ticks + node->carried);
	pmu_bank_put(&banks.is->ticks, banks.was->ticks + ticks);
	pmu_bank_add_counts(banks.was, banks.is, now, node->start, self->n_slots);
	pmu_node_commit(node, &banks);
}

/* Time stamps are read without a fence: a later one may be less by a few ticks. */
static uint64_t since_start(const struct pmu_node *node, uint64_t ticks)
{
	return (int64_t)(ticks - node->start_ticks) < 0 ? 0 : ticks - node->start_ticks;
}

/*
 * Readers take off as much as of a call that has ended: of one that was read in the thread's own
 * checkpoint that is known.
 */
static void copy_counts(const struct pmu_thread *self, uint64_t *to, const uint64_t *counts,
			bool own)
{
	memcpy(to, counts, self->n_slots * sizeof(*to));
	if (own)
		pmu_cost_part(self, to);
	else
		pmu_cost_no_part(self, to);
}

static void save(struct pmu_thread *self, struct pmu_frame *frame, uint64_t ticks, uint32_t missing,
		 const uint64_t *counts, bool own)
{
	struct pmu_node *node = frame->node;
	uint64_t now[PMU_MAX_SLOTS];

	copy_counts(self, now, counts, own);
	if (unlikely(missing | node->start_missing))
		pmu_node_mark_missing(self, node, missing | node->start_missing, now);
	/*
	 * The flag first: a process that dies in between leaves an open call without time, not time
	 * without a call.
	 */
	pmu_node_set_flags(node, node->flags | PMU_STORE_ROW_PARTIAL);
	publish_part(self, node, since_start(node, ticks), now);
	if (self->traced)
		pmu_trace_put(self, node->id | PMU_TRACE_PART, node->start_ticks, ticks, now,
			      node->start, self->n_slots);
	node->carried += since_start(node, ticks);
	node->start_ticks = ticks;
	node->start_missing = missing;
	copy_counts(self, node->start, counts, own);
	pmu_frame_make_odd(frame);
}

static void save_own(struct pmu_thread *self, struct pmu_frame *frame, uint64_t ticks,
		     uint32_t missing, const uint64_t *counts)
{
	save(self, frame, ticks, missing, counts, true);
}

static void save_apart(struct pmu_thread *self, struct pmu_frame *frame, uint64_t ticks,
		       uint32_t missing, const uint64_t *counts)
{
	save(self, frame, ticks, missing, counts, false);
}

void pmu_checkpoint_forget(struct pmu_node *node)
{
	pmu_node_set_flags(node, node->flags & ~(unsigned int)PMU_STORE_ROW_PARTIAL);
	node->carried = 0;
}

void pmu_checkpoint_finish(struct pmu_thread *self, struct pmu_node *node, uint64_t ticks,
			   uint32_t missing, uint64_t *now)
{
	missing |= node->start_missing;
	if (unlikely(missing))
		pmu_node_mark_missing(self, node, missing, now);
	publish_rest(self, node, since_start(node, ticks), now);
	if (self->histograms)
		pmu_note_length(self, node, since_start(node, ticks) + node->carried);
	if (self->exact)
		pmu_least_drop(self, node);
	if (self->traced)
		pmu_trace_call(self, node, ticks, now, self->n_slots);
	pmu_note_end(self, ticks);
	pmu_row_set_open(node->row, 0);
	pmu_checkpoint_forget(node);
	node->name->open = NULL;
}

/*
 * A program that is executed as another user may not enter the folder that stores are kept in: all that
 * can be told of it is told here, in a child too, which has its parent's store in reach.
 */
static void note_other_user(enum pmu_next next)
{
	if (next == PMU_NEXT_EXEC && pmu_session.kept && pmu_session.table.path[0] &&
	    pmu_owner_self() != pmu_session.uid)
		PMU_PUBLISH(pmu_session.table.head->other_user, 1);
}

static void note_next(enum pmu_next next)
{
	note_other_user(next);
	if (__atomic_load_n(&pmu_session.running, __ATOMIC_ACQUIRE))
		PMU_PUBLISH(pmu_session.table.head->next, next);
}

/* Frames of one tree, from the innermost outwards. */
struct frames {
	struct pmu_tree *tree;
	struct pmu_frame *frame;
};

/* Those of the tree around, where a thread's regions stand still while it works for another's. */
static bool go_around(struct frames *at)
{
	const struct pmu_team *team = at->tree->team;

	if (!team || !team->around)
		return false;
	at->frame = team->frame;
	at->tree = team->around;
	return true;
}

typedef void save_fn(struct pmu_thread *self, struct pmu_frame *frame, uint64_t ticks,
		     uint32_t missing, const uint64_t *counts);

/* From the innermost outwards, as they would end. */
static void save_tree(struct pmu_thread *thread, struct frames *at, save_fn *save_one,
		      uint64_t ticks, uint32_t missing, const uint64_t *counts)
{
	const struct pmu_frame *innermost = at->frame;

	pmu_cost_foresee(thread, at->tree, innermost, false);
	for (; at->frame > at->tree->frames; at->frame--)
		save_one(thread, at->frame, ticks, missing, counts);
	pmu_cost_foresee(thread, at->tree, innermost, true);
}

/*
 * What stands still has what was counted when it came to that, and goes on from there.  Up to then
 * it has what has been counted until now.
 */
static void save_around(struct pmu_thread *thread, save_fn *save_one, uint64_t ticks,
			uint32_t missing, const uint64_t *counts)
{
	struct frames at = { thread->tree, thread->frame };
	const struct pmu_team *team = at.tree->team;

	for (; go_around(&at); team = at.tree->team) {
		bool stands = team->entered_ticks;

		save_tree(thread, &at, save_one, stands ? team->entered_ticks : ticks,
			  stands ? team->entered_missing : missing,
			  stands ? team->entered : counts);
	}
}

/*
 * A region entered again further in has two frames and one start.  Detached ones are left out:
 * what they are a part of has ended.
 */
static void save_all(struct pmu_thread *self, enum pmu_next next)
{
	uint64_t now[PMU_MAX_SLOTS] = { 0 }, ticks = pmu_thread_ticks(self);
	uint32_t missing = self->read ? self->read(self->counters, now) : 0;
	struct pmu_pause pause;

	if (unlikely(missing & PMU_READ_DELAYED))
		pmu_cost_in_time(self, now);
	missing &= ~PMU_READ_DELAYED; /* what follows is in no region that goes on */
	pmu_pause_from(self, &pause, PMU_BY_TEXT, missing, now);
	if (pmu_was_off(self))
		pmu_off_look(self, NULL);
	save_tree(self, &(struct frames){ self->tree, self->frame }, save_own, ticks, missing, now);
	save_around(self, save_apart, ticks, missing, now);
	pmu_note_end(self, ticks);
	if (!self->measuring) {
		pmu_thread_note_lost(self);
		note_next(next);
		/* the last chance, where the program goes on without the library */
		if (next != PMU_NEXT_GOES_ON)
			pmu_thread_update_usage(self);
	}
	pmu_pause_end(self, &pause, PMU_PAUSE_SAVE, NULL);
}

/* Slots that this thread can read. */
static uint32_t readable_slots(const struct pmu_thread *self)
{
	uint32_t all = self->n_slots ? UINT32_MAX >> (32 - self->n_slots) : 0;

	return self->read ? all & ~pmu_thread_missing(self) : 0;
}

/*
 * Where counts cannot be had, a row that has some from other calls is left alone: they would become
 * missing.
 */
static void save_or_leave(struct pmu_thread *self, struct pmu_frame *frame, uint64_t ticks,
			  uint32_t missing, const uint64_t *counts)
{
	if (!missing || !frame->node->valid->calls)
		save_apart(self, frame, ticks, missing | pmu_thread_missing(self), counts);
}

/* The thread cannot enter the library any more, and no reader uses its idle banks. */
static void settle_thread(struct pmu_thread *thread)
{
	uint64_t now[PMU_MAX_SLOTS] = { 0 }, ticks = pmu_clock_ticks(thread->clock);
	uint32_t missing = readable_slots(thread);

	if (!thread->tree || (thread->frame == thread->tree->frames && !thread->tree->team))
		return;
	pmu_thread_flag(thread, PMU_THREAD_SETTLED);
	pmu_off_settle(thread);
	if (missing && thread->backend->read_aside)
		missing &= thread->backend->read_aside(thread->counters, now);
	save_tree(thread, &(struct frames){ thread->tree, thread->frame }, save_or_leave, ticks,
		  missing, now);
	save_around(thread, save_or_leave, ticks, missing, now);
	pmu_note_end(thread, ticks);
}

/*
 * Does it wait in the kernel, called by the program and not by us?  Then it is not on its way into
 * a call, and the next one it makes returns at once.
 */
static bool is_asleep(const struct pmu_thread *thread)
{
	struct pmu_process_stat stat;

	return !pmu_process_stat_thread(thread->tid, &stat) &&
	       (stat.state == 'S' || stat.state == 'D') &&
	       !(__atomic_load_n(thread->guard, __ATOMIC_ACQUIRE) & 1);
}

/* More than so many are not asked: a file each. */
#define MAX_ASKED 256
/*
 * One that has just handed over its last work may be on its way to where it waits: so often it is
 * looked at again, after so long.
 */
#define MORE_LOOKS 20
#define LOOK_NS    100000l

/* Return: whether a thread with open regions was awake. */
static bool settle_asleep(void)
{
	bool awake = false;
	int asked = 0;

	/* ThreadSanitizer cannot know that the thread is asleep, and would report a race. */
	for (struct pmu_thread *thread = PMU_TSAN ? NULL : pmu_session.threads; thread;
	     thread = thread->next) {
		if (thread == pmu_own.self || asked >= MAX_ASKED || !pmu_thread_any_open(thread) ||
		    pmu_load_relaxed(&thread->rows.record->flags) & PMU_THREAD_SETTLED)
			continue;
		asked++;
		if (is_asleep(thread))
			settle_thread(thread);
		else
			awake = true;
	}
	return awake;
}

/* Threads of a pool wait for work that will not come: what they are in is over, too. */
void pmu_region_settle_all(void)
{
	const struct timespec a_moment = { .tv_nsec = LOOK_NS };

	for (int look = 0; settle_asleep() && look < MORE_LOOKS; look++)
		nanosleep(&a_moment, NULL);
}

/*
 * What the thread has left for another's region, or sockets have of it, stands still only where it does that
 * itself.
 */
static bool can_stop(const struct pmu_thread *thread)
{
	return thread != pmu_own.self && !pmu_load_relaxed(&thread->stopped) && thread->tree &&
	       !thread->tree->team && !thread->tree->detached && !thread->sockets &&
	       !thread->rotates && pmu_thread_any_open(thread);
}

/* All of its counts, by another thread. */
static bool can_read_aside(const struct pmu_thread *thread)
{
	uint64_t now[PMU_MAX_SLOTS];
	uint32_t slots = readable_slots(thread);

	return !slots || (thread->backend->read_aside &&
			  !(slots & thread->backend->read_aside(thread->counters, now)));
}

uint32_t pmu_region_stop_asleep(void)
{
	uint32_t n = 0;
	int asked = 0;

	for (struct pmu_thread *thread = PMU_TSAN ? NULL : pmu_session.threads;
	     thread && asked < MAX_ASKED; thread = thread->next) {
		if (!can_stop(thread))
			continue;
		asked++;
		if (!is_asleep(thread) || !can_read_aside(thread))
			continue;
		n += (uint32_t)(thread->frame - thread->tree->frames);
		settle_thread(thread);
		pmu_store_relaxed(&thread->stopped, true);
	}
	return n;
}

/* --- in the middle of a begin or an end --- */

/*
 * A signal handler has interrupted a begin or an end of its own thread, and ends the program: what
 * it interrupted never goes on.  Where that stands is not known, and the compiler may have changed
 * the order of the stores between one change of the guard and the next.  But:
 *
 * - A begin changes nothing of the regions that are open before it; an end nothing but the one it
 *   ends, and those that it detaches.  Frames below the innermost one are therefore those of
 *   regions that go on, each with its start, its row whole. (A region entered again from inside
 *   another one has its innermost frame there, and its start and its first frame stay as they are.)
 * - An end takes the frame away before it publishes: seq is stored with release, so no store before
 *   it in the program comes after it.  As long as a frame is there, its row's valid bank is without
 *   the call that it stands for; what the end has written into the idle bank is written over.  So
 *   the call of a frame that is gone may be lost, and none is counted twice.
 * - A begin puts the frame there and then takes the start.  So the innermost frame may still have
 *   the start of an earlier call of its region, or the node that was in that frame before:
 *   has_started() tells.  A region that it cannot tell of stays open, which the report calls a
 *   doubt.
 * - When the stack of frames grows, the thread's pointer goes from a whole copy to the other: it is
 *   walked down from there, to the root's frame.
 * - Slow paths move what all open regions have started with, first down by what was counted
 *   before, then up by what has been counted since.  Between the two steps the counts up to now are
 *   0, in one of them there are none: then the time is saved alone.
 *
 * Inside anything but a begin or an end (pmu_own.inside), and while the library measures itself, frames
 * may be those of another tree: nothing is saved.
 */
static bool has_started(const struct pmu_thread *self, const struct pmu_node *node)
{
	if (node == &pmu_tree_nobody || node->detached || node->name->open != node ||
	    !node->start_ticks)
		return false;
	if (!PMU_PUBLISHED_SUM(node->row->open))
		return false;
	/* Either no call has ended before, or the start was checked at an earlier checkpoint. */
	if ((!PMU_PUBLISHED_SUM(node->row->seq) && !node->row->unended) ||
	    node->flags & PMU_STORE_ROW_PARTIAL)
		return true;
	/* The start of an earlier call would lie before the thread's last end. */
	return (int64_t)(node->start_ticks - *self->last_end) > 0;
}

/*
 * The source may hold a lock of its own; one that can be suspended counts nothing in a handler.
 * Return: slots without counts.
 */
static uint32_t read_inside(const struct pmu_thread *self, uint64_t *now)
{
	enum pmu_moving moving = self->cost ? self->cost->moving : PMU_MOVING_NOTHING;
	uint32_t all = readable_slots(self), missing;

	if (!all || self->suspends || self->backend->counts_cpu || moving == PMU_MOVING_NOW)
		return all;
	missing = self->read(self->counters, now) & all;
	if (moving == PMU_MOVING_FROM_ZERO)
		memset(now, 0, self->n_slots * sizeof(*now));
	return missing;
}

/*
 * In the middle of a commit the node's pointers to its banks may be exchanged already: which bank is
 * valid is what the row's sequence says, and whatever that is, the other one of the row is written.
 */
static void find_banks(const struct pmu_thread *self, struct pmu_node *node)
{
	uint32_t n = PMU_PUBLISHED_SUM(node->row->seq);

	node->valid = pmu_row_bank(node->row, self->n_slots, n);
	node->idle = pmu_row_bank(node->row, self->n_slots, n + 1);
}

static void save_interrupted(struct pmu_thread *self, struct pmu_frame *frame, uint64_t ticks,
			     uint32_t missing, const uint64_t *counts)
{
	find_banks(self, frame->node);
	save_or_leave(self, frame, ticks, missing, counts);
}

static void save_inside(struct pmu_thread *self, enum pmu_next next)
{
	uint64_t now[PMU_MAX_SLOTS] = { 0 }, ticks = pmu_clock_ticks(self->clock);
	uint32_t missing = read_inside(self, now);
	struct frames at = { self->tree, self->frame };

	if (at.frame->node != self->tree->root && !has_started(self, at.frame->node))
		at.frame--;
	save_tree(self, &at, save_interrupted, ticks, missing, now);
	save_around(self, save_interrupted, ticks, missing, now);
	pmu_note_end(self, ticks);
	note_next(next);
}

/* Is what it has open of this session and group, and not over because measuring is switched off? */
static bool has_own(const struct pmu_thread *self)
{
	return self && self->tree && !pmu_load_relaxed(&self->stopped) &&
	       pmu_thread_is_attached(self) &&
	       (int32_t)self->epoch >= pmu_session.control.off_epoch;
}

static int checkpoint_inside(enum pmu_next next)
{
	struct pmu_thread *self = pmu_thread_self();
	int saved = errno;
	bool ends = next == PMU_NEXT_EXIT || next == PMU_NEXT_SIGNAL || next == PMU_NEXT_STOP;

	if (!ends || pmu_own.inside || !has_own(self) || self->measuring)
		return -EBUSY;
	save_inside(self, next);
	errno = saved;
	return 0;
}

PMU_API int pmu_checkpoint(enum pmu_next next)
{
	int32_t epoch = __atomic_load_n(&pmu_epoch, __ATOMIC_RELAXED);
	int saved = errno;

	if (next == PMU_NEXT_FORKED)
		return pmu_forked_wait();
	if (epoch < 0 && !pmu_control_is_off())
		return 0;
	/* In a forked child this is a copy of its parent's state. */
	if (!pmu_session_is_ours()) {
		note_other_user(next);
		pmu_forked_checkpoint(next);
		return 0;
	}
	if (next == PMU_NEXT_REPORTED) {
		pmu_session.reported = true;
		next = PMU_NEXT_GOES_ON;
	}
	if (pmu_session_inside())
		return checkpoint_inside(next);
	pmu_session_bar();
	if (has_own(pmu_thread_self())) {
		pmu_thread_suspend(pmu_own.self, 1);
		save_all(pmu_own.self, next);
		pmu_thread_suspend(pmu_own.self, -1);
	} else {
		note_next(next);
	}
	pmu_session_unbar();
	errno = saved;
	return 0;
}
