/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Signal handlers that are left by siglongjmp(3), on the stack and on another one: regions of ten
 * thousand instructions afterwards.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>

#include "pmu.h"

static sigjmp_buf back;

static void leave(int number)
{
	siglongjmp(back, number);
}

static void come_back(int number)
{
	(void)number;
}

/* Twice 5000 instructions on x86-64 and arm64, but for what is around them. */
static __attribute__((noinline)) void work(const char *name)
{
	unsigned long n = 5000;

	pmu_region_begin(name);
#if defined(__x86_64__)
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(n) : : "cc");
#else
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
#endif
	pmu_region_end(name);
	__asm__ volatile("" ::: "memory");
}

static __attribute__((noinline)) void leave_by(int number, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(number, &action, NULL);
	if (!sigsetjmp(back, 1))
		raise(number);
}

int main(void)
{
	stack_t other = { .ss_size = 65536 };

	other.ss_sp = malloc(other.ss_size);
	if (!other.ss_sp || sigaltstack(&other, NULL))
		return 1;
	work("before");
	leave_by(SIGUSR1, leave, 0);
	work("left");
	leave_by(SIGUSR1, leave, SA_ONSTACK);
	work("left another stack");
	leave_by(SIGUSR2, come_back, 0);
	work("after");
	return 0;
}
