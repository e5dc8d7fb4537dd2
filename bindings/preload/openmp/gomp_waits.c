/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GNU's OpenMP: functions in which threads wait for each other (libgomp/libgomp_g.h in gcc's
 * sources), and of both runtimes those of omp.h's locks.
 */
#include "bindings/preload/inside.h"
#include "bindings/preload/openmp/gomp.h"
#include "bindings/preload/openmp/parallel.h"
#include "bindings/preload/openmp/wait.h"
#include "bindings/preload/preload.h"

#define NEXT(function, runtime) \
	((__typeof__(&(function)))preload_gomp_function(runtime, AT_##function))
#define HERE() preload_gomp_of(__builtin_return_address(0))

/* --- barriers and tasks --- */

#define WAIT(wait, function, parameters, arguments)                    \
	void function parameters;                                      \
	PRELOAD_STANDS_IN void function parameters                     \
	{                                                              \
		__typeof__(&(function)) next = NEXT(function, HERE()); \
                                                                       \
		preload_wait_begin(wait);                              \
		if (likely(next))                                      \
			next arguments;                                \
		preload_wait_end();                                    \
	}

#define WAIT_AND_RETURN(wait, type, function)                          \
	type function(void);                                           \
	PRELOAD_STANDS_IN type function(void)                          \
	{                                                              \
		__typeof__(&(function)) next = NEXT(function, HERE()); \
		type result;                                           \
                                                                       \
		preload_wait_begin(wait);                              \
		result = likely(next) ? next() : (type)0;              \
		preload_wait_end();                                    \
		return result;                                         \
	}

WAIT(PRELOAD_WAIT_BARRIER, GOMP_barrier, (void), ())
WAIT(PRELOAD_WAIT_BARRIER, GOMP_loop_end, (void), ())
WAIT(PRELOAD_WAIT_BARRIER, GOMP_sections_end, (void), ())
WAIT(PRELOAD_WAIT_BARRIER, GOMP_single_copy_end, (void *data), (data))
WAIT(PRELOAD_WAIT_BARRIER, GOMP_workshare_task_reduction_unregister, (bool cancelled), (cancelled))
WAIT_AND_RETURN(PRELOAD_WAIT_BARRIER, bool, GOMP_barrier_cancel)
WAIT_AND_RETURN(PRELOAD_WAIT_BARRIER, bool, GOMP_loop_end_cancel)
WAIT_AND_RETURN(PRELOAD_WAIT_BARRIER, bool, GOMP_sections_end_cancel)
WAIT_AND_RETURN(PRELOAD_WAIT_BARRIER, void *, GOMP_single_copy_start)
WAIT(PRELOAD_WAIT_TASKS, GOMP_taskwait, (void), ())
WAIT(PRELOAD_WAIT_TASKS, GOMP_taskwait_depend, (void **depend), (depend))
WAIT(PRELOAD_WAIT_TASKS, GOMP_taskgroup_end, (void), ())

/* --- critical sections --- */

/*
 * Whose the calling thread is in, innermost last: the last thing that a function does may be a jump
 * to their end, which then returns to anywhere.  Beyond these that is taken for the caller.
 */
#define MOST_INSIDE 4
static __thread struct {
	unsigned int n; /* also those beyond */
	const struct preload_gomp *runtime[MOST_INSIDE];
} inside;

static const struct preload_gomp *push_critical(const struct preload_gomp *runtime)
{
	if (inside.n++ < MOST_INSIDE)
		inside.runtime[inside.n - 1] = runtime;
	return runtime;
}

static const struct preload_gomp *pop_critical(const void *caller)
{
	return inside.n > 0 && --inside.n < MOST_INSIDE ? inside.runtime[inside.n]
							: preload_gomp_of(caller);
}

/* It is left before its mutex is, so that nobody who does not wait for it finds it taken. */
#define CRITICAL(start, end, parameters, arguments, mutex)                                      \
	void start parameters;                                                                  \
	void end parameters;                                                                    \
	PRELOAD_STANDS_IN void start parameters                                                 \
	{                                                                                       \
		__typeof__(&(start)) next = NEXT(start, push_critical(HERE()));                 \
                                                                                                \
		if (preload_waits.shares && preload_mutex_enter(mutex))                         \
			preload_wait_begin(PRELOAD_WAIT_CRITICAL);                              \
		preload_gomp_inside = true;                                                     \
		if (likely(next))                                                               \
			next arguments;                                                         \
		preload_gomp_inside = false;                                                    \
		preload_wait_end();                                                             \
	}                                                                                       \
	PRELOAD_STANDS_IN void end parameters                                                   \
	{                                                                                       \
		__typeof__(&(end)) next = NEXT(end, pop_critical(__builtin_return_address(0))); \
                                                                                                \
		if (preload_waits.shares)                                                       \
			preload_mutex_leave(mutex);                                             \
		preload_gomp_inside = true;                                                     \
		if (likely(next))                                                               \
			next arguments;                                                         \
		preload_gomp_inside = false;                                                    \
	}
CRITICAL(GOMP_critical_start, GOMP_critical_end, (void), (), 1)
CRITICAL(GOMP_critical_name_start, GOMP_critical_name_end, (void **name), (name), (uintptr_t)name)

/* --- locks: C's and Fortran's --- */

#define LOCK(set, test)                                               \
	void set(void *lock);                                         \
	int test(void *lock);                                         \
	PRELOAD_STANDS_IN void set(void *lock)                        \
	{                                                             \
		const struct preload_gomp *runtime = HERE();          \
		__typeof__(&(set)) next = NEXT(set, runtime);         \
		__typeof__(&(test)) try = NEXT(test, runtime);        \
                                                                      \
		if (preload_waits.shares && likely(try) && try(lock)) \
			return;                                       \
		preload_wait_begin(PRELOAD_WAIT_LOCK);                \
		if (likely(next))                                     \
			next(lock);                                   \
		preload_wait_end();                                   \
	}
LOCK(omp_set_lock, omp_test_lock)
LOCK(omp_set_lock_, omp_test_lock_)
