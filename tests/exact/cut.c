/* SPDX-License-Identifier: BSD-3-Clause */
/* Regions that a checkpoint has the calls of and nothing ends: in each other, entered again, and one that goes on beside them. */
#include <pmu.h>
#include <sys/syscall.h>

#include "turns.h"

static void known(void)
{
	for (int i = 0; i < 3; i++) {
		pmu_region_begin("known");
		TURNS(2);
		pmu_region_begin("in it");
		pmu_region_end("in it");
		pmu_region_end("known");
	}
}

int main(void)
{
	known();
	pmu_region_begin("outermost");
	TURNS(6);
	pmu_checkpoint(PMU_NEXT_GOES_ON);
	pmu_region_begin("again");
	TURNS(10);
	pmu_region_begin("ended");
	TURNS(3);
	pmu_region_end("ended");
	pmu_region_begin("around");
	pmu_region_begin("around");
	pmu_region_begin("beside");
	pmu_region_end("around");
	pmu_region_end("around");
	pmu_region_begin_n("again!", 5);
	pmu_region_begin("in it");
	pmu_checkpoint(PMU_NEXT_GOES_ON);
	TURNS(1);
	pmu_checkpoint(PMU_NEXT_EXIT);
	/* past the wrapper of libc's function, which makes a checkpoint of its own */
	__asm__ volatile("syscall" : : "a"(SYS_exit_group), "D"(0));
}
