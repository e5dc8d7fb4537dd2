/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A small MPI program for the test of reports by rank: a line of cells, shared among the ranks, is
 * smoothed with the neighbours' edges.  The higher the rank, the more it does per step: rank r goes
 * over its cells r + 1 times.  Ranks but the first also wait, the last one very long, which stands
 * out on a busy machine too.
 *
 *   mpi [STEPS [DEATH]]   DEATH: abort, exit or kill, which the last rank suffers in its middle
 *   step
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pmu.h"

#define CELLS 20000

static int rank, n_ranks;

static void exchange_edges(double *cell)
{
	int left = rank ? rank - 1 : MPI_PROC_NULL;
	int right = rank + 1 < n_ranks ? rank + 1 : MPI_PROC_NULL;

	pmu_region_begin("exchange");
	MPI_Sendrecv(&cell[1], 1, MPI_DOUBLE, left, 0, &cell[CELLS + 1], 1, MPI_DOUBLE, right, 0,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&cell[CELLS], 1, MPI_DOUBLE, right, 1, &cell[0], 1, MPI_DOUBLE, left, 1,
		     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	pmu_region_end("exchange");
}

static void smooth(double *cell)
{
	pmu_region_begin("smooth");
	for (int pass = 0; pass <= rank; pass++) {
		double before = cell[0];

		for (int i = 1; i <= CELLS; i++) {
			double now = cell[i];

			cell[i] = (before + now + cell[i + 1]) / 3;
			before = now;
		}
	}
	pmu_region_end("smooth");
}

static void wait_for_disk(void)
{
	const struct timespec time = { .tv_nsec = rank + 1 < n_ranks ? 1000000 : 50000000 };

	pmu_region_begin("wait");
	if (rank)
		nanosleep(&time, NULL);
	pmu_region_end("wait");
}

static void die(const char *how)
{
	if (!strcmp(how, "abort"))
		abort();
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	exit(3);
}

int main(int argc, char **argv)
{
	int n_steps = argc > 1 ? atoi(argv[1]) : 20;
	double *cell = calloc(CELLS + 2, sizeof(*cell)), sum = 0, total = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	if (!cell)
		MPI_Abort(MPI_COMM_WORLD, 1);
	cell[CELLS / 2] = rank + 1;
	pmu_region_begin("solve");
	for (int step = 0; step < n_steps; step++) {
		exchange_edges(cell);
		smooth(cell);
		wait_for_disk();
		if (argc > 2 && rank == n_ranks - 1 && step == n_steps / 2)
			die(argv[2]);
	}
	pmu_region_end("solve");
	for (int i = 1; i <= CELLS; i++)
		sum += cell[i];
	MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank) {
		/* only here */
		pmu_region_begin("output");
		printf("%d ranks: %.6f\n", n_ranks, total);
		pmu_region_end("output");
	}
	MPI_Finalize();
	free(cell);
	return 0;
}
