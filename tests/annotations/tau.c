/* SPDX-License-Identifier: BSD-3-Clause */
/* A program annotated for TAU, by name and by timer, in threads. */
#include <TAU.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *work(void *data)
{
	TAU_REGISTER_THREAD();
	for (int i = 0; i < 10; i++) {
		TAU_PROFILE_TIMER(timer, "work()", "void *(void *)", TAU_USER);

		TAU_PROFILE_START(timer);
		TAU_START("inner");
		TAU_STOP("inner");
		TAU_PROFILE_STOP(timer);
	}
	return data;
}

/* Names that are made in a buffer, and timers that overlap. */
static void named(void)
{
	char name[32];

	for (int i = 0; i < 7; i++) {
		snprintf(name, sizeof(name), "step %d", i % 2);
		TAU_START(name);
		TAU_STOP(name);
	}
	TAU_START("left");
	TAU_START("right");
	TAU_STOP("left");
	TAU_STOP("right");
	TAU_STATIC_PHASE_START("phase");
	TAU_DYNAMIC_TIMER_START("iteration");
	TAU_DYNAMIC_TIMER_STOP("iteration");
	TAU_DYNAMIC_TIMER_START("iteration");
	TAU_DYNAMIC_TIMER_STOP("iteration");
	TAU_STATIC_PHASE_STOP("phase");
}

static void switched(void)
{
	TAU_START("goes on");
	TAU_DISABLE_INSTRUMENTATION();
	TAU_STOP("goes on");
	TAU_START("never");
	TAU_STOP("never");
	TAU_START("half");
	TAU_ENABLE_INSTRUMENTATION();
	TAU_STOP("half");
	TAU_START("again");
	TAU_STOP("again");
}

int main(int argc, char **argv)
{
	pthread_t thread[2];
	void *timer;

	TAU_INIT(&argc, &argv);
	TAU_PROFILE_SET_NODE(0);
	TAU_PROFILER_CREATE(timer, "made", "", TAU_DEFAULT);
	TAU_PROFILER_START(timer);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread[i], NULL, work, NULL))
			return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	TAU_PROFILER_STOP(timer);
	named();
	switched();
	puts("done");
	return 0;
}
