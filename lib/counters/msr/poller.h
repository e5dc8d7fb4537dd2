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
	bool stop; /* under the lock */
	unsigned int period_ms;
	void (*work)(void *arg);
	void *arg;
};

/**
 * pmu_msr_poller_start() - a thread "pmu-keeper" that takes none of the program's signals
 * @poller: stays where it is until pmu_msr_poller_stop()
 * Return: 0 or a negative errno.
 */
int pmu_msr_poller_start(struct pmu_msr_poller *poller, unsigned int period_ms,
			 void (*work)(void *arg), void *arg);

/** pmu_msr_poller_stop() - and wait for it.  Not in a forked child, which has no such thread. */
void pmu_msr_poller_stop(struct pmu_msr_poller *poller);

#endif
