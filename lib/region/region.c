/* SPDX-License-Identifier: BSD-3-Clause */
/* Begin and end: the hot path. */
#include <errno.h>

#include "pmu.h"
#include "region/forked.h"
#include "region/guarded.h"
#include "region/off.h"
#include "region/selfcost/selfcost.h"
#include "region/slow.h"
#include "region/text.h"
#include "region/trace.h"
#include "region/turn.h"
#include "session/enter.h"
#include "session/session.h"

/*
 * Keeps the compiler from copying the argument earlier: switched off, a call is five instructions.
 */
#define KEEP_HERE(argument) __asm__("" : "+r"(argument))

/* --- a source that is suspended while the library works --- */

/*
 * Each call that suspends the source ends by a jump to here, so that the instructions counted from
 * here on are always the same.
 */
static PMU_COLD int leave_suspended(const struct pmu_thread *self, int result)
{
	pmu_thread_suspend(self, -1);
	return result;
}

/* --- begin --- */

/*
 * Every begin that counts ends here, whichever path it took: so an empty region always counts the
 * same.
 */
static __attribute__((noinline)) int start_counted(const char *name, struct pmu_thread *self,
						   struct pmu_node *node)
{
	(void)name; /* so that the others are where the caller has them */
	pmu_node_start(self, node);
	guard_leave(self, self->guard);
	return 0;
}

/* The same where it is special; a source that is suspended is resumed when this has returned. */
static __attribute__((noinline)) int start_special(struct pmu_thread *self, struct pmu_node *node)
{
	pmu_node_start_special(self, node);
	guard_leave(self, self->guard);
	return 0;
}

static inline __attribute__((always_inline)) int start_and_leave(struct pmu_thread *self,
								 struct pmu_node *node)
{
	return unlikely(self->special) ? start_special(self, node)
				       : start_counted(NULL, self, node);
}

/*
 * The two slow paths. start_and_leave() must be reached by a jump, with nothing of theirs left on
 * the stack: so each is a function of its own, and returns its result through the thread.
 */
static PMU_COLD struct pmu_node *enter_and_open(const char *name, size_t len)
{
	struct pmu_node *node = NULL;
	struct pmu_thread *self;
	int saved = errno, rc = pmu_region_enter(&self);

	if (rc == 0) {
		node = pmu_begin_uncached(self, name, len, &rc);
		if (node)
			pmu_own.inside = 0;
		else
			pmu_session_unbar();
	} else if (rc == -ENOMEM) {
		pmu_session_note_memory();
	}
	errno = saved;
	pmu_own.refused = rc < 0 ? (uint8_t)-rc : 0;
	return node;
}

static PMU_COLD struct pmu_node *open_uncached(struct pmu_thread *self, const char *name,
					       size_t len, const struct pmu_node *compared)
{
	struct pmu_pause pause;
	struct pmu_node *node;
	int saved = errno;

	pmu_pause_begin(self, &pause, pmu_way_of_length(len));
	pmu_pause_learn(self, &pause, pmu_way_of_length(len));
	if (compared)
		pmu_pause_compare(self, &pause, compared->name, name, len);
	node = pmu_begin_uncached(self, name, len, &self->result);
	errno = saved;
	pmu_pause_end(self, &pause,
		      node                ? PMU_PAUSE_BEGIN
		      : self->result == 0 ? PMU_PAUSE_AGAIN
					  : PMU_PAUSE_REFUSED,
		      node);
	return node;
}

/* A function of its own for the same reason: all of these end by a jump to leave_suspended(). */
static PMU_COLD int start_suspended(struct pmu_thread *self, struct pmu_node *node)
{
	pmu_thread_suspend(self, 1);
	return leave_suspended(self, start_special(self, node));
}

static PMU_COLD int begin_outside(const char *name, size_t len)
{
	struct pmu_node *node;
	struct pmu_thread *self;

	if (pmu_forked_inherits())
		return pmu_forked_call(PMU_FORKED_BEGIN, name, len);
	node = enter_and_open(name, len);
	self = pmu_own.self;
	if (!node)
		return -pmu_own.refused;
	if (unlikely(self->suspends))
		return start_suspended(self, node);
	return start_and_leave(self, node);
}

static PMU_COLD int begin_compared(const char *name, struct pmu_thread *self, size_t len,
				   const struct pmu_node *compared)
{
	struct pmu_node *node = open_uncached(self, name, len, compared);

	if (node)
		return start_and_leave(self, node);
	guard_leave(self, self->guard);
	return self->result;
}

static int begin_uncached(const char *name, struct pmu_thread *self, size_t len)
{
	return begin_compared(name, self, len, NULL);
}

/* The cache found the node by the text's address, too; the text there may be another one by now. */
static inline __attribute__((always_inline)) int begin_by_whole(const char *name,
								struct pmu_thread *self, size_t len,
								struct pmu_node *node, bool special)
{
	if (unlikely(!pmu_name_is(node->name, name, len)))
		return begin_compared(name, self, len, node);
	pmu_node_open(self, node, len == PMU_NAME_TERMINATED ? PMU_FRAME_TEXT : PMU_FRAME_SIZED);
	return special ? start_special(self, node) : start_counted(name, self, node);
}

static __attribute__((noinline)) int begin_whole(const char *name, struct pmu_thread *self,
						 size_t len, struct pmu_node *node)
{
	return begin_by_whole(name, self, len, node, false);
}

/* The same where it is special. */
static __attribute__((noinline)) int begin_whole_specially(const char *name,
							   struct pmu_thread *self, size_t len,
							   struct pmu_node *node)
{
	return begin_by_whole(name, self, len, node, true);
}

/*
 * What is no literal that the cache knows. Both an unknown literal and an unknown text leave here
 * for the slow path, after as many instructions.
 */
static inline __attribute__((always_inline)) int begin_by_text(const char *name,
							       struct pmu_thread *self,
							       bool special)
{
	struct pmu_text text = pmu_text_take(self, name);
	struct pmu_node *node = pmu_tree_lookup_where(self, pmu_text_taken_key(&text, name),
						      pmu_is_literal(name));

	if (unlikely(!node))
		return begin_uncached(name, self, PMU_NAME_TERMINATED);
	if (unlikely(text.is_long))
		return special ? begin_whole_specially(name, self, PMU_NAME_TERMINATED, node)
			       : begin_whole(name, self, PMU_NAME_TERMINATED, node);
	if (unlikely(!pmu_text_is(&text, node->name)))
		return begin_compared(name, self, PMU_NAME_TERMINATED, node);
	pmu_node_open(self, node, PMU_FRAME_TEXT);
	return special ? start_special(self, node) : start_counted(name, self, node);
}

static __attribute__((noinline)) int begin_text(const char *name, struct pmu_thread *self)
{
	return begin_by_text(name, self, false);
}

/* The same where it is special. */
static __attribute__((noinline)) int begin_text_specially(const char *name, struct pmu_thread *self)
{
	return begin_by_text(name, self, true);
}

/*
 * Has only tail calls, so that it needs no stack frame. The cache has texts of one kind for each
 * node, the kind that its cost was measured with: so this is as many instructions each time.
 */
static inline __attribute__((always_inline)) int begin_looked_up(const char *name,
								 struct pmu_thread *self,
								 size_t len, bool special)
{
	bool sized = len != PMU_NAME_TERMINATED;
	struct pmu_node *node = pmu_tree_lookup_where(self, pmu_text_key(name, len),
						      !sized && !pmu_is_literal(name));

	if (sized) {
		if (unlikely(!node))
			return begin_uncached(name, self, len);
		return special ? begin_whole_specially(name, self, len, node)
			       : begin_whole(name, self, len, node);
	}
	if (unlikely(!node))
		return special ? begin_text_specially(name, self) : begin_text(name, self);
	pmu_node_open(self, node, name);
	return special ? start_special(self, node) : start_counted(name, self, node);
}

static PMU_COLD int begin_suspended(struct pmu_thread *self, const char *name, size_t len)
{
	pmu_thread_suspend(self, 1);
	return leave_suspended(self, begin_looked_up(name, self, len, true));
}

static __attribute__((noinline)) int begin_special(struct pmu_thread *self, const char *name,
						   size_t len)
{
	if (self->suspends)
		return begin_suspended(self, name, len);
	return begin_looked_up(name, self, len, true);
}

/* What the next call begins is in another group's tree: everything is looked up anew there. */
static PMU_COLD int begin_turned(const char *name, struct pmu_thread *self, size_t len)
{
	self->turn = PMU_TURN_NEXT;
	guard_leave(self, self->guard);
	return begin_outside(name, len);
}

/*
 * For threads that read counters. Entered with the guard held, and @name where the caller has put
 * it.
 */
static int begin_counted(const char *name, struct pmu_thread *self)
{
	return begin_looked_up(name, self, PMU_NAME_TERMINATED, false);
}

static int begin_specially(const char *name, struct pmu_thread *self)
{
	return begin_special(self, name, PMU_NAME_TERMINATED);
}

/* Where groups take turns. */
static int begin_in_turns(const char *name, struct pmu_thread *self)
{
	if (unlikely(pmu_turn_is_due(self)))
		return begin_turned(name, self, PMU_NAME_TERMINATED);
	return unlikely(self->special) ? begin_specially(name, self) : begin_counted(name, self);
}

static __attribute__((noinline)) int begin_sized_specially(struct pmu_thread *self,
							   const char *name, size_t len)
{
	if (self->rotates && unlikely(pmu_turn_is_due(self)))
		return begin_turned(name, self, len);
	return self->special ? begin_special(self, name, len)
			     : begin_looked_up(name, self, len, false);
}

static __attribute__((noinline)) int begin_sized(struct pmu_thread *self, const char *name,
						 size_t len)
{
	if (unlikely(self->special_by_length))
		return begin_sized_specially(self, name, len);
	return begin_looked_up(name, self, len, false);
}

/* --- begin of time only --- */

static inline __attribute__((always_inline)) int start_time_only(struct pmu_thread *self,
								 struct pmu_node *node,
								 const char *literal,
								 uint32_t *guard)
{
	pmu_node_open(self, node, literal);
	node->start_ticks = pmu_clock_stamp();
	guard_leave(self, guard);
	return 0;
}

static __attribute__((noinline)) int begin_unexpected_whole(const char *name,
							    struct pmu_thread *self,
							    struct pmu_node *node)
{
	if (unlikely(strcmp(node->name->text, name)))
		return begin_uncached(name, self, PMU_NAME_TERMINATED);
	pmu_tree_follow(self->frame, node);
	return start_time_only(self, node, PMU_FRAME_TEXT, self->guard);
}

static __attribute__((noinline)) int begin_unexpected_text(const char *name,
							   struct pmu_thread *self)
{
	struct pmu_text text = pmu_text_take(self, name);
	struct pmu_node *node = pmu_tree_lookup_closed(self, pmu_text_taken_key(&text, name));

	if (unlikely(!node))
		return begin_uncached(name, self, PMU_NAME_TERMINATED);
	if (unlikely(text.is_long))
		return begin_unexpected_whole(name, self, node);
	if (unlikely(!pmu_text_is(&text, node->name)))
		return begin_uncached(name, self, PMU_NAME_TERMINATED);
	pmu_tree_follow(self->frame, node);
	return start_time_only(self, node, PMU_FRAME_TEXT, self->guard);
}

/* Not the region that was expected: look it up. */
static __attribute__((noinline)) int begin_unexpected(const char *name, struct pmu_thread *self)
{
	struct pmu_node *node;

	if (!pmu_is_literal(name))
		return begin_unexpected_text(name, self);
	node = pmu_tree_lookup_closed(self, name);
	if (unlikely(!node))
		return begin_uncached(name, self, PMU_NAME_TERMINATED);
	node->text = name;
	pmu_tree_follow(self->frame, node);
	return start_time_only(self, node, name, self->guard);
}

static inline __attribute__((always_inline)) int begin_time_only(const char *name,
								 struct pmu_thread *self,
								 uint32_t *guard)
{
	const struct pmu_frame *frame = self->frame;
	struct pmu_node *node = pmu_tree_expect(frame);
	const char *literal = name;

	if (unlikely(node->text != name)) {
		/* text in a buffer, or another literal of the same text */
		if (unlikely(!name) || unlikely(!pmu_name_matches_short(node->name, name)))
			return begin_unexpected(name, self);
		literal = PMU_FRAME_TEXT;
	}
	if (unlikely(node->parent != frame->node) || unlikely(node->name->open))
		return begin_unexpected(name, self);
	return start_time_only(self, node, literal, guard);
}

/* The same where the thread is traced: its end has more to do. */
static int begin_timed(const char *name, struct pmu_thread *self)
{
	return begin_time_only(name, self, self->guard);
}

/* The thread has been off its processor: what is open has waited, and goes on when that is told. */
static PMU_COLD int begin_after_off(const char *name, struct pmu_thread *self)
{
	pmu_off_note(self, PMU_BY_TEXT, PMU_PAUSE_OFF_BEGIN);
	if (unlikely(!self->time_only))
		return self->begin(name, self);
	return begin_timed(name, self);
}

/*
 * The shape of both hot functions: what is likely runs straight through and calls
 * nothing, so that no register has to be saved; everything else leaves by a tail call,
 * which leaves the guard itself.
 */
PMU_API PMU_HOT int pmu_region_begin(const char *name)
{
	int32_t epoch = pmu_load_relaxed(&pmu_epoch);
	struct pmu_thread *self;
	uint32_t *guard;

	if (unlikely(epoch < 0))
		return 0;
	KEEP_HERE(name);
	self = pmu_own.self;
	guard = self->guard;
	if (unlikely(!guard_enter(self, guard, epoch)))
		return begin_outside(name, PMU_NAME_TERMINATED);
	if (unlikely(pmu_was_off(self)))
		return begin_after_off(name, self);
	if (unlikely(!self->time_only))
		return self->begin(name, self);
	return begin_time_only(name, self, guard);
}

static PMU_COLD int begin_sized_after_off(struct pmu_thread *self, const char *name, size_t len)
{
	pmu_off_note(self, PMU_BY_LENGTH, PMU_PAUSE_OFF_BEGIN);
	return begin_sized(self, name, len);
}

PMU_API PMU_HOT int pmu_region_begin_n(const char *name, size_t len)
{
	int32_t epoch = pmu_load_relaxed(&pmu_epoch);
	struct pmu_thread *self = pmu_own.self;

	len = len == PMU_NAME_TERMINATED ? 0 : len;
	if (unlikely(epoch < 0))
		return 0;
	if (unlikely(!guard_enter(self, self->guard, epoch)))
		return begin_outside(name, len);
	if (unlikely(pmu_was_off(self)))
		return begin_sized_after_off(self, name, len);
	return begin_sized(self, name, len);
}

/* --- end --- */

static PMU_COLD int enter_and_end(const char *name, size_t len)
{
	uint64_t now[PMU_MAX_SLOTS] = { 0 };
	struct pmu_thread *self;
	int saved = errno, rc = pmu_region_enter(&self);

	if (rc == 0) {
		uint64_t ticks = pmu_thread_ticks(self);
		uint32_t missing = self->read ? self->read(self->counters, now) : 0;

		rc = pmu_end_other(self, name, len, ticks, missing, now);
		pmu_session_unbar();
	} else if (rc > 0) {
		rc = 0;
	}
	errno = saved;
	return rc;
}

/* With nothing of it left on the stack, as begin_outside(). */
static PMU_COLD int end_outside(const char *name, size_t len)
{
	if (pmu_forked_inherits())
		return pmu_forked_call(PMU_FORKED_END, name, len);
	return enter_and_end(name, len);
}

static inline __attribute__((always_inline)) void close_node(struct pmu_thread *self,
							     struct pmu_node *node, uint64_t ticks,
							     uint32_t *guard, bool traced)
{
	/*
	 * The small stores come first: kept for after the totals, they would take registers from
	 * those.
	 */
	struct pmu_store_row *row = node->row;

	self->frame--;
	node->name->open = NULL;
	pmu_row_set_open(row, 0);
	pmu_note_end(self, ticks);
	if (traced)
		pmu_trace_call(self, node, ticks, NULL, 0);
	pmu_publish_time(node, ticks - node->start_ticks);
	guard_leave(self, guard);
}

/* Does this end the innermost region, by text of the kind that its cost was measured with? */
static inline bool is_innermost(const struct pmu_frame *frame, const char *name, size_t len)
{
	bool sized = len != PMU_NAME_TERMINATED;

	if (!name)
		return false;
	return (!sized && frame->literal == name) ||
	       (frame->literal == (sized ? PMU_FRAME_SIZED : PMU_FRAME_TEXT) &&
		(sized ? pmu_name_is(frame->node->name, name, len)
		       : pmu_name_is_text(frame->node->name, name)));
}

static PMU_COLD int end_other(struct pmu_thread *self, const char *name, size_t len, uint64_t ticks,
			      uint32_t missing, uint64_t *now)
{
	int saved = errno, rc = pmu_end_other(self, name, len, ticks, missing, now);

	errno = saved;
	guard_leave(self, self->guard);
	return rc;
}

/* An end that is not by the frame's own literal, or not all slots could be read in time. */
static inline __attribute__((always_inline)) int end_by_text(const char *name,
							     struct pmu_thread *self, size_t len,
							     uint64_t ticks, uint32_t missing,
							     size_t n, bool traced)
{
	uint64_t *now = self->now;
	struct pmu_frame *frame = self->frame;

	if (unlikely(!is_innermost(frame, name, len)))
		return end_other(self, name, len, ticks, missing, now);
	self->frame = frame - 1;
	if (unlikely(missing | frame->node->start_missing))
		pmu_node_finish_odd(self, frame->node, pmu_way_of_length(len), missing, now);
	pmu_node_finish(self, frame->node, ticks, now, n);
	if (traced)
		pmu_trace_call(self, frame->node, ticks, now, n);
	guard_leave(self, self->guard);
	return 0;
}

typedef int end_text_fn(const char *name, struct pmu_thread *self, size_t len, uint64_t ticks,
			uint32_t missing);

/* Counters are read first; nothing comes before that but a time stamp of one instruction. */
static inline __attribute__((always_inline)) int end_read(const char *name, struct pmu_thread *self,
							  size_t len, size_t n, bool traced,
							  end_text_fn *end_text)
{
	uint64_t *now = self->now, ticks = pmu_clock_stamp();
	uint32_t missing = self->read(self->counters, now);
	struct pmu_frame *frame = self->frame;
	struct pmu_node *node = frame->node;

	if (len != PMU_NAME_TERMINATED)
		pmu_cost_by_length(self, now);
	if (unlikely(frame->literal != name) || len != PMU_NAME_TERMINATED ||
	    unlikely(missing | node->start_missing))
		return end_text(name, self, len, ticks, missing);
	self->frame = frame - 1;
	pmu_node_finish(self, node, ticks, now, n);
	if (traced)
		pmu_trace_call(self, node, ticks, now, n);
	guard_leave(self, self->guard);
	return 0;
}

/* Where nothing is read, the slots' counts stay 0, and are missing in the report. */
static __attribute__((noinline)) int end_stamped(struct pmu_thread *self, const char *name,
						 size_t len)
{
	uint64_t now[PMU_MAX_SLOTS], ticks;
	struct pmu_frame *frame = self->frame;
	uint32_t missing = 0;

	ticks = self->stamp_outside ? 0 : pmu_clock_stamp();
	if (self->read)
		missing = self->read(self->counters, now);
	else
		memset(now, 0, self->n_slots * sizeof(*now));
	if (self->stamp_outside)
		ticks = self->read ? pmu_clock_steady() : pmu_clock_mono_ns();
	if (self->read && len != PMU_NAME_TERMINATED)
		pmu_cost_by_length(self, now);
	if (self->watch_cpu >= 0 && frame->node->row)
		pmu_node_check_cpu(self, frame->node);
	if (unlikely(!is_innermost(frame, name, len)))
		return end_other(self, name, len, ticks, missing, now);
	self->frame = frame - 1;
	pmu_node_finish_special(self, frame->node, pmu_way_of_length(len), ticks, missing, now);
	guard_leave(self, self->guard);
	return 0;
}

static __attribute__((noinline)) int end_special(struct pmu_thread *self, const char *name,
						 size_t len)
{
	if (!self->suspends)
		return end_stamped(self, name, len);
	pmu_thread_suspend(self, 1);
	return leave_suspended(self, end_stamped(self, name, len));
}

/*
 * One for each number of counts, unrolled, since loop control would cost as much as the loop's
 * body; and one for more.
 */
#define END_READ(way, n, of, traced)                                                   \
	static __attribute__((noinline)) int end_text_##way##_##n(                     \
		const char *name, struct pmu_thread *self, size_t len, uint64_t ticks, \
		uint32_t missing)                                                      \
	{                                                                              \
		return end_by_text(name, self, len, ticks, missing, of, traced);       \
	}                                                                              \
	static int end_##way##_##n(const char *name, struct pmu_thread *self)          \
	{                                                                              \
		return end_read(name, self, PMU_NAME_TERMINATED, of, traced,           \
				end_text_##way##_##n);                                 \
	}
#define END_COUNTED(n, of)              \
	END_READ(counted, n, of, false) \
	END_READ(traced, n, of, true)
END_COUNTED(1, 1)
END_COUNTED(2, 2)
END_COUNTED(3, 3)
END_COUNTED(4, 4)
END_COUNTED(5, 5)
END_COUNTED(6, 6)
END_COUNTED(7, 7)
END_COUNTED(8, 8)
END_COUNTED(more, self->n_slots)

static int end_specially(const char *name, struct pmu_thread *self)
{
	return end_special(self, name, PMU_NAME_TERMINATED);
}

static __attribute__((noinline)) int end_sized_specially(struct pmu_thread *self, const char *name,
							 size_t len)
{
	return self->special ? end_special(self, name, len)
			     : end_read(name, self, len, self->n_slots, true, end_text_traced_more);
}

static __attribute__((noinline)) int end_sized(struct pmu_thread *self, const char *name,
					       size_t len)
{
	if (unlikely(self->special_to_leave))
		return end_sized_specially(self, name, len);
	return end_read(name, self, len, self->n_slots, false, end_text_counted_more);
}

/* Of time only; the name is neither the frame's literal nor a short text. */
static __attribute__((noinline)) int end_confirmed(struct pmu_thread *self, const char *name,
						   uint64_t ticks)
{
	const struct pmu_frame *frame = self->frame;
	uint64_t none[PMU_MAX_SLOTS] = { 0 };

	if (unlikely(!name) || unlikely(!pmu_frame_is_plain(frame)) ||
	    unlikely(strcmp(frame->node->name->text, name)))
		return end_other(self, name, PMU_NAME_TERMINATED, ticks, 0, none);
	close_node(self, frame->node, ticks, self->guard, false);
	return 0;
}

static __attribute__((noinline)) int end_timed_text(const char *name, struct pmu_thread *self,
						    uint64_t ticks)
{
	struct pmu_frame *frame = self->frame;
	uint64_t none[PMU_MAX_SLOTS] = { 0 };

	if (unlikely(!is_innermost(frame, name, PMU_NAME_TERMINATED)))
		return end_other(self, name, PMU_NAME_TERMINATED, ticks, 0, none);
	close_node(self, frame->node, ticks, self->guard, true);
	return 0;
}

/* The same where the thread is traced. */
static int end_timed(const char *name, struct pmu_thread *self)
{
	uint64_t ticks = pmu_clock_stamp();
	const struct pmu_frame *frame = self->frame;

	if (unlikely(frame->literal != name) &&
	    (unlikely(!name) || unlikely(!pmu_frame_is_plain(frame)) ||
	     unlikely(!pmu_name_matches_short(frame->node->name, name))))
		return end_timed_text(name, self, ticks);
	close_node(self, frame->node, ticks, self->guard, true);
	return 0;
}

static inline __attribute__((always_inline)) int end_time_only(const char *name,
							       struct pmu_thread *self,
							       uint32_t *guard)
{
	uint64_t ticks = pmu_clock_stamp();
	const struct pmu_frame *frame = self->frame;

	if (unlikely(frame->literal != name) &&
	    (unlikely(!name) || unlikely(!pmu_frame_is_plain(frame)) ||
	     unlikely(!pmu_name_matches_short(frame->node->name, name))))
		return end_confirmed(self, name, ticks);
	close_node(self, frame->node, ticks, guard, false);
	return 0;
}

/* As begin_after_off(). */
static PMU_COLD int end_after_off(const char *name, struct pmu_thread *self)
{
	pmu_off_note(self, PMU_BY_TEXT, PMU_PAUSE_OFF_END);
	if (unlikely(!self->time_only))
		return self->end(name, self);
	return end_time_only(name, self, self->guard);
}

PMU_API PMU_HOT int pmu_region_end(const char *name)
{
	int32_t epoch = pmu_load_relaxed(&pmu_epoch);
	struct pmu_thread *self;
	uint32_t *guard;

	if (unlikely(epoch < 0))
		return 0;
	KEEP_HERE(name);
	self = pmu_own.self;
	guard = self->guard;
	if (unlikely(!guard_enter(self, guard, epoch)))
		return end_outside(name, PMU_NAME_TERMINATED);
	if (unlikely(pmu_was_off(self)))
		return end_after_off(name, self);
	if (unlikely(!self->time_only))
		return self->end(name, self);
	return end_time_only(name, self, guard);
}

static PMU_COLD int end_sized_after_off(struct pmu_thread *self, const char *name, size_t len)
{
	pmu_off_note(self, PMU_BY_LENGTH, PMU_PAUSE_OFF_END);
	return end_sized(self, name, len);
}

PMU_API PMU_HOT int pmu_region_end_n(const char *name, size_t len)
{
	int32_t epoch = pmu_load_relaxed(&pmu_epoch);
	struct pmu_thread *self = pmu_own.self;

	len = len == PMU_NAME_TERMINATED ? 0 : len;
	if (unlikely(epoch < 0))
		return 0;
	if (unlikely(!guard_enter(self, self->guard, epoch)))
		return end_outside(name, len);
	if (unlikely(pmu_was_off(self)))
		return end_sized_after_off(self, name, len);
	return end_sized(self, name, len);
}

/* --- attach --- */

/* But for its being traced. */
static bool would_be_time_only(const struct pmu_thread *self)
{
	return !self->read && !self->histograms && !self->exact && !self->stamp_outside &&
	       !self->rotates;
}

void pmu_region_choose(struct pmu_thread *self)
{
	static int (*const end_counted[])(const char *name, struct pmu_thread *self) = {
		end_counted_more, end_counted_1, end_counted_2, end_counted_3, end_counted_4,
		end_counted_5,    end_counted_6, end_counted_7, end_counted_8,
	};
	static int (*const end_traced[])(const char *name, struct pmu_thread *self) = {
		end_traced_more, end_traced_1, end_traced_2, end_traced_3, end_traced_4,
		end_traced_5,    end_traced_6, end_traced_7, end_traced_8,
	};
	uint32_t n = self->n_slots < PMU_ARRAY_LEN(end_counted) ? self->n_slots : 0;

	self->begin = self->rotates   ? begin_in_turns
		      : self->special ? begin_specially
				      : begin_counted;
	if (self->special)
		self->end = end_specially;
	else
		self->end = self->traced ? end_traced[n] : end_counted[n];
	self->text_limit = self->bytewise ? 0 : PMU_TEXT_LIMIT;
	self->trace.serial = (uint64_t)self->rows.serial << 32;
	if (self->traced && would_be_time_only(self)) {
		self->begin = begin_timed;
		self->end = end_timed;
	}
}

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
