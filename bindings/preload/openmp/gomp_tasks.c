/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GNU's OpenMP: explicit tasks.  Threads run them while they wait; that is no wait.
 *
 * libgomp copies a task's data, and compilers know how large they are: there is no room for
 * anything of ours.  So a function of ours stands for each outlined one.
 */
#include "base/hash.h"
#include "bindings/preload/inside.h"
#include "bindings/preload/openmp/gomp.h"
#include "bindings/preload/openmp/wait.h"
#include "bindings/preload/preload.h"

typedef void outlined(void *data);

/* Digits to the base 4: 256 functions. */
#define DIGIT(X, n) X(n##0) X(n##1) X(n##2) X(n##3)
#define TWO(X, n)   DIGIT(X, n##0) DIGIT(X, n##1) DIGIT(X, n##2) DIGIT(X, n##3)
#define THREE(X, n) TWO(X, n##0) TWO(X, n##1) TWO(X, n##2) TWO(X, n##3)
#define ALL(X)      THREE(X, _0) THREE(X, _1) THREE(X, _2) THREE(X, _3)

enum {
#define INDEX(n) AT##n,
	ALL(INDEX) N_STUBS
};

/* By their hash, or behind it.  The same code at the same address is the same task. */
static outlined *behind[N_STUBS];

static void run_task(unsigned int which, void *data)
{
	preload_wait_pause();
	behind[which](data);
	preload_wait_resume();
}

#define STUB(n)                         \
	static void stub##n(void *data) \
	{                               \
		run_task(AT##n, data);  \
	}
ALL(STUB)

static outlined *const stubs[N_STUBS] = {
#define POINTER(n) stub##n,
	ALL(POINTER)
};

static outlined *stub_of(outlined *fn)
{
	unsigned int first = pmu_hash_number((uintptr_t)fn) % N_STUBS;

	for (unsigned int i = 0; i < N_STUBS; i++) {
		unsigned int at = (first + i) % N_STUBS;
		outlined *there = __atomic_load_n(&behind[at], __ATOMIC_RELAXED);

		if (!there && __atomic_compare_exchange_n(&behind[at], &there, fn, false,
							  __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return stubs[at];
		if (there == fn)
			return stubs[at];
	}
	__atomic_store_n(&preload_tasks_unseen, true, __ATOMIC_RELAXED);
	return fn;
}

static outlined *to_run(outlined *fn)
{
	return fn && preload_on(PRELOAD_OPENMP) ? stub_of(fn) : fn;
}

/*
 * libgomp/libgomp_g.h of gcc 14.  Compilers of older versions leave out the last ones, which their
 * runtime does not look at.
 */
void GOMP_task(outlined *fn, void *data, void (*copy)(void *, void *), long size, long align,
	       bool is_deferred, unsigned int flags, void **depend, int priority, void *detach);

PRELOAD_STANDS_IN void GOMP_task(outlined *fn, void *data, void (*copy)(void *, void *), long size,
				 long align, bool is_deferred, unsigned int flags, void **depend,
				 int priority, void *detach)
{
	const struct preload_gomp *runtime = preload_gomp_of(__builtin_return_address(0));
	__typeof__(&GOMP_task) next = (__typeof__(next))preload_gomp_function(runtime,
									      AT_GOMP_task);

	if (likely(next))
		next(to_run(fn), data, copy, size, align, is_deferred, flags, depend, priority,
		     detach);
}

/* gomp-constants.h of gcc's: a taskloop of these flags waits for no task, or adds up what they did. */
#define NOGROUP   (1u << 11)
#define REDUCTION (1u << 12)

/* The runtime waits for a taskloop's tasks in the taskgroup that it makes for them; here it is ours. */
static bool begin_group(const struct preload_gomp *runtime, unsigned int *flags)
{
	void (*start)(void) = (void (*)(void))preload_gomp_function(runtime,
								    AT_GOMP_taskgroup_start);

	if (!preload_waits.shares || *flags & (NOGROUP | REDUCTION) || !start ||
	    !preload_gomp_function(runtime, AT_GOMP_taskgroup_end))
		return false;
	start();
	*flags |= NOGROUP;
	return true;
}

static void end_group(const struct preload_gomp *runtime)
{
	void (*end)(void) = (void (*)(void))preload_gomp_function(runtime, AT_GOMP_taskgroup_end);

	preload_wait_begin(PRELOAD_WAIT_TASKS);
	end();
	preload_wait_end();
}

#define TASKLOOP(function, type)                                                                   \
	void function(outlined *fn, void *data, void (*copy)(void *, void *), long size,           \
		      long align, unsigned int flags, unsigned long n_tasks, int priority,         \
		      type start, type end, type step);                                            \
	PRELOAD_STANDS_IN void function(outlined *fn, void *data, void (*copy)(void *, void *),    \
					long size, long align, unsigned int flags,                 \
					unsigned long n_tasks, int priority, type start, type end, \
					type step)                                                 \
	{                                                                                          \
		const struct preload_gomp *runtime = preload_gomp_of(__builtin_return_address(0)); \
		__typeof__(&(function)) next = (__typeof__(next))preload_gomp_function(            \
			runtime, AT_##function);                                                   \
		bool is_ours = likely(next) && begin_group(runtime, &flags);                       \
                                                                                                   \
		if (likely(next))                                                                  \
			next(to_run(fn), data, copy, size, align, flags, n_tasks, priority, start, \
			     end, step);                                                           \
		if (is_ours)                                                                       \
			end_group(runtime);                                                        \
	}
TASKLOOP(GOMP_taskloop, long)
TASKLOOP(GOMP_taskloop_ull, unsigned long long)
