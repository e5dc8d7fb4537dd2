/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * An OpenMP program that knows nothing of the library: a function for each kind of parallel region,
 * run by its name.  What it prints is the same on every run.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define N     100
#define ALONE __attribute__((noinline))

static long sum;

static void add(long value)
{
#pragma omp atomic
	sum += value;
}

/* Takes 2 ms, and lets other threads run meanwhile. */
static void work(void)
{
	double end = omp_get_wtime() + 0.002;

	while (omp_get_wtime() < end)
		sched_yield();
	add(1);
}

ALONE void team(void)
{
#pragma omp parallel
	add(omp_get_thread_num() + 1);
}

ALONE void again(void)
{
#pragma omp parallel
	add(1);
}

ALONE void static_loop(void)
{
#pragma omp parallel for schedule(static) reduction(+ : sum)
	for (int i = 0; i < N; i++)
		sum += i;
}

ALONE void dynamic_loop(void)
{
#pragma omp parallel for schedule(dynamic, 3)
	for (int i = 0; i < N; i++)
		add(i);
}

ALONE void monotonic_loop(void)
{
#pragma omp parallel for schedule(monotonic : dynamic, 3)
	for (int i = 0; i < N; i++)
		add(i);
}

ALONE void guided_loop(void)
{
#pragma omp parallel for schedule(guided)
	for (int i = 0; i < N; i++)
		add(i);
}

ALONE void monotonic_guided_loop(void)
{
#pragma omp parallel for schedule(monotonic : guided)
	for (int i = 0; i < N; i++)
		add(i);
}

ALONE void runtime_loop(void)
{
#pragma omp parallel for schedule(runtime)
	for (int i = 0; i < N; i++)
		add(i);
}

ALONE void monotonic_runtime_loop(void)
{
#pragma omp parallel for schedule(monotonic : runtime)
	for (int i = 0; i < N; i++)
		add(i);
}

/* Barriers before the last one. */
ALONE void two_loops(void)
{
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < N; i++)
			add(i);
#pragma omp for schedule(dynamic)
		for (int i = 0; i < N; i++)
			add(i);
#pragma omp barrier
#pragma omp single
		add(1);
#pragma omp for ordered
		for (int i = 0; i < N; i++)
#pragma omp ordered
			sum = sum * 3 % 1000003;
		work();
	}
}

ALONE void sections(void)
{
#pragma omp parallel sections
	{
#pragma omp section
		add(1);
#pragma omp section
		add(2);
#pragma omp section
		add(3);
	}
}

ALONE void task_reduction(void)
{
	long own = 0;

#pragma omp parallel reduction(task, + : own)
	{
#pragma omp task in_reduction(+ : own)
		own += 5;
	}
	add(own);
}

ALONE void alone(void)
{
#pragma omp parallel num_threads(1)
	add(1);
}

ALONE void not_parallel(int yes)
{
#pragma omp parallel if (yes)
	add(omp_get_num_threads());
}

/* Until all of them are here, so that no thread serves two inner teams. */
static void meet(int *arrived, int n)
{
	int now;

#pragma omp atomic
	++*arrived;
	do {
		sched_yield();
#pragma omp atomic read
		now = *arrived;
	} while (now < n);
}

ALONE void nested(void)
{
	int arrived = 0;

#pragma omp parallel
	{
		add(1);
#pragma omp parallel
		{
			add(omp_get_level());
			meet(&arrived, 2 * omp_get_num_threads());
		}
	}
}

/* Nothing else, so that compilers make jumps of the calls. */
ALONE void only_nested(void)
{
#pragma omp parallel
#pragma omp parallel
	add(1);
}

ALONE void only_nested_too(void)
{
#pragma omp parallel
#pragma omp parallel
	add(1);
}

/* The tasks are there when the threads come to the barrier at the end, and run there. */
ALONE void tasks(void)
{
#pragma omp parallel
#pragma omp single nowait
	for (int i = 0; i < 20; i++)
#pragma omp task
		work();
}

ALONE void waited_tasks(void)
{
#pragma omp parallel
#pragma omp single
	{
#pragma omp taskloop
		for (int i = 0; i < 20; i++)
			add(i);
#pragma omp taskwait
		add(1);
	}
}

ALONE void cancelled_loop(void)
{
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < N; i++) {
#pragma omp cancel for if (i % 10 == 0)
		}
		add(1);
	}
}

ALONE void cancelled_region(void)
{
#pragma omp parallel
	{
		add(1);
#pragma omp cancel parallel
		add(1000000);
	}
}

ALONE void teams(void)
{
#pragma omp teams num_teams(2)
	{
#pragma omp parallel num_threads(2)
		add(1);
	}
}

static void short_regions(void)
{
	for (int i = 0; i < 1000; i++)
		again();
}

/* The other threads have nothing to do meanwhile. */
static void idle(void)
{
	team();
	usleep(400000);
	team();
	usleep(400000);
}

static void loops(void)
{
	static_loop();
	dynamic_loop();
	monotonic_loop();
	guided_loop();
	monotonic_guided_loop();
	runtime_loop();
	monotonic_runtime_loop();
}

static void nesting(void)
{
	omp_set_max_active_levels(2);
	nested();
	omp_set_max_active_levels(1);
	nested();
}

static void only_nesting(void)
{
	omp_set_max_active_levels(2);
	only_nested();
	add(1);
	only_nested_too();
	add(1);
}

static void serial(void)
{
	alone();
	not_parallel(0);
	not_parallel(1);
	not_parallel(0);
}

static void cancelled(void)
{
	cancelled_loop();
	cancelled_region();
	cancelled_region();
}

static void teams_of_three(void)
{
	omp_set_num_threads(3);
	team();
	omp_set_num_threads(1);
	team();
	omp_set_num_threads(2);
	team();
}

/* The parent has threads already. */
static void forking(void)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		team();
		printf("child %ld\n", sum);
		exit(0);
	}
	waitpid(pid, NULL, 0);
	team();
}

/*
 * Which processors the kernel lets the calling thread use: in its own words, past every function of
 * libc's.
 */
static void tell_place(int thread)
{
	static char place[64][80];
	FILE *status = fopen("/proc/thread-self/status", "r");
	char line[256];

	while (status && fgets(line, sizeof(line), status))
		sscanf(line, "Cpus_allowed_list: %79s", place[thread]);
	if (status)
		fclose(status);
#pragma omp barrier
#pragma omp single
	for (int i = 0; i < omp_get_num_threads(); i++)
		printf("thread %d on %s\n", i, place[i]);
}

ALONE void places(void)
{
	printf("processors %d, threads %d\n", omp_get_num_procs(), omp_get_max_threads());
	team();
#pragma omp parallel
	tell_place(omp_get_thread_num());
	printf("processors %d\n", omp_get_num_procs());
}

/* As programs do that ask nothing before their first region. */
ALONE void unasked_places(void)
{
#pragma omp parallel
	tell_place(omp_get_thread_num());
}

static const struct {
	const char *name;
	void (*run)(void);
} all[] = {
	{ "team", team },
	{ "loops", loops },
	{ "two_loops", two_loops },
	{ "sections", sections },
	{ "task_reduction", task_reduction },
	{ "serial", serial },
	{ "nesting", nesting },
	{ "only_nesting", only_nesting },
	{ "tasks", tasks },
	{ "waited_tasks", waited_tasks },
	{ "cancelled", cancelled },
	{ "teams", teams },
	{ "short", short_regions },
	{ "idle", idle },
	{ "three", teams_of_three },
	{ "forking", forking },
	{ "places", places },
	{ "unasked_places", unasked_places },
};

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		for (size_t j = 0; j < sizeof(all) / sizeof(all[0]); j++)
			if (!strcmp(all[j].name, argv[i])) {
				all[j].run();
				printf("%s %ld\n", argv[i], sum);
			}
	return 0;
}
