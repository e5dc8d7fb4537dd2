/* SPDX-License-Identifier: BSD-3-Clause */
/* Begin and end off the hot path: first calls, re-entries, reused buffers, overlaps,
 * mistakes. */
#include "region/slow.h"

#include <errno.h>
#include <sched.h>

#include "base/error.h"
#include "pmu.h"
#include "region/checkpoint.h"
#include "region/cost.h"
#include "region/publish.h"
#include "region/selfcost/selfcost.h"
#include "session/session.h"

/* The counts are bound to a processor: a call that changes it is worth a doubt. */
PMU_COLD void pmu_node_check_cpu(const struct pmu_thread *self, struct pmu_node *node)
{
	int cpu = sched_getcpu();

	if (cpu < 0 || cpu == self->watch_cpu)
		return;
	if (node->row->moved < UINT16_MAX)
		PMU_ROW_SET(node->row, moved, node->row->moved + 1);
	PMU_ROW_SET(node->row, missing, node->row->missing | ((1u << self->n_slots) - 1));
}

static int check_name(struct pmu_thread *self, const char *name, size_t *len)
{
	int error = 0;

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

/* The open frame of a node, from the innermost outwards; NULL for a node set aside. */
static struct pmu_frame *frame_of(const struct pmu_thread *self, const struct pmu_node *node)
{
	struct pmu_frame *frame;

	for (frame = self->frame; frame > self->tree->frames; frame--)
		if (frame->node == node)
			return frame;
	return NULL;
}

/* The region around a node, as the sockets know it; NULL for an outermost one. */
static const struct pmu_stay *stay_around(const struct pmu_thread *self,
					  const struct pmu_node *node)
{
	return node->parent == self->tree->root ? NULL : pmu_node_stay(self, node->parent);
}

/* Before the thread's own counters are read. */
static void begin_stay(struct pmu_thread *self, struct pmu_node *node)
{
	const struct pmu_stay *around = stay_around(self, node);
	struct pmu_stay *stay = pmu_node_stay(self, node);

	pmu_stay_place(self, stay, around, node->name->text, node->name->len,
		       node->row->flags & PMU_STORE_ROW_FLAT);
	pmu_stay_begin(self, stay, around);
}

static int enter_again(struct pmu_thread *self, struct pmu_node *node)
{
	struct pmu_frame *frame = frame_of(self, node);

	/* From now on the end of this frame is not the end of the region's only call. */
	frame->plain = false;
	if (frame == self->frame) {
		frame->count++;
	} else {
		if (pmu_tree_push(self, node) < 0)
			return -ENOMEM;
		self->frame->count |= PMU_FRAME_AGAIN;
		self->frame->literal = (const char *)(uintptr_t)(pmu_frame_below(self->tree->frames,
										 self->frame) -
								 self->tree->frames);
		PMU_ROW_SET(node->row, flags, node->row->flags | PMU_STORE_ROW_MUTUAL);
	}
	PMU_ROW_SET(node->row, flags, node->row->flags | PMU_STORE_ROW_RECURSIVE);
	pmu_row_set_open(node->row, node->row->open + 1);
	if (self->sockets)
		pmu_stay_flag(pmu_node_stay(self, node),
			      node->row->flags & (PMU_STORE_ROW_RECURSIVE | PMU_STORE_ROW_MUTUAL));
	return 0;
}

/* A region set aside that is begun anew: its old begin will never be ended. */
static void give_up(struct pmu_thread *self, struct pmu_node *node)
{
	if (self->sockets)
		pmu_stay_give_up(self, pmu_node_stay(self, node));
	PMU_ROW_SET(node->row, unended, node->row->unended + node->row->open);
	pmu_row_set_open(node->row, 0);
	pmu_tree_no_longer_aside(self, node);
	node->name->open = NULL;
	pmu_checkpoint_forget(node);
}

static struct pmu_node *refuse(struct pmu_thread *self, int *rc)
{
	pmu_thread_doubt(self, PMU_DOUBT_LIMIT);
	*rc = pmu_fail(ENOSPC,
		       "no room for another region on this thread; PMU_MAX_REGIONS sets it");
	return NULL;
}

/*
 * While a region is set aside the cache finds nothing and no end is plain, where it matters.
 * @was_hidden: this has been seen to already
 */
static void heed_aside(struct pmu_thread *self, bool was_hidden)
{
	if (!pmu_cost_is_beside(self))
		return;
	for (struct pmu_frame *frame = self->tree->frames + 1; !was_hidden && frame <= self->frame;
	     frame++)
		frame->plain = false;
	pmu_tree_hide(self);
}

static struct pmu_node *begin_long(struct pmu_thread *self, const char *text, size_t len, int *rc)
{
	struct pmu_node *parent = self->frame->node, *node;
	const char *key = pmu_text_key(text, len);
	size_t given = len;
	struct pmu_name *name;

	*rc = check_name(self, text, &len);
	if (*rc < 0)
		return NULL;
	name = pmu_tree_name(self, text, len, !pmu_tree_is_full(self));
	if (!name && pmu_tree_is_full(self))
		return refuse(self, rc);
	if (!name)
		goto no_memory;
	if (name->open && name->open->aside)
		give_up(self, name->open);
	if (name->open) {
		*rc = enter_again(self, name->open);
		return NULL;
	}
	node = pmu_tree_node(self, parent, name, rc);
	if (!node) {
		if (*rc == -ENOMEM)
			goto no_memory;
		return refuse(self, rc);
	}
	pmu_tree_remember(self, key, parent, node);
	pmu_cost_node(self, node, text, given);
	if (pmu_tree_push(self, node) < 0)
		goto no_memory;
	/* As the short way does it: its end is as much work as any other's. */
	if (given == PMU_NAME_TERMINATED && pmu_is_literal(text))
		self->frame->literal = text;
	node->name->open = node;
	pmu_row_set_open(node->row, 1);
	if (self->watch_cpu >= 0)
		pmu_node_check_cpu(self, node);
	if (self->sockets)
		begin_stay(self, node);
	return node;
no_memory:
	/* A session that ended meanwhile wants no row any more. */
	*rc = 0;
	if (__atomic_load_n(&pmu_epoch, __ATOMIC_RELAXED) != (int32_t)self->epoch)
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

	heed_aside(self, was_hidden);
	return node;
}

/* A forked child goes on in the regions that were open, from zero. */
static void open_again(struct pmu_thread *self, const struct pmu_thread *parent_thread)
{
	const struct pmu_frame *frame;

	if (!parent_thread->tree || !parent_thread->frame)
		return;
	pmu_thread_flag(self, PMU_THREAD_FORKED);
	for (frame = parent_thread->tree->frames + 1; frame <= parent_thread->frame; frame++) {
		const struct pmu_name *name = frame->node->name;

		for (uint32_t i = 0; i < (frame->count & ~PMU_FRAME_AGAIN); i++) {
			int rc;
			struct pmu_node *node = pmu_begin_uncached(self, name->text, name->len,
								   &rc);

			if (!node)
				continue;
			PMU_ROW_SET(node->row, flags, node->row->flags | PMU_STORE_ROW_INHERITED);
			pmu_node_start(self, node);
		}
	}
}

int pmu_region_enter(struct pmu_thread **self)
{
	struct pmu_thread *forked_from = NULL;
	int error = 0;

	switch (pmu_thread_enter(self, &forked_from, &error)) {
	case PMU_ENTRY_OFF:
		return 1;
	case PMU_ENTRY_INTERRUPTED:
		return -EBUSY;
	case PMU_ENTRY_FAILED:
		return error;
	case PMU_ENTRY_READY:
		break;
	}
	if (!(*self)->tree && pmu_tree_new(*self) < 0) {
		pmu_session_unbar();
		return -ENOMEM;
	}
	pmu_cost_thread(*self);
	if (forked_from)
		open_again(*self, forked_from);
	return 0;
}

/* Slots that one of the two reads could not make: nothing is added for them, and the row
 * says so. */
PMU_COLD void pmu_node_mark_missing(const struct pmu_thread *self, struct pmu_node *node,
				    uint32_t missing, uint64_t *now)
{
	PMU_ROW_SET(node->row, missing, node->row->missing | missing);
	for (uint32_t i = 0; i < self->n_slots; i++)
		if (missing & (1u << i))
			now[i] = node->start[i] = 0;
}

PMU_COLD void pmu_node_start_delayed(struct pmu_thread *self, struct pmu_node *node)
{
	struct pmu_pause pause;

	node->start_missing &= ~PMU_READ_DELAYED;
	pmu_pause_from(self, &pause, node->start_missing, node->start);
	pmu_pause_end(self, &pause, PMU_PAUSE_START, NULL);
}

/* Its own totals have been read; those around it go on. */
PMU_COLD void pmu_node_finish_odd(struct pmu_thread *self, struct pmu_node *node, uint32_t missing,
				  uint64_t *now)
{
	struct pmu_pause pause;

	if (missing & PMU_READ_DELAYED) {
		missing &= ~PMU_READ_DELAYED;
		pmu_pause_from(self, &pause, missing, now);
		pmu_pause_end(self, &pause, PMU_PAUSE_FINISH, node);
	}
	if (missing)
		pmu_node_mark_missing(self, node, missing, now);
}

/* One end of a region that was entered more than once; true when it was the outermost. */
static bool leave_one(struct pmu_thread *self, struct pmu_node *node)
{
	uint32_t open = node->row->open;

	if (open == 1)
		return true;
	pmu_publish_inner_call(self, node);
	pmu_row_set_open(node->row, open - 1);
	return false;
}

static int end_unbegun(struct pmu_thread *self, const char *text, size_t len)
{
	struct pmu_name *name = pmu_tree_name(self, text, len, !pmu_tree_is_full(self));
	struct pmu_node *node = NULL;
	int error;

	if (name)
		node = name->nodes ? name->nodes
				   : pmu_tree_node(self, self->tree->root, name, &error);
	if (node)
		PMU_ROW_SET(node->row, unbegun, node->row->unbegun + 1);
	return pmu_fail(ENOENT, "region \"%.*s\" is not open on this thread", (int)len, text);
}

/*
 * Ends that are not of the innermost region entered once: re-entered ones, those below
 * the top (which set aside what is above them), those set aside, and those never begun.
 */
static int end_long(struct pmu_thread *self, const char *text, size_t len, uint64_t ticks,
		    uint32_t missing, uint64_t *now, struct pmu_node **ended)
{
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
			struct pmu_node *above = self->frame--->node;

			/* One entered again has another frame below and goes on as a
			 * parent. */
			if (above != node && !frame_of(self, above) && !above->aside)
				pmu_tree_set_aside(self, above);
		}
		if ((--frame->count & ~PMU_FRAME_AGAIN) == 0)
			self->frame--;
	}
	*ended = node;
	if (!leave_one(self, node)) {
		if (!frame_of(self, node) && !node->aside)
			pmu_tree_set_aside(self, node);
		return 0;
	}
	pmu_cost_overlap(self, node);
	if (node->aside)
		PMU_ROW_SET(node->row, flags, node->row->flags | PMU_STORE_ROW_OVERLAP);
	if (node->row->flags & PMU_STORE_ROW_PARTIAL)
		pmu_checkpoint_finish(self, node, ticks, missing, now);
	else
		pmu_node_finish(self, node, ticks, missing, now);
	if (self->sockets)
		pmu_stay_end(self, pmu_node_stay(self, node),
			     node->aside ? PMU_STORE_ROW_OVERLAP : 0);
	if (node->aside)
		pmu_tree_no_longer_aside(self, node);
	return 0;
}

PMU_COLD int pmu_end_other(struct pmu_thread *self, const char *text, size_t len, uint64_t ticks,
			   uint32_t missing, uint64_t *now)
{
	struct pmu_node *ended = NULL;
	struct pmu_pause pause;
	bool was_hidden;
	int rc;

	missing &= ~PMU_READ_DELAYED; /* none of what follows is in any region */
	pmu_pause_from(self, &pause, missing, now);
	was_hidden = pmu_tree_show(self);
	rc = end_long(self, text, len, ticks, missing, now, &ended);
	heed_aside(self, was_hidden);
	pmu_pause_end(self, &pause, ended && ended->row->open ? PMU_PAUSE_END_AGAIN : PMU_PAUSE_END,
		      ended);
	return rc;
}
