/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads that do the same, one after the other, so that each has all counters for itself. */
#ifndef PMU_TESTS_EXACT_IN_TURN_H
#define PMU_TESTS_EXACT_IN_TURN_H

#include <pthread.h>
#include <stdlib.h>

/* PROGRAM [THREADS]: the last of them is the first one.  Return: for main. */
static int in_turn(int argc, char **argv, void *(*work)(void *arg))
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t thread;

	for (int i = 1; i < n; i++)
		if (pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL))
			return 1;
	work(NULL);
	return 0;
}

#endif
