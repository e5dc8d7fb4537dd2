/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread that does something every so often: counters must be read before they wrap. */
#ifndef PMU_MSR_POLLER_H
#define PMU_MSR_POLLER_H

#include <pthread.h>
#include <stdbool.h>

struct pmu_msr_poller {
	bool runs;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t woken;
	/* Under the lock: */
	bool stop;
	int tid; /* 0: it has not come to its first wait */
	unsigned int period_ms;
	void (*work)(void *arg); /* NULL: none */
	void *arg;
};

/**
 * pmu_msr_poller_start() - a thread "pmu-keeper" that takes none of the program's signals
 * @poller: stays where it is until pmu_msr_poller_stop()
 * @period_ms: at most so long between two times
 *
 * Where it runs already it has other work from now on, and is not even woken, unless its period was
 * longer.  When this returns it is asleep: what it executes before that, a processor's counters would
 * have in the next region.
 *
 * Return: 0 or a negative errno.
 */
int pmu_msr_poller_start(struct pmu_msr_poller *poller, unsigned int period_ms,
			 void (*work)(void *arg), void *arg);

/** pmu_msr_poller_rest() - it has no work, and none is under way when this returns */
void pmu_msr_poller_rest(struct pmu_msr_poller *poller);

/** pmu_msr_poller_stop() - and wait for it.  Not in a forked child, which has no such thread. */
void pmu_msr_poller_stop(struct pmu_msr_poller *poller);

#endif
