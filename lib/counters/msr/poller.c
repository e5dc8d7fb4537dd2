/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread that does something every so often: counters must be read before they wrap. */
#include "counters/msr/poller.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

static struct timespec later(unsigned int ms)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_sec += ms / 1000;
	at.tv_nsec += (long)(ms % 1000) * 1000000;
	if (at.tv_nsec >= 1000000000) {
		at.tv_sec++;
		at.tv_nsec -= 1000000000;
	}
	return at;
}

static void *run(void *arg)
{
	struct pmu_msr_poller *self = arg;

	prctl(PR_SET_NAME, "pmu-keeper"); /* known to users by this name: pmu(1) */
	pthread_mutex_lock(&self->lock);
	while (!self->stop) {
		struct timespec at = later(self->period_ms);
		int rc = 0;

		while (!self->stop && rc != ETIMEDOUT)
			rc = pthread_cond_timedwait(&self->woken, &self->lock, &at);
		if (self->stop)
			break;
		pthread_mutex_unlock(&self->lock);
		self->work(self->arg);
		pthread_mutex_lock(&self->lock);
	}
	pthread_mutex_unlock(&self->lock);
	return NULL;
}

int pmu_msr_poller_start(struct pmu_msr_poller *poller, unsigned int period_ms,
			 void (*work)(void *arg), void *arg)
{
	pthread_condattr_t attr;
	sigset_t all, before;
	int rc;

	*poller = (struct pmu_msr_poller){ .period_ms = period_ms, .work = work, .arg = arg };
	pthread_mutex_init(&poller->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&poller->woken, &attr);
	pthread_condattr_destroy(&attr);
	/* it inherits the mask: the program's signals go to the program's threads */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&poller->thread, NULL, run, poller);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	poller->runs = rc == 0;
	return -rc;
}

void pmu_msr_poller_stop(struct pmu_msr_poller *poller)
{
	if (!poller->runs)
		return;
	pthread_mutex_lock(&poller->lock);
	poller->stop = true;
	pthread_cond_signal(&poller->woken);
	pthread_mutex_unlock(&poller->lock);
	pthread_join(poller->thread, NULL);
	pthread_cond_destroy(&poller->woken);
	pthread_mutex_destroy(&poller->lock);
	poller->runs = false;
}
