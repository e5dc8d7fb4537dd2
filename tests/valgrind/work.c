/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions around the same piece of work, turn for turn: alone, deep in calls, on several threads,
 * with signals in between, in a forked child.  A turn is four instructions, among them a branch, a
 * load and a store.
 */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pmu.h"

#if defined(__x86_64__)
__asm__(".text\n"
	".globl turns\n"
	".type turns, @function\n"
	"turns:	test	%rdi, %rdi\n"
	"	jz	2f\n"
	"1:	mov	(%rsi), %rax\n"
	"	mov	%rax, 8(%rsi)\n"
	"	dec	%rdi\n"
	"	jnz	1b\n"
	"2:	ret\n"
	".size turns, . - turns\n");
#else
__asm__(".text\n"
	".globl turns\n"
	".type turns, %function\n"
	"turns:	cbz	x0, 2f\n"
	"1:	ldr	x2, [x1]\n"
	"	str	x2, [x1, #8]\n"
	"	subs	x0, x0, #1\n"
	"	b.ne	1b\n"
	"2:	ret\n"
	".size turns, . - turns\n");
#endif
__attribute__((visibility("hidden"))) void turns(uint64_t n, uint64_t *memory);

static __thread uint64_t memory[2];
static volatile sig_atomic_t n_signals;

/* So that everything around the turns is the same each time. */
static __attribute__((noinline)) void measure(const char *name, uint64_t n)
{
	pmu_region_begin(name);
	turns(n, memory);
	pmu_region_end(name);
	__asm__ volatile("" ::: "memory");
}

static void alone(void)
{
	static const uint64_t n[] = { 0, 1, 2, 10, 1000, 1000000 };
	static const char *const name[] = { "alone 0",  "alone 1",    "alone 2",
					    "alone 10", "alone 1000", "alone 1000000" };

	for (int round = 0; round < 3; round++)
		for (int i = 0; i < 6; i++)
			measure(name[i], n[i]);
}

static __attribute__((noinline)) void deep(int depth)
{
	if (depth)
		deep(depth - 1);
	else
		for (int i = 0; i < 20; i++)
			measure("deep", 100);
	__asm__ volatile("");
}

static void *on_a_thread(void *unused)
{
	(void)unused;
	for (int i = 0; i < 100; i++)
		measure("thread", 1000);
	return NULL;
}

static void on_threads(void)
{
	pthread_t thread[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, on_a_thread, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
}

static void just_work(int number)
{
	(void)number;
	n_signals++;
	turns(777, memory);
}

static void measure_work(int number)
{
	(void)number;
	n_signals++;
	measure("handler", 777);
}

static void under_signals(const char *name, void (*handler)(int))
{
	struct itimerval often = { { 0, 500 }, { 0, 500 } }, never = { { 0, 0 }, { 0, 0 } };

	n_signals = 0;
	signal(SIGALRM, handler);
	setitimer(ITIMER_REAL, &often, NULL);
	while (n_signals < 100)
		measure(name, 20000);
	setitimer(ITIMER_REAL, &never, NULL);
}

static void in_a_handler(void)
{
	signal(SIGUSR1, measure_work);
	for (int i = 0; i < 10; i++)
		raise(SIGUSR1);
}

static void in_a_child(void)
{
	if (fork() == 0) {
		for (int i = 0; i < 100; i++)
			measure("child", 1000);
		_exit(0);
	}
	for (int i = 0; i < 100; i++)
		measure("parent", 1000);
	while (wait(NULL) > 0)
		;
}

int main(void)
{
	measure("once", 7);
	alone();
	deep(300);
	on_threads();
	under_signals("signals", just_work);
	under_signals("regions", measure_work);
	in_a_child();
	in_a_handler();
	return 0;
}
