/* SPDX-License-Identifier: BSD-3-Clause */
/* OpenMP regions within regions of the program's own; the arguments are what is to be run. */
#include <omp.h>
#include <pmu.h>
#include <stdio.h>
#include <string.h>

#define N     40
#define ALONE __attribute__((noinline))

static int done;

static void work(const char *name)
{
	pmu_region_begin(name);
#pragma omp atomic
	done++;
	pmu_region_end(name);
}

ALONE void loop(void)
{
	pmu_region_begin("loop");
#pragma omp parallel for schedule(dynamic)
	for (int i = 0; i < N; i++)
		work("step");
	pmu_region_end("loop");
}

/* Outside of any region of the program's. */
ALONE void bare(void)
{
#pragma omp parallel for schedule(dynamic)
	for (int i = 0; i < N; i++)
		work("step");
	__asm__ volatile(""); /* no jump instead of the call */
}

/* Until all of them are here, so that no thread serves two inner teams. */
static void meet(int *arrived, int n)
{
	int now;

#pragma omp atomic
	++*arrived;
	do {
#pragma omp atomic read
		now = *arrived;
	} while (now < n);
}

ALONE void nest(void)
{
	int arrived = 0;

	omp_set_max_active_levels(2);
	pmu_region_begin("nest");
#pragma omp parallel num_threads(2)
	{
		pmu_region_begin("part");
#pragma omp parallel num_threads(2)
		{
			work("leaf");
			meet(&arrived, 4);
		}
		pmu_region_end("part");
	}
	pmu_region_end("nest");
}

/* Tasks in a region that waits for them, then some that are left to the barrier at the end. */
ALONE void tasks(void)
{
	pmu_region_begin("tasks");
#pragma omp parallel
#pragma omp single
	{
		pmu_region_begin("make");
		for (int i = 0; i < N; i++) {
#pragma omp task
			{
#pragma omp task
				work("inner");
				work("task");
#pragma omp taskwait
				work("behind");
			}
		}
#pragma omp taskwait
		pmu_region_end("make");
		for (int i = 0; i < N; i++) {
#pragma omp task
			work("late");
		}
	}
	pmu_region_end("tasks");
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "loop"))
			loop();
		else if (!strcmp(argv[i], "bare"))
			bare();
		else if (!strcmp(argv[i], "nest"))
			nest();
		else if (!strcmp(argv[i], "tasks"))
			tasks();
	}
	printf("%d\n", done);
	return 0;
}
