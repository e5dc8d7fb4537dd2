/* SPDX-License-Identifier: BSD-3-Clause */
/* N pairs of begin and end, for counting what each costs. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pmu.h"

static int in_turn(long n)
{
	static const char *const name[] = { "one", "two", "three", "four" };

	for (long i = 0; i < n; i++)
		if (pmu_region_begin(name[i & 3]) < 0 || pmu_region_end(name[i & 3]) < 0)
			return 1;
	return 0;
}

static int nested(long n)
{
	for (long i = 0; i < n; i += 2) {
		if (pmu_region_begin("outer") < 0 || pmu_region_begin("inner") < 0)
			return 1;
		if (pmu_region_end("inner") < 0 || pmu_region_end("outer") < 0)
			return 1;
	}
	return 0;
}

/* In a buffer: the text has to be looked at. */
static int in_buffer(long n)
{
	char name[] = "fifteen letters";

	for (long i = 0; i < n; i++)
		if (pmu_region_begin(name) < 0 || pmu_region_end(name) < 0)
			return 1;
	return 0;
}

static int single(long n)
{
	for (long i = 0; i < n; i++)
		if (pmu_region_begin("fifteen letters") < 0 ||
		    pmu_region_end("fifteen letters") < 0)
			return 1;
	return 0;
}

/* Of a region that another thread has open. */
static pmu_context_t context;
static pthread_barrier_t handed, done;

static void *open_region(void *unused)
{
	(void)unused;
	pmu_region_begin("opener's");
	context = pmu_context_get();
	pthread_barrier_wait(&handed);
	pthread_barrier_wait(&done);
	pmu_region_end("opener's");
	return NULL;
}

static int enter_and_leave(long n)
{
	for (long i = 0; i < n; i++)
		if (pmu_context_enter(context) < 0 || pmu_context_leave() < 0)
			return 1;
	return 0;
}

static int in_context(long n)
{
	pthread_t opener;
	int rc = 1;

	if (pthread_barrier_init(&handed, NULL, 2) || pthread_barrier_init(&done, NULL, 2) ||
	    pthread_create(&opener, NULL, open_region, NULL))
		return 1;
	pthread_barrier_wait(&handed);
	if (context)
		rc = enter_and_leave(n);
	pthread_barrier_wait(&done);
	pthread_join(opener, NULL);
	return rc;
}

/* A child's first region, long after the fork. */
static int late_in_child(long n)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		usleep(200000);
		_exit(single(n));
	}
	return pid < 0 || waitpid(pid, &status, 0) != pid || status;
}

/* pairs N [MODE]: the system calls that fail mark the steady state in a trace. */
int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 1000;
	const char *mode = argc > 2 ? argv[2] : "single";
	int (*fn)(long) = !strcmp(mode, "turn")      ? in_turn
			  : !strcmp(mode, "nested")  ? nested
			  : !strcmp(mode, "buffer")  ? in_buffer
			  : !strcmp(mode, "context") ? in_context
			  : !strcmp(mode, "late")    ? late_in_child
						     : single;

	if (fn(100) != 0)
		return 1;
	if (close(-11) == 0)
		return 2;
	if (fn(n) != 0)
		return 1;
	if (close(-12) == 0)
		return 2;
	return 0;
}
