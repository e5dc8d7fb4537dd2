/* SPDX-License-Identifier: BSD-3-Clause */
/* Public calls come in and go out, and the session ends with what is open in it. */
#include "region/call.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "base/room.h"
#include "region/checkpoint.h"
#include "session/session.h"

static int step_in(void)
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

static void step_out(void)
{
	pmu_region_go_on();
	pmu_session_unbar();
}

int pmu_call_enter(void)
{
	int rc = step_in();

	if (rc == 0)
		pmu_session_lock();
	return rc;
}

void pmu_call_leave(void)
{
	pmu_session_unlock();
	step_out();
}

int pmu_call_pass(const char *unused)
{
	int saved = errno, rc = step_in();

	(void)unused;
	if (rc == 0)
		step_out();
	errno = saved;
	return rc;
}

static int end_session(void *unused)
{
	(void)unused;
	/* First: a thread that is inside a call publishes at most once more. */
	pmu_session_publish(-1);
	pmu_region_settle_all();
	return pmu_session_end();
}

int pmu_call_end_session(void)
{
	return pmu_with_room(end_session, NULL);
}

/*
 * After the program's own exit handlers and destructors, which may still use regions: the loader
 * runs a library's destructors after those of what depends on it.
 */
__attribute__((destructor)) static void at_exit(void)
{
	bool inside = pmu_session_inside();

	if (!__atomic_load_n(&pmu_session.running, __ATOMIC_ACQUIRE) || !pmu_session_is_ours() ||
	    pmu_session.pid != getpid())
		return;
	pmu_session_bar();
	/*
	 * exit() in a signal handler that interrupted this library: the lock may be this thread's.
	 */
	if (!inside)
		pmu_session_lock();
	else if (pthread_mutex_trylock(&pmu_session.lock) != 0)
		return;
	pmu_call_end_session();
	pmu_session_unlock();
}
