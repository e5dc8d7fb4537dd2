/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The temperature of a plate with one hot edge, by Jacobi's method.
 *
 *     cc -O2 heat.c -o heat $(pkg-config --cflags --libs pmu) -lm
 *     ./heat [SWEEPS]
 */
#include <math.h>
#include <pmu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N     64 /* points on an edge */
#define EVERY 10 /* sweeps from one look at the residual to the next */

static double now[N][N], next[N][N];

static void init(void)
{
	PMU_REGION("init");
	for (int i = 0; i < N; i++)
		now[i][0] = next[i][0] = 1;
}

static void sweep(void)
{
	PMU_REGION("sweep");
	for (int i = 1; i < N - 1; i++)
		for (int j = 1; j < N - 1; j++)
			next[i][j] = 0.25 * (now[i - 1][j] + now[i + 1][j] + now[i][j - 1] +
					     now[i][j + 1]);
	memcpy(now, next, sizeof(now));
}

/* The largest difference between a point and the mean of its neighbours. */
static double residual(void)
{
	double largest = 0;

	PMU_REGION("residual");
	for (int i = 1; i < N - 1; i++)
		for (int j = 1; j < N - 1; j++)
			largest = fmax(largest, fabs(0.25 * (now[i - 1][j] + now[i + 1][j] +
							     now[i][j - 1] + now[i][j + 1]) -
						     now[i][j]));
	return largest;
}

int main(int argc, char **argv)
{
	int n_sweeps = argc > 1 ? atoi(argv[1]) : 100;
	double left = 0;

	init();
	pmu_region_begin("solve");
	for (int i = 1; i <= n_sweeps; i++) {
		sweep();
		if (i % EVERY == 0)
			left = residual();
	}
	pmu_region_end("solve");
	printf("after %d sweeps the residual is %.6e\n", n_sweeps, left);
	return 0;
}
