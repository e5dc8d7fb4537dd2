/* SPDX-License-Identifier: BSD-3-Clause */
/* Augmenting paths: a matching of events and counters that takes events in their order. */
#include "counters/msr/assign.h"

#include <stdbool.h>
#include <string.h>

#define COUNTERS 64
#define NOBODY   UINT32_MAX

struct matching {
	const pmu_counters *event;
	pmu_counters free;
	uint32_t holder[COUNTERS]; /* which event has a counter */
	pmu_counters tried;        /* counters that this search has been to */
	int *counter;
};

/* Fixed counters before general ones: those can count everything else. */
static unsigned int in_order(unsigned int step)
{
	return (step + PMU_COUNTER_FIXED) % COUNTERS;
}

static bool assign_counter(struct matching *m, uint32_t event, unsigned int at)
{
	m->holder[at] = event;
	m->counter[event] = (int)at;
	return true;
}

/*
 * A counter for one event: one without an event, else one with an event that can move.  At most 64
 * deep: each counter is tried once.
 */
static bool place_event(struct matching *m, uint32_t event)
{
	pmu_counters can = m->event[event] & m->free;

	for (unsigned int step = 0; step < COUNTERS; step++)
		if (can >> in_order(step) & 1 && m->holder[in_order(step)] == NOBODY)
			return assign_counter(m, event, in_order(step));
	for (unsigned int step = 0; step < COUNTERS; step++) {
		unsigned int at = in_order(step);

		if (!((can & ~m->tried) >> at & 1))
			continue;
		m->tried |= (pmu_counters)1 << at;
		if (place_event(m, m->holder[at]))
			return assign_counter(m, event, at);
	}
	return false;
}

unsigned int pmu_assign(const pmu_counters *event, unsigned int n, pmu_counters free, int *counter)
{
	struct matching m = { .event = event, .free = free, .counter = counter };
	unsigned int placed = 0;

	memset(m.holder, 0xff, sizeof(m.holder));
	for (unsigned int i = 0; i < n; i++) {
		counter[i] = -1;
		m.tried = 0;
		placed += place_event(&m, i);
	}
	return placed;
}
