/* SPDX-License-Identifier: BSD-3-Clause */
/* Events to counters: against every way there is. */
#include "counters/msr/assign.h"

#include "unit/part.h"

#define FIXED(i) ((pmu_counters)1 << (PMU_COUNTER_FIXED + (i)))

/* May the events of @subset all be placed?  Tries everything. */
static bool fits(const pmu_counters *event, unsigned int n, unsigned int subset, pmu_counters free)
{
	unsigned int first = 0;

	if (!subset)
		return true;
	while (!(subset >> first & 1))
		first++;
	for (unsigned int at = 0; at < 64; at++) {
		pmu_counters bit = (pmu_counters)1 << at;

		if (event[first] & free & bit &&
		    fits(event, n, subset & ~(1u << first), free & ~bit))
			return true;
	}
	return false;
}

/* Earlier events come first: an event is in if it fits beside those that are in already. */
static unsigned int expected(const pmu_counters *event, unsigned int n, pmu_counters free)
{
	unsigned int in = 0;

	for (unsigned int i = 0; i < n; i++)
		if (fits(event, n, in | 1u << i, free))
			in |= 1u << i;
	return in;
}

static bool is_right(const pmu_counters *event, unsigned int n, pmu_counters free)
{
	int counter[16];
	unsigned int placed = pmu_assign(event, n, free, counter), in = 0, count = 0;
	pmu_counters used = 0;

	for (unsigned int i = 0; i < n; i++) {
		if (counter[i] < 0)
			continue;
		if (!(event[i] & free & ~used & (pmu_counters)1 << counter[i]))
			return false;
		used |= (pmu_counters)1 << counter[i];
		in |= 1u << i;
		count++;
	}
	return in == expected(event, n, free) && count == placed;
}

static void takes_fixed_counters_first(void)
{
	const pmu_counters event[] = { 0xf | FIXED(0), 0xf | FIXED(1), 0xf };
	int counter[3];

	is_int(pmu_assign(event, 3, ~(pmu_counters)0, counter), 3, "three events");
	is_int(counter[0], PMU_COUNTER_FIXED, "the first on its fixed counter");
	is_int(counter[1], PMU_COUNTER_FIXED + 1, "the second too");
	is_int(counter[2], 0, "the third on a general one");
}

static void makes_room_by_moving(void)
{
	const pmu_counters event[] = { 0x3, 0x1 };
	int counter[2];

	is_int(pmu_assign(event, 2, 0x3, counter), 2, "an event that can go elsewhere");
	is_int(counter[0], 1, "goes elsewhere");
	is_int(counter[1], 0, "for one that cannot");
}

static void leaves_out_the_later(void)
{
	const pmu_counters event[] = { 0x1, 0x1, 0x2, 0 };
	int counter[4];

	is_int(pmu_assign(event, 4, 0x3, counter), 2, "two events for one counter");
	is_int(counter[0], 0, "the earlier has it");
	is_int(counter[1], -1, "the later has none");
	is_int(counter[2], 1, "which keeps no other out");
	is_int(counter[3], -1, "an event without counters has none");
	is_int(pmu_assign(event, 0, 0x3, counter), 0, "no events");
}

static void agrees_with_trying_everything(void)
{
	unsigned int seed = 1, wrong = 0;

	for (int round = 0; round < 20000; round++) {
		pmu_counters event[6], free = 0;
		unsigned int n = 1 + (unsigned int)(round % 6);

		for (unsigned int i = 0; i < n; i++) {
			seed = seed * 1103515245u + 12345;
			event[i] = (seed >> 8 & 0xf) | (pmu_counters)(seed >> 16 & 7)
							       << PMU_COUNTER_FIXED;
		}
		seed = seed * 1103515245u + 12345;
		free = (seed >> 8 & 0xf) | (pmu_counters)(seed >> 16 & 7) << PMU_COUNTER_FIXED;
		wrong += !is_right(event, n, free);
	}
	is_int(wrong, 0, "20000 random sets of events");
}

UNIT_PART(assign)
{
	takes_fixed_counters_first();
	makes_room_by_moving();
	leaves_out_the_later();
	agrees_with_trying_everything();
	return done_testing();
}
