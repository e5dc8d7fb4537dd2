/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 500 calls that are alike, for groups that take turns: where counts are exact, each group counts of
 * a call what it counts where it is alone.  rotate.sh chooses the groups and compares the
 * reports.
 */
#include <pthread.h>
#include <stdlib.h>

#include "steps.h"

#define CALLS 500

static void *work(void *arg)
{
	(void)arg;
	for (int i = 0; i < CALLS; i++) {
		pmu_region_begin("call");
		steps_mixed(300);
		pmu_region_begin("loop");
		steps_loop(2000);
		pmu_region_end("loop");
		for (int k = 0; k < 2; k++) {
			pmu_region_begin("mixed");
			steps_mixed(400);
			pmu_region_end("mixed");
		}
		pmu_region_end("call");
	}
	return NULL;
}

/* rotate [THREADS]: one after the other, so that each has all counters for itself; the last is the first one */
int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t thread;

	for (int i = 1; i < n; i++)
		if (pthread_create(&thread, NULL, work, NULL) || pthread_join(thread, NULL))
			return 1;
	work(NULL);
	return 0;
}
