/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions in a tree of their own: their counts tell what calls on the slow path leave behind. */
#include "region/aside/aside.h"
#include "region/call.h"
#include "region/forked.h"
#include "region/publish.h"
#include "region/selfcost/measure.h"
#include "region/team.h"
#include "session/session.h"

static pmu_call_fn *volatile public_begin = pmu_region_begin, *volatile public_end = pmu_region_end;
static pmu_call_n_fn *volatile public_begin_n = pmu_region_begin_n, *volatile public_end_n =
									    pmu_region_end_n;
typedef int call_next_fn(enum pmu_next next);
static call_next_fn *volatile public_checkpoint = pmu_checkpoint;

static int pass_aside(void *unused)
{
	(void)unused;
	return 0;
}

/* One argument, as most of them have. */
static int other_call(const char *argument)
{
	return pmu_call_aside(pass_aside, (void *)(uintptr_t)argument);
}

static pmu_call_fn *volatile some_public_call = other_call;
typedef int first_call_fn(enum pmu_forked_call which, const char *name, size_t len);
static first_call_fn *volatile first_call = pmu_forked_call;

/* Words, so that comparing one is as much work as another. */
#define NAME_LENGTH 5

/* --- scenes --- */

/* Taken from memory before the first call. */
struct calls {
	pmu_call_fn *begin, *end;
	pmu_call_n_fn *begin_n, *end_n;
};

#define INLINE static inline __attribute__((always_inline))

INLINE struct calls take_calls(void)
{
	return (struct calls){ public_begin, public_end, public_begin_n, public_end_n };
}

INLINE void begin(const struct calls *call, enum pmu_way way, const char *text)
{
	if (way == PMU_BY_LENGTH)
		call->begin_n(text, NAME_LENGTH);
	else
		call->begin(text);
}

INLINE void end(const struct calls *call, enum pmu_way way, const char *text)
{
	if (way == PMU_BY_LENGTH)
		call->end_n(text, NAME_LENGTH);
	else
		call->end(text);
}

/*
 * What a scene has to do with: the thread, two names, what ends the inner one, and what it is
 * looked up in.
 */
#define CAST                                                                                     \
	struct pmu_thread *self, enum pmu_way way, const char *a, const char *b, const char *by, \
		const struct pmu_tree_cache *cache

INLINE void flat(CAST)
{
	const struct calls call = take_calls();

	(void)self, (void)b, (void)by, (void)cache;
	begin(&call, way, a);
	end(&call, way, a);
}

INLINE void nested(CAST)
{
	const struct calls call = take_calls();

	(void)self, (void)by, (void)cache;
	begin(&call, way, a);
	begin(&call, way, b);
	end(&call, way, b);
	end(&call, way, a);
}

INLINE void again(CAST)
{
	const struct calls call = take_calls();

	(void)self, (void)b, (void)by, (void)cache;
	begin(&call, way, a);
	begin(&call, way, a);
	end(&call, way, a);
	end(&call, way, a);
}

/* The inner one ends between a begin of the outer one and both its ends. */
INLINE void between(CAST)
{
	const struct calls call = take_calls();

	(void)self, (void)by, (void)cache;
	begin(&call, way, a);
	begin(&call, way, b);
	begin(&call, way, a);
	end(&call, way, b);
	end(&call, way, a);
	end(&call, way, a);
}

INLINE void overlapping(CAST)
{
	const struct calls call = take_calls();

	(void)self, (void)by, (void)cache;
	begin(&call, way, a);
	begin(&call, way, b);
	end(&call, way, a);
	end(&call, way, b);
}

INLINE void saved(CAST)
{
	const struct calls call = take_calls();
	call_next_fn *checkpoint = public_checkpoint;

	(void)self, (void)b, (void)by, (void)cache;
	begin(&call, way, a);
	checkpoint(PMU_NEXT_GOES_ON);
	end(&call, way, a);
}

INLINE void refused(CAST)
{
	const struct calls call = take_calls();

	(void)self, (void)b, (void)by, (void)cache;
	begin(&call, way, a);
	begin(&call, way, NULL);
	end(&call, way, a);
}

INLINE void called(CAST)
{
	const struct calls call = take_calls();
	pmu_call_fn *other = some_public_call;

	(void)self, (void)b, (void)by, (void)cache;
	begin(&call, way, a);
	other(a);
	end(&call, way, a);
}

INLINE void restarted(CAST)
{
	const struct calls call = take_calls();
	first_call_fn *first = first_call;

	(void)self, (void)by, (void)cache;
	begin(&call, way, a);
	first(PMU_FORKED_BEGIN, b, way == PMU_BY_LENGTH ? NAME_LENGTH : PMU_NAME_TERMINATED);
	end(&call, way, b);
	end(&call, way, a);
}

/* The inner end takes the slow path where that makes its frame odd. */
INLINE void nested_end(CAST)
{
	const struct calls call = take_calls();

	(void)cache;
	begin(&call, way, a);
	begin(&call, way, b);
	self->frame->literal = by;
	end(&call, way, b);
	end(&call, way, a);
}

/* The inner begin takes the slow path where it finds nothing there. */
INLINE void nested_begin(CAST)
{
	const struct calls call = take_calls();

	(void)by;
	begin(&call, way, a);
	pmu_tree_use_cache(self, cache);
	begin(&call, way, b);
	end(&call, way, b);
	end(&call, way, a);
}

/* Before a call the thread's word is set to @by: where that is not its mark, it has been off. */
INLINE void off_begin(CAST)
{
	const struct calls call = take_calls();
	uint64_t *word = self->switched;

	(void)cache;
	begin(&call, way, a);
	pmu_store_relaxed(word, (uintptr_t)by);
	begin(&call, way, b);
	end(&call, way, b);
	end(&call, way, a);
}

INLINE void off_end(CAST)
{
	const struct calls call = take_calls();
	uint64_t *word = self->switched;

	(void)b, (void)cache;
	begin(&call, way, a);
	pmu_store_relaxed(word, (uintptr_t)by);
	end(&call, way, a);
}

/*
 * Each of them once for each way: "mov, call" for each line, with another mov where there is a
 * length, and nothing else between the first call and the last.
 */
typedef void scene_fn(struct pmu_thread *self, const char *a, const char *b, const char *by,
		      const struct pmu_tree_cache *cache);
#define SCENE_BY(scene, suffix, way)                                                   \
	static __attribute__((noinline)) void scene##suffix(                           \
		struct pmu_thread *self, const char *a, const char *b, const char *by, \
		const struct pmu_tree_cache *cache)                                    \
	{                                                                              \
		scene(self, way, a, b, by, cache);                                     \
		PMU_NO_TAIL_CALL();                                                    \
	}
#define SCENE(scene)                           \
	SCENE_BY(scene, _by_text, PMU_BY_TEXT) \
	SCENE_BY(scene, _by_length, PMU_BY_LENGTH)
SCENE(flat)
SCENE(nested)
SCENE(again)
SCENE(between)
SCENE(overlapping)
SCENE(saved)
SCENE(refused)
SCENE(called)
SCENE(restarted)
SCENE(nested_end)
SCENE(nested_begin)
SCENE(off_begin)
SCENE(off_end)

enum scene {
	FLAT,
	NESTED,
	AGAIN,
	BETWEEN,
	OVERLAPPING,
	PLAIN_BEGIN,
	LONG_BEGIN,
	PLAIN_END,
	LONG_END,
	SAVED,
	REFUSED,
	CALLED,
	RESTARTED,
	ON_BEGIN,
	OFF_BEGIN,
	ON_END,
	OFF_END
};

#define BOTH(scene)                                \
	{                                          \
		scene##_by_text, scene##_by_length \
	}
static scene_fn *const scenes[][PMU_WAYS] = {
	[FLAT] = BOTH(flat),
	[NESTED] = BOTH(nested),
	[AGAIN] = BOTH(again),
	[BETWEEN] = BOTH(between),
	[OVERLAPPING] = BOTH(overlapping),
	[PLAIN_BEGIN] = BOTH(nested_begin),
	[LONG_BEGIN] = BOTH(nested_begin),
	[PLAIN_END] = BOTH(nested_end),
	[LONG_END] = BOTH(nested_end),
	[SAVED] = BOTH(saved),
	[REFUSED] = BOTH(refused),
	[CALLED] = BOTH(called),
	[RESTARTED] = BOTH(restarted),
	[ON_BEGIN] = BOTH(off_begin),
	[OFF_BEGIN] = BOTH(off_begin),
	[ON_END] = BOTH(off_end),
	[OFF_END] = BOTH(off_end),
};

/* The thread that plays scenes, how its calls give names, and where results go. */
struct player {
	struct pmu_thread *self;
	enum pmu_way way;
	struct pmu_remainders *left;
};

/* What its inner end is to find, or the thread's word. */
static const char *found_by(const struct player *by, enum scene scene)
{
	switch (scene) {
	case PLAIN_END:
		return by->way == PMU_BY_LENGTH ? PMU_FRAME_SIZED : PMU_FRAME_TEXT;
	case ON_BEGIN:
	case ON_END:
		return (const char *)&by->self->mark;
	case OFF_BEGIN:
	case OFF_END:
		return NULL;
	default:
		return PMU_FRAME_ODD;
	}
}

static void play(const struct player *by, enum scene scene, const char *outer, const char *inner)
{
	struct pmu_tree_cache cache = pmu_tree_cache(by->self->tree, scene == LONG_BEGIN);

	scenes[scene][by->way](by->self, outer, inner, found_by(by, scene), &cache);
}

/* The node of that name begun in @parent. */
static const struct pmu_node *find_scene_node(struct pmu_thread *self, const char *text,
					      const struct pmu_node *parent)
{
	struct pmu_name *name = pmu_tree_name(self, text, strlen(text), false);
	const struct pmu_node *node = name ? name->nodes : NULL;

	while (node && node->parent != parent)
		node = node->same_name;
	return node;
}

static const struct pmu_node *outermost(struct pmu_thread *self, const char *text)
{
	return find_scene_node(self, text, self->tree->root);
}

static const struct pmu_node *node_inside(struct pmu_thread *self, const char *text)
{
	return find_scene_node(self, text, self->frame->node);
}

static void totals(const struct pmu_thread *self, const struct pmu_node *node, struct pmu_least *to)
{
	const struct pmu_store_bank *bank = node->valid;

	to->ticks = bank->ticks;
	for (uint32_t i = 0; i < self->n_slots; i++)
		to->count[i] = bank->count[i];
}

/*
 * Stands in for the thread's read and has one of a scene's made again.  Guarded by the session's
 * lock.
 */
static struct {
	pmu_read_fn *read;
	bool (*unsettle)(void *thread, uint32_t tries);
	unsigned int which; /* 1 for the scene's first; 0: none */
	unsigned int left;
	uint32_t tries;
} again_at;

static __attribute__((noinline)) uint32_t read_again_scene(void *thread, uint64_t *value)
{
	uint32_t now = -(uint32_t)(--again_at.left == 0);

	again_at.unsettle(thread, now & again_at.tries);
	return again_at.read(thread, value);
}

/* What a node counts meanwhile, if that is less than before. */
static void observe_once(const struct player *by, struct pmu_least *least, enum scene scene,
			 const struct pmu_node *node, const char *outer, const char *inner)
{
	struct pmu_least before, after;

	if (!node)
		return;
	totals(by->self, node, &before);
	again_at.left = again_at.which;
	play(by, scene, outer, inner);
	totals(by->self, node, &after);
	pmu_keep_less(&least->ticks, after.ticks - before.ticks);
	for (uint32_t i = 0; i < by->self->n_slots; i++)
		pmu_keep_count(least, i, after.count[i] - before.count[i]);
}

/* What it counts at each call, at least. */
static void observe_often(const struct player *by, struct pmu_least *least, enum scene scene,
			  const struct pmu_node *node, const char *outer, const char *inner)
{
	memset(least, 0xff, sizeof(*least));
	for (int k = 0; k < PMU_MEASURE_REPEATS; k++)
		observe_once(by, least, scene, node, outer, inner);
}

static void observe_node(const struct player *by, struct pmu_least *least, enum scene scene,
			 const struct pmu_node *node, const char *outer, const char *inner)
{
	int k = 0;

	do
		observe_often(by, least, scene, node, outer, inner);
	while (by->self->read && !pmu_is_steady(by->self, by->way, least) &&
	       ++k < PMU_MEASURE_ATTEMPTS);
}

static void observe(const struct player *by, struct pmu_least *least, enum scene scene,
		    const char *outer, const char *inner)
{
	observe_node(by, least, scene, outermost(by->self, outer), outer, inner);
}

/* No literals, also where the library is a part of the program. */
static char around_text[16] __attribute__((aligned(16))) = "round";
static char outer_text[16] __attribute__((aligned(16))) = "outer";
static char inner_text[16] __attribute__((aligned(16))) = "inner";

/*
 * How much more the one has than the other, slot by slot.  What is not the same each time (cycles,
 * times, page faults) depends on other things: then there is nothing to add to what the reads say.
 */
static void put_difference(const struct player *by, uint64_t *to, const struct pmu_least *more,
			   const struct pmu_least *than)
{
	for (uint32_t i = 0; i < by->self->n_slots; i++) {
		to[i] += more->count[i] - than->count[i];
		if (more->times[i] < PMU_MEASURE_STEADY || than->times[i] < PMU_MEASURE_STEADY)
			by->left->rough |= 1u << i;
	}
}

static void measure_begin(const struct player *by)
{
	struct pmu_least by_long, by_short;

	play(by, NESTED, outer_text, inner_text);
	observe(by, &by_short, PLAIN_BEGIN, outer_text, inner_text);
	observe(by, &by_long, LONG_BEGIN, outer_text, inner_text);
	put_difference(by, by->left->begin, &by_long, &by_short);
}

/*
 * One buffer, two texts in turn: what is in the cache for it is always the other one. Without a
 * length they are known by their first bytes, too, and compared only where these are the same.
 */
static void measure_compare(const struct player *by)
{
	static const char *const texts[PMU_WAYS][2] = {
		[PMU_BY_TEXT] = { "both begin alike: inner", "both begin alike: other" },
		[PMU_BY_LENGTH] = { "inner", "other" },
	};
	const char *const *text = texts[by->way];
	char buffer[32] __attribute__((aligned(32)));
	struct pmu_least cached, other;
	int k = 0;

	strcpy(buffer, text[0]);
	play(by, NESTED, outer_text, buffer);
	observe(by, &cached, NESTED, outer_text, buffer);
	strcpy(buffer, text[1]);
	play(by, NESTED, outer_text, buffer);
	do {
		memset(&other, 0xff, sizeof(other));
		for (int turn = 0; turn < PMU_MEASURE_REPEATS; turn++) {
			strcpy(buffer, text[turn % 2]);
			observe_once(by, &other, NESTED, outermost(by->self, outer_text),
				     outer_text, buffer);
		}
	} while (!pmu_is_steady(by->self, by->way, &other) && ++k < PMU_MEASURE_ATTEMPTS);
	put_difference(by, by->left->compare, &other, &cached);
}

/* Off its processor before a call, or not: one region sees it. */
static void measure_off(const struct player *by)
{
	struct pmu_least on, off;

	observe(by, &on, ON_BEGIN, outer_text, inner_text);
	observe(by, &off, OFF_BEGIN, outer_text, inner_text);
	put_difference(by, by->left->off_begin, &off, &on);
	observe(by, &on, ON_END, outer_text, inner_text);
	observe(by, &off, OFF_END, outer_text, inner_text);
	put_difference(by, by->left->off_end, &off, &on);
}

static void measure_end(const struct player *by)
{
	struct pmu_least by_long, by_short;

	observe(by, &by_short, PLAIN_END, outer_text, inner_text);
	observe(by, &by_long, LONG_END, outer_text, inner_text);
	put_difference(by, by->left->end, &by_long, &by_short);
}

/* What the reader takes off that many calls. */
static struct pmu_least inner_of_calls(const struct player *by, unsigned int n)
{
	struct pmu_least want = { .times = { 0 } };

	for (uint32_t i = 0; i < by->self->n_slots; i++) {
		want.count[i] = n * (uint64_t)by->self->rows.record->inner[i];
		want.times[i] = PMU_MEASURE_REPEATS;
	}
	return want;
}

/* A node of the inner text in one of the outer. */
static const struct pmu_node *node_in_outer(const struct player *by)
{
	const struct pmu_node *inner;

	public_begin(outer_text);
	inner = node_inside(by->self, inner_text);
	public_end(outer_text);
	return inner;
}

/* What each of both calls leaves behind where one more region is open. */
static void measure_each(const struct player *by, const struct pmu_least *want)
{
	struct pmu_least inside;

	public_begin(around_text);
	play(by, AGAIN, outer_text, NULL);
	observe_node(by, &inside, AGAIN, node_inside(by->self, outer_text), outer_text, inner_text);
	public_end(around_text);
	put_difference(by, by->left->each, &inside, want);
	for (uint32_t i = 0; i < by->self->n_slots; i++)
		by->left->each[i] = (uint64_t)((int64_t)by->left->each[i] / 2);
}

/* What a begin and an end leave behind, both of them. */
static void measure_both_again(const struct player *by)
{
	struct pmu_least pair, want = inner_of_calls(by, 2);

	observe(by, &pair, AGAIN, outer_text, inner_text);
	put_difference(by, by->left->end_again, &pair, &want);
	measure_each(by, &want);
}

/* A region that is ended between the two has the begin's part of that. */
static void measure_again(const struct player *by)
{
	struct pmu_least begun, want = inner_of_calls(by, 1);

	observe_node(by, &begun, BETWEEN, node_in_outer(by), outer_text, inner_text);
	put_difference(by, by->left->again, &begun, &want);
	for (uint32_t i = 0; i < by->self->n_slots; i++)
		by->left->end_again[i] -= by->left->again[i];
}

/*
 * A region that ends inside another one of its own should count what it would have counted around
 * it.
 */
static void measure_overlap(const struct player *by)
{
	const struct pmu_node *inner;
	struct pmu_least around, half;

	observe(by, &around, NESTED, outer_text, inner_text);
	observe(by, &half, OVERLAPPING, outer_text, inner_text);
	put_difference(by, by->left->overlap, &around, &half);
	/* The inner one lasts longer: what the end of the other counts there is none of its own. */
	inner = node_in_outer(by);
	observe_node(by, &half, OVERLAPPING, inner, outer_text, inner_text);
	for (uint32_t i = 0; i < by->self->n_slots; i++)
		around.count[i] = by->self->rows.record->inner[i];
	put_difference(by, by->left->alien, &half, &around);
}

/* What a checkpoint has published is in the other bank when the call has ended. */
static void observe_part(const struct player *by, struct pmu_least *least)
{
	const struct pmu_node *node = outermost(by->self, outer_text);
	struct pmu_least before;

	memset(least, 0xff, sizeof(*least));
	for (int k = 0; node && k < PMU_MEASURE_REPEATS; k++) {
		totals(by->self, node, &before);
		play(by, SAVED, outer_text, inner_text);
		for (uint32_t i = 0; i < by->self->n_slots; i++)
			pmu_keep_count(least, i, node->idle->count[i] - before.count[i]);
	}
}

static void measure_part(const struct player *by)
{
	struct pmu_least part, want = inner_of_calls(by, 1);
	int k = 0;

	do
		observe_part(by, &part);
	while (!pmu_is_steady(by->self, by->way, &part) && ++k < PMU_MEASURE_ATTEMPTS);
	put_difference(by, by->left->part, &part, &want);
}

static void measure_calls(const struct player *by)
{
	struct pmu_least checkpoint, refusal, other, want = inner_of_calls(by, 1);

	observe(by, &checkpoint, SAVED, outer_text, inner_text);
	put_difference(by, by->left->save, &checkpoint, &want);
	observe(by, &refusal, REFUSED, outer_text, inner_text);
	put_difference(by, by->left->refused, &refusal, &want);
	observe(by, &other, CALLED, outer_text, inner_text);
	put_difference(by, by->left->call, &other, &want);
}

static void measure_restart(const struct player *by)
{
	struct pmu_least anew, begun;

	observe(by, &begun, NESTED, outer_text, inner_text);
	observe(by, &anew, RESTARTED, outer_text, inner_text);
	put_difference(by, by->left->restart, &anew, &begun);
}

/* What a region counts in a scene with one read made again: @which 1 for the first. */
static void observe_again(const struct player *by, struct pmu_least *least, enum scene scene,
			  unsigned int which, uint32_t tries)
{
	again_at.which = which;
	again_at.tries = tries;
	observe(by, least, scene, outer_text, inner_text);
	again_at.which = 0;
}

/*
 * A read that is made again counts what that takes: at an end in the region that ends, then in
 * those around it.
 */
static void measure_again_reads(const struct player *by)
{
	struct pmu_thread *self = by->self;
	struct pmu_least flat_one, nested_one, once, twice;

	again_at.unsettle = self->backend->unsettle;
	if (!again_at.unsettle || !again_at.unsettle(self->counters, 0))
		return;
	again_at.read = self->read;
	self->read = read_again_scene;
	observe(by, &flat_one, FLAT, outer_text, inner_text);
	observe(by, &nested_one, NESTED, outer_text, inner_text);
	observe_again(by, &once, FLAT, 2, 1); /* of begin, end */
	observe_again(by, &twice, FLAT, 2, 2);
	if (by->way == PMU_BY_TEXT) {
		put_difference(by, by->left->late, &once, &flat_one);
		put_difference(by, by->left->later, &twice, &once);
	}
	observe_again(by, &once, FLAT, 1, 1);
	put_difference(by, by->left->start, &once, &flat_one);
	observe_again(by, &once, NESTED, 3, 1); /* of begin, begin, end, end */
	put_difference(by, by->left->finish, &once, &nested_one);
	self->read = again_at.read;
}

/* What is not the same each time is not taken out. */
static void measure_by_length(const struct player *by)
{
	struct pmu_least one, want = inner_of_calls(by, 1);

	if (by->way == PMU_BY_TEXT)
		return;
	play(by, FLAT, outer_text, NULL);
	observe(by, &one, FLAT, outer_text, inner_text);
	put_difference(by, by->left->inner, &one, &want);
	for (uint32_t i = 0; i < by->self->n_slots; i++)
		if (by->left->rough >> i & 1)
			by->left->inner[i] = 0;
}

/* --- contexts --- */

typedef uint64_t get_fn(void);
typedef int enter_fn(pmu_context_t context);
typedef int leave_fn(void);
static get_fn *volatile public_get = pmu_context_get;
static enter_fn *volatile public_enter = pmu_context_enter;
static leave_fn *volatile public_leave = pmu_context_leave;

static __attribute__((noinline)) void entered(const char *a, pmu_context_t context)
{
	const struct calls call = take_calls();
	enter_fn *enter = public_enter;
	leave_fn *leave = public_leave;

	call.begin(a);
	enter(context);
	leave();
	call.end(a);
	PMU_NO_TAIL_CALL();
}

/* The thread's word before each. */
static __attribute__((noinline)) void entered_off(uint64_t *word, const char *a,
						  pmu_context_t context, uint64_t before_enter,
						  uint64_t before_leave)
{
	const struct calls call = take_calls();
	enter_fn *enter = public_enter;
	leave_fn *leave = public_leave;

	call.begin(a);
	pmu_store_relaxed(word, before_enter);
	enter(context);
	pmu_store_relaxed(word, before_leave);
	leave();
	call.end(a);
	PMU_NO_TAIL_CALL();
}

static __attribute__((noinline)) void left_slowly(struct pmu_thread *self, const char *a,
						  pmu_context_t context)
{
	const struct calls call = take_calls();
	enter_fn *enter = public_enter;
	leave_fn *leave = public_leave;

	call.begin(a);
	enter(context);
	self->frame->literal = PMU_FRAME_ODD;
	leave();
	call.end(a);
	PMU_NO_TAIL_CALL();
}

static __attribute__((noinline)) void got(const char *a)
{
	const struct calls call = take_calls();
	get_fn *get = public_get;

	call.begin(a);
	get();
	call.end(a);
	PMU_NO_TAIL_CALL();
}

static __attribute__((noinline)) void left_alone(const char *a)
{
	const struct calls call = take_calls();
	leave_fn *leave = public_leave;

	call.begin(a);
	leave();
	call.end(a);
	PMU_NO_TAIL_CALL();
}

/* A scene with or without a context, 0: what enters nothing. */
struct act {
	bool asks;
	bool leaves; /* and does no more */
	pmu_context_t context;
	bool afresh;                        /* it is found each time */
	bool slow;                          /* and left off the fast path */
	bool watched, off_enter, off_leave; /* the thread has been off its processor before */
};

static void observe_act(const struct player *by, struct pmu_least *least,
			const struct pmu_node *node, struct act act)
{
	const uint64_t mark = (uintptr_t)&by->self->mark;
	struct pmu_least before, after;

	memset(least, 0xff, sizeof(*least));
	for (int k = 0; node && k < PMU_MEASURE_REPEATS; k++) {
		totals(by->self, node, &before);
		if (act.afresh)
			pmu_team_forget(by->self);
		if (act.asks)
			got(outer_text);
		else if (act.leaves)
			left_alone(outer_text);
		else if (act.slow)
			left_slowly(by->self, outer_text, act.context);
		else if (act.watched)
			entered_off(by->self->switched, outer_text, act.context,
				    act.off_enter ? 0 : mark, act.off_leave ? 0 : mark);
		else
			entered(outer_text, act.context);
		totals(by->self, node, &after);
		pmu_keep_less(&least->ticks, after.ticks - before.ticks);
		for (uint32_t i = 0; i < by->self->n_slots; i++)
			pmu_keep_count(least, i, after.count[i] - before.count[i]);
	}
}

static void observe_context(const struct player *by, struct pmu_least *least,
			    const struct pmu_node *node, struct act act)
{
	int k = 0;

	do
		observe_act(by, least, node, act);
	while (!pmu_is_steady(by->self, by->way, least) && ++k < PMU_MEASURE_ATTEMPTS);
}

/* The region around the one it is entered in sees as much more for each that stands between. */
static void measure_deeper(const struct player *by, const struct pmu_least *want)
{
	const struct act enter = { .context = PMU_CONTEXT_TRIAL };
	struct pmu_least inside;

	public_begin(around_text);
	entered(outer_text, enter.context);
	observe_context(by, &inside, node_inside(by->self, outer_text), enter);
	public_end(around_text);
	put_difference(by, by->left->each, &inside, want);
}

/* @node: the region around, which stands still while @inside is entered */
static void measure_context_off(const struct player *by, const struct pmu_node *node,
				const struct pmu_node *inside)
{
	const struct act on = { .context = PMU_CONTEXT_TRIAL, .watched = true };
	struct act off_enter = on, off_leave = on;
	struct pmu_least without, with;

	off_enter.off_enter = off_leave.off_leave = true;
	observe_context(by, &without, node, on);
	observe_context(by, &with, node, off_enter);
	put_difference(by, by->left->off_begin, &with, &without);
	observe_context(by, &without, inside, on);
	observe_context(by, &with, inside, off_leave);
	put_difference(by, by->left->off_end, &with, &without);
}

static void measure_context(const struct player *by)
{
	const struct act get = { .asks = true }, alone = { .leaves = true },
			 skip = { .context = 0 };
	const struct act enter = { .context = PMU_CONTEXT_TRIAL };
	const struct act slow = { .context = PMU_CONTEXT_TRIAL, .slow = true };
	const struct act find = { .context = PMU_CONTEXT_TRIAL, .afresh = true };
	struct pmu_least once, want = inner_of_calls(by, 1);
	const struct pmu_team *team = pmu_team_trial(by->self);
	const struct pmu_node *node;

	if (!team)
		return;
	entered(outer_text, enter.context);
	node = outermost(by->self, outer_text);
	observe_context(by, &once, team->node, enter);
	put_difference(by, by->left->inner, &once, &want);
	observe_context(by, &once, node, enter);
	put_difference(by, by->left->call, &once, &want);
	measure_deeper(by, &want);
	/* less than nothing is not observed: begin with what a fast one takes off too much */
	for (uint32_t i = 0; i < by->self->n_slots; i++)
		by->left->leave[i] = -by->left->call[i];
	observe_context(by, &once, node, slow);
	put_difference(by, by->left->leave, &once, &want);
	observe_context(by, &once, node, find);
	put_difference(by, by->left->find, &once, &want);
	observe_context(by, &once, node, skip);
	put_difference(by, by->left->skip, &once, &want);
	observe_context(by, &once, node, get);
	put_difference(by, by->left->get, &once, &want);
	observe_context(by, &once, node, alone);
	put_difference(by, by->left->alone, &once, &want);
	measure_context_off(by, node, team->node);
	for (uint32_t i = 0; i < by->self->n_slots; i++)
		if (by->left->rough >> i & 1)
			by->left->inner[i] = by->left->call[i] = by->left->each[i] = 0;
}

/* --- stand-ins --- */

/* Calls one after the other, each with the same argument: "mov, call" for each of them. */
struct stood_in {
	pmu_call_fn *first, *second, *third;
};

static __attribute__((noinline)) void call_three(const struct stood_in *by, const char *a)
{
	const struct stood_in call = *by;

	call.first(a);
	call.second(a);
	call.third(a);
	PMU_NO_TAIL_CALL();
}

static __attribute__((noinline)) void call_two(const struct stood_in *by, const char *a)
{
	const struct stood_in call = *by;

	call.first(a);
	call.third(a);
	PMU_NO_TAIL_CALL();
}

/* What the region counts that they begin and end. */
static void observe_stood_in(const struct player *by, struct pmu_least *least,
			     struct stood_in calls)
{
	const struct pmu_node *node = outermost(by->self, outer_text);
	struct pmu_least before, after;
	int k = 0;

	do {
		memset(least, 0xff, sizeof(*least));
		for (int turn = 0; node && turn < PMU_MEASURE_REPEATS; turn++) {
			totals(by->self, node, &before);
			if (calls.second)
				call_three(&calls, outer_text);
			else
				call_two(&calls, outer_text);
			totals(by->self, node, &after);
			for (uint32_t i = 0; i < by->self->n_slots; i++)
				pmu_keep_count(least, i, after.count[i] - before.count[i]);
		}
	} while (!pmu_is_steady(by->self, by->way, least) && ++k < PMU_MEASURE_ATTEMPTS);
}

static void measure_aside(const struct player *by)
{
	pmu_call_fn *first = public_begin, *last = public_end;
	struct pmu_least once, want = inner_of_calls(by, 1);

	call_two(&(struct stood_in){ first, NULL, last }, outer_text);
	observe_stood_in(by, &once, (struct stood_in){ pmu_probe_begin, NULL, last });
	put_difference(by, by->left->begin, &once, &want);
	observe_stood_in(by, &once, (struct stood_in){ first, NULL, pmu_probe_end });
	put_difference(by, by->left->inner, &once, &want);
	observe_stood_in(by, &once, (struct stood_in){ first, pmu_probe, last });
	put_difference(by, by->left->call, &once, &want);
	/* its own call and what it does are the program's */
	observe_stood_in(by, &want, (struct stood_in){ first, pmu_probe_nothing, last });
	observe_stood_in(by, &once, (struct stood_in){ first, pmu_probe_other, last });
	put_difference(by, by->left->other, &once, &want);
	for (uint32_t i = 0; i < by->self->n_slots; i++)
		if (by->left->rough >> i & 1)
			by->left->inner[i] = by->left->begin[i] = by->left->call[i] = 0;
}

void pmu_scenes_inner(struct pmu_thread *self)
{
	struct player by = { self, PMU_BY_TEXT, &self->cost->by[PMU_BY_TEXT] };
	struct pmu_store_thread *record = self->rows.record;
	struct pmu_least least;

	by.left->rough |= self->unsteady;
	play(&by, FLAT, outer_text, NULL);
	observe(&by, &least, FLAT, outer_text, inner_text);
	record->inner_ticks = least.ticks > UINT32_MAX ? 0 : (uint32_t)least.ticks;
	for (uint32_t i = 0; self->read && i < by.self->n_slots; i++) {
		/*
		 * One that could not be read, or that is another one each time: what is not known
		 * is not taken out.
		 */
		if ((pmu_thread_missing(self) | self->unsteady) >> i & 1 ||
		    least.count[i] > UINT32_MAX || least.times[i] < PMU_MEASURE_STEADY)
			self->cost->unknown |= 1u << i;
		else
			record->inner[i] = (uint32_t)least.count[i];
	}
}

/*
 * The remainders are the same for all threads of a group that read counters in the same way: the
 * first one that needs some finds them.  Guarded by the session's lock.
 */
struct known {
	pmu_read_fn *read;
	uint32_t session;
	unsigned int group;
	uint32_t unknown;
	struct pmu_remainders by[PMU_WAYS];
};
static struct known *known; /* NULL: none yet */

static bool is_of_its_kind(const struct pmu_thread *self)
{
	return known && known->read == self->read && known->session == self->session &&
	       known->group == self->group && known->unknown == self->cost->unknown;
}

static bool is_way_known(const struct pmu_thread *self, enum pmu_way way)
{
	return is_of_its_kind(self) && known->by[way].known;
}

static void make_known(const struct pmu_thread *self, enum pmu_way way)
{
	if (!known)
		known = pmu_pages_alloc(sizeof(*known));
	if (!known)
		return;
	if (!is_of_its_kind(self))
		*known = (struct known){
			.read = self->read,
			.session = self->session,
			.group = self->group,
			.unknown = self->cost->unknown,
		};
	known->by[way] = self->cost->by[way];
}

static void measure_calls_by_name(const struct player *by)
{
	measure_by_length(by);
	measure_begin(by);
	measure_compare(by);
	measure_off(by);
	measure_end(by);
	measure_both_again(by);
	measure_again(by);
	measure_overlap(by);
	measure_part(by);
	measure_calls(by);
	measure_restart(by);
	measure_again_reads(by);
}

void pmu_scenes_remainders(struct pmu_thread *self, enum pmu_way way)
{
	struct player by = { self, way, &self->cost->by[way] };
	uint64_t now[PMU_MAX_SLOTS];

	if (is_way_known(self, way)) {
		*by.left = known->by[way];
		return;
	}
	by.left->known = true;
	by.left->rough |= self->unsteady;
	if (way == PMU_BY_CONTEXT)
		measure_context(&by);
	else if (way == PMU_BY_ASIDE)
		measure_aside(&by);
	else
		measure_calls_by_name(&by);
	/* Of counters that were lost meanwhile nothing has come. */
	if (!(self->read(self->counters, now) & ~(pmu_thread_missing(self) | PMU_READ_DELAYED)))
		make_known(self, way);
}
