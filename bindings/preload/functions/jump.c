/* SPDX-License-Identifier: BSD-3-Clause */
/* longjmp() and its kin: what they jump over ends here. */
#undef _FORTIFY_SOURCE /* it makes another function of longjmp() */
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include "bindings/preload/functions/functions.h"
#include "bindings/preload/inside.h"
#include "bindings/preload/preload.h"
#include "bindings/preload/wrap/call.h"

/*
 * Where glibc's setjmp() keeps the stack pointer, as words of a jmp_buf
 * (sysdeps/.../jmpbuf-offsets.h: JB_RSP, JB_SP).
 */
#if defined(__x86_64__)
#define STACK_POINTER         6
#define STACK_POINTER_NOW(to) __asm__ volatile("mov %%rsp, %0" : "=r"(to))
/* PTR_MANGLE: an exclusive or with the guard, then rotated */
#define UNTURN(word) ((word) >> 17 | (word) << 47)
#elif defined(__aarch64__)
#define STACK_POINTER         13
#define STACK_POINTER_NOW(to) __asm__ volatile("mov %0, sp" : "=r"(to))
#define UNTURN(word)          (word)
#endif

/*
 * glibc hides it by a secret of the process, which comes out where it is known beforehand; 0 with
 * is_known: not hidden.
 */
static uintptr_t guard;
static bool is_known;

static uintptr_t hidden_pointer(const void *env)
{
	uintptr_t word;

	memcpy(&word, (const char *)env + STACK_POINTER * sizeof(word), sizeof(word));
	return UNTURN(word);
}

/* Twice from different depths: what is the same both times is the secret. */
static __attribute__((noinline)) uintptr_t try_guard(size_t deeper)
{
	volatile char room[256] = { 0 };
	jmp_buf env;
	uintptr_t pointer;

	if (deeper) {
		pointer = try_guard(deeper - 1);
		return pointer + (uintptr_t)room[deeper];
	}
	STACK_POINTER_NOW(pointer);
	if (_setjmp(env))
		return 0;
	return hidden_pointer(env) ^ pointer;
}

/* A table for dlsym(), in the order of the functions below. */
enum { LONGJMP, LONGJMP_UNDERSCORE, SIGLONGJMP, LONGJMP_CHK };

static struct preload_behind behind[] = {
	[LONGJMP] = { "longjmp", NULL },
	[LONGJMP_UNDERSCORE] = { "_longjmp", NULL },
	[SIGLONGJMP] = { "siglongjmp", NULL },
	[LONGJMP_CHK] = { "__longjmp_chk", NULL },
};

__attribute__((constructor(101))) static void prepare(void)
{
	preload_behind_find(behind, PRELOAD_ARRAY_LEN(behind));
	guard = try_guard(0);
	is_known = guard == try_guard(1) && guard == try_guard(3);
}

typedef void jump_function(struct __jmp_buf_tag env[1], int value);

static inline __attribute__((noreturn)) void jump(int index, struct __jmp_buf_tag *env, int value)
{
	jump_function *next = (jump_function *)preload_behind(&behind[index]);

	if (unlikely(!next))
		__builtin_trap(); /* cannot be: the caller is linked against libc's */
	if (unlikely(wrap_calls_are_open()) && is_known)
		wrap_calls_jump(hidden_pointer(env) ^ guard);
	if (unlikely(preload_functions_are_open()) && is_known)
		preload_functions_jump(hidden_pointer(env) ^ guard,
				       (uintptr_t)__builtin_frame_address(0));
	next(env, value);
	__builtin_unreachable();
}

extern jump_function __longjmp_chk __attribute__((noreturn));

PRELOAD_STANDS_IN void longjmp(struct __jmp_buf_tag env[1], int value)
{
	jump(LONGJMP, env, value);
}

PRELOAD_STANDS_IN void _longjmp(struct __jmp_buf_tag env[1], int value)
{
	jump(LONGJMP_UNDERSCORE, env, value);
}

PRELOAD_STANDS_IN void siglongjmp(sigjmp_buf env, int value)
{
	jump(SIGLONGJMP, env, value);
}

PRELOAD_STANDS_IN void __longjmp_chk(struct __jmp_buf_tag env[1], int value)
{
	jump(LONGJMP_CHK, env, value);
}
