/* SPDX-License-Identifier: BSD-3-Clause */
/* Begin and end: the hot path, and the ways off it. */
#include <errno.h>
#include <sched.h>

#include "pmu.h"
#include "region/tree.h"

/*
 * The gate is odd while its thread is inside the library.  It is counted up and down rather than set, so that
 * one that a fork has wiped in between does not come out as it went in.
 */
static inline void pmu_gate_in(uint32_t *gate)
{
	++*gate;
	pmu_compiler_barrier();
}

static inline void pmu_gate_out(uint32_t *gate)
{
	pmu_compiler_barrier();
	--*gate;
}

/* --- publishing: the only stores a reader may see at any moment ------------------------------ */

/*
 * The relaxed stores into the idle bank must not become visible before the previous release of seq, whose
 * reader may be in that bank: the fence orders them.  Pairs with the acquire loads in snapshot.c.
 * ThreadSanitizer knows no fences: there every store into a bank is a release.
 */
#if PMU_TSAN
#define BANK_STORE __ATOMIC_RELEASE
#define bank_fence() ((void)0)
#else
#define BANK_STORE __ATOMIC_RELAXED
#define bank_fence() __atomic_thread_fence(__ATOMIC_RELEASE)
#endif

static inline void put(uint64_t *to, uint64_t value)
{
	__atomic_store_n(to, value, BANK_STORE);
}

/* The valid bank and the idle one of a row of the calling thread, which is its only writer. */
static inline uint32_t banks(const struct pmu_thread *self, struct pmu_store_row *row,
			     const struct pmu_store_bank **valid, struct pmu_store_bank **idle)
{
	uint32_t seq = row->seq;

	*valid = pmu_row_bank(row, self->bank_offset, self->bank_size, seq & 1);
	*idle = pmu_row_bank(row, self->bank_offset, self->bank_size, ~seq & 1);
	bank_fence();
	return seq;
}

static inline void put_square(double *to, double value)
{
	union {
		double d;
		uint64_t u;
	} bits = { .d = value };

	put((uint64_t *)(void *)to, bits.u);
}

static inline void add_time(const struct pmu_store_bank *was, struct pmu_store_bank *is,
			    uint64_t ticks)
{
	double t = (double)(int64_t)ticks;

	put(&is->calls, was->calls + 1);
	put(&is->ticks, was->ticks + ticks);
	put(&is->min, was->min - 1 < ticks ? was->min : ticks); /* 0: none yet */
	put(&is->max, was->max > ticks ? was->max : ticks);
	put_square(&is->square, was->square + t * t);
}

static inline void publish_time(const struct pmu_thread *self, struct pmu_node *node,
				uint64_t ticks)
{
	const struct pmu_store_bank *was;
	struct pmu_store_bank *is;
	uint32_t seq = banks(self, node->row, &was, &is);

	add_time(was, is, ticks);
	/* A time-only source may have columns: all of them are missing, and stay 0. */
	__atomic_store_n(&node->row->seq, seq + 1, __ATOMIC_RELEASE);
}

static inline void publish(const struct pmu_thread *self, struct pmu_node *node, uint64_t ticks,
			   const uint64_t *now)
{
	const struct pmu_store_bank *was;
	struct pmu_store_bank *is;
	uint32_t seq = banks(self, node->row, &was, &is);

	add_time(was, is, ticks);
	for (uint32_t i = 0; i < self->n_slots; i++)
		put(&is->count[i], was->count[i] + (now[i] - node->start[i]));
	__atomic_store_n(&node->row->seq, seq + 1, __ATOMIC_RELEASE);
}

/* A call that ended inside another of the same region: it counts, and nothing else grows yet. */
static PMU_COLD void publish_inner_call(const struct pmu_thread *self, struct pmu_node *node)
{
	const struct pmu_store_bank *was;
	struct pmu_store_bank *is;
	uint32_t seq = banks(self, node->row, &was, &is);

	put(&is->calls, was->calls + 1);
	put(&is->ticks, was->ticks);
	put(&is->min, was->min);
	put(&is->max, was->max);
	put_square(&is->square, was->square);
	for (uint32_t i = 0; i < self->n_slots; i++)
		put(&is->count[i], was->count[i]);
	__atomic_store_n(&node->row->seq, seq + 1, __ATOMIC_RELEASE);
}

static inline void set_open(struct pmu_store_row *row, uint32_t open)
{
	__atomic_store_n(&row->open, open, __ATOMIC_RELAXED);
}

/* --- begin ------------------------------------------------------------------------------------ */

/* The counts are bound to a processor: a call that changes it is worth a doubt. */
static PMU_COLD void check_cpu(const struct pmu_thread *self, struct pmu_node *node)
{
	int cpu = sched_getcpu();

	if (cpu < 0 || cpu == self->watch_cpu)
		return;
	if (node->row->moved < UINT16_MAX)
		node->row->moved++;
	node->row->missing |= (uint16_t)((1u << self->n_slots) - 1);
}

static int check_name(struct pmu_thread *self, const char *name, size_t *len)
{
	int error = 0;

	if (!name || !*len || (*len == PMU_NAME_TERMINATED && !*name)) {
		error = -EINVAL;
	} else {
		if (*len == PMU_NAME_TERMINATED)
			*len = strnlen(name, PMU_NAME_MAX + 1);
		if (*len > PMU_NAME_MAX)
			error = -ENAMETOOLONG;
		else if (memchr(name, '\0', *len))
			error = -EINVAL;
	}
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

static int enter_again(struct pmu_thread *self, struct pmu_node *node)
{
	struct pmu_frame *frame = frame_of(self, node);

	/* From now on the end of this frame is not the end of the region's only call. */
	frame->plain = false;
	if (frame == self->frame)
		frame->count++;
	else if (pmu_tree_push(self, node) < 0)
		return -ENOMEM;
	node->row->flags |= PMU_STORE_ROW_RECURSIVE;
	set_open(node->row, node->row->open + 1);
	return 0;
}

/* A region set aside that is begun anew: its old begin will never be ended. */
static void give_up(struct pmu_node *node)
{
	node->row->unended += node->row->open;
	set_open(node->row, 0);
	node->aside = false;
	node->name->open = NULL;
}

/* What the cache does not know: a first call, a re-entry, a reused buffer. */
static PMU_COLD int begin_uncached(struct pmu_thread *self, const char *text, size_t len)
{
	struct pmu_node *parent = self->frame->node, *node;
	struct pmu_name *name;
	int rc = check_name(self, text, &len);

	if (rc < 0)
		return rc;
	name = pmu_tree_name(self, text, len, true);
	if (!name)
		goto no_memory;
	if (name->open && name->open->aside)
		give_up(name->open);
	if (name->open)
		return enter_again(self, name->open);
	node = pmu_tree_node(self, parent, name, &rc);
	if (!node) {
		if (rc == -ENOMEM)
			goto no_memory;
		pmu_thread_doubt(self, PMU_DOUBT_LIMIT);
		return rc;
	}
	if (pmu_tree_push(self, node) < 0)
		goto no_memory;
	pmu_tree_remember(self, text, parent, node);
	node->name->open = node;
	set_open(node->row, 1);
	if (self->watch_cpu >= 0)
		check_cpu(self, node);
	node->start_missing = self->read ? self->read(self->counters, node->start) : 0;
	node->start_ticks = pmu_clock_ticks(self->clock);
	return 0;
no_memory:
	pmu_thread_doubt(self, PMU_DOUBT_NO_MEMORY);
	return -ENOMEM;
}

/* A forked child goes on in the regions that were open, from zero. */
static void open_again(struct pmu_thread *self, const struct pmu_thread *parent_thread)
{
	const struct pmu_frame *frame;

	if (!parent_thread->tree || !parent_thread->frame)
		return;
	for (frame = parent_thread->tree->frames + 1; frame <= parent_thread->frame; frame++)
		for (uint64_t i = 0; i < frame->count; i++)
			begin_uncached(self, frame->node->name->text, frame->node->name->len);
}

/* Off the hot path: no session yet, a new thread, another group, a forked child, a signal handler. */
static int enter(struct pmu_thread **self)
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
		pmu_thread_leave(*self);
		return -ENOMEM;
	}
	if (forked_from)
		open_again(*self, forked_from);
	return 0;
}

static PMU_COLD int begin_outside(const char *name, size_t len)
{
	struct pmu_thread *self;
	int saved = errno, rc = enter(&self);

	if (rc == 0) {
		rc = begin_uncached(self, name, len);
		pmu_thread_leave(self);
	} else if (rc > 0) {
		rc = 0;
	}
	errno = saved;
	return rc;
}

static inline void open_node(struct pmu_thread *self, struct pmu_node *node, const char *literal)
{
	self->frame++;
	self->frame->node = node;
	self->frame->literal = literal;
	self->frame->count = 1;
	self->frame->plain = true;
	node->name->open = node;
	set_open(node->row, 1);
}

/* Anything but a literal and a bare time stamp. */
static __attribute__((noinline)) int begin_general(struct pmu_thread *self, const char *name,
						   size_t len)
{
	struct pmu_node *node = name ? pmu_tree_lookup(self, name, len) : NULL;
	int rc = 0;

	if (likely(node && !node->name->open && self->frame[1].node != PMU_FRAME_END)) {
		open_node(self, node, pmu_is_literal(name) && len == PMU_NAME_TERMINATED
					      ? name
					      : PMU_NOT_LITERAL);
		node->start_missing = self->read ? self->read(self->counters, node->start) : 0;
		node->start_ticks = pmu_clock_ticks(self->clock);
	} else {
		rc = begin_uncached(self, name, len);
	}
	pmu_gate_out(self->gate);
	return rc;
}

/* The cache knows the address, but what is there may have changed. */
static __attribute__((noinline)) int begin_confirmed(struct pmu_thread *self, const char *name,
						     struct pmu_node *node)
{
	int rc = 0;

	if (likely(!strcmp(node->name->text, name) && !node->name->open &&
		   self->frame[1].node != PMU_FRAME_END)) {
		open_node(self, node, PMU_NOT_LITERAL);
		node->start_ticks = pmu_clock_bare();
	} else {
		rc = begin_uncached(self, name, PMU_NAME_TERMINATED);
	}
	pmu_gate_out(self->gate);
	return rc;
}

/*
 * The shape of both hot functions: what is likely runs straight through and calls nothing, so that no
 * register has to be saved; everything else leaves by a tail call, which closes the gate's bracket itself.
 */
PMU_API PMU_HOT int pmu_region_begin(const char *name)
{
	int32_t epoch = __atomic_load_n(&pmu_epoch, __ATOMIC_RELAXED);
	const struct pmu_lookup *entry;
	struct pmu_thread *self;
	struct pmu_node *node;

	if (unlikely(epoch < 0))
		return 0;
	self = pmu_self;
	if (unlikely(!self) || unlikely(*self->gate != (uint32_t)epoch))
		return begin_outside(name, PMU_NAME_TERMINATED);
	pmu_gate_in(self->gate);
	entry = &self->lookup[pmu_lookup_index(self, name, self->frame->node)];
	node = entry->node;
	if (unlikely(!self->bare) || unlikely(entry->text != name) ||
	    unlikely(node->parent != self->frame->node))
		return begin_general(self, name, PMU_NAME_TERMINATED);
	if (unlikely(!pmu_is_literal(name)) || unlikely(node->name->open) ||
	    unlikely(self->frame[1].node == PMU_FRAME_END))
		return begin_confirmed(self, name, node);
	open_node(self, node, name);
	node->start_ticks = pmu_clock_bare();
	pmu_gate_out(self->gate);
	return 0;
}

PMU_API PMU_HOT int pmu_region_begin_n(const char *name, size_t len)
{
	int32_t epoch = __atomic_load_n(&pmu_epoch, __ATOMIC_RELAXED);
	struct pmu_thread *self = pmu_self;

	len = len == PMU_NAME_TERMINATED ? 0 : len;
	if (unlikely(epoch < 0))
		return 0;
	if (unlikely(!self || *self->gate != (uint32_t)epoch))
		return begin_outside(name, len);
	pmu_gate_in(self->gate);
	return begin_general(self, name, len);
}
/* --- end -------------------------------------------------------------------------------------- */

/* Slots that one of the two reads could not make: nothing is added for them, and the row says so. */
static PMU_COLD void mark_missing(const struct pmu_thread *self, struct pmu_node *node,
				  uint32_t missing, uint64_t *now)
{
	node->row->missing |= (uint16_t)missing;
	for (uint32_t i = 0; i < self->n_slots; i++)
		if (missing & (1u << i))
			now[i] = node->start[i] = 0;
}

static inline void finish(const struct pmu_thread *self, struct pmu_node *node, uint64_t ticks,
			  uint32_t missing, uint64_t *now)
{
	missing |= node->start_missing;
	if (unlikely(missing))
		mark_missing(self, node, missing, now);
	publish(self, node, ticks - node->start_ticks, now);
	set_open(node->row, 0);
	node->name->open = NULL;
}

/* One end of a region that was entered more than once; true when it was the outermost. */
static bool leave_one(struct pmu_thread *self, struct pmu_node *node)
{
	uint32_t open = node->row->open;

	if (open == 1)
		return true;
	publish_inner_call(self, node);
	set_open(node->row, open - 1);
	return false;
}

static int end_unbegun(struct pmu_thread *self, const char *text, size_t len)
{
	struct pmu_name *name = pmu_tree_name(self, text, len, true);
	struct pmu_node *node = NULL;
	int error;

	if (name)
		node = name->nodes ? name->nodes
				   : pmu_tree_node(self, self->tree->root, name, &error);
	if (node)
		node->row->unbegun++;
	return -ENOENT;
}

/*
 * Ends that are not of the innermost region entered once: re-entered ones, those below the top (which set
 * aside what is above them), those set aside, and those never begun.
 */
static PMU_COLD int end_other(struct pmu_thread *self, const char *text, size_t len,
			      uint64_t ticks, uint32_t missing, uint64_t *now)
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

			/* One entered again has another frame below and goes on as a parent. */
			above->aside = above != node && !frame_of(self, above);
		}
		if (--frame->count == 0)
			self->frame--;
	}
	if (!leave_one(self, node)) {
		node->aside = !frame_of(self, node);
		return 0;
	}
	if (node->aside)
		node->row->flags |= PMU_STORE_ROW_OVERLAP;
	node->aside = false;
	finish(self, node, ticks, missing, now);
	return 0;
}

static PMU_COLD int end_outside(const char *name, size_t len)
{
	uint64_t now[PMU_MAX_SLOTS] = { 0 };
	struct pmu_thread *self;
	int saved = errno, rc = enter(&self);

	if (rc == 0) {
		uint64_t ticks = pmu_clock_ticks(self->clock);
		uint32_t missing = self->read ? self->read(self->counters, now) : 0;

		rc = end_other(self, name, len, ticks, missing, now);
		pmu_thread_leave(self);
	} else if (rc > 0) {
		rc = 0;
	}
	errno = saved;
	return rc;
}

static inline void close_node(struct pmu_thread *self, struct pmu_node *node, uint64_t ticks)
{
	self->frame--;
	publish_time(self, node, ticks - node->start_ticks);
	set_open(node->row, 0);
	node->name->open = NULL;
	pmu_gate_out(self->gate);
}

/* Anything but a literal and a bare time stamp.  The gate is in. */
static __attribute__((noinline)) int end_general(struct pmu_thread *self, const char *name,
						 size_t len, uint64_t ticks)
{
	const struct pmu_frame *frame = self->frame;
	uint64_t now[PMU_MAX_SLOTS];
	uint32_t missing = self->read ? self->read(self->counters, now) : 0;
	int rc = 0;

	if (likely(name && frame->plain && pmu_name_is(frame->node->name, name, len))) {
		self->frame--;
		finish(self, frame->node, ticks, missing, now);
	} else {
		if (self->watch_cpu >= 0 && frame->node->row)
			check_cpu(self, frame->node);
		rc = end_other(self, name, len, ticks, missing, now);
	}
	pmu_gate_out(self->gate);
	return rc;
}

/* A bare time stamp, and a name that must be compared. */
static __attribute__((noinline)) int end_confirmed(struct pmu_thread *self, const char *name,
						   uint64_t ticks)
{
	struct pmu_node *node = self->frame->node;

	if (unlikely(!name || !self->frame->plain || strcmp(node->name->text, name)))
		return end_general(self, name, PMU_NAME_TERMINATED, ticks);
	close_node(self, node, ticks);
	return 0;
}

static __attribute__((noinline)) int end_by_clock(struct pmu_thread *self, const char *name,
						  size_t len)
{
	return end_general(self, name, len, pmu_clock_ticks(self->clock));
}

PMU_API PMU_HOT int pmu_region_end(const char *name)
{
	int32_t epoch = __atomic_load_n(&pmu_epoch, __ATOMIC_RELAXED);
	struct pmu_thread *self;
	struct pmu_frame *frame;
	uint64_t ticks;

	if (unlikely(epoch < 0))
		return 0;
	self = pmu_self;
	if (unlikely(!self) || unlikely(*self->gate != (uint32_t)epoch))
		return end_outside(name, PMU_NAME_TERMINATED);
	pmu_gate_in(self->gate);
	if (unlikely(!self->bare))
		return end_by_clock(self, name, PMU_NAME_TERMINATED);
	ticks = pmu_clock_bare();
	frame = self->frame;
	if (unlikely(frame->literal != name) || unlikely(!frame->plain))
		return end_confirmed(self, name, ticks);
	close_node(self, frame->node, ticks);
	return 0;
}

PMU_API PMU_HOT int pmu_region_end_n(const char *name, size_t len)
{
	int32_t epoch = __atomic_load_n(&pmu_epoch, __ATOMIC_RELAXED);
	struct pmu_thread *self = pmu_self;

	len = len == PMU_NAME_TERMINATED ? 0 : len;
	if (unlikely(epoch < 0))
		return 0;
	if (unlikely(!self || *self->gate != (uint32_t)epoch))
		return end_outside(name, len);
	pmu_gate_in(self->gate);
	return end_by_clock(self, name, len);
}

/* --- attach ----------------------------------------------------------------------------------- */

PMU_API int pmu_thread_attach(void)
{
	struct pmu_thread *self;
	int saved = errno, rc;

	if (__atomic_load_n(&pmu_epoch, __ATOMIC_RELAXED) < 0)
		return 0;
	rc = enter(&self);
	if (rc == 0)
		pmu_thread_leave(self);
	errno = saved;
	return rc > 0 ? 0 : rc;
}
