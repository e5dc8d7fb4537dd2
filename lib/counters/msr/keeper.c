/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread that does something every so often: counters must be read before they come round. */
#include "counters/msr/keeper.h"

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

static void *keep(void *arg)
{
	struct pmu_msr_keeper *self = arg;

	prctl(PR_SET_NAME, "pmu-keeper");
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

int pmu_msr_keeper_start(struct pmu_msr_keeper *keeper, unsigned int period_ms,
			 void (*work)(void *arg), void *arg)
{
	pthread_condattr_t attr;
	sigset_t all, before;
	int rc;

	*keeper = (struct pmu_msr_keeper){ .period_ms = period_ms, .work = work, .arg = arg };
	pthread_mutex_init(&keeper->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&keeper->woken, &attr);
	pthread_condattr_destroy(&attr);
	/* it inherits the mask: the program's signals go to the program's threads */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&keeper->thread, NULL, keep, keeper);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	keeper->runs = rc == 0;
	return -rc;
}

void pmu_msr_keeper_stop(struct pmu_msr_keeper *keeper)
{
	if (!keeper->runs)
		return;
	pthread_mutex_lock(&keeper->lock);
	keeper->stop = true;
	pthread_cond_signal(&keeper->woken);
	pthread_mutex_unlock(&keeper->lock);
	pthread_join(keeper->thread, NULL);
	pthread_cond_destroy(&keeper->woken);
	pthread_mutex_destroy(&keeper->lock);
	keeper->runs = false;
}
