/* SPDX-License-Identifier: BSD-3-Clause */
/* One region of a session; the machine's log has marks where the session begins and ends. */
#ifndef PMU_TESTS_SIM_MARKED_H
#define PMU_TESTS_SIM_MARKED_H

#include "session.h"

/*
 * One region; the log has a mark where the session has started, and one where it is about to end.
 */
static int one_region(void *arg)
{
	(void)arg;
	want_int(pmu_init(NULL), 0);
	sim_send(&sim, "phase running");
	want_int(pmu_region_begin("work"), 0);
	sim_send(&sim, "count 0 0xc0 0 user 1000 fixed 1");
	want_int(pmu_region_end("work"), 0);
	sim_send(&sim, "phase ending");
	return run_notes->n_failed ? 1 : 7;
}

/* It ended as it wanted to. */
static bool ended(const struct run *r)
{
	return WIFEXITED(r->status) && WEXITSTATUS(r->status) == 7;
}

static void machine_starts(const char *cpu, int flags)
{
	if (sim_start(&sim, cpu, flags)) {
		printf("Bail out! %s\n", sim.why);
		exit(1);
	}
}

#endif
