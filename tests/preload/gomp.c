/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Every function by which libgomp starts a parallel region, called as compilers do: those that gcc
 * emits, those that it did before 4.9, and those that it has never needed.
 */
#include <stdbool.h>
#include <stdio.h>

typedef void outlined(void *data);

#define TEAM outlined *fn, void *data, unsigned int n_threads
#define LOOP TEAM, long start, long end, long incr
void GOMP_parallel(TEAM, unsigned int flags);
void GOMP_parallel_loop_static(LOOP, long chunk, unsigned int flags);
void GOMP_parallel_loop_dynamic(LOOP, long chunk, unsigned int flags);
void GOMP_parallel_loop_guided(LOOP, long chunk, unsigned int flags);
void GOMP_parallel_loop_runtime(LOOP, unsigned int flags);
void GOMP_parallel_loop_nonmonotonic_dynamic(LOOP, long chunk, unsigned int flags);
void GOMP_parallel_loop_nonmonotonic_guided(LOOP, long chunk, unsigned int flags);
void GOMP_parallel_loop_nonmonotonic_runtime(LOOP, unsigned int flags);
void GOMP_parallel_loop_maybe_nonmonotonic_runtime(LOOP, unsigned int flags);
void GOMP_parallel_sections(TEAM, unsigned int count, unsigned int flags);
void GOMP_parallel_start(TEAM);
void GOMP_parallel_loop_static_start(LOOP, long chunk);
void GOMP_parallel_loop_dynamic_start(LOOP, long chunk);
void GOMP_parallel_loop_guided_start(LOOP, long chunk);
void GOMP_parallel_loop_runtime_start(LOOP);
void GOMP_parallel_sections_start(TEAM, unsigned int count);
void GOMP_parallel_end(void);
bool GOMP_loop_static_next(long *start, long *end);
bool GOMP_loop_dynamic_next(long *start, long *end);
bool GOMP_loop_guided_next(long *start, long *end);
bool GOMP_loop_runtime_next(long *start, long *end);
void GOMP_loop_end_nowait(void);
unsigned int GOMP_sections_next(void);
void GOMP_sections_end_nowait(void);

static void add(void *data, long value)
{
	__atomic_fetch_add((long *)data, value, __ATOMIC_RELAXED);
}

static void add_up(void *data, bool (*next)(long *start, long *end))
{
	long start, end;

	while (next(&start, &end))
		for (long i = start; i < end; i++)
			add(data, i);
	GOMP_loop_end_nowait();
}

/* An outlined function of its own for each, so that each has a region. */
#define OUTLINED(name, ...)                                         \
	static __attribute__((noinline)) void name##_fn(void *data) \
	{                                                           \
		__VA_ARGS__;                                        \
	}

#define SECTIONS(data)                                                     \
	for (unsigned int section; (section = GOMP_sections_next()) != 0;) \
		add(data, section);                                        \
	GOMP_sections_end_nowait()

OUTLINED(whole, add(data, 1))
OUTLINED(whole_static, add_up(data, GOMP_loop_static_next))
OUTLINED(whole_dynamic, add_up(data, GOMP_loop_dynamic_next))
OUTLINED(whole_guided, add_up(data, GOMP_loop_guided_next))
OUTLINED(whole_runtime, add_up(data, GOMP_loop_runtime_next))
OUTLINED(nonmonotonic_dynamic, add_up(data, GOMP_loop_dynamic_next))
OUTLINED(nonmonotonic_guided, add_up(data, GOMP_loop_guided_next))
OUTLINED(nonmonotonic_runtime, add_up(data, GOMP_loop_runtime_next))
OUTLINED(maybe_runtime, add_up(data, GOMP_loop_runtime_next))
OUTLINED(whole_sections, SECTIONS(data))
OUTLINED(started, add(data, 1))
OUTLINED(started_static, add_up(data, GOMP_loop_static_next))
OUTLINED(started_dynamic, add_up(data, GOMP_loop_dynamic_next))
OUTLINED(started_guided, add_up(data, GOMP_loop_guided_next))
OUTLINED(started_runtime, add_up(data, GOMP_loop_runtime_next))
OUTLINED(started_sections, SECTIONS(data))
OUTLINED(inner, add(data, 1))

/* A region that is started, and in it one more on each thread. */
static __attribute__((noinline)) void outer_fn(void *data)
{
	add(data, 10);
	GOMP_parallel_start(inner_fn, data, 2);
	inner_fn(data);
	GOMP_parallel_end();
}

/* More of them in one another than have room: those beyond are not counted, and all else is. */
#define DEEP 7
static __attribute__((noinline)) void deep_fn(void *data)
{
	add(data, 1);
}

static void go_deep(long *sum, int depth)
{
	if (depth == DEEP)
		return;
	GOMP_parallel_start(deep_fn, sum, 1);
	deep_fn(sum);
	go_deep(sum, depth + 1);
	GOMP_parallel_end();
}

static void started_ones(long *sum)
{
	GOMP_parallel_start(started_fn, sum, 2);
	started_fn(sum);
	GOMP_parallel_end();
	GOMP_parallel_loop_static_start(started_static_fn, sum, 2, 0, 100, 1, 7);
	started_static_fn(sum);
	GOMP_parallel_end();
	GOMP_parallel_loop_dynamic_start(started_dynamic_fn, sum, 2, 0, 100, 1, 7);
	started_dynamic_fn(sum);
	GOMP_parallel_end();
	GOMP_parallel_loop_guided_start(started_guided_fn, sum, 2, 0, 100, 1, 7);
	started_guided_fn(sum);
	GOMP_parallel_end();
	GOMP_parallel_loop_runtime_start(started_runtime_fn, sum, 2, 0, 100, 1);
	started_runtime_fn(sum);
	GOMP_parallel_end();
	GOMP_parallel_sections_start(started_sections_fn, sum, 2, 3);
	started_sections_fn(sum);
	GOMP_parallel_end();
	GOMP_parallel_start(outer_fn, sum, 2);
	outer_fn(sum);
	GOMP_parallel_end();
	go_deep(sum, 0);
}

int main(void)
{
	long sum = 0;

	for (int i = 0; i < 3; i++) {
		GOMP_parallel(whole_fn, &sum, 2, 0);
		GOMP_parallel_loop_static(whole_static_fn, &sum, 2, 0, 100, 1, 7, 0);
		GOMP_parallel_loop_dynamic(whole_dynamic_fn, &sum, 2, 0, 100, 1, 7, 0);
		GOMP_parallel_loop_guided(whole_guided_fn, &sum, 2, 0, 100, 1, 7, 0);
		GOMP_parallel_loop_runtime(whole_runtime_fn, &sum, 2, 0, 100, 1, 0);
		GOMP_parallel_loop_nonmonotonic_dynamic(nonmonotonic_dynamic_fn, &sum, 2, 0, 100, 1,
							7, 0);
		GOMP_parallel_loop_nonmonotonic_guided(nonmonotonic_guided_fn, &sum, 2, 0, 100, 1,
						       7, 0);
		GOMP_parallel_loop_nonmonotonic_runtime(nonmonotonic_runtime_fn, &sum, 2, 0, 100, 1,
							0);
		GOMP_parallel_loop_maybe_nonmonotonic_runtime(maybe_runtime_fn, &sum, 2, 0, 100, 1,
							      0);
		GOMP_parallel_sections(whole_sections_fn, &sum, 2, 3, 0);
		started_ones(&sum);
	}
	printf("%ld\n", sum);
	return 0;
}
