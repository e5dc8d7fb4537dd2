/* SPDX-License-Identifier: BSD-3-Clause */
/* A thread that does something every so often: counters must be read before they wrap. */
#include "counters/msr/poller.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/process.h"

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

static void *run_poller(void *arg)
{
	struct pmu_msr_poller *self = arg;

	prctl(PR_SET_NAME, "pmu-keeper"); /* known to users by this name: pmu(1) */
	pthread_mutex_lock(&self->lock);
	self->tid = (int)syscall(SYS_gettid);
	while (!self->stop) {
		unsigned int period_ms = self->period_ms;
		struct timespec at = later(period_ms);
		int rc = 0;

		while (!self->stop && self->period_ms == period_ms && rc != ETIMEDOUT)
			rc = pthread_cond_timedwait(&self->woken, &self->lock, &at);
		if (rc == ETIMEDOUT && !self->stop && self->work)
			self->work(self->arg);
	}
	pthread_mutex_unlock(&self->lock);
	return NULL;
}

/* It is seldom looked at more than once or twice; without /proc all of this is ten milliseconds. */
#define LOOKS   200
#define LOOK_NS 50000

static void await_sleep(struct pmu_msr_poller *poller)
{
	static const struct timespec a_moment = { .tv_nsec = LOOK_NS };
	struct pmu_process_stat stat;

	for (int look = 0; look < LOOKS; look++) {
		int tid;

		pthread_mutex_lock(&poller->lock);
		tid = poller->tid;
		pthread_mutex_unlock(&poller->lock);
		if (tid && !pmu_process_stat_thread(tid, &stat) && stat.state == 'S')
			return;
		nanosleep(&a_moment, NULL);
	}
}

static int start_poller_thread(struct pmu_msr_poller *poller)
{
	pthread_condattr_t attr;
	sigset_t all, before;
	int rc;

	pthread_mutex_init(&poller->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&poller->woken, &attr);
	pthread_condattr_destroy(&attr);
	/* it inherits the mask: the program's signals go to the program's threads */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(&poller->thread, NULL, run_poller, poller);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	poller->runs = rc == 0;
	return -rc;
}

int pmu_msr_poller_start(struct pmu_msr_poller *poller, unsigned int period_ms,
			 void (*work)(void *arg), void *arg)
{
	bool sooner = true;
	int rc = 0;

	if (!poller->runs) {
		*poller =
			(struct pmu_msr_poller){ .period_ms = period_ms, .work = work, .arg = arg };
		rc = start_poller_thread(poller);
	} else {
		pthread_mutex_lock(&poller->lock);
		poller->work = work;
		poller->arg = arg;
		sooner = period_ms < poller->period_ms;
		if (sooner) {
			poller->period_ms = period_ms;
			pthread_cond_signal(&poller->woken);
		}
		pthread_mutex_unlock(&poller->lock);
	}
	if (!rc && sooner)
		await_sleep(poller);
	return rc;
}

void pmu_msr_poller_rest(struct pmu_msr_poller *poller)
{
	if (!poller->runs)
		return;
	pthread_mutex_lock(&poller->lock);
	poller->work = NULL;
	pthread_mutex_unlock(&poller->lock);
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
