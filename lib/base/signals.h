/* SPDX-License-Identifier: BSD-3-Clause */
/* A stretch of the library's work into which no handler of the program's comes. */
#ifndef PMU_BASE_SIGNALS_H
#define PMU_BASE_SIGNALS_H

#include <pthread.h>
#include <signal.h>
#include <stddef.h>

#include "base/compiler.h"

/**
 * pmu_signals_hold() - the calling thread's signals wait until pmu_signals_release()
 * @before: which wait already
 *
 * Not those that the thread's own instructions raise: of these a blocked one is deadly.
 */
static inline void pmu_signals_hold(sigset_t *before)
{
	static const int raised[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT };
	sigset_t all;

	sigfillset(&all);
	for (size_t i = 0; i < PMU_ARRAY_LEN(raised); i++)
		sigdelset(&all, raised[i]);
	pthread_sigmask(SIG_BLOCK, &all, before);
}

static inline void pmu_signals_release(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

#endif
