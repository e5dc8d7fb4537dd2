/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a stand-in does is in no region.  The counters are read before it and behind it, and every region that is open then starts
 * that much later; for those that it begins and ends meanwhile the counters stand still.
 */
#include "region/aside/aside.h"

#include <errno.h>

#include "base/aside.h"
#include "pmu.h"
#include "region/guarded.h"
#include "region/off.h"
#include "region/slow.h"
#include "region/text.h"
#include "region/turn.h"

_Static_assert(sizeof(struct pmu_aside_call) == PMU_ASIDE_CALL &&
		       offsetof(struct pmu_thread, time_only) == PMU_ASIDE_TIME_ONLY &&
		       offsetof(struct pmu_own, self) == 0,
	       "the way in knows this");

const struct pmu_aside_calls pmu_aside = {
	.enter = pmu_aside_enter,
	.back = pmu_aside_back,
	.begin = pmu_aside_begin,
	.end = pmu_aside_end,
	.begin_once = pmu_aside_begin_once,
	.hand_on = pmu_aside_hand_on,
};

/* --- the way in, and out --- */

/* With the session's lock, where it is not known yet: what the way itself takes.  Return: it is known. */
static PMU_COLD bool learn_aside_cost(struct pmu_thread *self)
{
	struct pmu_aside_state *aside = &self->cost->aside, was = *aside;
	int saved = errno;

	aside->at = 0; /* stand-ins of ours are called meanwhile */
	pmu_cost_way(self, PMU_BY_ASIDE);
	*aside = was;
	errno = saved;
	return self->cost->by[PMU_BY_ASIDE].known;
}

/* The read comes as early, in as many instructions, each time; how many there are after it does not matter. */
static inline __attribute__((always_inline)) void read_now(struct pmu_thread *self)
{
	struct pmu_pause *pause = &self->cost->aside.pause;
	uint32_t missing;

	self->cost->aside.ticks = pmu_thread_ticks(self);
	missing = self->read(self->counters, pause->count);
	if (unlikely(missing & PMU_READ_DELAYED))
		pmu_cost_in_time(self, pause->count);
	pause->missing = missing & ~PMU_READ_DELAYED;
}

static void start_aside(struct pmu_thread *self, struct pmu_aside_call *call, uintptr_t frame)
{
	struct pmu_aside_state *aside = &self->cost->aside;

	/*
	 * A signal handler's, within another's: it is none.  One that a jump has left was further in.
	 */
	if (unlikely(aside->at) && frame < aside->at) {
		call->around = aside->at;
		aside->at = 0;
		return;
	}
	pmu_thread_suspend(self, 1);
	read_now(self);
	aside->pause.on = true;
	aside->pause.way = PMU_BY_ASIDE;
	memset(aside->pause.compared, 0, self->n_slots * sizeof(*aside->pause.compared));
	aside->begun = NULL;
	if (unlikely(pmu_was_off(self)))
		pmu_off_look(self, NULL);
	aside->at = frame;
	if (unlikely(!self->cost->by[PMU_BY_ASIDE].known) && !learn_aside_cost(self)) {
		aside->at = 0;
		pmu_thread_suspend(self, -1);
	}
}

/* Where sockets are counted every call takes the slow path, and nothing is moved. */
static bool counts_aside(const struct pmu_thread *self)
{
	return self->read && self->cost && !pmu_thread_is_watched(self);
}

void pmu_aside_in(struct pmu_aside_call *call, uintptr_t frame)
{
	int32_t epoch = pmu_load_relaxed(&pmu_epoch);
	struct pmu_thread *self = pmu_own.self;

	call->around = 0;
	call->unknown = false;
	if (unlikely(epoch < 0))
		return;
	if (unlikely(!guard_enter(self, self->guard, epoch))) {
		/* where regions are open the thread was asked to look, or a handler is here: but in a forked child */
		call->unknown = !self->tree || self->frame == self->tree->frames ||
				!pmu_load_relaxed(self->guard);
		return;
	}
	if (likely(counts_aside(self)))
		start_aside(self, call, frame);
	guard_leave(self, self->guard);
}

static void set_start(struct pmu_thread *self, struct pmu_node *node, uint32_t rough)
{
	const struct pmu_remainders *left = &self->cost->by[PMU_BY_ASIDE];
	const struct pmu_pause *pause = &self->cost->aside.pause;

	for (uint32_t i = 0; i < self->n_slots; i++) {
		node->start[i] = pause->count[i];
		if (!(rough >> i &
		      1)) /* with the others it is moved by @call when the stand-in returns */
			node->start[i] += left->begin[i] - left->call[i];
	}
	node->start_missing = pause->missing;
}

static void finish_aside(struct pmu_thread *self, enum pmu_pause_kind kind)
{
	struct pmu_aside_state *aside = &self->cost->aside;

	if (aside->begun && pmu_node_is_open(aside->begun))
		aside->begun->start_ticks = pmu_thread_ticks(self);
	aside->at = 0;
	pmu_pause_end(self, &aside->pause, kind, NULL);
	pmu_thread_suspend(self, -1);
}

/* The thread's first region was begun here: the counters could not be read before. */
static PMU_COLD void finish_first(struct pmu_thread *self)
{
	struct pmu_aside_state *aside = &self->cost->aside;
	struct pmu_node *node = self->frame->node;

	if (self->frame != self->tree->frames + 1 || !pmu_node_is_open(node) ||
	    !(self->cost->by[PMU_BY_ASIDE].known || learn_aside_cost(self)))
		return;
	memset(&aside->pause, 0, sizeof(aside->pause));
	aside->pause.on = true;
	aside->pause.way = PMU_BY_ASIDE;
	aside->begun = node;
	set_start(self, node, self->cost->by[PMU_BY_ASIDE].rough);
	pmu_thread_suspend(self, 1);
	finish_aside(self, PMU_PAUSE_CALL);
}

void pmu_aside_out(const struct pmu_aside_call *call, uintptr_t frame)
{
	int32_t epoch = pmu_load_relaxed(&pmu_epoch);
	struct pmu_thread *self = pmu_own.self;

	if (unlikely(epoch < 0) || unlikely(!guard_enter(self, self->guard, epoch)))
		return;
	if (likely(counts_aside(self))) {
		if (likely(self->cost->aside.at == frame))
			finish_aside(self, PMU_PAUSE_CALL);
		else if (call->around && !self->cost->aside.at)
			self->cost->aside.at = call->around;
		else if (call->unknown)
			finish_first(self);
	}
	guard_leave(self, self->guard);
}

/* --- on to another library --- */

static struct pmu_thread *thread_aside(void)
{
	struct pmu_thread *self = pmu_own.self;

	return pmu_load_relaxed(&pmu_epoch) >= 0 && self->cost && self->cost->aside.at ? self
										       : NULL;
}

void *pmu_aside_hand_on(void *next)
{
	struct pmu_thread *self = pmu_own.self->time_only ? NULL : thread_aside();

	if (!self)
		return next;
	self->cost->aside.next = next;
	return (void *)pmu_aside_other;
}

/* What it does is the program's.  Stand-ins that it calls are not within this one. */
void *pmu_aside_go(struct pmu_aside_call *call)
{
	struct pmu_thread *self = pmu_own.self;
	struct pmu_aside_state *aside = &self->cost->aside;
	void *next = aside->next;

	call->around = aside->at;
	guard_add(self, self->guard, 1);
	finish_aside(self, PMU_PAUSE_OTHER);
	guard_leave(self, self->guard);
	return next;
}

void pmu_aside_come(const struct pmu_aside_call *call)
{
	int32_t epoch = pmu_load_relaxed(&pmu_epoch);
	struct pmu_aside_call again = { 0, false };
	struct pmu_thread *self = pmu_own.self;

	if (unlikely(epoch < 0) || unlikely(!guard_enter(self, self->guard, epoch)))
		return;
	if (likely(counts_aside(self)))
		start_aside(self, &again, call->around);
	guard_leave(self, self->guard);
}

/* --- what a stand-in begins and ends --- */

/* Readers take off from a region around what its pairs see on the fast path; it has seen none of that. */
static uint64_t owed(const struct pmu_thread *self, enum pmu_pause_kind kind,
		     const struct pmu_node *node, uint32_t slot)
{
	uint64_t outer = node->row->outer[1 + slot];

	switch (kind) {
	case PMU_PAUSE_BEGIN:
		return pmu_cost_of_begin(self, node, slot);
	case PMU_PAUSE_END:
	case PMU_PAUSE_END_DETACHED:
		return outer - pmu_cost_of_begin(self, node, slot);
	case PMU_PAUSE_END_AGAIN:
		return outer;
	default:
		return 0;
	}
}

void pmu_aside_note(struct pmu_thread *self, enum pmu_pause_kind kind, struct pmu_node *node)
{
	uint32_t rough = self->cost->by[PMU_BY_ASIDE].rough | self->cost->by[PMU_BY_TEXT].rough;
	bool detached;

	if (!node)
		return;
	detached = kind == PMU_PAUSE_END_DETACHED ||
		   (kind == PMU_PAUSE_END_AGAIN && node->detached);
	if (kind == PMU_PAUSE_BEGIN)
		set_start(self, node, rough);
	for (uint32_t i = 0; i < self->n_slots; i++) {
		uint64_t more = owed(self, kind, node, i);

		if (rough >> i & 1)
			continue;
		if (kind == PMU_PAUSE_END_AGAIN)
			node->start[i] -= self->rows.record->inner[i];
		for (struct pmu_node *around = node->parent; around && around->row;
		     around = around->parent)
			if (pmu_node_has_seen(around, node, detached))
				around->start[i] -= more;
	}
}

/* As begin looks it up. */
static struct pmu_node *find_closed(const struct pmu_thread *self, const char *name)
{
	struct pmu_node *node;
	struct pmu_text text;

	if (pmu_is_literal(name))
		return pmu_tree_lookup_closed(self, name);
	text = pmu_text_take(self, name);
	if (pmu_text_is_none(&text))
		return NULL;
	node = pmu_tree_lookup_closed(self, pmu_text_taken_key(&text, name));
	if (!node || text.is_long)
		return node && pmu_name_is_text(node->name, name) ? node : NULL;
	return pmu_text_is(&text, node->name) ? node : NULL;
}

static struct pmu_node *open_region(struct pmu_thread *self, const char *name, int *rc)
{
	struct pmu_node *node = find_closed(self, name);

	*rc = 0;
	if (!node)
		return pmu_begin_uncached(self, name, PMU_NAME_TERMINATED, rc);
	pmu_node_open(self, node, pmu_is_literal(name) ? name : PMU_FRAME_TEXT);
	return node;
}

static int begin_here(struct pmu_thread *self, const char *name)
{
	struct pmu_aside_state *aside = &self->cost->aside;
	struct pmu_node *node;
	int rc;

	aside->works = true;
	node = open_region(self, name, &rc);
	aside->works = false;
	if (!node)
		return rc;
	if (self->watch_cpu >= 0)
		pmu_node_check_cpu(self, node);
	node->start_ticks = aside->ticks;
	aside->begun = node;
	pmu_aside_note(self, PMU_PAUSE_BEGIN, node);
	return 0;
}

/* Another group's counters, and its tree: nothing is open, and what was read here is over. */
static PMU_COLD int begin_aside_turned(struct pmu_thread *self, const char *name)
{
	struct pmu_aside_call again = { 0, false };
	uintptr_t frame = self->cost->aside.at;
	int rc;

	finish_aside(self, PMU_PAUSE_CALL);
	guard_leave(self, self->guard);
	rc = pmu_region_begin(name);
	pmu_aside_in(&again, frame);
	self = thread_aside();
	if (self && !rc && self->frame == self->tree->frames + 1) {
		set_start(self, self->frame->node, self->cost->by[PMU_BY_ASIDE].rough);
		self->cost->aside.begun = self->frame->node;
	}
	return rc;
}

static __attribute__((noinline)) int begin_aside_counted(const char *name)
{
	struct pmu_thread *self = thread_aside();
	int saved = errno, rc;

	if (!self || !guard_enter(self, self->guard, pmu_load_relaxed(&pmu_epoch)))
		return pmu_region_begin(name);
	if (self->rotates && pmu_turn_is_due(self)) {
		rc = begin_aside_turned(self, name);
	} else {
		rc = begin_here(self, name);
		guard_leave(self, self->guard);
	}
	errno = saved;
	return rc;
}

/* Of time only it is a few instructions more than the call itself. */
int pmu_aside_begin(const char *name)
{
	return pmu_own.self->time_only ? pmu_region_begin(name) : begin_aside_counted(name);
}

static int end_here(struct pmu_thread *self, const char *name)
{
	const struct pmu_remainders *left = &self->cost->by[PMU_BY_ASIDE];
	struct pmu_aside_state *aside = &self->cost->aside;
	struct pmu_frame *frame = self->frame;
	struct pmu_node *node = frame->node;
	int rc;

	for (uint32_t i = 0; i < self->n_slots; i++)
		self->now[i] = aside->pause.count[i] - left->inner[i];
	if (self->watch_cpu >= 0 && node->row)
		pmu_node_check_cpu(self, node);
	if (name && (frame->literal == name ||
		     (frame->literal == PMU_FRAME_TEXT && pmu_name_is_text(node->name, name)))) {
		self->frame = frame - 1;
		pmu_node_finish_special(self, node, PMU_BY_TEXT, aside->ticks, aside->pause.missing,
					self->now);
		pmu_aside_note(self, PMU_PAUSE_END, node);
		return 0;
	}
	aside->works = true;
	rc = pmu_end_other(self, name, PMU_NAME_TERMINATED, aside->ticks, aside->pause.missing,
			   self->now);
	aside->works = false;
	return rc;
}

static __attribute__((noinline)) int end_counted(const char *name)
{
	struct pmu_thread *self = thread_aside();
	int saved = errno, rc;

	if (!self || !guard_enter(self, self->guard, pmu_load_relaxed(&pmu_epoch)))
		return pmu_region_end(name);
	rc = end_here(self, name);
	guard_leave(self, self->guard);
	errno = saved;
	return rc;
}

int pmu_aside_end(const char *name)
{
	return pmu_own.self->time_only ? pmu_region_end(name) : end_counted(name);
}

/* --- one that does not enter a region again --- */

int pmu_aside_begin_once(const char *name)
{
	return name && *name && pmu_region_is_open(name) > 0 ? -EALREADY : pmu_aside_begin(name);
}
