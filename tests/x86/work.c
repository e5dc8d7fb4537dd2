/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Regions of work that is known, for the command and for what else counts on the machine.
 *
 *   work [CALLS [THREADS [STATUS]]]    and "want REGION CALLS INSTRUCTIONS BRANCHES" of each, all
 *   threads together
 *
 * Between calls, outside of them all: with TEST_MS=N a thread sleeps N ms, with TEST_VFORK=1 a
 * child by vfork() has a region, with TEST_BY_HAND=1 the program counts by perf for itself, in each
 * third call.
 */
#include <inttypes.h>
#include <pmu.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "steps.h"

#define MAX_THREADS 256
#define TURNS       10000

static int n_calls;
static useconds_t pause_us;
static bool with_children, by_hand;

/* In all of its threads the same. */
static void list(struct steps_book *book)
{
	steps_begin(book, "work");
	steps_work(book, &steps_kernel[0], TURNS);
	steps_begin(book, "inside");
	steps_work(book, &steps_kernel[3], TURNS);
	steps_end(book, "inside");
	steps_end(book, "work");
}

/* It has the parent's memory until it ends. */
static void have_child(void)
{
	pid_t child = vfork();

	if (child < 0)
		abort();
	if (!child) {
		pmu_region_begin("child");
		pmu_region_end("child");
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

/* The kernel may give them counters that something else has programmed. */
static void count_by_hand(void)
{
	struct pmu_counters *counters;

	if (pmu_counters_open("instructions,cycles", PMU_SCOPE_THREAD, &counters))
		abort();
	pmu_counters_start(counters);
	steps_loop(TURNS);
	pmu_counters_close(counters);
}

static void *work(void *arg)
{
	struct steps_book *book = arg;

	for (int i = 0; i < n_calls; i++) {
		list(book);
		steps_go(book);
		if (with_children)
			have_child();
		if (by_hand && i % 3 == 2)
			count_by_hand();
		if (pause_us)
			usleep(pause_us);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int n_threads = argc > 2 ? atoi(argv[2]) : 1;
	static struct steps_book *book[MAX_THREADS];
	static pthread_t id[MAX_THREADS];

	n_calls = argc > 1 ? atoi(argv[1]) : 10;
	pause_us = getenv("TEST_MS") ? 1000 * (useconds_t)atoi(getenv("TEST_MS")) : 0;
	with_children = getenv("TEST_VFORK");
	by_hand = getenv("TEST_BY_HAND");
	if (n_threads < 1 || n_threads > MAX_THREADS)
		return 2;
	for (int i = 0; i < n_threads; i++) {
		book[i] = calloc(1, sizeof(*book[i]));
		if (!book[i] || (i && pthread_create(&id[i], NULL, work, book[i])))
			return 2;
	}
	work(book[0]);
	for (int i = 1; i < n_threads; i++)
		pthread_join(id[i], NULL);
	for (int i = 0; i < book[0]->n_regions; i++) {
		const struct steps_region *region = &book[0]->region[i];
		uint64_t n = (uint64_t)n_threads;

		printf("want %s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", region->path,
		       n * region->calls, n * region->want.of[STEPS_INSTRUCTIONS],
		       n * region->want.of[STEPS_BRANCHES]);
	}
	return argc > 3 ? atoi(argv[3]) : 0;
}
