/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * 500 calls that are alike, for groups that take turns: where counts are exact, each group counts of
 * a call what it counts where it is alone.  Who starts it says which groups, and looks at the reports:
 * rotate.sh.
 */
#include "in_turn.h"
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

/* rotate [THREADS] */
int main(int argc, char **argv)
{
	return in_turn(argc, argv, work);
}
