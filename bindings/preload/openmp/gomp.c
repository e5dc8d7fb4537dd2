/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * GNU's OpenMP: the functions that start a parallel region, so that it is a region of ours on every
 * thread of the team.  Each is given an outlined function; ours goes in its place and calls it.
 *
 * The functions and their parameters are libgomp's public ABI (libgomp/libgomp_g.h in gcc's
 * sources); LLVM's runtime has the same.  A region is over on a thread when its share is, before
 * the barrier at the end: nothing is called when that lets the thread go.  On the first one it has
 * the wait there, up to the return to the caller.  Until then a thread works for what the first one
 * has open.
 *
 * An explicit task is part of the share in which it is run.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#include "bindings/preload/inside.h"
#include "bindings/preload/keep.h"
#include "bindings/preload/openmp/gomp.h"
#include "bindings/preload/openmp/parallel.h"
#include "bindings/preload/openmp/wait.h"
#include "bindings/preload/preload.h"
#include "bindings/preload/symbols/imports.h"

/* What stands for the outlined function and where its data are. */
typedef void outlined(void *data);

/*
 * Combined with a loop: start, end, increment, and the chunk unless the schedule says it; since gcc
 * 4.9 flags.
 */
#define TEAM           outlined *fn, void *data, unsigned int n_threads
#define LOOP           TEAM, long start, long end, long incr
#define LOOP_ARGUMENTS fn, data, n_threads, start, end, incr

/* They come back when the region has ended. */
#define WHOLE(X)                                                                           \
	X(GOMP_parallel, (TEAM, unsigned int flags), (fn, data, n_threads, flags))         \
	X(GOMP_parallel_loop_static, (LOOP, long chunk, unsigned int flags),               \
	  (LOOP_ARGUMENTS, chunk, flags))                                                  \
	X(GOMP_parallel_loop_dynamic, (LOOP, long chunk, unsigned int flags),              \
	  (LOOP_ARGUMENTS, chunk, flags))                                                  \
	X(GOMP_parallel_loop_guided, (LOOP, long chunk, unsigned int flags),               \
	  (LOOP_ARGUMENTS, chunk, flags))                                                  \
	X(GOMP_parallel_loop_runtime, (LOOP, unsigned int flags), (LOOP_ARGUMENTS, flags)) \
	X(GOMP_parallel_loop_nonmonotonic_dynamic, (LOOP, long chunk, unsigned int flags), \
	  (LOOP_ARGUMENTS, chunk, flags))                                                  \
	X(GOMP_parallel_loop_nonmonotonic_guided, (LOOP, long chunk, unsigned int flags),  \
	  (LOOP_ARGUMENTS, chunk, flags))                                                  \
	X(GOMP_parallel_loop_nonmonotonic_runtime, (LOOP, unsigned int flags),             \
	  (LOOP_ARGUMENTS, flags))                                                         \
	X(GOMP_parallel_loop_maybe_nonmonotonic_runtime, (LOOP, unsigned int flags),       \
	  (LOOP_ARGUMENTS, flags))                                                         \
	X(GOMP_parallel_sections, (TEAM, unsigned int count, unsigned int flags),          \
	  (fn, data, n_threads, count, flags))

/*
 * Before gcc 4.9: the first thread calls the outlined function itself, and GOMP_parallel_end()
 * after it.
 */
#define STARTS(X)                                                                        \
	X(GOMP_parallel_start, (TEAM), (fn, data, n_threads))                            \
	X(GOMP_parallel_loop_static_start, (LOOP, long chunk), (LOOP_ARGUMENTS, chunk))  \
	X(GOMP_parallel_loop_dynamic_start, (LOOP, long chunk), (LOOP_ARGUMENTS, chunk)) \
	X(GOMP_parallel_loop_guided_start, (LOOP, long chunk), (LOOP_ARGUMENTS, chunk))  \
	X(GOMP_parallel_loop_runtime_start, (LOOP), (LOOP_ARGUMENTS))                    \
	X(GOMP_parallel_sections_start, (TEAM, unsigned int count), (fn, data, n_threads, count))

#define DECLARE(name, parameters, arguments) void name parameters;
WHOLE(DECLARE)
STARTS(DECLARE)
unsigned int GOMP_parallel_reductions(TEAM, unsigned int flags);
void GOMP_parallel_end(void);

/* Behind enum preload_gomp_function. */
enum function {
	BEFORE_FIRST = PRELOAD_GOMP_N_OTHERS - 1,
#define INDEX(name, parameters, arguments) AT_##name,
	WHOLE(INDEX) STARTS(INDEX) AT_GOMP_parallel_reductions,
	AT_GOMP_parallel_end,
	N_FUNCTIONS
};

static const char *const names[N_FUNCTIONS] = {
#define OTHER(name)                       [AT_##name] = #name,
#define NAME(name, parameters, arguments) [AT_##name] = #name,
	PRELOAD_GOMP_OTHERS(OTHER) WHOLE(NAME)
		STARTS(NAME)[AT_GOMP_parallel_reductions] = "GOMP_parallel_reductions",
	[AT_GOMP_parallel_end] = "GOMP_parallel_end",
};

/* An OpenMP runtime: there may be several, as with Python's packages that bring one each. */
struct preload_gomp {
	struct preload_gomp *next;
	void *library; /* dlopen()'s handle; NULL: what the program itself is linked with */
	void *function[N_FUNCTIONS];
};

static struct preload_gomp *runtimes;

__thread bool preload_gomp_forking;

/* That of the innermost share on the calling thread. */
static __thread const struct preload_gomp *innermost;

/* --- which runtime some code is linked with --- */

/*
 * That of an object which dlopen() has brought, with libraries of its own.  It stays loaded: its
 * functions are kept.
 */
static void *open_runtime(const void *code)
{
	struct link_map *object = NULL;
	void *handle, *barrier, *runtime = NULL;
	Dl_info where, own;

	if (!dladdr1(code, &where, (void **)&object, RTLD_DL_LINKMAP) || !object ||
	    !dladdr(&runtimes, &own) || where.dli_fbase == own.dli_fbase)
		return NULL;
	handle = dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD);
	if (!handle)
		return NULL;
	barrier = dlsym(handle, names[AT_GOMP_barrier]);
	if (barrier && dladdr(barrier, &where) && where.dli_fname)
		runtime = dlopen(where.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
	dlclose(handle);
	return runtime;
}

/* Context: preload_lock(). */
static const struct preload_gomp *add_runtime(void *library, void *const *function)
{
	struct preload_gomp *runtime = runtimes;

	while (runtime && runtime->library != library)
		runtime = runtime->next;
	if (runtime)
		return runtime;
	runtime = preload_keep(sizeof(*runtime));
	if (!runtime)
		return NULL;
	runtime->library = library;
	memcpy(runtime->function, function, sizeof(runtime->function));
	runtime->next = runtimes;
	/* pairs with the load in preload_gomp_of() */
	__atomic_store_n(&runtimes, runtime, __ATOMIC_RELEASE);
	return runtime;
}

/*
 * As the loader binds: what the program is linked with goes before libraries of one object alone.
 */
static const struct preload_gomp *find_runtime(const void *code)
{
	const struct preload_gomp *runtime;
	void *function[N_FUNCTIONS], *library = NULL;
	bool is_global = preload_next(names[AT_GOMP_barrier]) != NULL;

	if (!is_global)
		library = open_runtime(code);
	/* what is no libgomp has omp.h's locks at least */
	if (!is_global && !library && !preload_next(names[AT_omp_set_lock]))
		return NULL;
	for (int i = 0; i < N_FUNCTIONS; i++)
		function[i] = library ? dlsym(library, names[i]) : preload_next(names[i]);
	(void)dlerror();
	if (!preload_lock())
		return NULL;
	runtime = add_runtime(library, function);
	preload_unlock();
	return runtime;
}

static __attribute__((cold, noinline)) const struct preload_parallel *meet_caller(
	const void *caller)
{
	struct preload_parallel draft = { .address = caller }, *place;
	int saved = errno;

	draft.runtime = find_runtime(caller);
	place = preload_parallel_outlined(&draft, false);
	errno = saved;
	return place;
}

static const struct preload_gomp *look_for_runtime(const void *caller)
{
	const struct preload_parallel *place = preload_parallel_find(caller);

	if (unlikely(!place))
		place = meet_caller(caller);
	if (likely(place && place->runtime))
		return place->runtime;
	return innermost ? innermost : __atomic_load_n(&runtimes, __ATOMIC_ACQUIRE);
}

const struct preload_gomp *preload_gomp_of(const void *caller)
{
	/* pairs with the store in add_runtime() */
	const struct preload_gomp *runtime = __atomic_load_n(&runtimes, __ATOMIC_ACQUIRE);

	/* what the program is linked with is everyone's, as in find_runtime() */
	if (likely(runtime && !runtime->library && !runtime->next))
		return runtime;
	return look_for_runtime(caller);
}

void *preload_gomp_function(const struct preload_gomp *runtime, enum preload_gomp_function which)
{
	return runtime ? runtime->function[which] : NULL;
}

/* --- tasks --- */

/*
 * Does an object make explicit tasks?  gcc leaves out barriers that are followed by the region's
 * own, where threads then run the tasks that are left; they are the region's work, but beyond the
 * outlined function. Where that can be, our function has a barrier of its own at the end.
 */
static bool object_makes_tasks(const void *code)
{
	return preload_imports(code, "GOMP_task") || preload_imports(code, "GOMP_taskloop") ||
	       preload_imports(code, "GOMP_taskloop_ull");
}

/* After "cancel parallel" barriers may not be used; only a program started for it can do that. */
static bool may_cancel(const struct preload_gomp *runtime)
{
	int (*get)(void) = (int (*)(void))runtime->function[AT_omp_get_cancellation];

	return !get || get();
}

/* --- a thread's share of a region --- */

struct share {
	/* GOMP_parallel_reductions() looks at the first word of the data. */
	void *reductions;
	outlined *fn;
	void *data;
	const char *name;
	void (*barrier)(void); /* NULL: none of ours */
	const struct preload_gomp *runtime;
	/* the first thread's: of a share around this one, and how many there are */
	const struct preload_gomp *around;
	unsigned int outside;
	/* what the first thread, known by its preload_gomp_forking, has open around it */
	pmu_context_t context;
	const bool *first;
};

static bool is_first(const struct share *share)
{
	return share->first == &preload_gomp_forking;
}

static bool is_for_another(const struct share *share)
{
	return share->context && !is_first(share);
}

static void begin_share(const struct share *share)
{
	preload_gomp_forking = false;
	innermost = share->runtime;
	if (is_for_another(share))
		pmu_context_enter(share->context);
	pmu_region_begin(share->name);
	preload_share_begins();
}

static void end_share(const struct share *share)
{
	preload_wait_end();
	preload_share_ends();
	pmu_region_end(share->name);
	if (is_for_another(share))
		pmu_context_leave();
	innermost = is_first(share) ? share->around : NULL;
}

static bool is_alone(const struct share *share)
{
	int (*n_threads)(void) = (int (*)(void))share->runtime->function[AT_omp_get_num_threads];

	return n_threads && n_threads() < 2;
}

/*
 * The thread has done what there was for it: the first one's share goes on while it waits.  Where it
 * is alone, what the runtime does after that is no wait, and not the region's.
 */
static void finish_share(const struct share *share)
{
	if ((share->barrier || is_first(share)) && !is_alone(share))
		preload_wait_begin(PRELOAD_WAIT_BARRIER);
	if (share->barrier)
		share->barrier();
	if (!is_first(share) || !preload_waits.now)
		end_share(share);
}

/* The first thread is back from the runtime. */
static void end_team(const struct share *share)
{
	if (preload_waits.shares > share->outside)
		end_share(share);
}

/* In the place of the outlined function, on every thread of the team. */
static void run(void *data)
{
	struct share share = *(const struct share *)data;

	begin_share(&share);
	share.fn(share.data);
	finish_share(&share);
}

/*
 * An outlined function for the first time.  Return: NULL where it cannot be kept; @runtime may be
 * known all the same.
 */
static __attribute__((cold, noinline)) const struct preload_parallel *meet(
	outlined *fn, const void *caller, const struct preload_gomp **runtime)
{
	struct preload_parallel draft = { .address = (const void *)(uintptr_t)fn, .from = caller },
				*parallel = NULL;
	int saved = errno;

	draft.runtime = *runtime = find_runtime(draft.address);
	if (draft.runtime) {
		draft.has_tasks = object_makes_tasks(draft.address) && !may_cancel(draft.runtime);
		parallel = preload_parallel_outlined(&draft, preload_on(PRELOAD_OPENMP));
	}
	errno = saved;
	return parallel;
}

/*
 * Puts ours in the place of the outlined function, where the region is to be counted; @share NULL:
 * it is not. The function behind ours; NULL: there is none, so a team of one is all that can be.
 */
static inline void *take(struct share *share, unsigned int which, outlined **fn, void **data,
			 const void *caller)
{
	const struct preload_parallel *parallel = preload_parallel_find(
		(const void *)(uintptr_t)*fn);
	const struct preload_gomp *runtime = NULL;

	if (unlikely(!parallel))
		parallel = meet(*fn, caller, &runtime);
	if (likely(parallel))
		runtime = parallel->runtime;
	if (likely(share)) {
		share->name = NULL;
		share->runtime = runtime;
	}
	if (unlikely(!runtime || !runtime->function[which]))
		return NULL;
	if (likely(share && parallel && parallel->name) && likely(preload_on(PRELOAD_OPENMP))) {
		share->reductions = which == AT_GOMP_parallel_reductions ? *(void **)*data : NULL;
		share->fn = *fn;
		share->data = *data;
		share->name = parallel->name;
		share->barrier = parallel->has_tasks
					 ? (void (*)(void))runtime->function[AT_GOMP_barrier]
					 : NULL;
		share->around = innermost;
		share->outside = preload_waits.shares;
		share->context = pmu_context_get();
		share->first = &preload_gomp_forking;
		*fn = run;
		*data = share;
		preload_gomp_forking = true;
	}
	return runtime->function[which];
}

#define WHOLE_FUNCTION(function, parameters, arguments)                                  \
	PRELOAD_STANDS_IN void function parameters                                       \
	{                                                                                \
		struct share share;                                                      \
		__typeof__(&(function)) next = (__typeof__(&(function)))take(            \
			&share, AT_##function, &fn, &data, __builtin_return_address(0)); \
                                                                                         \
		if (likely(next))                                                        \
			next arguments;                                                  \
		else                                                                     \
			fn(data);                                                        \
		preload_gomp_forking = false;                                            \
		if (likely(share.name))                                                  \
			end_team(&share);                                                \
	}
WHOLE(WHOLE_FUNCTION)

PRELOAD_STANDS_IN unsigned int GOMP_parallel_reductions(TEAM, unsigned int flags)
{
	struct share share;
	__typeof__(&GOMP_parallel_reductions) next = (__typeof__(&GOMP_parallel_reductions))take(
		&share, AT_GOMP_parallel_reductions, &fn, &data, __builtin_return_address(0));
	unsigned int n = 1;

	if (likely(next))
		n = next(fn, data, n_threads, flags);
	else
		fn(data);
	preload_gomp_forking = false;
	if (likely(share.name))
		end_team(&share);
	return n;
}

/* --- what begins in one function and ends in another --- */

/* The calling thread's, innermost last; beyond these they are not counted. */
#define MOST_OPEN 4
static __thread struct {
	unsigned int n; /* also those beyond */
	struct share share[MOST_OPEN];
} started;

static struct share *push_share(void)
{
	unsigned int n = started.n++;

	return n < MOST_OPEN ? &started.share[n] : NULL;
}

static struct share *pop_share(void)
{
	return started.n > 0 && --started.n < MOST_OPEN ? &started.share[started.n] : NULL;
}

#define START_FUNCTION(function, parameters, arguments)                                      \
	PRELOAD_STANDS_IN void function parameters                                           \
	{                                                                                    \
		struct share *share = push_share();                                          \
		__typeof__(&(function)) next = (__typeof__(&(function)))take(                \
			share, AT_##function, &fn, &data, __builtin_return_address(0));      \
                                                                                             \
		if (unlikely(!share)) /* not counted, by the other runtime's word neither */ \
			preload_gomp_forking = true;                                         \
		if (likely(next))                                                            \
			next arguments;                                                      \
		if (likely(share)) {                                                         \
			if (share->name)                                                     \
				begin_share(share);                                          \
		} else {                                                                     \
			preload_gomp_forking = false;                                        \
		}                                                                            \
	}
STARTS(START_FUNCTION)

PRELOAD_STANDS_IN void GOMP_parallel_end(void)
{
	const struct share *share = pop_share();
	const struct preload_gomp *runtime = share ? share->runtime
						   : find_runtime(__builtin_return_address(0));
	void (*next)(void) = runtime ? (void (*)(void))runtime->function[AT_GOMP_parallel_end]
				     : NULL;

	if (share && share->name)
		finish_share(share);
	if (likely(next))
		next();
	if (share && share->name)
		end_team(share);
}
