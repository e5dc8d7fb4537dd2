/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Does what lines on standard input say, and answers each with one: for tests that switch measuring on and off
 * in between.  Ends with status 7, and by itself after a minute.
 *
 *   c NAME N	N calls of a region		b NAME, e NAME	its begin, its end: answers what they return
 *   t NAME N	N calls in a thread of its own
 *   w LINE	does LINE in a thread that stays, and sleeps between them
 *   g	a context of what is open	n, l	enters it, leaves it
 *   f	forks: the child goes on reading, and the parent when it has ended; answers its number
 *   d	goes on in a child of which the library was not told, when the parent has called exit(): answers its number
 *   k	ends by _exit()
 *   p	the process's number	q	ends
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pmu.h"

#define STATUS 7

static sem_t given, done;
static char line[128], answer[128];
static pmu_context_t context;
static pthread_t stays;

static void call(const char *name, int n)
{
	for (int i = 0; i < n; i++) {
		pmu_region_begin(name);
		pmu_region_end(name);
	}
}

struct calls {
	const char *name;
	int n;
};

static void *calls_in_thread(void *arg)
{
	const struct calls *calls = arg;

	call(calls->name, calls->n);
	return NULL;
}

static void in_thread(const char *name, int n)
{
	struct calls calls = { name, n };
	pthread_t thread;

	if (!pthread_create(&thread, NULL, calls_in_thread, &calls))
		pthread_join(thread, NULL);
}

static void fork_and_wait(void)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child > 0)
		waitpid(child, NULL, 0);
	snprintf(answer, sizeof(answer), "%d", (int)(child ? child : getpid()));
}

/* As a program's own libc would, or a fork(2) that is called behind the library's back. */
static void go_on_in_child(void)
{
	pid_t parent = getpid();
	long child;

	fflush(stdout);
	child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	if (child)
		exit(STATUS);
	while (getppid() == parent)
		usleep(1000);
	snprintf(answer, sizeof(answer), "%d", (int)getpid());
}

static int result(int rc)
{
	snprintf(answer, sizeof(answer), "%d", rc);
	return rc;
}

static void obey(char *what)
{
	char name[64] = "";
	int n = 0;

	strcpy(answer, "done");
	sscanf(what + 1, " %63s %d", name, &n);
	switch (what[0]) {
	case 'c':
		call(name, n);
		break;
	case 'b':
		result(pmu_region_begin(name));
		break;
	case 'e':
		result(pmu_region_end(name));
		break;
	case 't':
		in_thread(name, n);
		break;
	case 'g':
		context = pmu_context_get();
		break;
	case 'n':
		result(pmu_context_enter(context));
		break;
	case 'l':
		result(pmu_context_leave());
		break;
	case 'f':
		fork_and_wait();
		break;
	case 'd':
		go_on_in_child();
		break;
	case 'k':
		_exit(STATUS);
	case 'p':
		result(getpid());
		break;
	}
}

static void *stay(void *unused)
{
	(void)unused;
	for (;;) {
		sem_wait(&given);
		obey(line + 2);
		sem_post(&done);
	}
	return NULL;
}

static void hand_over(void)
{
	if (!stays && pthread_create(&stays, NULL, stay, NULL))
		exit(1);
	sem_post(&given);
	sem_wait(&done);
}

int main(void)
{
	alarm(60);
	sem_init(&given, 0, 0);
	sem_init(&done, 0, 0);
	setvbuf(stdin, NULL, _IONBF, 0);
	while (fgets(line, sizeof(line), stdin) && line[0] != 'q') {
		if (line[0] == 'w')
			hand_over();
		else
			obey(line);
		puts(answer);
		fflush(stdout);
	}
	return STATUS;
}
