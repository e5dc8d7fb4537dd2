/* SPDX-License-Identifier: BSD-3-Clause */
/* Begin and end on the slow path: first calls, re-entries, reused buffers, overlaps, mistakes. */
#include "region/slow.h"

#include <errno.h>
#include <sched.h>
#include <unistd.h>

#include "base/error.h"
#include "base/main.h"
#include "pmu.h"
#include "region/checkpoint.h"
#include "region/cut.h"
#include "region/forked.h"
#include "region/least.h"
#include "region/off.h"
#include "region/publish.h"
#include "region/selfcost/selfcost.h"
#include "region/team.h"
#include "region/trace.h"
#include "session/contexts.h"
#include "session/enter.h"
#include "session/lifecycle.h"
#include "session/session.h"

void pmu_node_check_cpu(const struct pmu_thread *self, struct pmu_node *node)
{
	int cpu = sched_getcpu();

	if (likely(cpu < 0 || cpu == self->watch_cpu))
		return;
	if (node->row->moved < UINT16_MAX)
		PMU_ROW_SET(node->row, moved, node->row->moved + 1);
	PMU_ROW_SET(node->row, missing, node->row->missing | ((1u << self->n_slots) - 1));
}

static int check_name(struct pmu_thread *self, const char *name, size_t *len)
{
	int error = 0;

	if (!name && self->measuring) /* a refused call, to be measured */
		return -EINVAL;
	if (name && *len == PMU_NAME_TERMINATED)
		*len = strnlen(name, PMU_NAME_MAX + 1);
	if (!name || !*len)
		error = pmu_fail(EINVAL, "a region needs a name");
	else if (*len > PMU_NAME_MAX)
		error = pmu_fail(ENAMETOOLONG, "a region's name has %d bytes at most",
				 PMU_NAME_MAX);
	else if (memchr(name, '\0', *len))
		error = pmu_fail(EINVAL, "a region's name holds no NUL");
	if (error)
		pmu_thread_doubt(self, PMU_DOUBT_BAD_NAME);
	return error;
}

/* The open frame of a node, from the innermost outwards; NULL for a detached node. */
static struct pmu_frame *frame_of(const struct pmu_thread *self, const struct pmu_node *node)
{
	struct pmu_frame *frame;

	for (frame = self->frame; frame > self->tree->frames; frame--)
		if (frame->node == node)
			return frame;
	return NULL;
}

/* The region around a node, as the sockets know it; NULL for an outermost one. */
static const struct pmu_occupancy *occupancy_around(const struct pmu_thread *self,
						    const struct pmu_node *node)
{
	return node->parent->row ? pmu_node_occupancy(self, node->parent) : NULL;
}

void pmu_node_occupy(struct pmu_thread *self, struct pmu_node *node)
{
	const struct pmu_occupancy *around = occupancy_around(self, node);
	struct pmu_occupancy *occupancy = pmu_node_occupancy(self, node);

	pmu_occupancy_place(self, occupancy, around, node->name->text, node->name->len,
			    node->flags & PMU_STORE_ROW_FLAT);
	pmu_occupancy_begin(self, occupancy, around);
}

/* See PMU_FRAME_AGAIN. */
static const char *again_of(const struct pmu_thread *self)
{
	struct pmu_frame *frames = self->tree->frames;
	const struct pmu_frame *below = pmu_frame_below(frames, self->frame);

	return (const char *)~(uintptr_t)(below - frames);
}

/* The program marks its own main, directly inside it: no second call of it. */
static bool is_mark(const struct pmu_thread *self, const struct pmu_node *node)
{
	return &pmu_main_word && __atomic_load_n(&pmu_main_word, __ATOMIC_RELAXED) &&
	       node == self->frame->node && node->mark == PMU_MARK_NONE && !node->again &&
	       !strcmp(node->name->text, PMU_MAIN_NAME) && gettid() == getpid();
}

static int enter_again(struct pmu_thread *self, struct pmu_node *node)
{
	struct pmu_frame *frame = frame_of(self, node);

	/*
	 * Its end will no longer be the end of the region's only open call, which is what the fast
	 * path does.
	 */
	pmu_frame_make_odd(frame);
	if (is_mark(self, node)) {
		frame->count++;
		node->mark = PMU_MARK_OPEN;
		return 0;
	}
	if (frame == self->frame) {
		frame->count++;
	} else {
		if (pmu_tree_push(self, node) < 0)
			return -ENOMEM;
		self->frame->count |= PMU_FRAME_AGAIN;
		self->frame->literal = again_of(self);
		pmu_node_set_flags(node, node->flags | PMU_STORE_ROW_MUTUAL);
	}
	pmu_node_set_flags(node, node->flags | PMU_STORE_ROW_RECURSIVE);
	pmu_row_set_open(node->row, 1 + ++node->again);
	if (self->sockets)
		pmu_occupancy_flag(pmu_node_occupancy(self, node),
				   node->flags & (PMU_STORE_ROW_RECURSIVE | PMU_STORE_ROW_MUTUAL));
	return 0;
}

void pmu_node_give_up(struct pmu_thread *self, struct pmu_node *node)
{
	if (self->sockets)
		pmu_occupancy_give_up(self, pmu_node_occupancy(self, node));
	PMU_ROW_SET(node->row, unended, node->row->unended + 1 + node->again);
	pmu_cost_unended(self, node);
	node->again = 0;
	node->mark = PMU_MARK_NONE;
	if (self->exact)
		pmu_least_drop(self, node);
	pmu_row_set_open(node->row, 0);
	pmu_tree_forget_detached(self, node);
	node->name->open = NULL;
	pmu_checkpoint_forget(node);
	if (node->context)
		pmu_context_close(node->context);
}

static struct pmu_node *refuse_node(struct pmu_thread *self, int *rc)
{
	pmu_thread_doubt(self, PMU_DOUBT_LIMIT);
	*rc = pmu_fail(ENOSPC,
		       "no room for another region on this thread; PMU_MAX_REGIONS sets it");
	return NULL;
}

/*
 * While a region is detached, all calls of the thread must take the slow path, where their cost
 * matters: the cache is hidden and every frame is made odd. @was_hidden: frames are odd already
 */
static void heed_detached(struct pmu_thread *self, bool was_hidden)
{
	if (!pmu_cost_is_beside(self))
		return;
	for (struct pmu_frame *frame = self->tree->frames + 1; !was_hidden && frame <= self->frame;
	     frame++)
		pmu_frame_make_odd(frame);
	pmu_tree_hide(self);
}

static const char *const frame_text[] = {
	[PMU_KIND_LITERAL] = NULL, /* itself */
	[PMU_KIND_TEXT] = PMU_FRAME_TEXT,
	[PMU_KIND_SIZED] = PMU_FRAME_SIZED,
};

/*
 * May calls by such a text take the fast path? Not if they take more or less work than the cost
 * that was measured for the node; nor, compared by words, under a tool that checks every byte.
 */
static bool suits(const struct pmu_thread *self, const struct pmu_node *node,
		  enum pmu_text_kind kind)
{
	if (!self->read)
		return true;
	return (!node->kind || node->kind == kind) && !(self->bytewise && kind == PMU_KIND_TEXT);
}

/* Which text ends the innermost region. pmu_tree_push() may have made its frame odd already. */
static void set_text(const struct pmu_thread *self, struct pmu_node *node, enum pmu_text_kind kind,
		     const char *text)
{
	struct pmu_frame *frame = self->frame;
	bool odd = frame->literal == PMU_FRAME_ODD || !suits(self, node, kind);

	frame->literal = frame_text[kind] ? frame_text[kind] : text;
	if (kind == PMU_KIND_LITERAL)
		node->text = text;
	if (odd)
		pmu_frame_make_odd(frame);
}

static struct pmu_node *begin_long(struct pmu_thread *self, const char *text, size_t len, int *rc)
{
	struct pmu_node *parent = self->frame->node, *node;
	enum pmu_text_kind kind = pmu_text_kind(text, len);
	size_t given = len;
	struct pmu_name *name;
	const char *key;

	*rc = check_name(self, text, &len);
	if (*rc < 0)
		return NULL;
	pmu_cost_way(self, pmu_way_of_length(given));
	name = pmu_tree_name(self, text, len, !pmu_tree_is_full(self));
	if (!name && pmu_tree_is_full(self))
		return refuse_node(self, rc);
	if (!name)
		goto no_memory;
	/* begun anew: what was open of it will never be ended */
	if (name->open && name->open->detached)
		pmu_node_give_up(self, name->open);
	if (name->open) {
		*rc = enter_again(self, name->open);
		return NULL;
	}
	node = pmu_tree_node(self, parent, name, rc);
	if (!node) {
		if (*rc == -ENOMEM)
			goto no_memory;
		return refuse_node(self, rc);
	}
	key = pmu_tree_key(self, text, given);
	if (key && suits(self, node, kind))
		pmu_tree_remember(self, key, parent, node);
	pmu_cost_node(self, node, text, given);
	if (pmu_tree_push(self, node) < 0)
		goto no_memory;
	/* As the fast path does, so that the end costs as much as any other's. */
	set_text(self, node, kind, text);
	node->name->open = node;
	node->start_missing = 0;
	node->begun_after = self->tree->n_detached;
	pmu_row_set_open(node->row, 1);
	if (self->sockets)
		pmu_node_occupy(self, node);
	return node;
no_memory:
	/* No error where it is only that the session has ended meanwhile. */
	*rc = 0;
	if (pmu_session_epoch() != (int32_t)self->epoch)
		return NULL;
	pmu_thread_doubt(self, PMU_DOUBT_NO_MEMORY);
	*rc = -ENOMEM;
	return NULL;
}

/* What the cache does not know: a first call, a re-entry, a reused buffer. */
PMU_COLD struct pmu_node *pmu_begin_uncached(struct pmu_thread *self, const char *text, size_t len,
					     int *rc)
{
	bool was_hidden = pmu_tree_show(self);
	struct pmu_node *node = begin_long(self, text, len, rc);

	heed_detached(self, was_hidden);
	/* on the way, for the session's lock: it has not started yet */
	if (unlikely(pmu_was_off(self)))
		pmu_off_look(self, node);
	return node;
}

/* The text that a frame's region was begun by, as it is given again. */
static const char *text_of(const struct pmu_frame *frame)
{
	bool literal = pmu_frame_is_plain(frame) && frame->literal != PMU_FRAME_TEXT &&
		       frame->literal != PMU_FRAME_SIZED;

	return literal ? frame->literal : frame->node->name->text;
}

/* A forked child continues in the regions that were open, with totals from zero. */
static void open_frame(struct pmu_thread *self, const struct pmu_frame *frame)
{
	size_t len = pmu_frame_is_sized(frame) ? frame->node->name->len : PMU_NAME_TERMINATED;

	for (uint32_t i = 0; i < (frame->count & ~PMU_FRAME_AGAIN); i++) {
		int rc;
		struct pmu_node *node = pmu_begin_uncached(self, text_of(frame), len, &rc);

		if (!node)
			continue;
		pmu_node_set_flags(node, node->flags | PMU_STORE_ROW_INHERITED);
		if (self->exact)
			pmu_least_spoil(self, node);
		pmu_node_start_special(self, node);
	}
}

/* A region of another thread's, which this one worked for, is not one of the child's. */
static void reopen_node(struct pmu_thread *self, const struct pmu_thread *parent_thread)
{
	uint32_t n_around = 0;
	const struct pmu_team *team;

	if (!parent_thread->tree || !parent_thread->frame)
		return;
	pmu_thread_flag(self, PMU_THREAD_FORKED);
	for (team = parent_thread->tree->team; team; team = team->around->team)
		n_around++;
	for (uint32_t left = n_around + 1; left-- > 0;) {
		const struct pmu_tree *tree = parent_thread->tree;
		const struct pmu_frame *frame, *last = parent_thread->frame;

		for (uint32_t i = 0; i < left; i++) {
			last = tree->team->frame;
			tree = tree->team->around;
		}
		/* contexts are due to be left, and no more than that */
		self->tree->skipped += tree->skipped + (tree->team != NULL);
		for (frame = tree->frames + (tree->team ? 2 : 1); frame <= last; frame++)
			open_frame(self, frame);
	}
}

/*
 * The library measures itself, by this thread, which has the session's lock: what is asked for meanwhile comes
 * after that.
 */
static bool is_measuring(struct pmu_thread **self)
{
	*self = pmu_thread_self();
	if (likely(!*self || !(*self)->measuring || pmu_own.inside || !pmu_session_is_ours()))
		return false;
	pmu_own.inside = 1;
	*(*self)->guard = (*self)->epoch;
	pmu_control_postpone();
	return true;
}

int pmu_region_enter(struct pmu_thread **self)
{
	struct pmu_thread *forked_from = NULL;
	int error = 0;

	if (unlikely(is_measuring(self)))
		return 0;
	switch (pmu_thread_enter(self, &forked_from, &error)) {
	case PMU_ENTRY_OFF:
		return 1;
	case PMU_ENTRY_INTERRUPTED:
		return -EBUSY;
	case PMU_ENTRY_FAILED:
		return error;
	case PMU_ENTRY_STOPPING:
		pmu_cut_stop(*self);
		pmu_session_unbar();
		return 1;
	case PMU_ENTRY_READY:
		break;
	}
	pmu_region_choose(*self); /* it may have been attached anew */
	if (!(*self)->tree && pmu_tree_new(*self) < 0) {
		pmu_session_turn_away();
		return -ENOMEM;
	}
	pmu_cost_thread(*self);
	if (forked_from) {
		reopen_node(*self, forked_from);
		pmu_cost_restart(*self, PMU_BY_TEXT);
	}
	if (forked_from && pmu_forked_waited())
		pmu_forked_take_up(*self);
	if (unlikely((*self)->resumes))
		pmu_cut_resume(*self);
	return 0;
}

/*
 * Slots that were missing in one of the two reads: nothing is added for them, and the row says so.
 */
PMU_COLD void pmu_node_mark_missing(const struct pmu_thread *self, struct pmu_node *node,
				    uint32_t missing, uint64_t *now)
{
	PMU_ROW_SET(node->row, missing, node->row->missing | missing);
	if (self->exact)
		pmu_least_missing(self, node, missing);
	for (uint32_t i = 0; i < self->n_slots; i++)
		if (missing & (1u << i))
			now[i] = node->start[i] = 0;
}

PMU_COLD void pmu_node_start_odd(struct pmu_thread *self, struct pmu_node *node, uint32_t missing)
{
	struct pmu_pause pause;

	node->start_missing = missing & ~PMU_READ_DELAYED;
	if (!(missing & PMU_READ_DELAYED))
		return;
	pmu_pause_from(self, &pause, pmu_frame_is_sized(self->frame) ? PMU_BY_LENGTH : PMU_BY_TEXT,
		       node->start_missing, node->start);
	pmu_pause_end(self, &pause, PMU_PAUSE_START, node);
}

/*
 * A clock read by a function of libc's takes a varying number of instructions: it is read before
 * the counters, so that no region counts them.
 */
void pmu_node_start_special(struct pmu_thread *self, struct pmu_node *node)
{
	uint64_t ticks = 0;
	uint32_t missing;

	if (!self->read) {
		node->start_ticks = pmu_clock_ticks(self->clock);
		return;
	}
	if (self->stamp_outside)
		ticks = pmu_clock_steady();
	if (self->watch_cpu >= 0)
		pmu_node_check_cpu(self, node);
	missing = self->read(self->counters, node->start);
	if (unlikely(missing))
		pmu_node_start_odd(self, node, missing);
	node->start_ticks = self->stamp_outside ? ticks : pmu_clock_stamp();
}

/* The region's own counts have been read; regions around it are still counting. */
PMU_COLD void pmu_node_finish_odd(struct pmu_thread *self, struct pmu_node *node, enum pmu_way way,
				  uint32_t missing, uint64_t *now)
{
	struct pmu_pause pause;

	missing |= node->start_missing;
	if (missing & PMU_READ_DELAYED) {
		missing &= ~PMU_READ_DELAYED;
		pmu_cost_in_time(self, now);
		pmu_pause_from(self, &pause, way, missing, now);
		pmu_pause_end(self, &pause, PMU_PAUSE_FINISH, node);
	}
	if (missing)
		pmu_node_mark_missing(self, node, missing, now);
	node->start_missing = 0; /* a begin sets it only where something is */
}

void pmu_node_finish_special(struct pmu_thread *self, struct pmu_node *node, enum pmu_way way,
			     uint64_t ticks, uint32_t missing, uint64_t *now)
{
	if (unlikely(missing | node->start_missing))
		pmu_node_finish_odd(self, node, way, missing, now);
	pmu_node_finish(self, node, ticks, now, self->n_slots);
	if (self->noted)
		pmu_node_note(self, node, ticks - node->start_ticks, now);
}

void pmu_node_note(struct pmu_thread *self, struct pmu_node *node, uint64_t ticks,
		   const uint64_t *now)
{
	if (self->histograms)
		pmu_note_length(self, node, ticks);
	if (self->exact)
		pmu_least_note(self, node, now);
	if (self->traced)
		pmu_trace_call(self, node, node->start_ticks + ticks, now, self->n_slots);
}

/* One end of a region that was entered more than once; true: it was the outermost. */
static bool leave_one(struct pmu_thread *self, struct pmu_node *node)
{
	if (!node->again && node->mark == PMU_MARK_OPEN) {
		node->mark = PMU_MARK_ENDS;
		return false;
	}
	if (!node->again)
		return true;
	pmu_publish_inner_call(self, node);
	if (self->exact)
		pmu_least_again(self, node);
	if (self->traced)
		pmu_trace_again(self, node);
	pmu_row_set_open(node->row, node->again--);
	return false;
}

static int end_unbegun(struct pmu_thread *self, const char *text, size_t len)
{
	struct pmu_name *name;
	struct pmu_node *node = NULL;
	int error;

	if (pmu_cut_is_missed(self))
		return 0;
	name = pmu_tree_name(self, text, len, !pmu_tree_is_full(self));
	if (name)
		node = name->nodes ? name->nodes
				   : pmu_tree_node(self, self->tree->root, name, &error);
	if (node)
		PMU_ROW_SET(node->row, unbegun, node->row->unbegun + 1);
	return pmu_fail(ENOENT, "region \"%.*s\" is not open on this thread", (int)len, text);
}

/* An end that leaves its region open. */
static enum pmu_pause_kind kind_of_end(struct pmu_node *node)
{
	if (node->mark != PMU_MARK_ENDS)
		return PMU_PAUSE_END_AGAIN;
	node->mark = PMU_MARK_OVER;
	return PMU_PAUSE_END_MARK;
}

/*
 * Ends that are not of the innermost region entered once: re-entered ones, those below
 * the top (which detach what is above them), detached ones, and those never begun.
 */
static int end_long(struct pmu_thread *self, const char *text, size_t len, uint64_t ticks,
		    uint32_t missing, uint64_t *now, struct pmu_node **ended,
		    enum pmu_pause_kind *kind)
{
	enum pmu_way way = pmu_way_of_length(len);
	struct pmu_name *name;
	struct pmu_frame *frame;
	struct pmu_node *node;
	int rc = check_name(self, text, &len);

	if (rc < 0)
		return rc;
	name = pmu_tree_name(self, text, len, false);
	node = name ? name->open : NULL;
	if (!node)
		return end_unbegun(self, text, len);
	frame = frame_of(self, node);
	if (frame) {
		while (self->frame > frame) {
			struct pmu_node *above = self->frame->node;

			pmu_tree_pop(self);

			/* With another frame further out it is still open as a parent. */
			if (above != node && !frame_of(self, above) && !above->detached)
				pmu_tree_detach(self, above);
		}
		if ((--frame->count & ~PMU_FRAME_AGAIN) == 0)
			pmu_tree_pop(self);
	}
	*ended = node;
	if (!leave_one(self, node)) {
		if (!frame_of(self, node) && !node->detached)
			pmu_tree_detach(self, node);
		*kind = kind_of_end(node);
		return 0;
	}
	if (node->context)
		pmu_context_close(node->context);
	pmu_cost_overlap(self, node);
	if (self->exact)
		pmu_least_end(self, node);
	if (node->detached)
		pmu_node_set_flags(node, node->flags | PMU_STORE_ROW_OVERLAP);
	if (node->flags & PMU_STORE_ROW_PARTIAL)
		pmu_checkpoint_finish(self, node, ticks, missing, now);
	else
		pmu_node_finish_special(self, node, way, ticks, missing, now);
	if (self->sockets)
		pmu_occupancy_end(self, pmu_node_occupancy(self, node),
				  node->detached ? PMU_STORE_ROW_OVERLAP : 0);
	if (node->detached) {
		*kind = PMU_PAUSE_END_DETACHED;
		pmu_tree_forget_detached(self, node);
	}
	return 0;
}

/*
 * The thread's first call by length is the end of what was begun by text: the counts were read before
 * it was known how much later such an end reads.
 */
static void learn_length(struct pmu_thread *self, size_t len, uint64_t *now)
{
	uint64_t count[PMU_MAX_SLOTS];

	if (len == PMU_NAME_TERMINATED || !self->cost || self->cost->by[PMU_BY_LENGTH].known)
		return;
	/* those that are measured for that end in the same place */
	memcpy(count, now, self->n_slots * sizeof(*count));
	pmu_cost_way(self, PMU_BY_LENGTH);
	memcpy(now, count, self->n_slots * sizeof(*count));
	pmu_cost_by_length(self, now);
}

PMU_COLD int pmu_end_other(struct pmu_thread *self, const char *text, size_t len, uint64_t ticks,
			   uint32_t missing, uint64_t *now)
{
	enum pmu_pause_kind kind = PMU_PAUSE_END;
	struct pmu_node *ended = NULL;
	struct pmu_pause pause;
	bool was_hidden;
	int rc;

	if (unlikely(missing & PMU_READ_DELAYED))
		pmu_cost_in_time(self, now);
	missing &= ~PMU_READ_DELAYED; /* none of what follows is in any region */
	learn_length(self, len, now);
	pmu_pause_from(self, &pause, pmu_way_of_length(len), missing, now);
	was_hidden = pmu_tree_show(self);
	rc = end_long(self, text, len, ticks, missing, now, &ended, &kind);
	heed_detached(self, was_hidden);
	pmu_pause_end(self, &pause, kind, ended);
	return rc;
}
