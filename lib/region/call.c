/* SPDX-License-Identifier: BSD-3-Clause */
/* Public calls come in and go out, and the session ends with what is open in it. */
#include "region/call.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "base/room.h"
#include "region/checkpoint.h"
#include "session/enter.h"
#include "session/lifecycle.h"
#include "session/session.h"
#include "session/spawn.h"

static int step_into_call(void)
{
	pmu_session_shed();
	if (pmu_session_inside())
		return -EBUSY;
	pmu_session_bar();
	if (!pmu_session_is_ours())
		pmu_session_forked();
	pmu_region_pause();
	return 0;
}

static void step_out_of_call(void)
{
	pmu_region_go_on();
	pmu_session_unbar();
}

int pmu_call_enter(void)
{
	int rc = step_into_call();

	if (rc == 0)
		pmu_session_lock();
	return rc;
}

void pmu_call_leave(void)
{
	pmu_session_unlock();
	step_out_of_call();
}

int pmu_call_aside(int (*function)(void *argument), void *argument)
{
	int saved = errno, rc = step_into_call();

	if (rc == 0) {
		pmu_session_unbar();
		rc = function(argument);
		pmu_session_shed(); /* a handler may have forked */
		pmu_session_bar();
		step_out_of_call();
	}
	errno = saved;
	return rc;
}

static int end_session(void *unused)
{
	(void)unused;
	/* First: a thread that is inside a call publishes at most once more. */
	pmu_control_end();
	pmu_session_publish(-1);
	pmu_region_settle_all();
	return pmu_session_end();
}

int pmu_call_end_session(void)
{
	return pmu_with_room(end_session, NULL);
}

/* --- the process's end --- */

/* A report takes that long to write only where its reader or its disk has got stuck. */
#define REPORT_S 10u

/* Threads that may be on their way from one handler to the next at once. */
#define SPARE 8

int __cxa_atexit(void (*fn)(void *arg), void *arg, void *dso); /* libc's */

static bool has_ended(void)
{
	return !__atomic_load_n(&pmu_session.running, __ATOMIC_ACQUIRE) || !pmu_session_is_ours() ||
	       pmu_session.pid != getpid();
}

/* @inside: the lock may be this thread's, and so may what malloc() has locked */
static void say_no_report(bool inside)
{
	const char *why = inside ? "exit() was called in a signal handler that interrupted libpmu"
				 : "another thread is stuck in libpmu";
	const char *path = pmu_session.table.path;

	if (!pmu_session.kept && path[0])
		pmu_session_say_plainly(
			"no report: %s; the results are kept in %s; `pmu report %s` shows them",
			why, path, path);
}

/*
 * After the program's own exit handlers and destructors, which may still use regions: the loader
 * runs a library's destructors after those of what depends on it.
 */
__attribute__((destructor)) static void at_exit(void)
{
	bool inside = pmu_session_inside();

	if (has_ended() || pmu_own.past & PMU_PAST_EXIT)
		return;
	pmu_own.past |= PMU_PAST_EXIT;
	pmu_session_bar();
	/*
	 * exit() in a signal handler that interrupted this library: the lock may be this thread's.
	 */
	if (!pmu_session_lock_within(inside ? 0 : REPORT_S)) {
		say_no_report(inside);
		return;
	}
	/* another thread's exit() may have done it meanwhile */
	if (pmu_session.running) {
		pmu_session.exiting = true;
		pmu_call_end_session();
	}
	pmu_session_unlock();
}

/*
 * The libc gives each of its exit handlers to one of the threads that call exit() at once, and ends the
 * process as soon as one of them finds no more.  The first handlers of all, which were there before the
 * loader's that runs destructors, go to threads that came second: each does what the destructor does, or waits
 * for it, and leaves the same to the next one.
 */
static void at_exit_too(void *unused)
{
	(void)unused;
	if (has_ended() || pmu_own.past & PMU_PAST_EXIT)
		return;
	__cxa_atexit(at_exit_too, NULL, NULL);
	at_exit();
}

/* A library that is loaded later would be asked before the destructors. */
__attribute__((constructor)) static void watch_exit(void)
{
	bool in_time = pmu_spawn_in_scope();

	for (int i = 0; i < SPARE && in_time; i++)
		__cxa_atexit(at_exit_too, NULL, NULL);
}
