/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program to be watched.  live FILE: until FILE is there, a minute at most: main/solve/assemble, a region
 * with control characters in its name, and a thread that waits in one.  live N: so many calls of solve, and
 * nothing that depends on time.
 */
#include <ctype.h>
#include <pmu.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define STEP_US 1000
#define MOST    60000

static const char hostile[] = "odd \033]0;title\007\033[2J\xff\n";
static _Atomic int is_over;
static volatile unsigned long sum;

static void *idle(void *unused)
{
	pmu_region_begin("idle");
	while (!is_over)
		usleep(STEP_US);
	pmu_region_end("idle");
	return unused;
}

static void work(int n)
{
	for (int i = 0; i < n; i++)
		sum += (unsigned long)i;
}

static void solve(void)
{
	pmu_region_begin("solve");
	pmu_region_begin("assemble");
	work(2000);
	pmu_region_end("assemble");
	pmu_region_begin(hostile);
	work(10);
	pmu_region_end(hostile);
	pmu_region_end("solve");
}

static int counted(int n)
{
	pmu_region_begin("main");
	for (int i = 0; i < n; i++)
		solve();
	pmu_region_end("main");
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc != 2)
		return 2;
	if (isdigit((unsigned char)argv[1][0]))
		return counted(atoi(argv[1]));
	pmu_region_begin("main");
	if (pthread_create(&thread, NULL, idle, NULL))
		return 1;
	for (int i = 0; i < MOST && access(argv[1], F_OK); i++) {
		solve();
		usleep(STEP_US);
	}
	is_over = 1;
	pthread_join(thread, NULL);
	pmu_region_end("main");
	puts("the program says goodbye");
	/* before a leak checker looks: the library's own exit handler comes later */
	pmu_fini();
	return 3;
}
