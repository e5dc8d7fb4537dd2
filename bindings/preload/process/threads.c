/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of every thread as a region. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "bindings/preload/inside.h"
#include "bindings/preload/openmp/parallel.h"
#include "bindings/preload/preload.h"
#include "bindings/preload/process/python.h"
#include "bindings/preload/symbols/symbols.h"

/* --- a thread's life --- */

/* Ends with a thread's last rounds of destructors, which are its last deeds. */
static pthread_key_t life_key;
static bool have_key;

/* The calling thread's region; in a child of vfork() it is the parent's. */
static __thread const char *life;

/* It is for a region of the thread that has started this one. */
static __thread bool for_another;

static __thread bool late;

/* In a forked child: of the thread that goes on there, which has begun nothing yet. */
static __thread bool waiting;

static bool life_waits(void)
{
	return waiting && (waiting = pmu_checkpoint(PMU_NEXT_FORKED) == 1);
}

/*
 * Once more, so that the program's own destructors are inside.  libpmu lets go of the thread a
 * round later.
 */
static void at_thread_exit(void *name)
{
	if (!late && pthread_setspecific(life_key, name) == 0)
		late = true;
	else {
		/* others of the process may go on */
		if (life_waits())
			pmu_thread_attach();
		preload_life_end();
	}
}

void preload_life_start(void)
{
	have_key = pthread_key_create(&life_key, at_thread_exit) == 0;
}

void preload_life_begin(const char *name, pmu_context_t context)
{
	int saved = errno;

	for_another = have_key && context && pmu_context_enter(context) == 0;
	if (have_key && pmu_region_begin(name) == 0) {
		life = name;
		pthread_setspecific(life_key, name);
	}
	errno = saved;
}

bool preload_life_end(void)
{
	const char *name = life;

	/* while it waits it ends with the process */
	if (!name || !preload_measured() || life_waits())
		return true;
	life = NULL;
	preload_wrap_leave();
	preload_functions_leave();
	preload_python_leave();
	/* regions of the program's own that are open now: what they have done counts */
	pmu_checkpoint(PMU_NEXT_GOES_ON);
	do
		if (pmu_region_end(name) == -EBUSY)
			return false;
	while (pmu_region_is_open(name) > 0); /* the program's own of that name are over as well */
	if (for_another)
		pmu_context_leave();
	return true;
}

/*
 * A child that never measures anything leaves nothing behind: one in which nothing is open may be
 * such.
 */
void preload_life_go_on(void)
{
	waiting = life && pmu_checkpoint(PMU_NEXT_FORKED) == 1;
	if (life && !waiting)
		pmu_thread_attach();
}

bool preload_life_waits(void)
{
	return preload_measured() && life_waits();
}

/* --- the functions that start threads --- */

enum { PTHREAD_CREATE, THRD_CREATE };

static struct preload_behind behind[] = {
	[PTHREAD_CREATE] = { "pthread_create", NULL },
	[THRD_CREATE] = { "thrd_create", NULL },
};

__attribute__((constructor(101))) static void find_behind(void)
{
	preload_behind_find(behind, PRELOAD_ARRAY_LEN(behind));
}

#define BEHIND(index, name) ((__typeof__(&(name)))preload_behind(&behind[index]))

/* What a thread is to do, on its way there. */
struct errand {
	union {
		void *(*posix)(void *arg);
		thrd_start_t c11;
	} start;
	void *arg;
	pmu_context_t context; /* what it is done for */
};

static struct errand take_up(void *arg)
{
	struct errand errand = *(struct errand *)arg;
	int saved = errno;

	free(arg);
	preload_life_begin("thread", errand.context);
	errno = saved;
	return errand;
}

/* Nothing of ours stays below the thread's own function: the calls are in tail position. */
static void *run_posix(void *arg)
{
	struct errand errand = take_up(arg);

	return errand.start.posix(errand.arg);
}

static int run_c11(void *arg)
{
	struct errand errand = take_up(arg);

	return errand.start.c11(errand.arg);
}

/*
 * The team threads of an OpenMP runtime wait between parallel regions, and still do when the
 * program ends.  What they do is in those regions, which are counted anyway.
 */
static bool is_team_thread(uintptr_t start)
{
	const char *path;

	if (!preload_on(PRELOAD_OPENMP) || !(path = preload_object_path((const void *)start, NULL)))
		return false;
	if (preload_is_llvm_runtime(path))
		return __atomic_load_n(&preload_ompt_tells, __ATOMIC_RELAXED);
	return !strncmp(preload_file_name(path), "libgomp.", 8);
}

/* Threads that oneTBB starts are there for whatever region comes. */
static bool is_pool_thread(uintptr_t start)
{
	const char *path = preload_object_path((const void *)start, NULL);

	return path && !strncmp(preload_file_name(path), "libtbb.", 7);
}

/* NULL: the thread is started as if we were not there. */
static struct errand *new_errand(uintptr_t start, void *arg)
{
	struct errand *errand;
	int saved = errno;

	if (!preload_on(PRELOAD_THREADS) || preload_is_libpmu(start) || is_team_thread(start))
		return NULL;
	errand = malloc(sizeof(*errand));
	if (errand) {
		errand->arg = arg;
		errand->context = is_pool_thread(start) ? 0 : pmu_context_get();
	}
	errno = saved;
	return errand;
}

PRELOAD_STANDS_IN int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
				     void *(*start)(void *), void *arg)
{
	__typeof__(&pthread_create) next = BEHIND(PTHREAD_CREATE, pthread_create);
	struct errand *errand;
	int rc;

	if (unlikely(!next))
		return EAGAIN;
	preload_python_thread();
	errand = new_errand((uintptr_t)start, arg);
	if (!errand)
		return next(thread, attr, start, arg);
	errand->start.posix = start;
	rc = next(thread, attr, run_posix, errand);
	if (rc)
		free(errand);
	return rc;
}

PRELOAD_STANDS_IN int thrd_create(thrd_t *thread, thrd_start_t start, void *arg)
{
	__typeof__(&thrd_create) next = BEHIND(THRD_CREATE, thrd_create);
	struct errand *errand;
	int rc;

	if (unlikely(!next))
		return thrd_error;
	errand = new_errand((uintptr_t)start, arg);
	if (!errand)
		return next(thread, start, arg);
	errand->start.c11 = start;
	rc = next(thread, run_c11, errand);
	if (rc != thrd_success)
		free(errand);
	return rc;
}
