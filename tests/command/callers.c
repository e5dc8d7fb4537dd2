/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls of their own below each region: first_f, first_g, first_h in "first"; second_f, second_g, second_h in "second";
 * "deep" calls itself more often than a sample has callers.  Compiled with frame pointers.
 *
 *	callers MS [threads|stay]
 *
 * MS of CPU time in each; threads: two of them; stay: "second" goes on for ever.
 */
#include <pmu.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DEPTH 100

static double limit_ms;
static volatile unsigned long sum;

static double cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* Most of the time no other function is called: a sample is in this one. */
#define WORK()                                                  \
	for (double end = cpu_ms() + limit_ms; cpu_ms() < end;) \
		for (unsigned long i = 0; i < 100000; i++)      \
			sum += i;

/* Behind each call something is left to do: none is a jump. */
#define CALLS(name)                                          \
	__attribute__((noinline)) static void name##_h(void) \
	{                                                    \
		WORK();                                      \
	}                                                    \
	__attribute__((noinline)) static void name##_g(void) \
	{                                                    \
		name##_h();                                  \
		sum++;                                       \
	}                                                    \
	__attribute__((noinline)) static void name##_f(void) \
	{                                                    \
		name##_g();                                  \
		sum++;                                       \
	}

CALLS(first)
CALLS(second)

__attribute__((noinline)) static void deep_f(int depth)
{
	if (depth)
		deep_f(depth - 1);
	else
		WORK();
	sum++;
}

static void *run_all(void *unused)
{
	pmu_region_begin("first");
	first_f();
	pmu_region_end("first");
	pmu_region_begin("second");
	second_f();
	pmu_region_end("second");
	pmu_region_begin("deep");
	deep_f(DEPTH);
	pmu_region_end("deep");
	return unused;
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[2] : "";
	pthread_t thread[2];

	limit_ms = argc > 1 ? atof(argv[1]) : 100;
	if (!strcmp(how, "stay")) {
		pmu_region_begin("first");
		first_f();
		pmu_region_end("first");
		limit_ms = 1e9;
		pmu_region_begin("second");
		puts("ready");
		fflush(stdout);
		second_f();
	}
	if (!strcmp(how, "threads")) {
		for (int i = 0; i < 2; i++)
			if (pthread_create(&thread[i], NULL, run_all, NULL))
				return 1;
		for (int i = 0; i < 2; i++)
			pthread_join(thread[i], NULL);
	} else {
		run_all(NULL);
	}
	return 0;
}
