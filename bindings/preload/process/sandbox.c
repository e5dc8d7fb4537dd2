/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program that forbids itself system calls (seccomp) is killed by the first of ours, and one that
 * forbids itself the time stamp counter by the next clock that is read: measuring ends before.  So
 * that what is called is called as ever, both functions here end in a jump to the next in line.
 */
#include <stddef.h>
#include <sys/syscall.h>

#include "bindings/preload/inside.h"
#include "bindings/preload/preload.h"
#include "bindings/preload/process/fit.h"

/* linux/prctl.h, linux/seccomp.h */
#define SET_TSC         26
#define TSC_SIGSEGV     2
#define SET_SECCOMP     22
#define MODE_STRICT     1
#define MODE_FILTER     2
#define SET_MODE_STRICT 0
#define SET_MODE_FILTER 1

/* Variadic in their headers, which are left out: all that one of them may be given goes on. */
typedef int prctl_function(int option, unsigned long a, unsigned long b, unsigned long c,
			   unsigned long d);
typedef long syscall_function(long number, long a, long b, long c, long d, long e, long f);
prctl_function our_prctl __asm__("prctl");

enum { PRCTL, SYSCALL };

static struct preload_behind behind[] = {
	[PRCTL] = { "prctl", NULL },
	[SYSCALL] = { "syscall", NULL },
};

__attribute__((constructor(101))) static void find_behind(void)
{
	preload_behind_find(behind, PRELOAD_ARRAY_LEN(behind));
}

/* Without a filter it is only asked whether the kernel knows any. */
static void before_sandbox(unsigned long strict, unsigned long filter, unsigned long mode,
			   unsigned long program)
{
	if (mode != strict && (mode != filter || !program))
		return;
	fit_sandboxed();
	preload_stop(
		"the program forbade itself system calls (seccomp): what it did after that was not measured");
}

static void before_prctl(unsigned long option, unsigned long a, unsigned long b)
{
	if (unlikely(option == SET_SECCOMP))
		before_sandbox(MODE_STRICT, MODE_FILTER, a, b);
	else if (unlikely(option == SET_TSC && a == TSC_SIGSEGV))
		preload_stop(
			"the program forbade itself the time stamp counter: what it did after that was not measured");
}

PRELOAD_STANDS_IN int our_prctl(int option, unsigned long a, unsigned long b, unsigned long c,
				unsigned long d)
{
	prctl_function *next = (prctl_function *)preload_behind(&behind[PRCTL]);

	before_prctl((unsigned long)option, a, b);
	return next(option, a, b, c, d);
}

static long exec_by_number(long number, long a, long b, long c, long d, long e, long f)
{
	(void)f;
	return preload_exec_by_number(number, a, b, c, d, e);
}

/* Return: the function to go on to. */
__attribute__((used)) static syscall_function *before_syscall(long number, unsigned long a,
							      unsigned long b, unsigned long c)
{
	if (unlikely(number == SYS_seccomp))
		before_sandbox(SET_MODE_STRICT, SET_MODE_FILTER, a, c);
	else if (unlikely(number == SYS_prctl))
		before_prctl(a, b, c);
	else if (unlikely(number == SYS_exit_group || number == SYS_exit))
		preload_exit_by_number(number);
	else if (unlikely(number == SYS_execve || number == SYS_execveat))
		return exec_by_number;
	return (syscall_function *)preload_behind(&behind[SYSCALL]);
}

#if defined(__x86_64__)
/*
 * The last of seven arguments is on the stack.  Most callers give fewer, and have something of
 * their own there, which a compiler would read and write: it may be a word that other threads
 * write, too.
 */
__asm__(".pushsection .text\n"
	"	.p2align 4\n"
	"	.globl	syscall\n"
	"	.type	syscall, @function\n"
	"syscall:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
#define SAVE(r)    "	pushq	%" #r "\n	.cfi_adjust_cfa_offset 8\n"
#define RESTORE(r) "	popq	%" #r "\n	.cfi_adjust_cfa_offset -8\n"
	SAVE(rdi) SAVE(rsi) SAVE(rdx) SAVE(rcx) SAVE(r8)
		SAVE(r9) "	subq	$8, %rsp\n	.cfi_adjust_cfa_offset 8\n"
			 "	call	before_syscall\n"
			 "	addq	$8, %rsp\n	.cfi_adjust_cfa_offset -8\n" RESTORE(r9)
				 RESTORE(r8) RESTORE(rcx) RESTORE(rdx) RESTORE(rsi)
					 RESTORE(rdi) "	jmp	*%rax\n"
						      "	.cfi_endproc\n"
						      "	.size	syscall, . - syscall\n"
						      "	.popsection\n");
#else
/* All of them are in registers. */
syscall_function our_syscall __asm__("syscall");

PRELOAD_STANDS_IN long our_syscall(long number, long a, long b, long c, long d, long e, long f)
{
	return before_syscall(number, (unsigned long)a, (unsigned long)b,
			      (unsigned long)c)(number, a, b, c, d, e, f);
}
#endif
