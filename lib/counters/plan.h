/* SPDX-License-Identifier: BSD-3-Clause */
/* What to count and where: all that a source of counts is told. */
#ifndef PMU_COUNTERS_PLAN_H
#define PMU_COUNTERS_PLAN_H

#include <stdbool.h>
#include <stdint.h>

/** Most slots of one plan: bits of a missing mask in a store row. */
#define PMU_MAX_SLOTS 16

/** What kind of thing a slot counts; a source takes the kinds it knows. */
enum pmu_slot_kind {
	PMU_SLOT_CORE,     /* a counter of the core's PMU: type/config of perf_event */
	PMU_SLOT_SOFTWARE, /* an event of the kernel: PERF_TYPE_SOFTWARE */
};

/** One thing to count. */
struct pmu_slot {
	enum pmu_slot_kind kind;
	uint32_t type;    /* perf_event_attr.type */
	uint64_t config;  /* perf_event_attr.config */
	uint64_t config1; /* perf_event_attr.config1 */
	uint64_t config2; /* perf_event_attr.config2 */
	bool user;        /* count at user level */
	bool kernel;      /* count at kernel level */
};

/** Whose work is counted. */
enum pmu_count_scope { PMU_COUNT_THREAD, PMU_COUNT_CPU };

/** A group's slots, in the order of the report's columns. */
struct pmu_plan {
	unsigned int n_slots;
	struct pmu_slot slot[PMU_MAX_SLOTS];
	uint32_t absent; /* bit i: slot i is not to be counted; it is missing in every read */
	enum pmu_count_scope scope;
	/* PMU_COUNT_CPU: OS numbers of the CPUs to count on, ascending; owned by the caller */
	const int *cpu;
	unsigned int n_cpus;
};

#endif
