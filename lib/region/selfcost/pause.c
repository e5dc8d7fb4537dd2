/* SPDX-License-Identifier: BSD-3-Clause */
/* What a call does on the slow path is in no region: every open one starts that much later. */
#include "region/aside/aside.h"
#include "region/selfcost/selfcost.h"
#include "region/slow.h"
#include "region/team.h"

/* How many more counts than those between the two reads an open region must not see. */
typedef uint64_t extra_fn(const struct pmu_thread *self, const struct pmu_remainders *left,
			  const struct pmu_node *open, const struct pmu_node *node, uint32_t slot);

static bool is_ancestor(const struct pmu_node *above, const struct pmu_node *node)
{
	while (node && node != above)
		node = node->parent;
	return node == above;
}

static bool is_around(const struct pmu_node *above, const struct pmu_node *node, bool detached)
{
	return is_ancestor(above, node) && pmu_node_has_seen(above, node, detached);
}

static uint64_t inner_of(const struct pmu_thread *self, uint32_t slot)
{
	return self->rows.record->inner[slot];
}

static uint64_t outer_of(const struct pmu_node *node, uint32_t slot)
{
	return node->row->outer[1 + slot];
}

/*
 * Those around it see a begin as it is on the fast path; others, which are detached, none at all.
 */
static uint64_t beside_begin(const struct pmu_thread *self, const struct pmu_remainders *left,
			     const struct pmu_node *open, const struct pmu_node *node,
			     uint32_t slot)
{
	return left->begin[slot] - (is_ancestor(open, node) ? pmu_node_begin_cost(self, node)[slot]
							    : left->overlap[slot]);
}

/* Those around it see an end as it is on the fast path; others, begun after it, none at all. */
static uint64_t beside_end(const struct pmu_thread *self, const struct pmu_remainders *left,
			   const struct pmu_node *open, const struct pmu_node *node, uint32_t slot)
{
	uint64_t end = left->end[slot];

	if (!node || !is_ancestor(open, node))
		return end + left->alien[slot];
	return end - (outer_of(node, slot) - pmu_node_begin_cost(self, node)[slot]);
}

static uint64_t beside_end_detached(const struct pmu_thread *self,
				    const struct pmu_remainders *left, const struct pmu_node *open,
				    const struct pmu_node *node, uint32_t slot)
{
	return beside_end(self, left, open, is_around(open, node, true) ? node : NULL, slot);
}

/*
 * The reader takes inner off for each call, also for one inside another of the same region, and
 * outer in those around.
 */
static uint64_t beside_end_again(const struct pmu_thread *self, const struct pmu_remainders *left,
				 const struct pmu_node *open, const struct pmu_node *node,
				 uint32_t slot)
{
	uint64_t all = left->end_again[slot];

	if (open == node)
		return all - inner_of(self, slot);
	return is_around(open, node, node->detached) ? all - outer_of(node, slot) : all;
}

/* The region itself started late. */
static uint64_t beside_start(const struct pmu_thread *self, const struct pmu_remainders *left,
			     const struct pmu_node *open, const struct pmu_node *node,
			     uint32_t slot)
{
	return left->start[slot] + (open == node ? 0 : pmu_cost_late(self, slot));
}

/* All of an end from its read on, of which those around it see what is on the fast path. */
static uint64_t beside_finish(const struct pmu_thread *self, const struct pmu_remainders *left,
			      const struct pmu_node *open, const struct pmu_node *node,
			      uint32_t slot)
{
	(void)open;
	return left->finish[slot] - (outer_of(node, slot) - pmu_node_begin_cost(self, node)[slot]);
}

static extra_fn *const extras[PMU_PAUSE_KINDS] = {
	[PMU_PAUSE_BEGIN] = beside_begin,
	[PMU_PAUSE_END] = beside_end,
	[PMU_PAUSE_END_DETACHED] = beside_end_detached,
	[PMU_PAUSE_END_AGAIN] = beside_end_again,
	[PMU_PAUSE_START] = beside_start,
	[PMU_PAUSE_FINISH] = beside_finish,
};

/* Of those that are as much for every region: where in struct pmu_remainders. */
static const size_t constants[PMU_PAUSE_KINDS] = {
	[PMU_PAUSE_REFUSED] = offsetof(struct pmu_remainders, refused),
	[PMU_PAUSE_AGAIN] = offsetof(struct pmu_remainders, again),
	[PMU_PAUSE_END_MARK] = offsetof(struct pmu_remainders, end_again),
	[PMU_PAUSE_SAVE] = offsetof(struct pmu_remainders, save),
	[PMU_PAUSE_CALL] = offsetof(struct pmu_remainders, call),
	[PMU_PAUSE_RESTART] = offsetof(struct pmu_remainders, restart),
	[PMU_PAUSE_OTHER] = offsetof(struct pmu_remainders, other),
	[PMU_PAUSE_GET] = offsetof(struct pmu_remainders, get),
	[PMU_PAUSE_FIND] = offsetof(struct pmu_remainders, find),
	[PMU_PAUSE_ALONE] = offsetof(struct pmu_remainders, alone),
	[PMU_PAUSE_LEAVE] = offsetof(struct pmu_remainders, leave),
	[PMU_PAUSE_SKIP] = offsetof(struct pmu_remainders, skip),
	[PMU_PAUSE_OFF_BEGIN] = offsetof(struct pmu_remainders, off_begin),
	[PMU_PAUSE_OFF_END] = offsetof(struct pmu_remainders, off_end),
};

static uint64_t beside(const struct pmu_thread *self, const struct pmu_remainders *left,
		       enum pmu_pause_kind kind, const struct pmu_node *open,
		       const struct pmu_node *node, uint32_t slot)
{
	if (kind == PMU_PAUSE_NOTHING)
		return 0;
	return extras[kind] ? extras[kind](self, left, open, node, slot)
			    : ((const uint64_t *)(const void *)((const char *)left +
								constants[kind]))[slot];
}

/* Is anything open that must not see what follows, and can that be told? */
static bool needs_pause(const struct pmu_thread *self)
{
	return self->read && self->cost && self->measuring != PMU_MEASURING_NODE &&
	       !pmu_thread_is_watched(self) &&
	       (self->frame > self->tree->frames || self->tree->detached);
}

void pmu_pause_from(struct pmu_thread *self, struct pmu_pause *pause, enum pmu_way way,
		    uint32_t missing, const uint64_t *count)
{
	pause->on = needs_pause(self);
	if (!pause->on)
		return;
	pause->way = self->cost->by[way].known ? way : PMU_BY_TEXT;
	pause->missing = missing & ~PMU_READ_DELAYED;
	memcpy(pause->count, count, self->n_slots * sizeof(*count));
	memset(pause->compared, 0, self->n_slots * sizeof(*count));
}

/*
 * The read comes first: what is found out after it, in more or fewer instructions, is in no region.
 */
void pmu_pause_begin(struct pmu_thread *self, struct pmu_pause *pause, enum pmu_way way)
{
	uint64_t now[PMU_MAX_SLOTS];
	uint32_t missing;

	pause->on = false;
	if (!self->read)
		return;
	missing = self->read(self->counters, now);
	if (unlikely(missing & PMU_READ_DELAYED) && self->cost)
		pmu_cost_in_time(self, now);
	pmu_pause_from(self, pause, way, missing, now);
}

void pmu_pause_learn(struct pmu_thread *self, struct pmu_pause *pause, enum pmu_way way)
{
	pmu_cost_way(self, way);
	if (pause->on && self->cost->by[way].known)
		pause->way = way;
}

/* The same comparison as often; one that an interrupt or a switch comes into is not what it took. */
#define COMPARISONS 3

/* What one more counts, if that is less than before.  Return: slots that could not be read. */
static uint32_t compare_once(struct pmu_thread *self, const struct pmu_name *name, const char *text,
			     size_t len, uint64_t *least)
{
	uint64_t from[PMU_MAX_SLOTS], to[PMU_MAX_SLOTS];
	uint32_t missing;
	bool same;

	do {
		missing = self->read(self->counters, from);
		same = pmu_name_is(name, text, len);
		__asm__ volatile("" : : "r"(same)); /* the compiler must compare */
		missing |= self->read(self->counters, to);
	} while (unlikely(missing & PMU_READ_DELAYED));
	for (uint32_t i = 0; i < self->n_slots; i++)
		if (to[i] - from[i] < least[i])
			least[i] = to[i] - from[i];
	return missing;
}

void pmu_pause_compare(struct pmu_thread *self, struct pmu_pause *pause,
		       const struct pmu_name *name, const char *text, size_t len)
{
	if (!pause->on || !text)
		return;
	memset(pause->compared, 0xff, self->n_slots * sizeof(*pause->compared));
	for (int i = 0; i < COMPARISONS; i++)
		pause->missing |= compare_once(self, name, text, len, pause->compared);
	for (uint32_t i = 0; i < self->n_slots; i++)
		pause->compared[i] += self->cost->by[pause->way].compare[i];
}

struct listing {
	struct pmu_node **open; /* NULL: they are only counted */
	const struct pmu_node *but;
	size_t n;
};

static void list_node(void *arg, struct pmu_node *node)
{
	struct listing *listing = arg;

	if (node == listing->but)
		return;
	if (listing->open)
		listing->open[listing->n] = node;
	listing->n++;
}

/*
 * Open regions, each once, however often it was entered again; all of them into @open, where there
 * is one.
 */
static size_t list_open_nodes(const struct pmu_thread *self, struct pmu_node **open,
			      const struct pmu_node *but)
{
	struct listing listing = { open, but, 0 };

	pmu_tree_each_open(self, list_node, &listing);
	return listing.n;
}

static bool make_open_room(struct pmu_thread *self)
{
	size_t need = list_open_nodes(self, NULL, NULL), room = 2 * need + 16;

	if (need <= self->cost->open_room)
		return true;
	self->cost->open = pmu_arena_alloc(&self->arena, room * sizeof(*self->cost->open), 8);
	self->cost->open_room = self->cost->open ? room : 0;
	return self->cost->open;
}

/* All that is known before the second read; what comes after it is as much for each open region. */
static void move_by_extras(const struct pmu_thread *self, const struct pmu_pause *pause,
			   enum pmu_pause_kind kind, const struct pmu_node *node, size_t n)
{
	const struct pmu_remainders *left = &self->cost->by[pause->way];
	/* of context it is something else */
	const uint64_t *each = self->cost->by[PMU_BY_TEXT].each;

	for (size_t k = 0; k < n; k++) {
		struct pmu_node *open = self->cost->open[k];

		for (uint32_t i = 0; i < self->n_slots; i++) {
			open->start[i] -= pause->count[i];
			if (!(left->rough >> i & 1))
				open->start[i] += beside(self, left, kind, open, node, i) +
						  pause->compared[i] + (n - 1) * each[i];
		}
	}
}

static void move_by_now(struct pmu_node *const *open, size_t n, uint32_t n_slots,
			const uint64_t *now)
{
	for (size_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < n_slots; i++)
			open[k]->start[i] += now[i];
}

/*
 * A source that can be suspended, in a signal handler: nothing is counted for what it interrupted,
 * and nothing to be moved.
 */
static bool stands_still(const struct pmu_thread *self, const struct pmu_pause *pause)
{
	uint64_t now[PMU_MAX_SLOTS];

	return self->suspends && (pause->missing | self->read(self->counters, now)) &
					 ~(pmu_thread_missing(self) | PMU_READ_DELAYED);
}

/* Slots that one of the reads could not make are not known in any region that is open. */
static void mark_missing(const struct pmu_thread *self, uint32_t missing, size_t n)
{
	for (size_t k = 0; k < n; k++)
		self->cost->open[k]->start_missing |= missing;
}

/* Around all that moves them, for signal handlers. */
static inline void note_moving(const struct pmu_thread *self, enum pmu_moving moving)
{
	pmu_compiler_barrier();
	self->cost->moving = moving;
	pmu_compiler_barrier();
}

void pmu_pause_end(struct pmu_thread *self, const struct pmu_pause *pause, enum pmu_pause_kind kind,
		   struct pmu_node *node)
{
	uint64_t now[PMU_MAX_SLOTS];
	uint32_t missing;
	size_t n;

	if (unlikely(pmu_aside_works(self))) {
		pmu_aside_note(self, kind, node);
		return;
	}
	if (!pause->on || !make_open_room(self) || unlikely(stands_still(self, pause)))
		return;
	n = list_open_nodes(self, self->cost->open, kind == PMU_PAUSE_BEGIN ? node : NULL);
	note_moving(self, PMU_MOVING_NOW);
	move_by_extras(self, pause, kind, node, n);
	note_moving(self, PMU_MOVING_FROM_ZERO);
	do
		missing = pause->missing | self->read(self->counters, now);
	while (unlikely(missing & PMU_READ_DELAYED));
	if (unlikely(missing & ~pmu_thread_missing(self)))
		mark_missing(self, missing, n);
	note_moving(self, PMU_MOVING_NOW);
	move_by_now(self->cost->open, n, self->n_slots, now);
	note_moving(self, PMU_MOVING_NOTHING);
}

/*
 * A region that is open has seen a begin alone of one in it: it gets what else whole pairs are, which
 * readers take off it.  @times: -1: that again
 */
static void see_whole(const struct pmu_thread *self, struct pmu_node *open,
		      const struct pmu_node *node, uint64_t times)
{
	uint32_t rough = pmu_cost_fast(self, node)->rough;

	for (uint32_t i = 0; i < self->n_slots; i++)
		if (!(rough >> i & 1))
			open->start[i] -= times * ((1 + node->again) * outer_of(node, i) -
						   pmu_cost_of_begin(self, node, i));
}

static bool knows_own_cost(const struct pmu_thread *self)
{
	return self->read && self->cost && !pmu_thread_is_watched(self);
}

void pmu_cost_overlap(struct pmu_thread *self, struct pmu_node *node)
{
	const struct pmu_detached *entry;

	for (entry = self->tree->detached; knows_own_cost(self) && entry; entry = entry->next)
		if (entry->node != node && is_around(node, entry->node, true))
			see_whole(self, node, entry->node, 1);
}

/* Of a tree of its own, or of a region of another thread's. */
static bool is_open_in(const struct pmu_tree *tree, const struct pmu_node *node)
{
	return pmu_node_is_open(node) || (tree->team && tree->team->node == node);
}

static void show_whole(const struct pmu_thread *self, const struct pmu_tree *tree,
		       const struct pmu_node *node, uint64_t times)
{
	struct pmu_node *above = node->parent;

	if (!node->row)
		return;
	for (; above && above->row; above = above->parent)
		if (is_open_in(tree, above) && is_around(above, node, node->detached))
			see_whole(self, above, node, times);
}

void pmu_cost_unended(const struct pmu_thread *self, const struct pmu_node *node)
{
	if (knows_own_cost(self))
		show_whole(self, self->tree, node, 1);
}

void pmu_cost_foresee(const struct pmu_thread *self, const struct pmu_tree *tree,
		      const struct pmu_frame *innermost, bool back)
{
	uint64_t times = back ? -UINT64_C(1) : 1;
	const struct pmu_detached *entry;
	const struct pmu_frame *frame;

	if (!knows_own_cost(self))
		return;
	for (frame = pmu_frame_top(tree->frames, innermost); frame > tree->frames;
	     frame = pmu_frame_below(tree->frames, frame))
		if (!tree->team || frame->node != tree->team->node)
			show_whole(self, tree, frame->node, times);
	for (entry = tree->detached; entry; entry = entry->next)
		show_whole(self, tree, entry->node, times);
}

/* --- what was open at a fork --- */

/* A begin of a node, as those around it would have seen it. */
static void see_begin(const struct pmu_thread *self, struct pmu_node *open,
		      const struct pmu_node *node)
{
	uint32_t rough = pmu_cost_fast(self, node)->rough;

	for (uint32_t i = 0; i < self->n_slots; i++)
		if (!(rough >> i & 1))
			open->start[i] -= pmu_cost_of_begin(self, node, i);
}

static void start_anew(const struct pmu_thread *self, const struct pmu_pause *pause, size_t n)
{
	struct pmu_node *const *open = self->cost->open;
	uint64_t ticks = pmu_thread_ticks(self);

	for (size_t k = 0; k < n; k++) {
		open[k]->start_ticks = ticks;
		memcpy(open[k]->start, pause->count, self->n_slots * sizeof(*pause->count));
	}
	for (size_t k = 0; k < n; k++)
		for (struct pmu_node *above = open[k]->parent; above->row; above = above->parent)
			if (pmu_node_is_open(above))
				see_begin(self, above, open[k]);
}

void pmu_cost_restart(struct pmu_thread *self, enum pmu_way way)
{
	struct pmu_pause pause;

	pmu_thread_suspend(self, 1);
	pmu_pause_begin(self, &pause, way);
	pmu_pause_learn(self, &pause, way);
	if (pause.on && make_open_room(self))
		start_anew(self, &pause, list_open_nodes(self, self->cost->open, NULL));
	pmu_pause_end(self, &pause, PMU_PAUSE_RESTART, NULL);
	pmu_thread_suspend(self, -1);
}

/* --- public calls --- */

/* Its session and group are those that run now; what was paused goes on where measuring was switched off meanwhile. */
static struct pmu_cost *cost_of_caller(void)
{
	struct pmu_thread *self = pmu_thread_self();

	return self && self->tree && pmu_thread_is_attached(self) ? self->cost : NULL;
}

/* A report may take long: unlike what begin and end do, it is worth its time stamps. */
static void move_ticks(struct pmu_thread *self, uint64_t ticks)
{
	size_t n = make_open_room(self) ? list_open_nodes(self, self->cost->open, NULL) : 0;

	while (n-- > 0)
		self->cost->open[n]->start_ticks += ticks;
}

void pmu_region_pause(void)
{
	struct pmu_cost *cost = cost_of_caller();

	if (!cost || cost->aside.at)
		return;
	if (cost->paused) {
		cost->paused++;
		return;
	}
	pmu_thread_suspend(pmu_own.self, 1);
	if (list_open_nodes(pmu_own.self, NULL, NULL) == 0) {
		pmu_thread_suspend(pmu_own.self, -1);
		return;
	}
	cost->paused = 1;
	cost->paused_ticks = pmu_thread_ticks(pmu_own.self);
	pmu_pause_begin(pmu_own.self, &cost->pause, PMU_BY_TEXT);
}

void pmu_region_go_on(void)
{
	struct pmu_cost *cost = cost_of_caller();

	if (!cost || !cost->paused || --cost->paused)
		return;
	move_ticks(pmu_own.self, pmu_thread_ticks(pmu_own.self) - cost->paused_ticks);
	pmu_pause_end(pmu_own.self, &cost->pause, PMU_PAUSE_CALL, NULL);
	pmu_thread_suspend(pmu_own.self, -1);
}
