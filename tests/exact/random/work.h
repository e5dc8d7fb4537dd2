/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What random programs are made of: work that is the same number of instructions whenever and wherever it
 * runs.  The kernel is called without libc, which chooses code by the processor, and nothing here
 * is repeated by a prefix, which is an instruction to one counter and several to another.
 */
#ifndef PMU_TESTS_EXACT_RANDOM_WORK_H
#define PMU_TESTS_EXACT_RANDOM_WORK_H

#include <pmu.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KEPT      __attribute__((noinline, unused))
#define KEPT_DATA __attribute__((unused))
#define N_THREADS 12
#define N_PLACES  40

static volatile uint64_t sink;

/* A thread's. One word, as a plugin's thread-local variables have no more room that is there from the beginning. */
static _Thread_local struct {
	char places[N_PLACES][PMU_NAME_MAX + 1], rewritten[PMU_NAME_MAX + 1],
		text[PMU_NAME_MAX + 1];
	unsigned int n_placed;
	void (*handler)(void);
	int is_child; /* has no other threads */
} * own;

static void begin_thread(void)
{
	/* libc's functions take other steps where a text is elsewhere in its page */
	if (posix_memalign((void **)&own, 4096, sizeof(*own)))
		abort();
	memset(own, 0, sizeof(*own));
}

#if defined(__x86_64__) && defined(__LP64__)
#define TURNS(n) __asm__ volatile("mov %0, %%ecx\n1: dec %%ecx\n jnz 1b" : : "i"(n) : "ecx", "cc")

static inline long kernel(long number, long a, long b, long c, long d, long e)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;

	__asm__ volatile("syscall"
			 : "+a"(number)
			 : "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8)
			 : "rcx", "r11", "memory");
	return number;
}
#elif defined(__aarch64__) && defined(__LP64__)
#define TURNS(n) \
	__asm__ volatile("mov w9, %0\n1: subs w9, w9, #1\n b.ne 1b" : : "i"(n) : "w9", "cc")

static inline long kernel(long number, long a, long b, long c, long d, long e)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;

	__asm__ volatile("svc	#0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4)
			 : "memory");
	return x0;
}
#else
#error "no work of known length for this processor"
#endif

/* --- natural work --- */

/* A compiler that knows these loops would call libc for them. */
#define OPAQUE(x) __asm__ volatile("" : "+r"(x))

KEPT static size_t length(const char *text)
{
	size_t n = 0;

	while (text[n]) {
		n++;
		OPAQUE(n);
	}
	return n;
}

/* Eight bytes at a time: an oracle goes through each step of it. */
KEPT static char *copy(char *to, const char *text, size_t size)
{
	size_t i = 0;

	for (; i + 8 <= size; i += 8) {
		OPAQUE(i);
		__builtin_memcpy(to + i, text + i, 8);
	}
	for (; i < size; i++) {
		OPAQUE(i);
		to[i] = text[i];
	}
	return to;
}

KEPT static void sort(unsigned int n)
{
	uint32_t value[16], seed = n;

	n = n % 15 + 2;
	for (unsigned int i = 0; i < n; i++)
		value[i] = seed = seed * 1664525 + 1013904223;
	for (unsigned int i = 1; i < n; i++)
		for (unsigned int k = i; k > 0 && value[k - 1] > value[k]; k--) {
			uint32_t other = value[k];

			value[k] = value[k - 1];
			value[k - 1] = other;
		}
	sink += value[n / 2];
}

KEPT static void arithmetic(unsigned int n)
{
	double sum = 1;

	for (unsigned int i = 1; i <= n; i++)
		sum += sum / i;
	sink += (uint64_t)sum;
}

/*
 * --- libc's: the same instructions where GLIBC_TUNABLES says which of several ways it goes (program.py), and no more than
 * once a thread or process where it allocates: none of them does ---
 */

static int compare_words(const void *a, const void *b)
{
	uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

	return left < right ? -1 : left > right;
}

KEPT static void libc_sort(unsigned int n)
{
	uint32_t value[16], seed = n;

	n = n % 7 + 2;
	for (unsigned int i = 0; i < n; i++)
		value[i] = seed = seed * 1664525 + 1013904223;
	qsort(value, n, sizeof(*value), compare_words);
	sink += value[n / 2];
}

KEPT static void libc_print(unsigned int n)
{
	char text[64];

	snprintf(text, sizeof(text), "%u of %s", n, "them");
	sink += (uint64_t)text[0];
}

KEPT static void libc_number(unsigned int n)
{
	static const char *const text[] = { "0", "12.5", "1e3", "-.25" };

	sink += (uint64_t)strtod(text[n % 4], NULL);
}

KEPT static void libc_text(const char *text, size_t size)
{
	memcpy(own->text, text, size);
	OPAQUE(size);
	sink += strlen(own->text) + (uint64_t)memcmp(own->text, text, size);
	memset(own->text, 0, size);
}

/* --- places of names --- */

/* Text at an address that no text has had yet, or not for long. */
KEPT static const char *placed(const char *text, size_t size)
{
	return copy(own->places[own->n_placed++ % N_PLACES], text, size);
}

/* --- signals --- */

static void on_signal(int number)
{
	(void)number;
	own->handler();
}

KEPT static void interrupted(void (*by)(void))
{
	own->handler = by;
	kernel(SYS_tgkill, kernel(SYS_getpid, 0, 0, 0, 0, 0), kernel(SYS_gettid, 0, 0, 0, 0, 0),
	       SIGUSR1, 0, 0);
}

/* --- other processes --- */

KEPT static long forked(void)
{
	long pid = kernel(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	own->is_child |= !pid;
	return pid;
}

KEPT static void waited(long pid)
{
	kernel(SYS_wait4, pid, 0, 0, 0, 0);
}

/* --- other threads --- */

/* Each takes jobs from a pipe, in their order, and says by another one that it is done. */
static struct {
	pthread_t id;
	int jobs[2], done[2];
} thread[N_THREADS];

typedef void (*job_t)(void);

KEPT static void post(int which, job_t job)
{
	if (own->is_child)
		job();
	else
		kernel(SYS_write, thread[which].jobs[1], (long)&job, sizeof(job), 0, 0);
}

KEPT static void await(int which)
{
	char done;

	if (!own->is_child)
		kernel(SYS_read, thread[which].done[0], (long)&done, 1, 0, 0);
}

static void *serve(void *arg)
{
	int which = (int)(intptr_t)arg;
	job_t job;

	begin_thread();
	while (kernel(SYS_read, thread[which].jobs[0], (long)&job, sizeof(job), 0, 0) ==
		       sizeof(job) &&
	       job) {
		job();
		kernel(SYS_write, thread[which].done[1], (long)&job, 1, 0, 0);
	}
	return NULL;
}

static void start(int n, int init)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_NODEFER };

	if (init)
		pmu_init(NULL);
	begin_thread();
	sigaction(SIGUSR1, &action, NULL);
	for (int i = 0; i < n; i++) {
		if (pipe(thread[i].jobs) || pipe(thread[i].done))
			abort();
		pthread_create(&thread[i].id, NULL, serve, (void *)(intptr_t)i);
	}
}

static void stop(int n)
{
	for (int i = 0; i < n; i++) {
		post(i, NULL);
		pthread_join(thread[i].id, NULL);
	}
}

/* Ends the session first: an oracle that goes by steps has not to go through its end. */
KEPT static void leave(void)
{
	pmu_fini();
	exit(0);
}

/* A program of its own, where neither its thread nor its process had a region before. */
KEPT static void *alone(void *job)
{
	begin_thread();
	(*(job_t *)job)();
	return NULL;
}

KEPT static void in_thread(job_t job)
{
	pthread_t id;

	pthread_create(&id, NULL, alone, &job);
	pthread_join(id, NULL);
}

KEPT static void in_child(job_t job)
{
	pid_t pid = fork();

	if (pid) {
		waited(pid);
		return;
	}
	own->is_child = 1;
	job();
	leave();
}

#endif
