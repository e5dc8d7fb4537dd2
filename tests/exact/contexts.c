/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that work for regions of another one's, and for contexts in contexts, with regions of their own open.
 *
 *   contexts [THREADS [ROUNDS]]
 */
#include <pmu.h>
#include <pthread.h>
#include <stdlib.h>

#include "turns.h"

#define MAX_THREADS 64

static pthread_barrier_t barrier;
static pmu_context_t outer, inner;
static int is_over;

static __attribute__((noinline)) void task(void)
{
	pmu_context_enter(inner);
	TURNS(100);
	pmu_region_begin("piece");
	TURNS(50);
	pmu_region_begin("part");
	TURNS(7);
	pmu_region_end("part");
	pmu_region_end("piece");
	TURNS(20);
	pmu_context_leave();
}

static __attribute__((noinline)) void own(void)
{
	pmu_region_begin("own");
	TURNS(500);
	pmu_region_begin("own part");
	TURNS(9);
	pmu_region_end("own part");
	TURNS(3);
	pmu_region_end("own");
}

static __attribute__((noinline)) void both(void)
{
	pmu_region_begin("around");
	TURNS(30);
	pmu_context_enter(inner);
	TURNS(40);
	pmu_context_enter(inner); /* changes nothing */
	pmu_region_begin("piece of both");
	TURNS(11);
	pmu_context_enter(outer);
	TURNS(60);
	pmu_region_begin("deep");
	TURNS(13);
	pmu_region_end("deep");
	pmu_context_leave();
	TURNS(5);
	pmu_region_end("piece of both");
	pmu_context_leave();
	pmu_context_leave();
	TURNS(31);
	pmu_region_end("around");
}

static void *work(void *unused)
{
	for (;;) {
		pthread_barrier_wait(&barrier);
		if (is_over)
			return unused;
		task();
		own();
		both();
		task();
		own();
		pthread_barrier_wait(&barrier);
	}
}

/* How long it waits is not known: before and behind what the others do for its regions. */
static void have_work_done(void)
{
	pmu_region_begin("outer job");
	outer = pmu_context_get();
	pmu_region_begin("job");
	inner = pmu_context_get();
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	pmu_region_end("job");
	pmu_region_end("outer job");
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 3, rounds = argc > 2 ? atoi(argv[2]) : 2;
	pthread_t thread[MAX_THREADS];

	if (n > MAX_THREADS || pthread_barrier_init(&barrier, NULL, (unsigned int)n + 1))
		return 1;
	for (int i = 0; i < n; i++)
		if (pthread_create(&thread[i], NULL, work, NULL))
			return 1;
	for (int i = 0; i < rounds; i++)
		have_work_done();
	is_over = 1;
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < n; i++)
		pthread_join(thread[i], NULL);
	return 0;
}
