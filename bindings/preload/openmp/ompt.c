/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LLVM's OpenMP, and others that have OMPT: the runtime tells us of parallel regions and of the
 * threads' shares in them.
 *
 * The runtime tells a worker's share to be over when it needs the thread again, or at the program's
 * end, and so it is with its wait in the barrier at the region's end.  So both end for us where the
 * thread comes to that barrier.  The first thread's share has its wait there.
 */
#include "bindings/preload/openmp/ompt.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#include "bindings/preload/inside.h"
#include "bindings/preload/openmp/parallel.h"
#include "bindings/preload/openmp/wait.h"
#include "bindings/preload/preload.h"

/*
 * A parallel region that is under way.  It goes with the last of those that know it: a worker's
 * implicit task may be over long after the region is.
 */
struct call {
	const struct preload_parallel *parallel;
	pmu_context_t context; /* what its first thread has open around it */
	unsigned int users;
};

/*
 * The data of a parallel region and of its implicit tasks is its call; NULL for what is not
 * counted.  Its lowest bits:
 */
#define OVER ((uintptr_t)1) /* in a task: the share is over */
/* of a teams construct: no region of ours, but it has given its name to those inside */
#define LEAGUE ((uintptr_t)2)
/* in a task: it is on another thread than the region's first */
#define WORKER ((uintptr_t)4)
/* it is an explicit task's, and a struct errand */
#define ERRAND ((uintptr_t)8)
#define BITS   (OVER | LEAGUE | WORKER | ERRAND)

static bool is_over(const union ompt_data *task)
{
	return (uintptr_t)task->ptr & OVER;
}

static bool is_league(const union ompt_data *data)
{
	return (uintptr_t)data->ptr & LEAGUE;
}

static bool is_errand(const union ompt_data *data)
{
	return (uintptr_t)data->ptr & ERRAND;
}

static struct call *call_of(const union ompt_data *data)
{
	return is_errand(data) ? NULL : (struct call *)((uintptr_t)data->ptr & ~BITS);
}

static const struct preload_parallel *region_of(const union ompt_data *data)
{
	const struct call *call = call_of(data);

	return call ? call->parallel : NULL;
}

static struct call *new_call(const struct preload_parallel *parallel)
{
	int saved = errno;
	struct call *call = parallel ? malloc(sizeof(*call)) : NULL;

	if (call)
		*call = (struct call){ parallel, pmu_context_get(), 1 };
	errno = saved;
	return call;
}

static struct call *share_call(struct call *call)
{
	if (call)
		__atomic_add_fetch(&call->users, 1, __ATOMIC_RELAXED);
	return call;
}

static void drop_call(union ompt_data *data)
{
	struct call *call = call_of(data);

	data->ptr = NULL;
	if (call && !__atomic_sub_fetch(&call->users, 1, __ATOMIC_ACQ_REL))
		free(call);
}

static struct preload_parallel *find_region(const void *from, const union ompt_data *task)
{
	const struct preload_parallel *around = task ? region_of(task) : NULL;
	struct preload_parallel *parallel = preload_parallel_find(from);

	if (unlikely(!parallel))
		parallel = preload_parallel_called(from, around);
	if (unlikely(parallel && parallel->is_runtime && around))
		return preload_parallel_inside(from, around);
	return parallel;
}

/* Some runtimes begin each team of a league with a region of one thread. */
static bool is_of_one_team(const void *from, const union ompt_data *task)
{
	return !from && task && is_league(task);
}

/* 4.5.2.3 */
static void on_parallel_begin(union ompt_data *task, const struct ompt_frame *frame,
			      union ompt_data *parallel, unsigned int requested, int flags,
			      const void *from)
{
	(void)frame;
	(void)requested;
	parallel->ptr = NULL;
	if (unlikely(preload_gomp_forking))
		preload_gomp_forking = false;
	else if (is_of_one_team(from, task))
		parallel->ptr = share_call(call_of(task));
	else
		parallel->ptr = new_call(find_region(from, task));
	if (parallel->ptr && (flags & OMPT_PARALLEL_LEAGUE || is_of_one_team(from, task)))
		parallel->value |= LEAGUE;
}

/* 4.5.2.4 */
static void on_parallel_end(union ompt_data *parallel, union ompt_data *task, int flags,
			    const void *from)
{
	(void)task;
	(void)flags;
	(void)from;
	if (parallel)
		drop_call(parallel);
}

/* --- a thread's share --- */

/*
 * Contexts of what the thread begins here itself, innermost last: an explicit task made in nothing
 * else is in no other region than the thread that runs it.
 */
#define MOST_OWN 8
static __thread struct {
	unsigned int n;                  /* also those beyond */
	pmu_context_t context[MOST_OWN]; /* 0: not known */
} own;

static void push_own(const struct preload_parallel *parallel)
{
	unsigned int n = own.n++;

	if (n < MOST_OWN)
		own.context[n] = parallel->has_tasks ? pmu_context_get() : 0;
}

static pmu_context_t innermost_own(void)
{
	return own.n > 0 && own.n <= MOST_OWN ? own.context[own.n - 1] : 0;
}

/* @name: NULL: no region of ours, but work for the first thread's all the same */
static void begin_region(const union ompt_data *task, const char *name)
{
	const struct call *call = call_of(task);

	if ((uintptr_t)task->ptr & WORKER && call->context)
		pmu_context_enter(call->context);
	if (!name)
		return;
	pmu_region_begin(name);
	push_own(call->parallel);
	preload_share_begins();
}

static void end_region(const union ompt_data *task, const char *name)
{
	if (name) {
		preload_wait_end();
		preload_share_ends();
		own.n -= own.n > 0;
		pmu_region_end(name);
	}
	if ((uintptr_t)task->ptr & WORKER && call_of(task)->context)
		pmu_context_leave();
}

/* What is to be begun and ended in a share. */
static const char *name_of(const union ompt_data *task)
{
	const struct preload_parallel *parallel = is_league(task) ? NULL : region_of(task);

	return parallel ? parallel->name : NULL;
}

static const char *leftover_of(const union ompt_data *task)
{
	return name_of(task) ? region_of(task)->leftover : NULL;
}

static void end_share(union ompt_data *task)
{
	if (!call_of(task) || is_over(task))
		return;
	end_region(task, name_of(task));
	task->value |= OVER;
}

/* 4.5.2.11 */
static void on_implicit_task(int endpoint, union ompt_data *parallel, union ompt_data *task,
			     unsigned int n, unsigned int index, int flags)
{
	(void)n;
	(void)flags;
	if (endpoint == OMPT_SCOPE_BEGIN) {
		task->ptr = parallel ? share_call(call_of(parallel)) : NULL;
		if (task->ptr && is_league(parallel))
			task->value |= LEAGUE;
		if (task->ptr && index > 0)
			task->value |= WORKER;
		if (call_of(task))
			begin_region(task, name_of(task));
	} else if (task) {
		end_share(task); /* a team of one has no barrier */
		drop_call(task);
	}
}

/*
 * The barrier at a region's end?  Before 5.1 that of a loop looks the same, but for where it was
 * called from: here it is the call of the region itself in the first thread, and nothing in the
 * others.
 */
static bool is_last_barrier(int kind, const struct preload_parallel *parallel, const void *from)
{
	return kind == OMPT_SYNC_BARRIER_IMPLICIT_PARALLEL ||
	       (kind == OMPT_SYNC_BARRIER_IMPLICIT && (!from || from == parallel->from));
}

/* 4.5.2.13 */
static void on_sync_region(int kind, int endpoint, union ompt_data *parallel, union ompt_data *task,
			   const void *from)
{
	(void)parallel;
	if (endpoint == OMPT_SCOPE_BEGIN && task && (uintptr_t)task->ptr & WORKER &&
	    region_of(task) && is_last_barrier(kind, region_of(task), from))
		end_share(task);
}

/* The same section: a taskgroup is all that is in it, the wait its end. */
static void on_sync_region_wait(int kind, int endpoint, union ompt_data *parallel,
				union ompt_data *task, const void *from)
{
	static const enum preload_wait waits[OMPT_N_SYNC] = {
		[OMPT_SYNC_BARRIER] = PRELOAD_WAIT_BARRIER,
		[OMPT_SYNC_BARRIER_IMPLICIT] = PRELOAD_WAIT_BARRIER,
		[OMPT_SYNC_BARRIER_EXPLICIT] = PRELOAD_WAIT_BARRIER,
		[OMPT_SYNC_BARRIER_IMPLEMENTATION] = PRELOAD_WAIT_BARRIER,
		[OMPT_SYNC_BARRIER_IMPLICIT_WORKSHARE] = PRELOAD_WAIT_BARRIER,
		[OMPT_SYNC_BARRIER_IMPLICIT_PARALLEL] = PRELOAD_WAIT_BARRIER,
		[OMPT_SYNC_TASKWAIT] = PRELOAD_WAIT_TASKS,
		[OMPT_SYNC_TASKGROUP] = PRELOAD_WAIT_TASKS,
	};

	(void)parallel;
	(void)task;
	(void)from;
	if (kind < 0 || kind >= OMPT_N_SYNC || !waits[kind])
		return;
	if (endpoint == OMPT_SCOPE_BEGIN)
		preload_wait_begin(waits[kind]);
	else
		preload_wait_end();
}

/* --- critical sections --- */

static bool is_critical(int kind)
{
	return kind == OMPT_MUTEX_CRITICAL && !preload_gomp_inside;
}

/* 4.5.2.14 */
static void on_mutex_acquire(int kind, unsigned int hint, unsigned int implementation,
			     uint64_t mutex, const void *from)
{
	(void)hint;
	(void)implementation;
	(void)from;
	if (is_critical(kind) && preload_mutex_enter((uintptr_t)mutex))
		preload_wait_begin(PRELOAD_WAIT_CRITICAL);
}

/* 4.5.2.15 */
static void on_mutex_acquired(int kind, uint64_t mutex, const void *from)
{
	(void)mutex;
	(void)from;
	if (is_critical(kind))
		preload_wait_end();
}

static void on_mutex_released(int kind, uint64_t mutex, const void *from)
{
	(void)from;
	if (is_critical(kind))
		preload_mutex_leave((uintptr_t)mutex);
}

/* --- explicit tasks --- */

/* A task made in a region of the program's own, which is what it is run for. */
struct errand {
	pmu_context_t context;
	bool is_started;
};

static struct errand *errand_of(const union ompt_data *task)
{
	return task && is_errand(task) ? (struct errand *)((uintptr_t)task->ptr & ~BITS) : NULL;
}

/*
 * 4.5.2.6.  What is run at once is so where it is made; what may go on with another thread than it
 * was begun by is a part of that thread's share.
 */
static void on_task_create(union ompt_data *maker, const struct ompt_frame *frame,
			   union ompt_data *task, int flags, int has_dependences, const void *from)
{
	pmu_context_t context, around = innermost_own();
	struct errand *errand;
	int saved = errno;

	(void)maker;
	(void)frame;
	(void)has_dependences;
	(void)from;
	if (!around || !(flags & OMPT_TASK_EXPLICIT) ||
	    flags & (OMPT_TASK_UNDEFERRED | OMPT_TASK_UNTIED))
		return;
	context = pmu_context_get();
	if (!context || context == around)
		return;
	errand = malloc(sizeof(*errand));
	if (errand) {
		*errand = (struct errand){ .context = context };
		task->ptr = errand;
		task->value |= ERRAND;
	}
	errno = saved;
}

static void begin_errand(struct errand *errand)
{
	errand->is_started = true;
	pmu_context_enter(errand->context);
}

static void end_errand(union ompt_data *task)
{
	pmu_context_leave();
	free(errand_of(task));
	task->ptr = NULL;
}

static bool is_done(int status)
{
	return status == OMPT_TASK_COMPLETE || status == OMPT_TASK_CANCEL ||
	       status == OMPT_TASK_DETACH;
}

/*
 * 4.5.2.10.  Tasks that were left for the last barrier are work of the region, but of no thread's
 * own share.  One that waits for others has them run within it.
 */
static void on_task_schedule(union ompt_data *prior, int status, union ompt_data *next)
{
	if (status == OMPT_TASK_SWITCH || status == OMPT_TASK_YIELD)
		preload_wait_pause();
	if (errand_of(prior) && errand_of(prior)->is_started && is_done(status))
		end_errand(prior);
	if (prior && is_over(prior))
		begin_region(prior, leftover_of(prior));
	else if (next && is_over(next))
		end_region(next, leftover_of(next));
	if (errand_of(next) && !errand_of(next)->is_started)
		begin_errand(errand_of(next));
	if (is_done(status))
		preload_wait_resume();
}

/* --- the start --- */

bool preload_ompt_tells;

static int start_tool(ompt_lookup *lookup, int device, union ompt_data *tool)
{
	ompt_set_callback *set = (ompt_set_callback *)lookup("ompt_set_callback");

	(void)device;
	(void)tool;
	if (!set ||
	    set(OMPT_PARALLEL_BEGIN, (ompt_function *)on_parallel_begin) < OMPT_SET_SOMETIMES ||
	    set(OMPT_PARALLEL_END, (ompt_function *)on_parallel_end) < OMPT_SET_SOMETIMES ||
	    set(OMPT_IMPLICIT_TASK, (ompt_function *)on_implicit_task) < OMPT_SET_SOMETIMES) {
		pmu_note(
			"this OpenMP runtime does not tell of its parallel regions: they have no rows");
		return 0;
	}
	if (set(OMPT_SYNC_REGION, (ompt_function *)on_sync_region) < OMPT_SET_SOMETIMES)
		pmu_note(
			"this OpenMP runtime does not tell of barriers: parallel regions include what threads wait "
			"after them");
	set(OMPT_SYNC_REGION_WAIT, (ompt_function *)on_sync_region_wait);
	set(OMPT_MUTEX_ACQUIRE, (ompt_function *)on_mutex_acquire);
	set(OMPT_MUTEX_ACQUIRED, (ompt_function *)on_mutex_acquired);
	set(OMPT_MUTEX_RELEASED, (ompt_function *)on_mutex_released);
	set(OMPT_TASK_CREATE, (ompt_function *)on_task_create);
	set(OMPT_TASK_SCHEDULE, (ompt_function *)on_task_schedule);
	__atomic_store_n(&preload_ompt_tells, true, __ATOMIC_RELAXED);
	return 1;
}

static void end_tool(union ompt_data *tool)
{
	(void)tool;
}

static bool has_tool_of_its_own(void)
{
	const char *libraries = getenv("OMP_TOOL_LIBRARIES");

	return libraries && *libraries;
}

/*
 * ThreadSanitizer's programs have a tool too, one that the runtime finds where there is no other.
 */
static bool is_sanitized(void)
{
	bool found = dlsym(RTLD_DEFAULT, "__tsan_init") != NULL;

	(void)dlerror();
	return found;
}

/*
 * A runtime takes one tool: another one goes first.  The runtime's own function of this name looks
 * for those behind it.
 */
PRELOAD_STANDS_IN struct ompt_start_tool_result *ompt_start_tool(unsigned int omp_version,
								 const char *runtime_version)
{
	static struct ompt_start_tool_result ours = { .initialize = start_tool,
						      .finalize = end_tool };
	__typeof__(&ompt_start_tool) next = (__typeof__(&ompt_start_tool))preload_next(
		"ompt_start_tool");
	struct ompt_start_tool_result *theirs = next ? next(omp_version, runtime_version) : NULL;
	bool measured = preload_on(PRELOAD_OPENMP);

	preload_omp_mask(__builtin_return_address(0));
	if (!theirs && measured && !has_tool_of_its_own() && !is_sanitized())
		return &ours;
	if (measured)
		pmu_note(
			"another tool watches this OpenMP runtime: its parallel regions have no rows");
	return theirs;
}
