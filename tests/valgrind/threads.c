/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Threads that use the library in every way at once, and share nothing else: whatever a tool that
 * looks for races finds here is the library's.  With an argument two more threads race on a word of
 * the program's own, which the tool has to find.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pmu.h"

#define N_THREADS 3
#define N_ROUNDS  24

static void pair(const char *name)
{
	pmu_region_begin(name);
	pmu_region_end(name);
}

/* A thread's whole life: outermost regions, in which groups take turns, and others in them. */
static void *live(void *arg)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };
	char own[16];

	snprintf(own, sizeof(own), "thread %d", *(const int *)arg);
	pmu_thread_attach();
	for (int i = 0; i < N_ROUNDS; i++) {
		pmu_region_begin("outer");
		pair("inner");
		pair(own);
		pmu_region_end("outer");
		if (i % 8 == 0)
			pmu_region_read("outer", PMU_THREAD_SELF, &counts);
	}
	pmu_region_reset("outer");
	return NULL;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pmu_context_t offered;

/* A call of a region that another thread may help with, now or when it is over. */
static void offer(void)
{
	pmu_region_begin("offer");
	pthread_mutex_lock(&lock);
	offered = pmu_context_get();
	pthread_mutex_unlock(&lock);
	pair("in it");
	pmu_region_end("offer");
}

static void *help(void *unused)
{
	pmu_context_t context;

	(void)unused;
	for (int i = 0; i < N_ROUNDS; i++) {
		pthread_mutex_lock(&lock);
		context = offered;
		pthread_mutex_unlock(&lock);
		pmu_context_enter(context);
		pair("helped");
		pmu_context_leave();
	}
	return NULL;
}

/* Reports, looks at other threads' regions, and the next group, while all are at work. */
static void *watch(void *unused)
{
	struct pmu_region_counts counts = { .size = sizeof(counts) };

	(void)unused;
	for (int i = 0; i < 4; i++) {
		char *text = NULL;

		for (int thread = 0; thread < N_THREADS; thread++)
			pmu_region_read("outer", thread, &counts);
		pmu_report("/dev/null");
		if (pmu_report_text("json", &text) == 0)
			free(text);
		pmu_note("watched");
		pmu_checkpoint(PMU_NEXT_GOES_ON);
		pmu_group_next();
	}
	return NULL;
}

static void start(pthread_t *thread, void *(*run)(void *), void *arg)
{
	if (pthread_create(thread, NULL, run, arg)) {
		fputs("no thread\n", stderr);
		exit(3);
	}
}

/* @in: a region that all of it is in, or NULL: then the threads may have to start a session, all at once. */
static void at_once(const char *in)
{
	pthread_t threads[N_THREADS], helper, watcher;
	int number[N_THREADS];

	if (in)
		pmu_region_begin(in);
	for (int i = 0; i < N_THREADS; i++) {
		number[i] = i;
		start(&threads[i], live, &number[i]);
	}
	start(&helper, help, NULL);
	start(&watcher, watch, NULL);
	for (int i = 0; i < N_ROUNDS; i++)
		offer();
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_join(helper, NULL);
	pthread_join(watcher, NULL);
	if (in)
		pmu_region_end(in);
}

/* Threads that come and go, each in a place that another one has left. */
static void churn(void)
{
	pthread_t thread;
	int number = 7;

	for (int i = 0; i < 6; i++) {
		start(&thread, live, &number);
		pthread_join(thread, NULL);
	}
}

static void in_a_child(void)
{
	pid_t child = fork();

	if (!child) {
		at_once("child");
		exit(0);
	}
	waitpid(child, NULL, 0);
}

/* Threads are in the middle of it, and their places are used again in another session. */
static void end_amid(void)
{
	pthread_t threads[2];
	int number[2] = { 8, 9 };

	start(&threads[0], live, &number[0]);
	pair("before the end");
	pmu_fini();
	pair("after the end");
	start(&threads[1], live, &number[1]);
	pmu_init(NULL);
	pair("in another");
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

static int the_programs_own;

static void *race(void *unused)
{
	(void)unused;
	the_programs_own++;
	return NULL;
}

static void race_on_a_word(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		start(&threads[i], race, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 1)
		race_on_a_word();
	at_once(NULL);
	at_once("main");
	churn();
	in_a_child();
	end_amid();
	at_once("again");
	return 0;
}
