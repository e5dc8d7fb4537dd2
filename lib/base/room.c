/* SPDX-License-Identifier: BSD-3-Clause */
/* A stack of our own for calls that take much of one. */
#include "base/room.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "base/compiler.h"
#include "base/signals.h"

#ifdef __has_include
#if __has_include("config.h")
#include "config.h"
#endif
#endif
#ifdef HAVE_VALGRIND_CALLGRIND_H
#include <valgrind/valgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#endif

#define ROOM_BYTES  (512u << 10)
#define GUARD_BYTES (64u << 10) /* a page, whatever pages there are */
#define NEAR_BYTES  (4u << 20)  /* half of what a stack grows to by default */

/*
 * The caller's stack pointer is kept in a register that functions preserve.  Debuggers find the
 * frames further out by the frame pointer, as what is called cannot be inlined into its caller.
 */
#if PMU_SANITIZED
#define HAVE_SWITCH 0
#elif defined(__x86_64__)
#define HAVE_SWITCH 1
static __attribute__((noinline)) void call_on(char *top, void (*function)(void *), void *argument)
{
	void *frame = __builtin_frame_address(0); /* asked for, so that there is one */

	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "movq %[top], %%rsp\n\t"
			 "call *%[function]\n\t"
			 "movq %%rbx, %%rsp"
			 : [top] "+a"(top), [function] "+d"(function), "+D"(argument)
			 : "S"(frame)
			 : "rbx", "rcx", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3",
			   "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",
			   "xmm12", "xmm13", "xmm14", "xmm15", "cc", "memory");
}
#elif defined(__aarch64__)
#define HAVE_SWITCH 1
static __attribute__((noinline)) void call_on(char *top, void (*function)(void *), void *argument)
{
	register void *first __asm__("x0") = argument;
	register char *to __asm__("x9") = top;
	register void (*what)(void *) __asm__("x10") = function;

	__asm__ volatile("mov x19, sp\n\t"
			 "mov sp, x9\n\t"
			 "blr x10\n\t"
			 "mov sp, x19"
			 : "+r"(first), "+r"(to), "+r"(what)
			 :
			 : "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x11", "x12", "x13",
			   "x14", "x15", "x16", "x17", "x19", "x30", "v0", "v1", "v2", "v3", "v4",
			   "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23",
			   "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "cc", "memory");
}
#else
#define HAVE_SWITCH 0
#endif

#if HAVE_SWITCH
struct call {
	int (*function)(void *argument);
	void *argument;
	int result;
};

static void make_call(void *call)
{
	struct call *mine = call;

	mine->result = mine->function(mine->argument);
}

/* One stays for the next call; a call that finds none maps one. */
static char *spare;

static char *take_stack(void)
{
	char *stack = __atomic_exchange_n(&spare, NULL, __ATOMIC_ACQUIRE);

	if (stack)
		return stack;
	stack = mmap(NULL, ROOM_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (stack == MAP_FAILED)
		return NULL;
	mprotect(stack, GUARD_BYTES, PROT_NONE);
	return stack;
}

static void give_stack(char *stack)
{
	char *other = __atomic_exchange_n(&spare, stack, __ATOMIC_RELEASE);

	if (other)
		munmap(other, ROOM_BYTES);
}

/*
 * On the first thread's stack, not far from its upper end, where the kernel has put those bytes: it
 * grows as it is used.
 */
static bool stack_has_room(void)
{
	uintptr_t end = (uintptr_t)getauxval(AT_RANDOM);

	return end - (uintptr_t)__builtin_frame_address(0) < NEAR_BYTES || RUNNING_ON_VALGRIND;
}

int pmu_with_room(int (*function)(void *argument), void *argument)
{
	struct call call = { function, argument, 0 };
	sigset_t before;
	char *stack;

	if (stack_has_room() || !(stack = take_stack()))
		return function(argument);
	pmu_signals_hold(&before);
	call_on(stack + ROOM_BYTES, make_call, &call);
	give_stack(stack);
	pmu_signals_release(&before);
	return call.result;
}
#else
int pmu_with_room(int (*function)(void *argument), void *argument)
{
	return function(argument);
}
#endif
