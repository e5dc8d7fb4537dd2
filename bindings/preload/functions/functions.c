/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions compiled with -finstrument-functions as regions.
 *
 * The compiler has told us of each beginning, but not of each end: longjmp() and, with clang,
 * exceptions jump over them.  So each thread keeps the functions that it is in, with the addresses
 * of their frames; what was jumped over is ended at the jump, where that is longjmp()'s, else at
 * the next hook that shows it: two frames that are there at the same time share no memory.  Hooks
 * of functions that are no regions show it as well.
 */
#include "bindings/preload/functions/functions.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/annotations/aside.h"
#include "bindings/preload/functions/extent.h"
#include "bindings/preload/functions/known.h"
#include "bindings/preload/functions/short.h"
#include "bindings/preload/keep.h"
#include "bindings/preload/preload.h"

#define HOOK __attribute__((no_instrument_function, hot, visibility("hidden")))
#define COLD __attribute__((cold, noinline))

#define FIRST_SIZE ((size_t)8192)
/*
 * What is called from code without names (callbacks) does not have all its callers looked through.
 */
#define LOOK_THROUGH 32
/*
 * Of an address of code: without the signature that arm64's stacks have it with (PAC), and the tag.
 */
#define CODE_BITS     48
#define NOTE_MAX      255
#define SMALLEST_PAGE 4096u

/* A function that the thread is in. */
struct frame {
	const void *code;
	uintptr_t call_site;
	/*
	 * the stack pointer when it began: it comes back there at most, until the function returns
	 */
	uintptr_t here;
	/* where its code called the hook: each copy that was inlined does it elsewhere */
	uintptr_t at;
	const struct preload_function *function; /* or &unmeasured */
};

/* A thread's. */
struct stack {
	/*
	 * 0, or the stack pointer below the hook at work: what signal handlers call then is not
	 * measured
	 */
	uintptr_t inside;
	struct frame *top;
	struct frame *limit;   /* behind the last */
	unsigned int unpushed; /* calls inside the top that there was no memory for */
	struct preload_calls calls;
	struct frame *bottom; /* stands for what is around all functions */
	struct preload_extent extent;
};

static __thread struct stack *own __attribute__((tls_model("initial-exec")));
static __thread bool making_own __attribute__((tls_model("initial-exec")));

static const struct preload_function outside = { .start = 0, .size = UINTPTR_MAX };
static const struct preload_function unmeasured;

/* Not for this process: what has no stack needs none. */
static bool is_off;
static unsigned long n_missed;
static pthread_key_t key;
static bool have_key;

#define fence() __atomic_signal_fence(__ATOMIC_SEQ_CST)

/* --- a thread's stack of functions --- */

static struct frame *first_frames(struct stack *self)
{
	return (struct frame *)(self + 1);
}

static void free_frames(struct stack *self)
{
	if (self->bottom != first_frames(self))
		preload_unmap(self->bottom, (size_t)((char *)self->limit - (char *)self->bottom));
}

static COLD bool grow(struct stack *self)
{
	size_t n = (size_t)(self->limit - self->bottom),
	       used = (size_t)(self->top - self->bottom) + 1;
	struct frame *frames = preload_map(2 * n * sizeof(*frames));

	if (!frames)
		return false;
	memcpy(frames, self->bottom, used * sizeof(*frames));
	free_frames(self);
	self->bottom = frames;
	self->top = frames + used - 1;
	self->limit = frames + 2 * n;
	return true;
}

static void at_thread_end(void *stack)
{
	struct stack *self = stack;

	preload_functions_leave();
	own = NULL;
	preload_short_end(&self->calls);
	free_frames(self);
	preload_unmap(self, FIRST_SIZE);
}

static void start(void)
{
	have_key = pthread_key_create(&key, at_thread_end) == 0;
	/* the session has started: its own way out was there before, and comes after */
	atexit(preload_functions_end);
	preload_short_start();
}

/* Once per thread. */
static COLD struct stack *make_own(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int saved = errno;
	struct stack *self;

	if (making_own)
		return NULL;
	making_own = true;
	fence();
	if (!preload_on(PRELOAD_FUNCTIONS)) {
		is_off = preload_started();
		goto out;
	}
	pthread_once(&once, start);
	self = preload_map(FIRST_SIZE);
	if (!self)
		goto out;
	self->bottom = self->top = first_frames(self);
	self->limit = self->bottom + (FIRST_SIZE - sizeof(*self)) / sizeof(struct frame);
	*self->bottom = (struct frame){ .here = UINTPTR_MAX, .function = &outside };
	if (have_key)
		pthread_setspecific(key, self);
	own = self;
out:
	fence();
	making_own = false;
	errno = saved;
	return own;
}

/*
 * Addresses say what is above what on one stack only: there are coroutines, and stacks of signal
 * handlers.
 */
static bool on_own_stack(struct stack *self, uintptr_t a, uintptr_t b)
{
	return preload_extent_has(&self->extent, a) && preload_extent_has(&self->extent, b);
}

/* The call comes before the address that it returns to, which may be another function's. */
static inline bool contains(const struct preload_function *function, uintptr_t call_site)
{
	return call_site - 1 - function->start < function->size;
}

/* --- ends --- */

static inline __attribute__((always_inline)) void end(struct stack *self,
						      const struct preload_function *function)
{
	if (likely(function->text))
		aside.end(function->text);
	if (unlikely(preload_min_time_ns) && function->text)
		preload_short_count(&self->calls, function->name);
}

static void end_top(struct stack *self)
{
	const struct preload_function *function = self->top->function;

	self->top--;
	self->unpushed = 0;
	end(self, function);
}

void preload_functions_leave(void)
{
	struct stack *self = own;

	if (!self || self->inside)
		return;
	self->inside = 1;
	fence();
	while (self->top > self->bottom)
		end_top(self);
	fence();
	self->inside = 0;
}

static void end_in_between(struct stack *self, struct frame *frame)
{
	end(self, frame->function);
	frame->code = NULL;
}

/* Without those above a frame that have ended in between. */
static void close_ranks(struct stack *self, struct frame *frame)
{
	struct frame *to = frame;

	for (; frame <= self->top; frame++)
		if (frame->code || frame == self->bottom)
			*to++ = *frame;
	self->top = to - 1;
}

/* --- jumps --- */

bool preload_functions_are_open(void)
{
	return own && own->top > own->bottom;
}

/* The stack that a signal handler is on now, if it is not the thread's own. */
static struct preload_extent handlers_stack(void)
{
	stack_t stack;

	if (sigaltstack(NULL, &stack) < 0 || !(stack.ss_flags & SS_ONSTACK))
		return (struct preload_extent){ 1, 1 };
	return (struct preload_extent){ (uintptr_t)stack.ss_sp,
					(uintptr_t)stack.ss_sp + stack.ss_size };
}

/*
 * What calls setjmp() is not inlined into anything, so what has been inlined into it, and has its
 * frame, is jumped over with the rest.
 */
static void end_inlined(struct stack *self, uintptr_t to)
{
	while (self->top->here == to && self->top[-1].here == to &&
	       self->top->call_site == self->top[-1].call_site)
		end_top(self);
}

void preload_functions_jump(uintptr_t to, uintptr_t from)
{
	struct preload_extent leaves = { 1, 1 };
	struct stack *self = own;
	struct frame *frame;

	if (!self || self->inside)
		return;
	self->inside = from;
	fence();
	/* to another stack: a coroutine's, and nothing has ended */
	if (preload_extent_has(&self->extent, to)) {
		if (!preload_extent_has(&self->extent, from))
			leaves = handlers_stack();
		for (frame = self->top; frame > self->bottom; frame--) {
			bool is_own = preload_extent_has(&self->extent, frame->here);

			if (is_own && frame->here >= to)
				break;
			if (is_own || preload_extent_has(&leaves, frame->here))
				end_in_between(self, frame);
		}
		close_ranks(self, frame);
		end_inlined(self, to);
	}
	fence();
	self->inside = 0;
}

/* --- what is over --- */

/* Has one been inlined into what the other is in, or is it that?  Both have its frame, then. */
static bool is_same_frame(const struct frame *a, const struct frame *b)
{
	return a->here == b->here && a->call_site == b->call_site;
}

/* Is where it returns to kept below?  Other frames' memory: no sanitizer is to look at it. */
__attribute__((no_sanitize("address", "thread", "undefined"), noinline)) static bool returns_below(
	const struct frame *call, uintptr_t below)
{
	for (const volatile uintptr_t *word = (const volatile uintptr_t *)call->here;
	     (uintptr_t)word < below; word++)
		if ((*word ^ call->call_site) << (64 - CODE_BITS) == 0)
			return true;
	return false;
}

/*
 * Is an open frame below that of a call that begins, or where that has its own?  It reaches from
 * its stack pointer up to where it returns to, at least.  Stacks of coroutines are not known: what
 * is next to it there is on its stack, and what is on its page can be read.
 */
static bool shows_over(struct stack *self, const struct frame *call, const struct frame *open)
{
	if (call->here >= open->here)
		return call->here - open->here < SMALLEST_PAGE ||
		       on_own_stack(self, call->here, open->here);
	return ((call->here ^ open->here) < SMALLEST_PAGE ||
		on_own_stack(self, call->here, open->here)) &&
	       !returns_below(call, open->here);
}

/*
 * The outermost of those with the top's frame that a call with that frame, too, shows to be over;
 * NULL: none, it was inlined.  Its code begins where an open one's began: that is over.  It is a
 * function as it stands, but not theirs: all of them are.
 */
static struct frame *find_over(struct stack *self, const struct frame *call)
{
	struct frame *frame = self->top, *over = NULL;

	for (; frame > self->bottom && is_same_frame(frame, call); frame--)
		if (frame->at == call->at)
			over = frame;
	frame++;
	if (frame->code != call->code && contains(call->function, call->at))
		over = frame;
	return over;
}

/* Ends what is above, and with it what a call that begins shows to be over. */
static void end_over(struct stack *self, const struct frame *call)
{
	struct frame *over;

	while (self->top > self->bottom && !is_same_frame(self->top, call) &&
	       shows_over(self, call, self->top))
		end_top(self);
	over = self->top > self->bottom && is_same_frame(self->top, call) ? find_over(self, call)
									  : NULL;
	while (over && self->top >= over)
		end_top(self);
}

/* Ends what lies below a function that ends, and has no frame any more. */
static void end_below(struct stack *self, uintptr_t here)
{
	while (here > self->top->here && on_own_stack(self, here, self->top->here))
		end_top(self);
}

/* The end of another function than the innermost. */
static COLD void end_other(struct stack *self, const void *code, uintptr_t call_site,
			   uintptr_t here)
{
	const struct preload_function *function = preload_known(code);
	struct frame *frame;

	end_below(self, here);
	frame = self->top;
	if (!function || !function->text || preload_is_left_out(&self->calls, function->name))
		return;
	if (self->unpushed) {
		self->unpushed--;
		return;
	}
	while (frame > self->bottom && (frame->code != code || frame->call_site != call_site))
		frame--;
	if (frame == self->bottom)
		return;
	/* Those above have been jumped over, as far as they are on its stack; the others go on. */
	for (struct frame *above = self->top; above > frame; above--)
		if (on_own_stack(self, above->here, frame->here))
			end_in_between(self, above);
	end_in_between(self, frame);
	close_ranks(self, frame);
}

/* --- beginnings --- */

/* The innermost function that the call can come from; NULL where it is none of them. */
static const struct frame *find_caller(const struct stack *self, const struct frame *call)
{
	const struct frame *frame = self->top;

	for (int patience = LOOK_THROUGH; frame > self->bottom && patience; patience--, frame--)
		if (contains(frame->function, call->call_site) ||
		    (is_same_frame(frame, call) && frame->code != call->code))
			return frame;
	return NULL;
}

/*
 * A call that does not come from the code of the innermost function: from one that was inlined into
 * its caller, from code that is not instrumented, or from further out, when what is above was
 * jumped over.
 */
static COLD void begin_elsewhere(struct stack *self, const struct frame *call)
{
	const struct frame *caller;

	end_over(self, call);
	if (is_same_frame(self->top, call))
		return;
	caller = find_caller(self, call);
	while (caller && self->top > caller && self->top->call_site != caller->call_site &&
	       on_own_stack(self, call->here, self->top->here))
		end_top(self);
}

/* A function that is no region: it shows what is over, and has no place itself. */
static inline void begin_left_out(struct stack *self, const struct frame *call)
{
	if (unlikely(call->here >= self->top->here ||
		     !contains(self->top->function, call->call_site)))
		end_over(self, call);
}

static COLD bool make_room(struct stack *self)
{
	if (self->unpushed || !grow(self)) {
		self->unpushed++;
		__atomic_fetch_add(&n_missed, 1, __ATOMIC_RELAXED);
		return false;
	}
	return true;
}

/*
 * True: a signal handler jumped out of the hook that it had interrupted, which will not go on.  The
 * other way a handler's calls are not measured, and what we call ourselves, if it is instrumented,
 * even less.
 */
static COLD bool is_abandoned(struct stack *self, uintptr_t here)
{
	return self->inside > 1 && here > self->inside && on_own_stack(self, here, self->inside);
}

HOOK void __cyg_profile_func_enter_aside(void *code, void *call_site);
HOOK void __cyg_profile_func_exit_aside(void *code, void *call_site);

ASIDE(void, __cyg_profile_func_enter, (void *code, void *call_site))
{
	uintptr_t here = ASIDE_STACK();
	struct frame call = { code, (uintptr_t)call_site, here, (uintptr_t)ASIDE_CALLER(), NULL };
	const struct preload_function *function;
	struct stack *self = own;

	if (unlikely(!self) && (is_off || !(self = make_own())))
		return;
	if (unlikely(self->inside) && !is_abandoned(self, here)) {
		__atomic_fetch_add(&n_missed, 1, __ATOMIC_RELAXED);
		return;
	}
	self->inside = here;
	fence();
	function = preload_known(code);
	if (unlikely(!function || !preload_is_current(&function->seen)))
		function = preload_get_to_know(code);
	if (unlikely(!function))
		goto out;
	call.function = function;
	if (unlikely(!function->text || preload_is_left_out(&self->calls, function->name))) {
		begin_left_out(self, &call);
		goto out;
	}
	if (unlikely(here >= self->top->here ||
		     !contains(self->top->function, (uintptr_t)call_site)))
		begin_elsewhere(self, &call);
	if (unlikely(self->top + 1 == self->limit) && !make_room(self))
		goto out;
	*++self->top = call;
	if (unlikely(aside.begin(function->text)))
		self->top->function = &unmeasured;
out:
	fence();
	self->inside = 0;
}

ASIDE(void, __cyg_profile_func_exit, (void *code, void *call_site))
{
	uintptr_t here = ASIDE_STACK();
	struct stack *self = own;
	struct frame *top;

	if (unlikely(!self || (self->inside && !is_abandoned(self, here))))
		return;
	self->inside = here;
	fence();
	top = self->top;
	if (likely(top->code == code && top->call_site == (uintptr_t)call_site &&
		   !self->unpushed)) {
		self->top = top - 1;
		end(self, top->function);
	} else {
		end_other(self, code, (uintptr_t)call_site, here);
	}
	fence();
	self->inside = 0;
}

/* --- what is to be said in the end --- */

static void note_patterns(void)
{
	char text[NOTE_MAX + 1];
	size_t n = 0;

	for (const struct preload_name *name = preload_names(); name; name = name->next, n++)
		if (name->is_wanted)
			return;
	snprintf(
		text, sizeof(text),
		"PMU_FUNCTIONS=%.100s matches none of the %zu instrumented functions that were called",
		preload_patterns(), n);
	pmu_note(text);
}

void preload_functions_end(void)
{
	unsigned long missed = __atomic_load_n(&n_missed, __ATOMIC_RELAXED);
	static bool said;
	char text[NOTE_MAX + 1];

	preload_functions_leave();
	if (said || !have_key)
		return;
	said = true;
	if (preload_names() && preload_patterns())
		note_patterns();
	preload_short_note();
	if (missed) {
		snprintf(
			text, sizeof(text),
			"%lu calls of instrumented functions are missing: made in signal handlers that interrupted the measuring",
			missed);
		pmu_note(text);
	}
}
