/* SPDX-License-Identifier: BSD-3-Clause */
/* Event names to encodings. */
#ifndef PMU_GROUP_EVENT_H
#define PMU_GROUP_EVENT_H

#include "counters/plan.h"

#define PMU_EVENT_NAME_MAX 64

/** One event as it was asked for. */
struct pmu_event {
	char name[PMU_EVENT_NAME_MAX]; /* label of the column: "cycles", "cycles:k", "r10e" */
	char unit[16];                 /* "" for a number of events, "ns", "B" */
	bool optional;                 /* left out, and named, where the CPU lacks it or it does not fit */
	struct pmu_slot slot;
};

/**
 * pmu_event_parse() - one event as people write it
 * @text: a generic name (instructions, cycles, ...), a software event (page-faults, ...) or a raw
 *        code rNNN (hexadecimal, PERF_TYPE_RAW); modifiers after ':' - u, k, uk, ku
 * @event: result
 *
 * User level by default; software events that happen in the kernel (context-switches,
 * cpu-migrations) include the kernel.
 *
 * Return: 0; -EINVAL with a sentence that names the nearest valid choice.
 */
int pmu_event_parse(const char *text, struct pmu_event *event);

/**
 * pmu_event_list_parse() - events separated by commas
 * @events: room for PMU_MAX_SLOTS
 * Return: how many; -EINVAL (unknown, empty, named twice); -E2BIG for too many.
 */
int pmu_event_list_parse(const char *text, struct pmu_event *events);

/** Names that pmu_event_parse() knows, with a line about each; ends with a NULL name. */
struct pmu_event_about {
	const char *name;
	const char *about;
};
extern const struct pmu_event_about pmu_event_names[];

#endif
