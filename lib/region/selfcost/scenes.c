/* SPDX-License-Identifier: BSD-3-Clause */
/* Measuring the library with itself. */
#include "region/cost.h"

#include <pthread.h>
#include <signal.h>

#include "pmu.h"
#include "region/slow.h"
#include "session/session.h"

/* The least of so many is what a call costs when nothing comes in between. */
#define REPEATS 4
/*
 * What comes out so at least so often is what a call counts; anything else depends on more than the
 * call.
 */
#define STEADY (REPEATS - 1)

/* Through pointers, a call is two instructions wherever it is compiled: the name, and the jump. */
typedef int call_fn(const char *name);
typedef int call_n_fn(const char *name, size_t len);
static call_fn *volatile public_begin = pmu_region_begin, *volatile public_end = pmu_region_end;
static call_n_fn *volatile public_begin_n = pmu_region_begin_n, *volatile public_end_n =
									pmu_region_end_n;
typedef int call_next_fn(enum pmu_next next);
static call_next_fn *volatile public_checkpoint = pmu_checkpoint;
static call_fn *volatile some_public_call = pmu_session_pass;

/* So that the last call is a call, not a jump behind what the function has to put back. */
#define NO_TAIL_CALL() __asm__ volatile("")

/* --- the library to itself --- */

static void be_social(const sigset_t *signals)
{
	pmu_session_unlock();
	pthread_sigmask(SIG_SETMASK, signals, NULL);
}

/*
 * No group changes and no session ends meanwhile: calls stay on the ways that are measured.  A
 * handler's regions wait: they would be part of it.
 */
static bool be_alone(const struct pmu_thread *self, sigset_t *signals)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, signals);
	pmu_session_lock();
	if (__atomic_load_n(&pmu_epoch, __ATOMIC_RELAXED) == (int32_t)self->epoch)
		return true;
	be_social(signals);
	return false;
}

/* This thread is in a call; what it measures are calls from outside. */
struct inside {
	int inside;
	int quiet; /* see struct pmu_backend */
};

static struct inside step_out(struct pmu_thread *self)
{
	struct inside was = { .inside = pmu_inside };

	pmu_inside = 0;
	*self->gate = self->epoch;
	if (self->quiet)
		was.quiet = self->backend->quiet(self->counters, 0);
	if (was.quiet)
		self->backend->quiet(self->counters, -was.quiet);
	pmu_compiler_barrier();
	return was;
}

static void step_in(struct pmu_thread *self, struct inside was)
{
	pmu_compiler_barrier();
	if (was.quiet)
		self->backend->quiet(self->counters, was.quiet);
	*self->gate = self->epoch | 1;
	pmu_inside = was.inside;
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
	NO_TAIL_CALL();
}

static __attribute__((noinline)) void read_pair(struct pmu_thread *self, struct bracket *b,
						const char *text)
{
	call_fn *begin = public_begin, *end = public_end;

	self->read(self->counters, b->from);
	begin(text);
	end(text);
	self->read(self->counters, b->to);
	NO_TAIL_CALL();
}

static __attribute__((noinline)) void read_pair_n(struct pmu_thread *self, struct bracket *b,
						  const char *text, size_t len)
{
	call_n_fn *begin = public_begin_n, *end = public_end_n;

	self->read(self->counters, b->from);
	begin(text, len);
	end(text, len);
	self->read(self->counters, b->to);
	NO_TAIL_CALL();
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

/* Differences of counts: a source that goes back a little has none. */
static bool keep_less(uint64_t *least, uint64_t value)
{
	bool is_less = (int64_t)value >= 0 && value < *least;

	if (is_less)
		*least = value;
	return is_less;
}

static uint16_t fit(uint64_t value)
{
	return value > UINT16_MAX ? UINT16_MAX : (uint16_t)value;
}

static uint64_t less(uint64_t value, uint64_t part)
{
	return value > part ? value - part : 0;
}

/*
 * The least of a few brackets: ticks, counts, and from the first read to that of the begin between
 * them.
 */
struct least {
	uint64_t ticks;
	uint64_t count[PMU_MAX_SLOTS], begin[PMU_MAX_SLOTS];
	unsigned int times[PMU_MAX_SLOTS]; /* that count[] came out so */
};

static void keep_count(struct least *least, uint32_t slot, uint64_t count)
{
	if (keep_less(&least->count[slot], count))
		least->times[slot] = 0;
	least->times[slot] += count == least->count[slot];
}

static void find_least(struct pmu_thread *self, struct least *least, const struct pmu_node *node,
		       const char *text, size_t len)
{
	struct bracket b;

	memset(least, 0xff, sizeof(*least));
	for (int k = 0; k < REPEATS; k++) {
		run_bracket(self, &b, text, len);
		keep_less(&least->ticks, b.ticks);
		for (uint32_t i = 0; self->read && i < self->n_slots; i++) {
			keep_count(least, i, b.to[i] - b.from[i]);
			if (node)
				keep_less(&least->begin[i], node->start[i] - b.from[i]);
		}
	}
}

static void set_outer(struct pmu_thread *self, struct pmu_node *node, struct pmu_store_row *row,
		      const struct least *none, const struct least *pair)
{
	uint64_t *begin = pmu_node_begin_cost(self, node);

	row->outer[0] = fit(less(pair->ticks, none->ticks));
	for (uint32_t i = 0; self->read && i < self->n_slots; i++) {
		if (self->cost->unknown >> i & 1 || pair->times[i] < STEADY ||
		    none->times[i] < STEADY)
			continue;
		row->outer[1 + i] = fit(less(pair->count[i], none->count[i]));
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

/* Its pairs are real ones, but for the row: nothing of them is in the results. */
static void measure_node(struct pmu_thread *self, struct pmu_node *node, const char *text,
			 size_t len)
{
	struct pmu_store_histogram *histogram = self->cost->histogram;
	struct pmu_store_row *row = node->row;
	enum pmu_measuring was = self->measuring;
	struct least none, pair;
	struct inside inside;

	self->measuring = PMU_MEASURING_NODE;
	node->row = self->cost->row;
	swap_histogram(self, node, &histogram);
	inside = step_out(self);
	find_least(self, &none, NULL, NULL, 0);
	find_least(self, &pair, node, text, len);
	step_in(self, inside);
	swap_histogram(self, node, &histogram);
	node->row = row;
	node->start_ticks = 0; /* whoever ends the program before it starts finds none */
	self->measuring = was;
	set_outer(self, node, row, &none, &pair);
}

void pmu_cost_node(struct pmu_thread *self, struct pmu_node *node, const char *text, size_t len)
{
	sigset_t signals;

	/* Where other people's work is counted too, a call's cost is lost in it. */
	if (node->measured || !self->cost || pmu_thread_is_watched(self))
		return;
	node->measured = true;
	if (self->measuring) {
		measure_node(self, node, text, len);
	} else if (be_alone(self, &signals)) {
		measure_node(self, node, text, len);
		be_social(&signals);
	}
}

/* --- regions in a tree of their own --- */

/* All of them "mov, call" for each line, and nothing else between the first call and the last. */
static __attribute__((noinline)) void flat(const char *a)
{
	call_fn *begin = public_begin, *end = public_end;

	begin(a);
	end(a);
	NO_TAIL_CALL();
}

static __attribute__((noinline)) void nested(const char *p, const char *a)
{
	call_fn *begin = public_begin, *end = public_end;

	begin(p);
	begin(a);
	end(a);
	end(p);
	NO_TAIL_CALL();
}

static __attribute__((noinline)) void again(const char *a)
{
	call_fn *begin = public_begin, *end = public_end;

	begin(a);
	begin(a);
	end(a);
	end(a);
	NO_TAIL_CALL();
}

static __attribute__((noinline)) void overlapping(const char *x, const char *y)
{
	call_fn *begin = public_begin, *end = public_end;

	begin(x);
	begin(y);
	end(x);
	end(y);
	NO_TAIL_CALL();
}

static __attribute__((noinline)) void saved(const char *a)
{
	call_fn *begin = public_begin, *end = public_end;
	call_next_fn *checkpoint = public_checkpoint;

	begin(a);
	checkpoint(PMU_NEXT_GOES_ON);
	end(a);
	NO_TAIL_CALL();
}

static __attribute__((noinline)) void called(const char *a)
{
	call_fn *begin = public_begin, *end = public_end, *call = some_public_call;

	begin(a);
	call(a);
	end(a);
	NO_TAIL_CALL();
}

/* The inner end goes the long way where it is not plain. */
static __attribute__((noinline)) void nested_end(struct pmu_thread *self, const char *p,
						 const char *a, bool plain)
{
	call_fn *begin = public_begin, *end = public_end;

	begin(p);
	begin(a);
	self->frame->plain = plain;
	end(a);
	end(p);
	NO_TAIL_CALL();
}

/* The node of that name begun in @parent. */
static const struct pmu_node *find_node(struct pmu_thread *self, const char *text,
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
	return find_node(self, text, self->tree->root);
}

static const struct pmu_node *node_inside(struct pmu_thread *self, const char *text)
{
	return find_node(self, text, self->frame->node);
}

static void totals(const struct pmu_thread *self, const struct pmu_node *node, struct least *to)
{
	const struct pmu_store_bank *bank = pmu_row_bank(node->row, self->bank_offset,
							 self->bank_size, node->row->seq & 1);

	to->ticks = bank->ticks;
	for (uint32_t i = 0; i < self->n_slots; i++)
		to->count[i] = bank->count[i];
}

enum scene { FLAT, NESTED, AGAIN, OVERLAPPING, PLAIN_END, LONG_END, SAVED, CALLED };

static void play(struct pmu_thread *self, enum scene scene, const char *outer, const char *inner)
{
	switch (scene) {
	case FLAT:
		flat(outer);
		break;
	case NESTED:
		nested(outer, inner);
		break;
	case AGAIN:
		again(outer);
		break;
	case OVERLAPPING:
		overlapping(outer, inner);
		break;
	case PLAIN_END:
	case LONG_END:
		nested_end(self, outer, inner, scene == PLAIN_END);
		break;
	case SAVED:
		saved(outer);
		break;
	case CALLED:
		called(outer);
		break;
	}
}

/*
 * Stands in for the thread's read and says of one of a scene's that it was delayed.  Guarded by the
 * session's lock.
 */
static struct {
	pmu_read_fn *read;
	unsigned int which; /* 1 for the scene's first; 0: none */
	unsigned int left;
} delay;

static uint32_t read_delayed(void *thread, uint64_t *value)
{
	uint32_t missing = delay.read(thread, value);

	return missing | (uint32_t)(--delay.left == 0) << 31;
}
_Static_assert(PMU_READ_DELAYED == 1u << 31,
	       "read_delayed() says so, in as many instructions as otherwise");

/* What a node counts meanwhile, if that is less than before. */
static void observe_once(struct pmu_thread *self, struct least *least, enum scene scene,
			 const struct pmu_node *node, const char *outer, const char *inner)
{
	struct least before, after;

	if (!node)
		return;
	totals(self, node, &before);
	delay.left = delay.which;
	play(self, scene, outer, inner);
	totals(self, node, &after);
	keep_less(&least->ticks, after.ticks - before.ticks);
	for (uint32_t i = 0; i < self->n_slots; i++)
		keep_count(least, i, after.count[i] - before.count[i]);
}

/* What it counts at each call, at least; @inner: one text for each repeat. */
static void observe_node(struct pmu_thread *self, struct least *least, enum scene scene,
			 const struct pmu_node *node, const char *outer,
			 const char *const inner[REPEATS])
{
	memset(least, 0xff, sizeof(*least));
	for (int k = 0; k < REPEATS; k++)
		observe_once(self, least, scene, node, outer, inner[k]);
}

static void observe(struct pmu_thread *self, struct least *least, enum scene scene,
		    const char *outer, const char *const inner[REPEATS])
{
	observe_node(self, least, scene, outermost(self, outer), outer, inner);
}

/*
 * Words, so that comparing one is as much work as the other; each copy is a text that the cache
 * does not know.
 */
struct texts {
	char copy[REPEATS][8] __attribute__((aligned(8)));
	const char *fresh[REPEATS];
};

static void make_texts(struct texts *texts)
{
	for (int k = 0; k < REPEATS; k++) {
		memcpy(texts->copy[k], "inner", 6);
		texts->fresh[k] = texts->copy[k];
	}
}

/* No literals, also where the library is a part of the program. */
static char around_text[8] __attribute__((aligned(8))) = "around";
static char outer_text[8] __attribute__((aligned(8))) = "outer";
static char inner_text[8] __attribute__((aligned(8))) = "inner";
static const char *const same[REPEATS] = { inner_text, inner_text, inner_text, inner_text };

/*
 * How much more the one has than the other, slot by slot.  What is not the same each time (cycles,
 * times, page faults) depends on other things: then there is nothing to add to what the reads say.
 */
static void put_difference(const struct pmu_thread *self, uint64_t *to, const struct least *more,
			   const struct least *than)
{
	for (uint32_t i = 0; i < self->n_slots; i++) {
		to[i] += more->count[i] - than->count[i];
		if (more->times[i] < STEADY || than->times[i] < STEADY)
			self->cost->rough |= 1u << i;
	}
}

static void measure_begin(struct pmu_thread *self)
{
	struct least first, cached;
	struct texts texts;

	make_texts(&texts);
	nested(outer_text, inner_text);
	observe(self, &first, NESTED, outer_text, texts.fresh);
	observe(self, &cached, NESTED, outer_text, texts.fresh);
	put_difference(self, self->cost->begin, &first, &cached);
}

/* One buffer, two texts in turn: what is in the cache for it is always the other one. */
static void measure_compare(struct pmu_thread *self)
{
	char buffer[8] __attribute__((aligned(8))) = "inner";
	const char *const one[REPEATS] = { buffer, buffer, buffer, buffer };
	struct least cached, other;

	nested(outer_text, buffer);
	observe(self, &cached, NESTED, outer_text, one);
	strcpy(buffer, "other");
	nested(outer_text, buffer);
	memset(&other, 0xff, sizeof(other));
	for (int k = 0; k < REPEATS; k++) {
		strcpy(buffer, k % 2 ? "other" : "inner");
		observe_once(self, &other, NESTED, outermost(self, outer_text), outer_text, buffer);
	}
	put_difference(self, self->cost->compare, &other, &cached);
}

static void measure_end(struct pmu_thread *self)
{
	struct least by_long, by_short;

	observe(self, &by_short, PLAIN_END, outer_text, same);
	observe(self, &by_long, LONG_END, outer_text, same);
	put_difference(self, self->cost->end, &by_long, &by_short);
}

/* What the reader takes off that many calls. */
static struct least inner_of_calls(const struct pmu_thread *self, unsigned int n)
{
	struct least want = { .times = { 0 } };

	for (uint32_t i = 0; i < self->n_slots; i++) {
		want.count[i] = n * (uint64_t)self->rows.record->inner[i];
		want.times[i] = REPEATS;
	}
	return want;
}

static void measure_again(struct pmu_thread *self)
{
	struct least alone, inside, want = inner_of_calls(self, 2);

	observe(self, &alone, AGAIN, outer_text, same);
	put_difference(self, self->cost->again, &alone, &want);
	/* With one more open it is as much more, twice. */
	public_begin(around_text);
	again(outer_text);
	observe_node(self, &inside, AGAIN, node_inside(self, outer_text), outer_text, same);
	public_end(around_text);
	put_difference(self, self->cost->each, &inside, &want);
	for (uint32_t i = 0; i < self->n_slots; i++)
		self->cost->each[i] = (uint64_t)((int64_t)self->cost->each[i] / 2);
}

/*
 * A region that ends inside another one of its own should count what it would have counted around
 * it.
 */
static void measure_overlap(struct pmu_thread *self)
{
	const struct pmu_node *inner;
	struct least around, half;

	observe(self, &around, NESTED, outer_text, same);
	observe(self, &half, OVERLAPPING, outer_text, same);
	put_difference(self, self->cost->overlap, &around, &half);
	/* The inner one lasts longer: what the end of the other counts there is none of its own. */
	public_begin(outer_text);
	inner = node_inside(self, inner_text);
	public_end(outer_text);
	observe_node(self, &half, OVERLAPPING, inner, outer_text, same);
	for (uint32_t i = 0; i < self->n_slots; i++)
		around.count[i] = self->rows.record->inner[i];
	put_difference(self, self->cost->alien, &half, &around);
}

static void measure_calls(struct pmu_thread *self)
{
	struct least checkpoint, other, want = inner_of_calls(self, 1);

	observe(self, &checkpoint, SAVED, outer_text, same);
	put_difference(self, self->cost->save, &checkpoint, &want);
	observe(self, &other, CALLED, outer_text, same);
	put_difference(self, self->cost->call, &other, &want);
}

static void measure_delayed(struct pmu_thread *self)
{
	struct least flat_one, nested_one, begin, end;

	delay.read = self->read;
	self->read = read_delayed;
	observe(self, &flat_one, FLAT, outer_text, same);
	observe(self, &nested_one, NESTED, outer_text, same);
	delay.which = 1; /* of begin, end */
	observe(self, &begin, FLAT, outer_text, same);
	delay.which = 3; /* of begin, begin, end, end */
	observe(self, &end, NESTED, outer_text, same);
	delay.which = 0;
	self->read = delay.read;
	put_difference(self, self->cost->start, &begin, &flat_one);
	put_difference(self, self->cost->finish, &end, &nested_one);
}

static void measure_inner(struct pmu_thread *self)
{
	struct pmu_store_thread *record = self->rows.record;
	struct least least;

	self->cost->rough |= self->unsteady;
	flat(outer_text);
	observe(self, &least, FLAT, outer_text, same);
	record->inner_ticks = least.ticks > UINT32_MAX ? 0 : (uint32_t)least.ticks;
	for (uint32_t i = 0; self->read && i < self->n_slots; i++) {
		/*
		 * One that could not be read, or that is another one each time: what is not known
		 * is not taken out.
		 */
		if ((record->missing | self->unsteady) >> i & 1 || least.count[i] > UINT32_MAX ||
		    least.times[i] < STEADY)
			self->cost->unknown |= 1u << i;
		else
			record->inner[i] = (uint32_t)least.count[i];
	}
}

/*
 * The remainders are the same for every thread of a group: the first one finds them.  Guarded by
 * the session's lock.
 */
static struct {
	uint32_t session;
	unsigned int group;
	struct pmu_cost cost;
} known;

static void measure_remainders(struct pmu_thread *self)
{
	struct pmu_store_histogram *histogram = self->cost->histogram;
	struct pmu_store_row *row = self->cost->row;
	uint32_t unknown = self->cost->unknown;

	if (known.session == self->session && known.group == self->group &&
	    known.cost.unknown == unknown) {
		*self->cost = known.cost;
		self->cost->row = row;
		self->cost->histogram = histogram;
		self->cost->open = NULL;
		self->cost->open_room = 0;
		return;
	}
	measure_begin(self);
	measure_compare(self);
	measure_end(self);
	measure_again(self);
	measure_overlap(self);
	measure_calls(self);
	if (self->rows.record->flags & PMU_THREAD_USER_READ)
		measure_delayed(self);
	known.session = self->session;
	known.group = self->group;
	known.cost = *self->cost;
}

/* What a thread has of its tree. */
struct stage {
	struct pmu_tree *tree;
	struct pmu_frame *frame;
	struct pmu_lookup *lookup;
	uint32_t lookup_shift;
	struct pmu_arena_mark mark;
	uint64_t last_end;
};

static void measure(struct pmu_thread *self)
{
	struct stage real = { self->tree,
			      self->frame,
			      self->lookup,
			      self->lookup_shift,
			      pmu_arena_mark(&self->arena),
			      self->rows.record->last_end };
	struct inside inside;

	self->measuring = PMU_MEASURING_ALL;
	if (pmu_tree_new(self) == 0) {
		inside = step_out(self);
		measure_inner(self);
		if (self->read && !pmu_thread_is_watched(self))
			measure_remainders(self);
		step_in(self, inside);
	}
	self->measuring = PMU_MEASURING_NOTHING;
	self->tree = real.tree;
	self->frame = real.frame;
	self->lookup = real.lookup;
	self->lookup_shift = real.lookup_shift;
	self->rows.record->last_end = real.last_end;
	self->cost->open = NULL;
	self->cost->open_room = 0;
	pmu_arena_rewind(&self->arena, real.mark);
}

void pmu_cost_thread(struct pmu_thread *self)
{
	sigset_t signals;

	/*
	 * Sockets have a place for every region: there are none of a tree that is not kept.  And a
	 * processor's counts have other people's work in them.
	 */
	if (self->cost || self->sockets || self->backend->counts_cpu || !be_alone(self, &signals))
		return;
	self->cost = pmu_arena_alloc(&self->arena, sizeof(*self->cost), 8);
	if (self->cost)
		self->cost->row = pmu_arena_alloc(&self->arena, pmu_row_size(self->n_slots), 64);
	if (self->cost && self->histograms)
		self->cost->histogram = pmu_arena_alloc(&self->arena,
							sizeof(*self->cost->histogram), 64);
	if (self->cost && self->cost->row && !(self->histograms && !self->cost->histogram))
		measure(self);
	else
		self->cost = NULL;
	be_social(&signals);
}
