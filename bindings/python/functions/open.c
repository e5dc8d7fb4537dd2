/* SPDX-License-Identifier: BSD-3-Clause */
/* Keeps each thread's open calls: what begins here ends here, whatever events are missing. */
#include "bindings/python/functions/open.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "bindings/preload/functions/short.h"
#include "bindings/preload/keep.h"

#define FIRST_SIZE ((size_t)8192)
#define NOTE_MAX   255

struct own {
	struct python_thread open;
	struct preload_calls calls;
};

__thread struct python_thread *python_thread;

static pthread_key_t key;
static bool have_key;
static unsigned long n_missed;

static struct own *own_of(struct python_thread *open)
{
	return (struct own *)open; /* its first member */
}

static struct python_call *first_calls(struct python_thread *open)
{
	return (struct python_call *)(own_of(open) + 1);
}

static void free_calls(struct python_thread *open)
{
	if (open->bottom != first_calls(open))
		preload_unmap(open->bottom, (size_t)((char *)open->limit - (char *)open->bottom));
}

static void at_thread_end(void *thread)
{
	struct python_thread *open = thread;

	python_thread = open;
	python_open_leave();
	python_thread = NULL;
	preload_short_end(&own_of(open)->calls);
	free_calls(open);
	preload_unmap(open, FIRST_SIZE);
}

static void start(void)
{
	have_key = pthread_key_create(&key, at_thread_end) == 0;
	preload_short_start();
}

/* Once per thread. */
static __attribute__((cold, noinline)) struct python_thread *make(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct python_thread *open;

	pthread_once(&once, start);
	open = preload_map(FIRST_SIZE);
	if (!open)
		return NULL;
	open->bottom = open->top = first_calls(open);
	open->limit = open->bottom + (FIRST_SIZE - sizeof(struct own)) / sizeof(*open->bottom);
	if (have_key)
		pthread_setspecific(key, open);
	python_thread = open;
	return open;
}

static __attribute__((cold, noinline)) bool grow(struct python_thread *open)
{
	size_t n = (size_t)(open->limit - open->bottom);
	struct python_call *calls = preload_map(2 * n * sizeof(*calls));

	if (!calls)
		return false;
	memcpy(calls, open->bottom, n * sizeof(*calls));
	free_calls(open);
	open->bottom = calls;
	open->top = calls + n - 1;
	open->limit = calls + 2 * n;
	return true;
}

static bool make_room(struct python_thread *open)
{
	if (likely(open->top + 1 < open->limit))
		return true;
	if (!open->unpushed && grow(open))
		return true;
	open->unpushed++;
	__atomic_fetch_add(&n_missed, 1, __ATOMIC_RELAXED);
	return false;
}

void python_open_begin(const void *what, struct preload_name *name)
{
	struct python_thread *open = python_thread;

	if (unlikely(!open) && !(open = make()))
		return;
	if (unlikely(!make_room(open)))
		return;
	if (unlikely(preload_is_left_out(&own_of(open)->calls, name)))
		name = NULL;
	*++open->top = (struct python_call){ what, name };
	if (likely(name) && unlikely(pmu_region_begin(name->text)))
		open->top->name = NULL;
}

static void end(struct python_thread *open, struct preload_name *name)
{
	if (likely(name))
		pmu_region_end(name->text);
	if (unlikely(preload_min_time_ns) && name)
		preload_short_count(&own_of(open)->calls, name);
}

/* Calls of another stack may be above, as greenlets have them: they go on. */
static void end_in_between(struct python_thread *open, struct python_call *call)
{
	struct preload_name *name = call->name;

	memmove(call, call + 1, (size_t)(open->top - call) * sizeof(*call));
	open->top--;
	end(open, name);
}

void python_open_end(const void *what)
{
	struct python_thread *open = python_thread;
	struct python_call *call;

	if (unlikely(!open))
		return;
	if (unlikely(open->unpushed)) {
		open->unpushed--;
		return;
	}
	call = open->top;
	if (likely(call->what == what && call > open->bottom)) {
		open->top = call - 1;
		end(open, call->name);
		return;
	}
	while (call > open->bottom && call->what != what)
		call--;
	if (call > open->bottom)
		end_in_between(open, call);
}

void python_open_leave(void)
{
	struct python_thread *open = python_thread;

	while (open && open->top > open->bottom) {
		struct preload_name *name = open->top->name;

		open->top--;
		end(open, name);
	}
	if (open)
		open->unpushed = 0;
}

void python_open_note(void)
{
	unsigned long missed = __atomic_load_n(&n_missed, __ATOMIC_RELAXED);
	char text[NOTE_MAX + 1];

	preload_short_note();
	if (!missed)
		return;
	snprintf(text, sizeof(text), "%lu calls of Python functions are missing: no memory",
		 missed);
	pmu_note(text);
}
