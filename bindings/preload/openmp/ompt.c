/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LLVM's OpenMP, and others that have OMPT: the runtime tells us of parallel regions and of the
 * threads' shares in them.
 *
 * The runtime tells a worker's share to be over when it needs the thread again, or at the program's
 * end.  So it ends for us where the thread comes to the barrier at the region's end.
 */
#include "bindings/preload/openmp/ompt.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

#include "bindings/preload/inside.h"
#include "bindings/preload/openmp/parallel.h"
#include "bindings/preload/preload.h"

/*
 * In the data of a parallel region and of its implicit tasks: what it is, a struct
 * preload_parallel; NULL for what is not counted.  Its lowest bits:
 */
#define OVER ((uintptr_t)1) /* in a task: the share is over */
/* of a teams construct: no region of ours, but it has given its name to those inside */
#define LEAGUE ((uintptr_t)2)

static bool is_over(const union ompt_data *task)
{
	return (uintptr_t)task->ptr & OVER;
}

static bool is_league(const union ompt_data *data)
{
	return (uintptr_t)data->ptr & LEAGUE;
}

static const struct preload_parallel *region_of(const union ompt_data *data)
{
	return (const struct preload_parallel *)((uintptr_t)data->ptr & ~(OVER | LEAGUE));
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
	else if (!from && task && is_league(task))
		/* some runtimes begin each team with a region of one thread */
		parallel->ptr = task->ptr;
	else
		parallel->ptr = find_region(from, task);
	if (parallel->ptr && flags & OMPT_PARALLEL_LEAGUE)
		parallel->value |= LEAGUE;
}

/* What is to be begun and ended in a share. */
static const char *name_of(const union ompt_data *task)
{
	const struct preload_parallel *parallel = is_league(task) ? NULL : region_of(task);

	return parallel ? parallel->name : NULL;
}

static void end_share(union ompt_data *task)
{
	const char *name = name_of(task);

	if (!name || is_over(task))
		return;
	pmu_region_end(name);
	task->value |= OVER;
}

/* 4.5.2.11 */
static void on_implicit_task(int endpoint, union ompt_data *parallel, union ompt_data *task,
			     unsigned int n, unsigned int index, int flags)
{
	(void)n;
	(void)index;
	(void)flags;
	if (endpoint == OMPT_SCOPE_BEGIN) {
		task->ptr = parallel ? parallel->ptr : NULL;
		if (name_of(task))
			pmu_region_begin(name_of(task));
	} else if (task) {
		end_share(task); /* a team of one has no barrier */
		task->ptr = NULL;
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
	if (endpoint == OMPT_SCOPE_BEGIN && task && region_of(task) &&
	    is_last_barrier(kind, region_of(task), from))
		end_share(task);
}

/*
 * 4.5.2.10.  Tasks that were left for the last barrier are work of the region, but of no thread's
 * own share.
 */
static void on_task_schedule(union ompt_data *prior, int status, union ompt_data *next)
{
	(void)status;
	if (prior && is_over(prior))
		pmu_region_begin(region_of(prior)->leftover);
	else if (next && is_over(next))
		pmu_region_end(region_of(next)->leftover);
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
	    set(OMPT_IMPLICIT_TASK, (ompt_function *)on_implicit_task) < OMPT_SET_SOMETIMES) {
		pmu_note(
			"this OpenMP runtime does not tell of its parallel regions: they have no rows");
		return 0;
	}
	if (set(OMPT_SYNC_REGION, (ompt_function *)on_sync_region) < OMPT_SET_SOMETIMES)
		pmu_note(
			"this OpenMP runtime does not tell of barriers: parallel regions include what threads wait "
			"after them");
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
