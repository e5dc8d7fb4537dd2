/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that end in every way. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <threads.h>
#include <unistd.h>

#include "preloaded.h"

static int join_four(void)
{
	pthread_t thread[4];
	void *value;
	int good = 0;

	work();
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, work_in_thread, words);
	for (int i = 0; i < 4; i++)
		good += pthread_join(thread[i], &value) == 0 && value == words;
	return good;
}

static void *leave_early(void *arg)
{
	work();
	pthread_exit(arg);
}

static int join_early(void)
{
	pthread_t thread;
	void *value = NULL;

	pthread_create(&thread, NULL, leave_early, words);
	pthread_join(thread, &value);
	return value == words;
}

/* A thread's last deeds: they are its own, and a part of its life. */
static pthread_key_t key;
static int destroyed;

static void destroy(void *value)
{
	work();
	if (++destroyed < 2)
		pthread_setspecific(key, value);
}

static void *wait_to_be_cancelled(void *arg)
{
	pthread_setspecific(key, arg);
	while (pause() < 0)
		continue;
	return NULL;
}

static int join_cancelled(void)
{
	pthread_t thread;
	void *value = NULL;

	pthread_key_create(&key, destroy);
	pthread_create(&thread, NULL, wait_to_be_cancelled, words);
	pthread_cancel(thread);
	pthread_join(thread, &value);
	return value == PTHREAD_CANCELED && destroyed == 2;
}

static int go_on; /* of detached threads that are done */

static void *report_back(void *arg)
{
	work();
	__atomic_add_fetch(&go_on, 1, __ATOMIC_SEQ_CST);
	return arg;
}

static int detach(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_create(&thread, &attr, report_back, NULL);
	pthread_attr_destroy(&attr);
	while (!__atomic_load_n(&go_on, __ATOMIC_SEQ_CST))
		sched_yield();
	usleep(50000);
	return go_on;
}

/* The least that the system allows. */
static int join_small(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, (size_t)PTHREAD_STACK_MIN);
	rc = pthread_create(&thread, &attr, work_in_thread, NULL);
	if (rc == 0)
		rc = pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	return rc == 0;
}

static int c11_thread(void *arg)
{
	work();
	return arg ? 41 : 0;
}

static int join_c11(void)
{
	thrd_t thread;
	int value = -1;

	if (thrd_create(&thread, c11_thread, &value) != thrd_success ||
	    thrd_join(thread, &value) != thrd_success)
		return -1;
	return value;
}

/* What cannot be started has no life. */
static int cannot_start(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	int rc;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, (size_t)1 << 46);
	rc = pthread_create(&thread, &attr, work_in_thread, NULL);
	pthread_attr_destroy(&attr);
	return rc == EAGAIN;
}

static void *see_errno(void *arg)
{
	*(int *)arg = errno;
	return NULL;
}

static int errno_in_thread(void)
{
	pthread_t thread;
	int seen = -1;

	errno = 77;
	pthread_create(&thread, NULL, see_errno, &seen);
	pthread_join(thread, NULL);
	return errno == 77 && seen == 0;
}

static void *take_a_name(void *arg)
{
	pthread_setname_np(pthread_self(), "worker 7");
	work();
	return arg;
}

static int join_named(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, take_a_name, NULL);
	return pthread_join(thread, NULL) == 0;
}

const struct deed deeds_threads[] = {
	{ "join_four", join_four },           { "join_early", join_early },
	{ "join_cancelled", join_cancelled }, { "detach", detach },
	{ "join_small", join_small },         { "join_c11", join_c11 },
	{ "cannot_start", cannot_start },     { "errno_in_thread", errno_in_thread },
	{ "join_named", join_named },         { NULL, NULL },
};
