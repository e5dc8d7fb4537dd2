/* SPDX-License-Identifier: BSD-3-Clause */
/* What a hypervisor took from a computing thread is not what its next region waited. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "pmu.h"
#include "region/tree.h"
#include "session/session.h"
#include "tap.h"

#define MS UINT64_C(1000000)

static char dir[] = "/tmp/pmu-test-XXXXXX";

/* As if it had been taken since the last look: it is in the difference of the clocks, and no word tells. */
static void steal(uint64_t ns)
{
	pmu_own.self->waits.last.off -= ns;
}

static const struct pmu_node *innermost(void)
{
	return pmu_own.self->frame->node;
}

static void one_region_sleeps(void)
{
	const struct timespec some = { 0, 5 * MS };
	const struct pmu_node *outer, *inner;
	uint64_t before, took;

	pmu_region_begin("outer");
	outer = innermost();
	nanosleep(&some, NULL);
	steal(1000 * MS);
	before = pmu_time_now_ns(CLOCK_MONOTONIC);
	pmu_region_begin("inner");
	inner = innermost();
	nanosleep(&some, NULL);
	pmu_region_end("inner");
	took = pmu_time_now_ns(CLOCK_MONOTONIC) - before;
	if (!inner->waits) {
		skip("stolen time", "threads are not told here when they are off their processor");
		return;
	}
	ok(inner->waits->off <= took, "a region has waited no longer than it was open");
	ok(inner->waits->off >= 5 * MS, "and as long as it slept");
	ok(outer->waits->off >= inner->waits->off + 5 * MS, "the one around it longer");
	ok(outer->waits->off < 1000 * MS, "which has nothing of what was stolen");
	ok(inner->waits->queued <= inner->waits->off, "no part is more than the whole");
	pmu_region_end("outer");
}

int main(void)
{
	char kept[sizeof(dir) + 4];

	if (!mkdtemp(dir))
		return 1;
	setenv("XDG_RUNTIME_DIR", dir, 1);
	setenv("PMU_OUTPUT", "none", 1);
	setenv("PMU_PIN", "none", 1);
	one_region_sleeps();
	pmu_fini();
	snprintf(kept, sizeof(kept), "%s/pmu", dir);
	rmdir(kept);
	rmdir(dir);
	return done_testing();
}
