/* SPDX-License-Identifier: BSD-3-Clause */
/* Begin and end: the hot path. */
#include <errno.h>

#include "pmu.h"
#include "region/selfcost/selfcost.h"
#include "region/slow.h"
#include "session/session.h"

/*
 * The gate is odd while its thread is inside the library.  It is counted up and down in memory, not
 * set, so that one that a fork has wiped in between does not come out as it went in: in one
 * instruction, which no signal can part, or on an arm64 without it by one that starts over when an
 * interrupt comes.
 */
static inline void gate_add(const struct pmu_thread *self, uint32_t n)
{
	uint32_t *gate = self->gate;

#if defined(__x86_64__)
	__asm__ volatile("addl %1, %0" : "+m"(*gate) : "ri"(n) : "cc");
#elif defined(__aarch64__)
	uint32_t value, failed;

	if (likely(self->gate_in_one)) {
		__asm__ volatile(".arch_extension lse\n	stadd	%w1, %0" : "+Q"(*gate) : "r"(n));
		return;
	}
	__asm__ volatile("1:	ldxr	%w0, %2\n"
			 "	add	%w0, %w0, %w3\n"
			 "	stxr	%w1, %w0, %2\n"
			 "	cbnz	%w1, 1b"
			 : "=&r"(value), "=&r"(failed), "+Q"(*gate)
			 : "r"(n));
#else
	__atomic_fetch_add(gate, n, __ATOMIC_RELAXED);
#endif
}

static inline void pmu_gate_out(const struct pmu_thread *self)
{
	pmu_compiler_barrier();
	gate_add(self, -1u);
}

/*
 * Asked once more when it is shut: a child may have been made in between, by a signal handler that
 * returns here.
 */
static inline bool pmu_gate_in(const struct pmu_thread *self, int32_t epoch)
{
	uint32_t *gate = self->gate;

	if (unlikely(__atomic_load_n(gate, __ATOMIC_RELAXED) != (uint32_t)epoch))
		return false;
	gate_add(self, 1);
	pmu_compiler_barrier();
	if (likely(__atomic_load_n(gate, __ATOMIC_RELAXED) == ((uint32_t)epoch | 1)))
		return true;
	pmu_gate_out(self);
	return false;
}

/* No copy of the argument is made before this point: switched off, a call is five instructions. */
#define KEEP_HERE(argument) __asm__("" : "+r"(argument))

/* --- a source that can leave out what the library does --- */

/* Jumped to at the end of every quiet call: what is counted from here on is always the same. */
static PMU_COLD int leave_quietly(const struct pmu_thread *self, int result)
{
	pmu_thread_quiet(self, -1);
	return result;
}

/* --- begin --- */

/*
 * Every begin but the bare one comes out here, so that what an empty region counts is the
 * same whichever way the begin took.
 */
static __attribute__((noinline)) int start_and_leave(struct pmu_thread *self, struct pmu_node *node)
{
	pmu_node_start(self, node);
	pmu_gate_out(self);
	return 0;
}

/*
 * The two long ways.  What they need on the stack is gone before start_and_leave(), which must be
 * jumped to: so they are functions of their own, and the result lies with the thread.
 */
static PMU_COLD struct pmu_node *enter_and_open(const char *name, size_t len, int *result)
{
	struct pmu_node *node = NULL;
	struct pmu_thread *self;
	int saved = errno, rc = pmu_region_enter(&self);

	if (rc == 0) {
		node = pmu_begin_uncached(self, name, len, &rc);
		if (node)
			pmu_inside = 0;
		else
			pmu_session_unbar();
	}
	errno = saved;
	*result = rc < 0 ? rc : 0;
	return node;
}

static PMU_COLD struct pmu_node *open_uncached(struct pmu_thread *self, const char *name,
					       size_t len, const struct pmu_node *compared)
{
	struct pmu_pause pause;
	struct pmu_node *node;
	int saved = errno;

	pmu_pause_begin(self, &pause);
	if (compared)
		pmu_pause_compare(self, &pause, compared->name, name, len);
	node = pmu_begin_uncached(self, name, len, &self->result);
	errno = saved;
	pmu_pause_end(self, &pause, node ? PMU_PAUSE_BEGIN : PMU_PAUSE_AGAIN, node);
	return node;
}

static __thread int outside_result __attribute__((tls_model("initial-exec")));

/*
 * A function of its own for the same reason: it jumps to leave_quietly(), as others do that come
 * out there.
 */
static PMU_COLD int start_quietly(struct pmu_thread *self, struct pmu_node *node)
{
	pmu_thread_quiet(self, 1);
	return leave_quietly(self, start_and_leave(self, node));
}

static PMU_COLD int begin_outside(const char *name, size_t len)
{
	struct pmu_node *node = enter_and_open(name, len, &outside_result);
	struct pmu_thread *self = pmu_self;

	if (!node)
		return outside_result;
	if (unlikely(self->quiet))
		return start_quietly(self, node);
	return start_and_leave(self, node);
}

static PMU_COLD int begin_compared(struct pmu_thread *self, const char *name, size_t len,
				   const struct pmu_node *compared)
{
	struct pmu_node *node = open_uncached(self, name, len, compared);

	if (node)
		return start_and_leave(self, node);
	pmu_gate_out(self);
	return self->result;
}

static int begin_uncached(struct pmu_thread *self, const char *name, size_t len)
{
	return begin_compared(self, name, len, NULL);
}

static inline void open_node(struct pmu_thread *self, struct pmu_node *node, const char *literal)
{
	self->frame++;
	self->frame->node = node;
	self->frame->literal = literal;
	self->frame->count = 1;
	self->frame->plain = true;
	node->name->open = node;
	pmu_row_set_open(node->row, 1);
}

static inline __attribute__((always_inline)) int begin_looked_up(struct pmu_thread *self,
								 const char *name, size_t len)
{
	bool literal = len == PMU_NAME_TERMINATED && pmu_is_literal(name);
	struct pmu_node *node = pmu_tree_lookup_even(self, pmu_text_key(name, len));

	if (unlikely(!node))
		return begin_uncached(self, name, len);
	if (unlikely((!literal && !pmu_name_is(node->name, name, len)) || node->name->open ||
		     self->frame[1].node == PMU_FRAME_END))
		return begin_compared(self, name, len, literal ? NULL : node);
	open_node(self, node, literal ? name : PMU_NOT_LITERAL);
	return start_and_leave(self, node);
}

static PMU_COLD int begin_quietly(struct pmu_thread *self, const char *name, size_t len)
{
	pmu_thread_quiet(self, 1);
	return leave_quietly(self, begin_looked_up(self, name, len));
}

/* Anything but a literal and a bare time stamp.  The gate is in. */
static __attribute__((noinline)) int begin_general(struct pmu_thread *self, const char *name,
						   size_t len)
{
	if (unlikely(self->quiet))
		return begin_quietly(self, name, len);
	return begin_looked_up(self, name, len);
}

/* A bare time stamp; the cache knows the address, but what is there may have changed. */
static __attribute__((noinline)) int begin_confirmed(struct pmu_thread *self, const char *name,
						     struct pmu_node *node)
{
	if (unlikely(strcmp(node->name->text, name) || node->name->open ||
		     self->frame[1].node == PMU_FRAME_END))
		return begin_uncached(self, name, PMU_NAME_TERMINATED);
	open_node(self, node, PMU_NOT_LITERAL);
	node->start_ticks = pmu_clock_bare();
	pmu_gate_out(self);
	return 0;
}

/*
 * The shape of both hot functions: what is likely runs straight through and calls
 * nothing, so that no register has to be saved; everything else leaves by a tail call,
 * which closes the gate's bracket itself.
 */
PMU_API PMU_HOT int pmu_region_begin(const char *name)
{
	int32_t epoch = __atomic_load_n(&pmu_epoch, __ATOMIC_RELAXED);
	struct pmu_thread *self;
	struct pmu_node *node;
	const char *literal;

	if (unlikely(epoch < 0))
		return 0;
	KEEP_HERE(name);
	self = pmu_self;
	if (unlikely(!self) || unlikely(!pmu_gate_in(self, epoch)))
		return begin_outside(name, PMU_NAME_TERMINATED);
	if (unlikely(!self->bare))
		return begin_general(self, name, PMU_NAME_TERMINATED);
	node = pmu_tree_lookup(self, name);
	if (unlikely(!node))
		return begin_uncached(self, name, PMU_NAME_TERMINATED);
	literal = name;
	if (unlikely(!pmu_is_literal(name))) {
		if (unlikely(!pmu_name_matches_short(node->name, name)))
			return begin_confirmed(self, name, node);
		literal = PMU_NOT_LITERAL;
	}
	if (unlikely(node->name->open) || unlikely(self->frame[1].node == PMU_FRAME_END))
		return begin_uncached(self, name, PMU_NAME_TERMINATED);
	open_node(self, node, literal);
	node->start_ticks = pmu_clock_bare();
	pmu_gate_out(self);
	return 0;
}

PMU_API PMU_HOT int pmu_region_begin_n(const char *name, size_t len)
{
	int32_t epoch = __atomic_load_n(&pmu_epoch, __ATOMIC_RELAXED);
	struct pmu_thread *self = pmu_self;

	len = len == PMU_NAME_TERMINATED ? 0 : len;
	if (unlikely(epoch < 0))
		return 0;
	if (unlikely(!self || !pmu_gate_in(self, epoch)))
		return begin_outside(name, len);
	return begin_general(self, name, len);
}

/* --- end --- */

static PMU_COLD int end_outside(const char *name, size_t len)
{
	uint64_t now[PMU_MAX_SLOTS] = { 0 };
	struct pmu_thread *self;
	int saved = errno, rc = pmu_region_enter(&self);

	if (rc == 0) {
		uint64_t ticks = pmu_clock_ticks(self->clock);
		uint32_t missing = self->read ? self->read(self->counters, now) : 0;

		rc = pmu_end_other(self, name, len, ticks, missing, now);
		pmu_session_unbar();
	} else if (rc > 0) {
		rc = 0;
	}
	errno = saved;
	return rc;
}

static inline void close_node(struct pmu_thread *self, struct pmu_node *node, uint64_t ticks)
{
	/*
	 * Small things first: what is still to be stored after the totals would take registers from
	 * them.
	 */
	struct pmu_store_row *row = node->row;

	self->frame--;
	node->name->open = NULL;
	pmu_row_set_open(row, 0);
	pmu_note_end(self, ticks);
	pmu_publish_time(self, row, ticks - node->start_ticks);
	pmu_gate_out(self);
}

static inline __attribute__((always_inline)) int end_read(struct pmu_thread *self, const char *name,
							  size_t len, uint64_t ticks)
{
	const struct pmu_frame *frame = self->frame;
	uint64_t now[PMU_MAX_SLOTS];
	uint32_t missing = 0;
	int saved, rc = 0;

	if (self->read)
		missing = self->read(self->counters, now);
	else
		memset(now, 0, self->n_slots * sizeof(*now));
	if (likely(frame->plain && ((frame->literal == name && len == PMU_NAME_TERMINATED) ||
				    (name && pmu_name_is(frame->node->name, name, len))))) {
		self->frame--;
		pmu_node_finish(self, frame->node, ticks, missing, now);
	} else {
		if (self->watch_cpu >= 0 && frame->node->row)
			pmu_node_check_cpu(self, frame->node);
		saved = errno;
		rc = pmu_end_other(self, name, len, ticks, missing, now);
		errno = saved;
	}
	pmu_gate_out(self);
	return rc;
}

static PMU_COLD int end_quietly(struct pmu_thread *self, const char *name, size_t len,
				uint64_t ticks)
{
	pmu_thread_quiet(self, 1);
	return leave_quietly(self, end_read(self, name, len, ticks));
}

/* Anything but a literal and a bare time stamp.  The gate is in. */
static __attribute__((noinline)) int end_general(struct pmu_thread *self, const char *name,
						 size_t len, uint64_t ticks)
{
	if (unlikely(self->quiet))
		return end_quietly(self, name, len, ticks);
	return end_read(self, name, len, ticks);
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
	KEEP_HERE(name);
	self = pmu_self;
	if (unlikely(!self) || unlikely(!pmu_gate_in(self, epoch)))
		return end_outside(name, PMU_NAME_TERMINATED);
	if (unlikely(!self->bare))
		return end_by_clock(self, name, PMU_NAME_TERMINATED);
	ticks = pmu_clock_bare();
	frame = self->frame;
	if (unlikely(!frame->plain) ||
	    (frame->literal != name &&
	     unlikely(!name || !pmu_name_matches_short(frame->node->name, name))))
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
	if (unlikely(!self || !pmu_gate_in(self, epoch)))
		return end_outside(name, len);
	return end_by_clock(self, name, len);
}

/* --- attach --- */

PMU_API int pmu_thread_attach(void)
{
	struct pmu_thread *self;
	int saved = errno, rc;

	if (__atomic_load_n(&pmu_epoch, __ATOMIC_RELAXED) < 0)
		return 0;
	rc = pmu_region_enter(&self);
	if (rc == 0)
		pmu_session_unbar();
	errno = saved;
	return rc > 0 ? 0 : rc;
}
