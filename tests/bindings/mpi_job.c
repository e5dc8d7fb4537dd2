/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A program with one report of all ranks: they do the same, but for one that does three times as
 * much.
 *
 *   mpi_job [SLOW [DEATH]]   the rank that does more; with DEATH it dies before MPI_Finalize
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "pmu.h"

#define STEPS 3
#define PASS  400000

static volatile double cell;

static void work(int passes)
{
	pmu_region_begin("work");
	for (int pass = 0; pass < passes; pass++) {
		pmu_region_begin("pass");
		for (int i = 0; i < PASS; i++)
			cell = cell * 0.5 + i;
		pmu_region_end("pass");
	}
	pmu_region_end("work");
}

int main(int argc, char **argv)
{
	int slow = argc > 1 ? atoi(argv[1]) : 0, rank, sum = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	pmu_region_begin("solve");
	for (int step = 0; step < STEPS; step++)
		work(rank == slow ? 30 : 10);
	pmu_region_begin("together");
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	pmu_region_end("together");
	pmu_region_end("solve");
	if (argc > 2 && rank == slow)
		raise(SIGKILL);
	if (!rank)
		printf("sum %d\n", sum);
	MPI_Finalize();
	return 0;
}
