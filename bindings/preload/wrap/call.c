/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the trampolines call before and after a wrapped function.
 *
 * A thread remembers which calls it is in, by where their frames are: calls that longjmp() has left
 * are found by frames that lie where the stack has been given up, and their regions end then.  An
 * exception ends the regions that it passes at once, by way of the trampoline's personality
 * routine.
 */
#include "bindings/preload/wrap/call.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <unwind.h>

#include "bindings/preload/inside.h"
#include "bindings/preload/keep.h"
#include "bindings/preload/maps.h"
#include "bindings/preload/preload.h"
#include "bindings/preload/wrap/trampoline.h"

/* --- the functions --- */

static struct {
	uintptr_t target; /* written last */
	const char *name;
} functions[TRAMPOLINE_STUBS];
static uint32_t n_functions;

bool wrap_call_is_stub(uintptr_t address)
{
	return address - (uintptr_t)trampoline_stubs < sizeof(trampoline_stubs);
}

unsigned int wrap_call_max(void)
{
	return TRAMPOLINE_STUBS;
}

/* preload_lock() */
static bool find_or_add(uintptr_t target, const char *name, uint32_t *index)
{
	uint32_t i;

	for (i = 0; i < n_functions; i++)
		if (functions[i].target == target &&
		    !strncmp(functions[i].name, name, PMU_NAME_MAX))
			break;
	*index = i;
	if (i < n_functions)
		return true;
	if (i == TRAMPOLINE_STUBS)
		return false;
	functions[i].name = preload_keep_text(name, strnlen(name, PMU_NAME_MAX));
	if (!functions[i].name)
		return false;
	__atomic_store_n(&functions[i].target, target, __ATOMIC_RELEASE);
	n_functions++;
	return true;
}

uintptr_t wrap_call_add(uintptr_t target, const char *name)
{
	uint32_t index;
	bool added;

	if (!preload_lock())
		return 0;
	added = find_or_add(target, name, &index);
	preload_unlock();
	return added ? (uintptr_t)trampoline_stubs + (size_t)index * TRAMPOLINE_STUB_SIZE : 0;
}

/* --- the calling thread --- */

/* A call that has not come back yet. */
struct open_call {
	uintptr_t frame;
	const char *name; /* NULL: its region could not begin */
};

/*
 * With so many this library's TLS is a multiple of 64 bytes, by which the loader rounds up: where it
 * is not, less is left over for what comes by dlopen() (tests/preload/static_tls.sh).
 */
#define FEW 6

static __thread struct {
	/* the frame of the call that just begins or ends its region, else 0 */
	uintptr_t inside;
	struct open_call *open;
	uint32_t n, room;
	uintptr_t stack_first, stack_end; /* its own stack; 0: not known yet */
	struct open_call few[FEW];
} self;

/* States of a call. */
enum {
	PASSED, /* from within the library: not counted */
	LISTED,
	UNLISTED /* no memory to remember it */
};

static pthread_key_t room_key;
static bool have_key;

/* What is called by a thread that is as good as gone still finds room. */
static void give_up_room(void *room)
{
	uint32_t size = self.room;

	if (self.open != room)
		return;
	self.n = self.n < FEW ? self.n : FEW;
	memcpy(self.few, room, self.n * sizeof(*self.few));
	self.open = self.few;
	self.room = FEW;
	preload_unmap(room, size * sizeof(*self.open));
}

static __attribute__((cold, noinline)) bool find_room(void)
{
	uint32_t room = self.room < 512 ? 512 : 2 * self.room;
	struct open_call *more, *was = self.open;

	if (!was) {
		self.open = self.few;
		self.room = FEW;
		return true;
	}
	more = have_key && room <= 1u << 24 ? preload_map(room * sizeof(*more)) : NULL;
	if (!more)
		return false;
	if (pthread_setspecific(room_key, more)) {
		preload_unmap(more, room * sizeof(*more));
		return false;
	}
	memcpy(more, was, self.n * sizeof(*more));
	if (was != self.few)
		preload_unmap(was, self.room * sizeof(*was));
	self.open = more;
	self.room = room;
	return true;
}

#define MOST_STACK ((uintptr_t)128 << 20)

/*
 * The first thread's stack ends below what the kernel has put there, and nothing else is mapped as
 * far below that as the stack may grow: so much room, and sometimes little more, the kernel leaves
 * when the program starts (mmap_base() in arch/x86/mm/mmap.c and mm/util.c).
 */
static void find_first_stack(void)
{
	struct rlimit limit;
	uintptr_t most = MOST_STACK;

	if (!getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur < most)
		most = (uintptr_t)limit.rlim_cur;
	self.stack_end = getauxval(AT_RANDOM);
	self.stack_first = self.stack_end - most;
}

/* That of another thread ends where its thread-local variables are. */
static __attribute__((cold, noinline)) void find_stack(void)
{
	struct preload_mapping mapping;

	if (syscall(SYS_gettid) == getpid()) {
		find_first_stack();
	} else {
		self.stack_end = (uintptr_t)&self;
		self.stack_first = preload_mapping_find(self.stack_end, &mapping) ? mapping.first
										  : self.stack_end;
	}
}

/*
 * Not one that the program makes itself, for coroutines or signals: order there says nothing about
 * what is over.
 */
static bool on_stack(uintptr_t address)
{
	if (unlikely(!self.stack_end))
		find_stack();
	return address - self.stack_first < self.stack_end - self.stack_first;
}

/* Was the frame given up by the time that there is one at @now? */
static bool is_over(uintptr_t frame, uintptr_t now)
{
	return frame <= now && on_stack(frame) && on_stack(now);
}

static void end_last(void)
{
	const char *name = self.open[--self.n].name;

	if (name)
		pmu_region_end(name);
}

static __attribute__((cold, noinline)) void end_over(uintptr_t now)
{
	while (self.n && is_over(self.open[self.n - 1].frame, now))
		end_last();
}

/* --- the arguments on the stack --- */

#define SMALLEST_PAGE 4096u

/* Their number is not known, and the stack may end behind the last of them. */
static __attribute__((cold, noinline)) uint32_t readable_beyond(uintptr_t arguments,
								uint32_t in_page)
{
	if (on_stack(arguments) && self.stack_end - arguments >= TRAMPOLINE_ARGUMENTS)
		return TRAMPOLINE_ARGUMENTS;
	return preload_page_readable(arguments + in_page) ? TRAMPOLINE_ARGUMENTS : in_page;
}

static inline uint32_t readable(uintptr_t arguments)
{
	uint32_t in_page = SMALLEST_PAGE - arguments % SMALLEST_PAGE;

	return likely(in_page >= TRAMPOLINE_ARGUMENTS) ? TRAMPOLINE_ARGUMENTS
						       : readable_beyond(arguments, in_page);
}

/* Other frames' memory: no sanitizer is to look at it. */
__attribute__((no_sanitize("address", "thread", "undefined"))) void trampoline_copy(
	void *to, const void *from, size_t n)
{
	const volatile uintptr_t *source = from;
	uintptr_t *word = to;

	for (size_t i = 0; i < n / sizeof(*word); i++)
		word[i] = source[i];
}

/* --- calls --- */

static inline const char *look_up(struct trampoline_call *call)
{
	uintptr_t target;

	/*
	 * A caller that jumps through the slot may not see yet what was written before it: nothing
	 * orders the two.
	 */
	do
		target = __atomic_load_n(&functions[call->index].target, __ATOMIC_ACQUIRE);
	while (unlikely(!target));
	call->target = (const void *)target;
	return functions[call->index].name;
}

/* What the library itself calls, and what a signal handler calls that has interrupted it. */
static inline bool is_inside(uintptr_t frame)
{
	return unlikely(self.inside) && !is_over(self.inside, frame);
}

void trampoline_enter(struct trampoline_call *call)
{
	uintptr_t frame = (uintptr_t)call;
	const char *name = look_up(call);
	struct open_call *mine = NULL;

	call->readable = readable(frame + TRAMPOLINE_CALL_BELOW);
	call->state = PASSED;
	if (is_inside(frame))
		return;
	self.inside = frame;
	if (self.n && unlikely(self.open[self.n - 1].frame <= frame))
		end_over(frame);
	call->state = UNLISTED;
	if (likely(self.n < self.room) || find_room()) {
		mine = &self.open[self.n++];
		*mine = (struct open_call){ frame, name };
		call->state = LISTED;
	}
	if (unlikely(pmu_region_begin(name) != 0)) {
		call->state = mine ? LISTED : PASSED;
		if (mine)
			mine->name = NULL;
	}
	self.inside = 0;
}

/*
 * Calls above it were left by longjmp(), or are those of a coroutine, which go on.  One that is not
 * there has come back in another thread: an end without begin, which the report tells.
 */
static __attribute__((cold, noinline)) void leave_other(uintptr_t frame, const char *name)
{
	uint32_t i = self.n, keep;

	while (i && self.open[i - 1].frame != frame)
		i--;
	if (!i) {
		pmu_region_end(name);
		return;
	}
	end_over(frame - 1);
	keep = self.n - i;
	name = self.open[i - 1].name;
	memmove(&self.open[i - 1], &self.open[i], keep * sizeof(*self.open));
	self.n--;
	if (name)
		pmu_region_end(name);
}

void trampoline_leave(struct trampoline_call *call)
{
	uintptr_t frame = (uintptr_t)call;

	if (unlikely(call->state == PASSED))
		return;
	self.inside = frame;
	if (likely(call->state == LISTED && self.n && self.open[self.n - 1].frame == frame))
		end_last();
	else if (call->state == LISTED)
		leave_other(frame, functions[call->index].name);
	else
		pmu_region_end(functions[call->index].name);
	self.inside = 0;
}

bool wrap_calls_are_open(void)
{
	return self.n;
}

void wrap_calls_jump(uintptr_t stack_pointer)
{
	if (self.inside)
		return;
	self.inside = (uintptr_t)&stack_pointer;
	end_over(stack_pointer - 1);
	self.inside = 0;
}

void preload_wrap_leave(void)
{
	if (self.inside)
		return;
	self.inside = (uintptr_t)__builtin_frame_address(0);
	while (self.n)
		end_last();
	self.inside = 0;
}

/*
 * An exception or a cancellation passes the innermost call.  (Itanium C++ ABI, exception handling,
 * section 1.6.)
 */
_Unwind_Reason_Code trampoline_personality(int version, _Unwind_Action actions,
					   _Unwind_Exception_Class class,
					   struct _Unwind_Exception *exception,
					   struct _Unwind_Context *context);

_Unwind_Reason_Code trampoline_personality(int version, _Unwind_Action actions,
					   _Unwind_Exception_Class class,
					   struct _Unwind_Exception *exception,
					   struct _Unwind_Context *context)
{
	(void)version;
	(void)class;
	(void)exception;
	(void)context;
	if (actions & _UA_CLEANUP_PHASE && !self.inside && self.n) {
		self.inside = (uintptr_t)&version;
		end_last();
		self.inside = 0;
	}
	return _URC_CONTINUE_UNWIND;
}

/* --- the processor --- */

int trampoline_vectors = TRAMPOLINE_SSE;

#if defined(__x86_64__)
#include <cpuid.h>

/*
 * CPUID and XCR0: Intel SDM vol. 1, sections 13.2 and 14.3; leaf 0DH, 1: EAX[2] XGETBV with ECX =
 * 1.
 */
static int vectors(void)
{
	uint32_t eax, ebx, ecx, edx, state;

	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) ||
	    (ecx & (bit_OSXSAVE | bit_AVX)) != (bit_OSXSAVE | bit_AVX))
		return TRAMPOLINE_SSE;
	__asm__("xgetbv" : "=a"(state), "=d"(edx) : "c"(0));
	if ((state & 0x06) != 0x06)
		return TRAMPOLINE_SSE;
	if ((state & 0xe0) != 0xe0 || !__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) ||
	    !(ebx & bit_AVX512F))
		return TRAMPOLINE_AVX;
	if (__get_cpuid_count(13, 1, &eax, &ebx, &ecx, &edx) && eax & 4)
		return TRAMPOLINE_AVX512;
	return TRAMPOLINE_AVX512_ALWAYS;
}
#else
static int vectors(void)
{
	return TRAMPOLINE_SSE;
}
#endif

void wrap_call_start(void)
{
	trampoline_vectors = vectors();
	have_key = pthread_key_create(&room_key, give_up_room) == 0;
}
