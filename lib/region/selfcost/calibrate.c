/* SPDX-License-Identifier: BSD-3-Clause */
/* Measuring the library with itself: pairs of a node, and when all of it is done. */
#include "region/selfcost/selfcost.h"

#include "base/signals.h"
#include "region/selfcost/measure.h"
#include "region/text.h"
#include "session/session.h"

/* A name with its NUL, and a part of a page, so that it lies within one. */
#define TEXT_ROOM ((size_t)1024)
_Static_assert(TEXT_ROOM > PMU_NAME_MAX, "it has room for each name");

static pmu_call_fn *volatile public_begin = pmu_region_begin, *volatile public_end = pmu_region_end;
static pmu_call_n_fn *volatile public_begin_n = pmu_region_begin_n, *volatile public_end_n =
									    pmu_region_end_n;
/* --- the library to itself --- */

static void be_social(const sigset_t *signals)
{
	pmu_control_recall();
	pmu_session_unlock();
	pmu_signals_release(signals);
}

/*
 * No group changes and no session ends meanwhile: calls stay on the ways that are measured.  A
 * handler's regions wait: they would be part of it.
 */
static bool be_alone(const struct pmu_thread *self, sigset_t *signals)
{
	pmu_signals_hold(signals);
	pmu_session_lock();
	if (pmu_session_epoch() == (int32_t)self->epoch) {
		pmu_control_postpone();
		return true;
	}
	be_social(signals);
	return false;
}

/* This thread is in a call; what it measures are calls from outside. */
struct inside {
	int inside;
	uint64_t *switched; /* hidden already, where pairs are measured within a scene */
	int suspended;      /* see struct pmu_backend */
};

static struct inside step_outside(struct pmu_thread *self)
{
	struct inside was = { .inside = pmu_own.inside, .switched = self->switched };

	pmu_own.inside = 0;
	*self->guard = PMU_GUARD_OUTSIDE(self->epoch);
	self->switched = pmu_waits_hidden(&self->waits);
	if (self->suspends)
		was.suspended = self->backend->suspend(self->counters, 0);
	if (was.suspended)
		self->backend->suspend(self->counters, -was.suspended);
	pmu_compiler_barrier();
	return was;
}

static void step_back_inside(struct pmu_thread *self, struct inside was)
{
	pmu_compiler_barrier();
	if (was.suspended)
		self->backend->suspend(self->counters, was.suspended);
	*self->guard = self->epoch;
	pmu_own.inside = was.inside;
	self->switched = was.switched;
}

/* --- a pair, from outside --- */

struct bracket {
	uint64_t ticks;
	uint64_t from[PMU_MAX_SLOTS], to[PMU_MAX_SLOTS];
};

/* These three differ in nothing but the calls. */
static __attribute__((noinline)) void read_twice(struct pmu_thread *self, struct bracket *b)
{
	self->read(self->counters, b->from);
	self->read(self->counters, b->to);
	PMU_NO_TAIL_CALL();
}

static __attribute__((noinline)) void read_pair(struct pmu_thread *self, struct bracket *b,
						const char *text)
{
	pmu_call_fn *begin = public_begin, *end = public_end;

	self->read(self->counters, b->from);
	begin(text);
	end(text);
	self->read(self->counters, b->to);
	PMU_NO_TAIL_CALL();
}

static __attribute__((noinline)) void read_pair_n(struct pmu_thread *self, struct bracket *b,
						  const char *text, size_t len)
{
	pmu_call_n_fn *begin = public_begin_n, *end = public_end_n;

	self->read(self->counters, b->from);
	begin(text, len);
	end(text, len);
	self->read(self->counters, b->to);
	PMU_NO_TAIL_CALL();
}

static void call_pair(const char *text, size_t len)
{
	if (len == PMU_NAME_TERMINATED) {
		public_begin(text);
		public_end(text);
	} else {
		public_begin_n(text, len);
		public_end_n(text, len);
	}
}

/* Without @text: nothing between the reads. */
static void run_bracket(struct pmu_thread *self, struct bracket *b, const char *text, size_t len)
{
	uint64_t start = pmu_clock_ticks(self->clock);

	if (self->read && !text)
		read_twice(self, b);
	else if (self->read && len == PMU_NAME_TERMINATED)
		read_pair(self, b, text);
	else if (self->read)
		read_pair_n(self, b, text, len);
	else if (text)
		call_pair(text, len);
	b->ticks = pmu_clock_ticks(self->clock) - start;
}

static uint16_t fit(uint64_t value)
{
	return value > UINT16_MAX ? UINT16_MAX : (uint16_t)value;
}

static uint64_t less_or_zero(uint64_t value, uint64_t part)
{
	return value > part ? value - part : 0;
}

static void find_least_once(struct pmu_thread *self, struct pmu_least *least,
			    const struct pmu_node *node, const char *text, size_t len)
{
	struct bracket b;

	memset(least, 0xff, sizeof(*least));
	for (int k = 0; k < PMU_MEASURE_REPEATS; k++) {
		run_bracket(self, &b, text, len);
		pmu_keep_less(&least->ticks, b.ticks);
		for (uint32_t i = 0; self->read && i < self->n_slots; i++) {
			pmu_keep_count(least, i, b.to[i] - b.from[i]);
			if (node)
				pmu_keep_less(&least->begin[i], node->start[i] - b.from[i]);
		}
	}
}

static void find_least(struct pmu_thread *self, struct pmu_least *least,
		       const struct pmu_node *node, const char *text, size_t len)
{
	for (int k = 0; k < PMU_MEASURE_ATTEMPTS; k++) {
		find_least_once(self, least, node, text, len);
		if (!self->read || pmu_is_steady(self, pmu_way_of_length(len), least))
			return;
	}
}

static void set_outer(struct pmu_thread *self, struct pmu_node *node, const struct pmu_least *none,
		      const struct pmu_least *pair)
{
	struct pmu_store_row *row = node->row;
	uint64_t *begin = pmu_node_begin_cost(self, node);

	row->outer[0] = fit(less_or_zero(pair->ticks, none->ticks) >> self->rows.outer_shift);
	for (uint32_t i = 0; self->read && i < self->n_slots; i++) {
		if (self->cost->unknown >> i & 1 || pair->times[i] < PMU_MEASURE_STEADY ||
		    none->times[i] < PMU_MEASURE_STEADY)
			continue;
		row->outer[1 + i] = fit(less_or_zero(pair->count[i], none->count[i]));
		begin[i] = pair->begin[i];
	}
}

/*
 * What is counted of a node's calls goes there; what it was is there then.  A row that has no
 * histogram gets none.
 */
static void swap_histogram(struct pmu_thread *self, struct pmu_node *node,
			   struct pmu_store_histogram **other)
{
	struct pmu_store_histogram **at = pmu_node_histogram(self, node), *is;

	if (!self->histograms || !*at)
		return;
	is = *at;
	*at = *other;
	*other = is;
}

/*
 * What a text is compared in depends on where it lies only where it lies across the end of a page:
 * a copy that does not is measured in its place.
 */
static const char *within_a_page(struct pmu_thread *self, struct pmu_node *node, const char *text,
				 size_t len)
{
	char *copy = self->cost->text;

	if (!self->read || pmu_text_kind(text, len) != PMU_KIND_TEXT)
		return text;
	memcpy(copy, node->name->text, (size_t)node->name->len + 1);
	pmu_tree_remember(self, pmu_tree_key(self, copy, len), node->parent, node);
	return copy;
}

/* A long text's address is in its key, so that no other one of the same name is found by it. */
static void forget_copy(struct pmu_thread *self, const struct pmu_node *node)
{
	if (node->name->len >= PMU_NAME_SHORT)
		pmu_tree_forget(self, pmu_tree_key(self, self->cost->text, PMU_NAME_TERMINATED),
				node->parent);
}

/* Its pairs are real ones, but for the row: nothing of them is in the results. */
static void measure_pairs(struct pmu_thread *self, struct pmu_node *node, const char *text,
			  size_t len)
{
	struct pmu_store_histogram *histogram = self->cost->histogram;
	struct pmu_trace trace = pmu_trace_aside(self);
	struct pmu_node_row real = pmu_node_use_row(node, pmu_node_row(self, self->cost->row));
	struct pmu_least *none = self->cost->none, pair;
	struct inside inside;

	swap_histogram(self, node, &histogram);
	inside = step_outside(self);
	find_least(self, none, NULL, NULL, 0);
	find_least(self, &pair, node, text, len);
	step_back_inside(self, inside);
	swap_histogram(self, node, &histogram);
	pmu_node_use_row(node, real);
	node->start_ticks = 0; /* has_started(): none of its calls has */
	self->trace = trace;
	set_outer(self, node, none, &pair);
}

static void measure_node(struct pmu_thread *self, struct pmu_node *node, const char *text,
			 size_t len)
{
	enum pmu_measuring was = self->measuring;
	uint32_t limit = self->text_limit;

	self->measuring = PMU_MEASURING_NODE;
	self->text_limit = PMU_TEXT_LIMIT;
	text = within_a_page(self, node, text, len);
	measure_pairs(self, node, text, len);
	if (text == self->cost->text)
		forget_copy(self, node);
	self->text_limit = limit;
	self->measuring = was;
}

void pmu_cost_node(struct pmu_thread *self, struct pmu_node *node, const char *text, size_t len)
{
	sigset_t signals;

	if (node->measured || !self->cost || pmu_thread_is_watched(self))
		return;
	node->measured = true;
	node->kind = (uint8_t)pmu_text_kind(text, len);
	if (self->measuring) {
		measure_node(self, node, text, len);
	} else if (be_alone(self, &signals)) {
		measure_node(self, node, text, len);
		be_social(&signals);
	}
}

/* --- a tree that is not kept --- */

/* What a thread has of its tree. */
struct stage {
	struct pmu_tree_place place;
	struct pmu_arena_mark mark;
	uint64_t last_end;
};

/* Plays scenes in a tree that is not kept. */
static void measure(struct pmu_thread *self, enum pmu_way way)
{
	struct stage real = { pmu_tree_place(self), pmu_arena_mark(&self->arena),
			      self->rows.record->last_end };
	struct pmu_trace trace = pmu_trace_aside(self);
	uint32_t limit = self->text_limit;
	struct inside inside;

	self->measuring = PMU_MEASURING_ALL;
	self->text_limit = PMU_TEXT_LIMIT;
	if (pmu_tree_new(self) == 0) {
		inside = step_outside(self);
		if (way == PMU_BY_TEXT)
			pmu_scenes_inner(self);
		if (self->read && !pmu_thread_is_watched(self))
			pmu_scenes_remainders(self, way);
		step_back_inside(self, inside);
	}
	self->measuring = PMU_MEASURING_NOTHING;
	self->text_limit = limit;
	self->trace = trace;
	pmu_tree_return(self, &real.place);
	self->rows.record->last_end = real.last_end;
	self->cost->open = NULL;
	self->cost->open_room = 0;
	pmu_arena_rewind(&self->arena, real.mark);
}

/* A source that can be suspended counts nothing in a signal handler: there nothing can be measured. */
static bool counts_stand_still(const struct pmu_thread *self)
{
	uint64_t now[PMU_MAX_SLOTS];

	return self->suspends &&
	       self->read(self->counters, now) & ~(pmu_thread_missing(self) | PMU_READ_DELAYED);
}

void pmu_cost_way(struct pmu_thread *self, enum pmu_way way)
{
	sigset_t signals;

	if (!self->cost || self->cost->by[way].known || self->measuring || !self->read ||
	    pmu_thread_is_watched(self) || counts_stand_still(self) || !be_alone(self, &signals))
		return;
	measure(self, way);
	be_social(&signals);
}

void pmu_cost_thread(struct pmu_thread *self)
{
	sigset_t signals;

	/* Sockets have a place for every region: there are none of a tree that is not kept. */
	if (self->cost || self->sockets || !be_alone(self, &signals))
		return;
	self->cost = pmu_arena_alloc(&self->arena, sizeof(*self->cost), 8);
	if (self->cost)
		self->cost->row = pmu_arena_alloc(&self->arena, pmu_row_size(self->n_slots), 64);
	if (self->cost)
		self->cost->text = pmu_arena_alloc(&self->arena, TEXT_ROOM, TEXT_ROOM);
	if (self->cost)
		self->cost->none = pmu_arena_alloc(&self->arena, sizeof(*self->cost->none), 8);
	if (self->cost && self->histograms)
		self->cost->histogram = pmu_arena_alloc(&self->arena,
							sizeof(*self->cost->histogram), 64);
	if (self->cost && self->cost->row && self->cost->text && self->cost->none &&
	    !(self->histograms && !self->cost->histogram))
		measure(self, PMU_BY_TEXT);
	else
		self->cost = NULL;
	be_social(&signals);
}
