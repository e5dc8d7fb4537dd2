/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The functions that start threads: one that is started in a region works for it until it ends.
 *
 * So it is attached at once, where a region is open; else it costs nothing.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

#include "base/compiler.h"
#include "pmu.h"
#include "region/tree.h"
#include "session/session.h"
#include "session/spawn.h"

/* What a thread is to do, on its way there. */
struct errand {
	union {
		void *(*posix)(void *arg);
		thrd_start_t c11;
	} start;
	void *arg;
	uint64_t context;
};

/* --- its end --- */

static pthread_key_t key;
static bool have_key;
static char first_round, last_round; /* values of the key */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/*
 * Once more, so that destructors of the program's are inside; libpmu lets go of the thread a round
 * later.
 */
static void at_thread_exit(void *round)
{
	if (round == &first_round && pthread_setspecific(key, &last_round) == 0)
		return;
	pmu_context_leave();
}

static void make_key(void)
{
	have_key = pthread_key_create(&key, at_thread_exit) == 0;
}

/* --- its start --- */

static struct errand take_up(void *arg)
{
	struct errand errand = *(struct errand *)arg;
	int saved = errno;

	free(arg);
	if (pthread_setspecific(key, &first_round) == 0)
		pmu_context_enter(errand.context);
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
 * Threads of OpenMP's runtimes and oneTBB's work for one region after another, a sanitizer hides
 * the function that it starts, and what is preloaded hands the context on itself.
 */
static bool is_known_start(const void *start)
{
	static const char *const known[] = { "libgomp.", "libomp.",  "libiomp5.",      "libtbb.",
					     "libasan.", "libtsan.", "libpmu-preload." };
	const char *file;
	Dl_info where;

	if (!dladdr(start, &where) || !where.dli_fname)
		return false;
	file = strrchr(where.dli_fname, '/');
	file = file ? file + 1 : where.dli_fname;
	for (size_t i = 0; i < PMU_ARRAY_LEN(known); i++)
		if (!strncmp(file, known[i], strlen(known[i])))
			return true;
	return false;
}

/*
 * No session is started and no parent's state taken over for it, as in a forked child that has not
 * called yet.  Where the whole process is counted, all threads are, for whichever region they work.
 */
static uint64_t context_here(void)
{
	const struct pmu_thread *self = pmu_thread_self();
	int32_t epoch = __atomic_load_n(&pmu_epoch, __ATOMIC_RELAXED);

	if (likely(!self) || epoch < 0 || !self->tree || !pmu_session.config.teams ||
	    pmu_session.config.count == PMU_COUNT_PROCESS ||
	    self->frame->node == self->tree->root ||
	    *self->guard != PMU_GUARD_OUTSIDE((uint32_t)epoch))
		return 0;
	return pmu_context_get();
}

/*
 * A sanitizer, linked in or loaded: nothing may run on a thread before its own start function, which
 * calls the program's.
 */
extern void __tsan_init(void) __attribute__((weak));
extern void __asan_init(void) __attribute__((weak));

static bool is_sanitized(void)
{
	return __tsan_init || __asan_init;
}

/* NULL: the thread is started as if we were not there. */
static struct errand *new_errand(const void *start, void *arg)
{
	struct errand *errand = NULL;
	int saved = errno;
	uint64_t context = context_here();

	if (context && !is_sanitized() && !is_known_start(start) &&
	    pthread_once(&once, make_key) == 0 && have_key)
		errand = malloc(sizeof(*errand));
	if (errand)
		*errand = (struct errand){ .arg = arg, .context = context };
	errno = saved;
	return errand;
}

PMU_INTERPOSE int pthread_create(pthread_t *thread, const pthread_attr_t *attr,
				 void *(*start)(void *), void *arg)
{
	struct errand *errand = new_errand((const void *)(uintptr_t)start, arg);
	int rc;

	if (likely(!errand))
		return pmu_spawn_thread(thread, attr, start, arg);
	errand->start.posix = start;
	rc = pmu_spawn_thread(thread, attr, run_posix, errand);
	if (rc)
		free(errand);
	return rc;
}

PMU_INTERPOSE int thrd_create(thrd_t *thread, thrd_start_t start, void *arg)
{
	struct errand *errand = new_errand((const void *)(uintptr_t)start, arg);
	int rc;

	if (likely(!errand))
		return pmu_spawn_c11(thread, start, arg);
	errand->start.c11 = start;
	rc = pmu_spawn_c11(thread, run_c11, errand);
	if (rc != thrd_success)
		free(errand);
	return rc;
}
