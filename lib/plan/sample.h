/* SPDX-License-Identifier: BSD-3-Clause */
/* What samples are taken by: what lies between two of them, and the event that tells. */
#ifndef PMU_PLAN_SAMPLE_H
#define PMU_PLAN_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "plan/event.h"
#include "plan/plan.h"

/** The highest precise_ip of perf_event_open(2): at the instruction itself, or there is no sample. */
#define PMU_SAMPLE_PRECISE 3u

/** What lies between two samples of a thread. */
struct pmu_sample_unit {
	char event[PMU_EVENT_NAME_MAX]; /* "": time on a processor */
	uint64_t period; /* so many of it, nanoseconds of time; 0: there are no samples */
	/* precise_ip: 0: a few instructions late, 1: always as late, 2 and 3: at the instruction */
	uint32_t precise;
	uint32_t reserved;
};

/** What takes them. */
struct pmu_sample_event {
	struct pmu_sample_unit unit;
	struct pmu_slot slot; /* of an event */
};

/** pmu_sample_is_time() - are they of time, not of an event? */
static inline bool pmu_sample_is_time(const struct pmu_sample_unit *unit)
{
	return !unit->event[0];
}

/** pmu_sample_is_precise() - is the instruction that they name the one that did it? */
static inline bool pmu_sample_is_precise(const struct pmu_sample_unit *unit)
{
	return unit->precise >= 2;
}

/** pmu_sample_is_sound() - may what comes from elsewhere be one? */
static inline bool pmu_sample_is_sound(const struct pmu_sample_unit *unit)
{
	return unit->period && unit->precise <= PMU_SAMPLE_PRECISE &&
	       memchr(unit->event, '\0', sizeof(unit->event));
}

/**
 * pmu_sample_unit_add() - of two who are added up: the longer period, the less precise of both
 * Return: false: they are of different events, whose numbers have no sum.
 */
static inline bool pmu_sample_unit_add(struct pmu_sample_unit *to,
				       const struct pmu_sample_unit *unit)
{
	if (!to->period)
		*to = *unit;
	if (strcmp(to->event, unit->event) != 0)
		return false;
	to->period = to->period > unit->period ? to->period : unit->period;
	to->precise = to->precise < unit->precise ? to->precise : unit->precise;
	return true;
}

#endif
