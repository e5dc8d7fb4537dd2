/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Calls that are alike, of regions in which there are others: what those around count is the same
 * whether all of these are measured, or one in a few (PMU_EVERY).  Who starts it looks at the
 * reports: every.sh.
 */
#include "in_turn.h"
#include "steps.h"

#define CALLS 40

static void leaf(const char *name)
{
	pmu_region_begin(name);
	steps_loop(50);
	pmu_region_end(name);
}

static void leaf_by_length(void)
{
	pmu_region_begin_n("sized, and more", 5);
	steps_loop(50);
	pmu_region_end_n("sized, and more", 5);
}

/* Ends off the fast path: it is entered again, and asked for its context. */
static void odd(void)
{
	pmu_region_begin("odd");
	pmu_context_get();
	steps_loop(20);
	pmu_region_begin("odd");
	steps_loop(30);
	pmu_region_end("odd");
	pmu_region_end("odd");
}

static void nested(void)
{
	pmu_region_begin("nested");
	steps_mixed(20);
	leaf("leaf");
	leaf("leaf");
	pmu_region_end("nested");
}

static void *work(void *arg)
{
	char buffer[16] __attribute__((aligned(16))) = "in a buffer";

	(void)arg;
	for (int i = 0; i < CALLS; i++) {
		pmu_region_begin("all");
		for (int k = 0; k < 5; k++) {
			leaf("first");
			leaf(buffer);
			leaf("second");
			leaf_by_length();
			odd();
			nested();
		}
		pmu_region_end("all");
	}
	return NULL;
}

/* every [THREADS] */
int main(int argc, char **argv)
{
	return in_turn(argc, argv, work);
}
