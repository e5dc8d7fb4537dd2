/* SPDX-License-Identifier: BSD-3-Clause */
/* What callgrind counts, and which of it a slot is the sum of. */
#include "counters/valgrind/events.h"

#include <linux/perf_event.h>
#include <string.h>

#include "base/compiler.h"

static const char *const names[PMU_CALLGRIND_EVENTS] = {
	[PMU_CALLGRIND_IR] = "Ir",     [PMU_CALLGRIND_DR] = "Dr",     [PMU_CALLGRIND_DW] = "Dw",
	[PMU_CALLGRIND_I1MR] = "I1mr", [PMU_CALLGRIND_D1MR] = "D1mr", [PMU_CALLGRIND_D1MW] = "D1mw",
	[PMU_CALLGRIND_ILMR] = "ILmr", [PMU_CALLGRIND_DLMR] = "DLmr", [PMU_CALLGRIND_DLMW] = "DLmw",
	[PMU_CALLGRIND_BC] = "Bc",     [PMU_CALLGRIND_BCM] = "Bcm",   [PMU_CALLGRIND_BI] = "Bi",
	[PMU_CALLGRIND_BIM] = "Bim",
};

int pmu_callgrind_event(const char *name, size_t len)
{
	for (int i = 0; i < PMU_CALLGRIND_EVENTS; i++)
		if (strlen(names[i]) == len && !memcmp(names[i], name, len))
			return i;
	return -1;
}

#define E(event)    (1u << PMU_CALLGRIND_##event)
#define HARDWARE(n) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##n
/* perf_event_open(2): cache | operation << 8 | result << 16 */
#define CACHE(id, op, result)                                                             \
	PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##id | PERF_COUNT_HW_CACHE_OP_##op << 8 | \
				    PERF_COUNT_HW_CACHE_RESULT_##result << 16

/* A reference of the last level is a miss of the first: callgrind has these two. */
static const struct {
	uint32_t type;
	uint64_t config;
	uint32_t sum;
} known[] = {
	{ HARDWARE(INSTRUCTIONS), E(IR) },
	{ HARDWARE(BRANCH_INSTRUCTIONS), E(BC) | E(BI) },
	{ HARDWARE(BRANCH_MISSES), E(BCM) | E(BIM) },
	{ HARDWARE(CACHE_REFERENCES), E(I1MR) | E(D1MR) | E(D1MW) },
	{ HARDWARE(CACHE_MISSES), E(ILMR) | E(DLMR) | E(DLMW) },
	{ CACHE(L1D, READ, ACCESS), E(DR) },
	{ CACHE(L1D, READ, MISS), E(D1MR) },
	{ CACHE(L1D, WRITE, ACCESS), E(DW) },
	{ CACHE(L1D, WRITE, MISS), E(D1MW) },
	{ CACHE(L1I, READ, ACCESS), E(IR) },
	{ CACHE(L1I, READ, MISS), E(I1MR) },
	{ CACHE(LL, READ, ACCESS), E(I1MR) | E(D1MR) },
	{ CACHE(LL, READ, MISS), E(ILMR) | E(DLMR) },
	{ CACHE(LL, WRITE, ACCESS), E(D1MW) },
	{ CACHE(LL, WRITE, MISS), E(DLMW) },
	{ CACHE(BPU, READ, ACCESS), E(BC) | E(BI) },
	{ CACHE(BPU, READ, MISS), E(BCM) | E(BIM) },
};

/* What of a slot callgrind's events do not tell: other levels than the user's, kinds of core. */
static bool is_plain_slot(const struct pmu_slot *slot)
{
	return slot->user && !slot->kernel && !slot->core_types && !slot->pmu[0] &&
	       !slot->config1 && !slot->config2;
}

uint32_t pmu_callgrind_sum(const struct pmu_slot *slot)
{
	if (slot->simulated)
		return slot->user && !slot->kernel && !slot->core_types ? slot->simulated : 0;
	if (!is_plain_slot(slot))
		return 0;
	if (slot->kind == PMU_SLOT_SIMULATED)
		return slot->config < 1u << PMU_CALLGRIND_EVENTS ? (uint32_t)slot->config : 0;
	for (size_t i = 0; slot->kind == PMU_SLOT_CORE && i < PMU_ARRAY_LEN(known); i++)
		if (known[i].type == slot->type && known[i].config == slot->config)
			return known[i].sum;
	return 0;
}
