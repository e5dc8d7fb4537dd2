/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * OpenMP threads that wait for each other, 0.2 seconds at least: a function for each way, run by its
 * name.  The one that is waited for begins when the other one is about to wait.
 *
 * TASKS: explicit tasks; without it the object makes none.
 */
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#define ALONE  __attribute__((noinline))
#define SECOND 0.2 /* what the second thread takes */

static int ready, sum;
#ifdef TASKS
static int arrived, maker;
#endif

static void say_ready(void)
{
#pragma omp atomic write seq_cst
	ready = 1;
}

static void await_ready(void)
{
	int now = 0;

	while (!now) {
		sched_yield();
#pragma omp atomic read seq_cst
		now = ready;
	}
}

static void work(double seconds)
{
	double end = omp_get_wtime() + seconds;

	while (omp_get_wtime() < end)
		continue;
}

/* The first thread waits for the second one. */
static void meet(void)
{
	if (omp_get_thread_num() == 0) {
		say_ready();
	} else {
		await_ready();
		work(SECOND);
	}
}

ALONE void end(void)
{
#pragma omp parallel
	meet();
}

ALONE void barrier(void)
{
#pragma omp parallel
	{
		meet();
#pragma omp barrier
#pragma omp atomic
		sum++;
	}
}

ALONE void loops(void)
{
#pragma omp parallel
	{
#pragma omp for schedule(dynamic, 1)
		for (int i = 0; i < 2; i++)
			sum |= i;
#pragma omp sections
		{
#pragma omp section
			sum |= 4;
#pragma omp section
			sum |= 8;
		}
#pragma omp single
		sum++;
#pragma omp atomic
		sum++;
	}
}

ALONE void critical(void)
{
#pragma omp parallel
	if (omp_get_thread_num() == 0) {
		await_ready();
#pragma omp critical
		sum++;
	} else {
#pragma omp critical
		{
			say_ready();
			work(SECOND);
		}
	}
}

ALONE void named(void)
{
#pragma omp parallel
	if (omp_get_thread_num() == 0) {
		await_ready();
#pragma omp critical(of_a_name)
		sum++;
	} else {
#pragma omp critical(of_a_name)
		{
			say_ready();
			work(SECOND);
		}
	}
}

ALONE void lock(void)
{
	omp_lock_t lock;

	omp_init_lock(&lock);
#pragma omp parallel
	if (omp_get_thread_num() == 0) {
		await_ready();
		omp_set_lock(&lock);
		omp_unset_lock(&lock);
	} else {
		omp_set_lock(&lock);
		say_ready();
		work(SECOND);
		omp_unset_lock(&lock);
	}
	omp_destroy_lock(&lock);
}

#ifdef TASKS

/* Another thread has the task: the one that made it waits. */
ALONE void taskwait(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp task
		{
			say_ready();
			work(SECOND);
		}
		await_ready();
#pragma omp taskwait
	}
}

/* What the thread does in the group itself is work. */
ALONE void taskgroup(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp taskgroup
		{
#pragma omp task
#pragma omp atomic
			sum++;
			work(SECOND);
		}
	}
}

/* Each thread has a task; the one that made them waits for the other's. */
ALONE void taskloop(void)
{
#pragma omp parallel
#pragma omp single
	{
		maker = omp_get_thread_num();
#pragma omp taskloop num_tasks(2)
		for (int i = 0; i < 2; i++) {
			int now;

			/* until each thread has one */
#pragma omp atomic capture seq_cst
			now = ++arrived;
			while (now < 2) {
				sched_yield();
#pragma omp atomic read seq_cst
				now = arrived;
			}
			if (omp_get_thread_num() != maker)
				work(SECOND);
		}
	}
}

/* All that there is to do is in tasks, which both threads run at a barrier. */
ALONE void tasks(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 20; i++)
#pragma omp task
		work(SECOND / 10);
}

#endif

/* Nobody waits for anything. */
ALONE void nothing(void)
{
	omp_lock_t lock;

	omp_init_lock(&lock);
#pragma omp parallel num_threads(1)
	for (int i = 0; i < 1000; i++) {
#pragma omp critical
		sum++;
		omp_set_lock(&lock);
		omp_unset_lock(&lock);
	}
#pragma omp critical
	sum++;
#pragma omp barrier
	omp_destroy_lock(&lock);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*deed)(void);
	} deeds[] = {
		{ "end", end },           { "barrier", barrier },   { "loops", loops },
		{ "critical", critical }, { "named", named },       { "lock", lock },
		{ "nothing", nothing },
#ifdef TASKS
		{ "taskwait", taskwait }, { "taskloop", taskloop }, { "taskgroup", taskgroup },
		{ "tasks", tasks },
#endif
	};

	for (int i = 1; i < argc; i++)
		for (size_t k = 0; k < sizeof(deeds) / sizeof(deeds[0]); k++)
			if (!strcmp(argv[i], deeds[k].name))
				deeds[k].deed();
	printf("%d\n", sum != -1);
	return 0;
}
