/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What valgrind simulates of processors' own events.
 *
 * Its caches allocate on reads and on writes, so a miss of the first level is a line that comes into it
 * (Cachegrind's manual, "Simulation Details"); an access that crosses a line counts once.  It has no
 * second level of three, no translation of addresses and no prefetcher: what speaks of these is missing.
 */
#include "names/simulated.h"

#include <strings.h>

#include "base/compiler.h"
#include "counters/valgrind/events.h"

#define E(event) (1u << PMU_CALLGRIND_##event)

/* Intel's event files, AMD's PPRs. */
static const struct {
	const char *name;
	uint32_t sum; /* enum pmu_callgrind_event */
} events[] = {
	{ "L1D.REPLACEMENT", E(D1MR) | E(D1MW) },
	{ "L1D.REPL", E(D1MR) | E(D1MW) },
	/* what cache-references and cache-misses are there */
	{ "LONGEST_LAT_CACHE.REFERENCE", E(I1MR) | E(D1MR) | E(D1MW) },
	{ "LONGEST_LAT_CACHE.MISS", E(ILMR) | E(DLMR) | E(DLMW) },
	{ "BR_INST_RETIRED.COND", E(BC) },
	{ "BR_INST_RETIRED.CONDITIONAL", E(BC) },
	{ "BR_INST_RETIRED.JCC", E(BC) },
	{ "ex_ret_cond", E(BC) },
};

uint32_t pmu_simulated_native(const char *name)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(events); i++)
		if (!strcasecmp(events[i].name, name))
			return events[i].sum;
	return 0;
}
