/* SPDX-License-Identifier: BSD-3-Clause */
/* Hybrid processors: kinds of core with a PMU each, and a group of events on each of them. */
#ifndef PMU_COUNTERS_PERF_HYBRID_H
#define PMU_COUNTERS_PERF_HYBRID_H

#include <stdbool.h>
#include <stdint.h>

#include "counters/perf/group.h"
#include "machine/mask.h"
#include "plan/plan.h"

#define PMU_PERF_KINDS 4
/* Neither P nor E: a kind of arm64's cores, of which no name says how fast it is. */
#define PMU_PERF_OTHER 4

/** One kind of core. */
struct pmu_perf_kind {
	uint32_t type;     /* perf_event_attr.type of its PMU */
	uint8_t core_type; /* PMU_SLOT_P, PMU_SLOT_E or PMU_PERF_OTHER */
	struct pmu_mask cpus;
};

struct pmu_perf_hybrid {
	unsigned int n; /* 0: all cores are alike */
	struct pmu_perf_kind kind[PMU_PERF_KINDS];
};

/**
 * pmu_perf_hybrid_find() - the kinds of core
 * @devices: /sys/bus/event_source/devices, or a folder like it
 *
 * Source: Linux, Documentation/admin-guide/perf/intel-hybrid.rst: cpu_core and cpu_atom, each with
 * a file "cpus"; drivers/perf/arm_pmuv3.c and apple_m1_cpu_pmu.c: a PMU for each kind of core,
 * armv8_cortex_a53, apple_icestorm_pmu, likewise.  Generic events of one of these are understood
 * from Linux 6.6 on (PERF_PMU_CAP_EXTENDED_HW_TYPE).
 */
void pmu_perf_hybrid_find(const char *devices, struct pmu_perf_hybrid *hybrid);

/**
 * pmu_perf_hybrid_of_plan() - this machine's, as far as the plan has anything that cores count:
 * else n is 0
 */
void pmu_perf_hybrid_of_plan(const struct pmu_plan *plan, struct pmu_perf_hybrid *hybrid);

/** pmu_perf_hybrid_kind() - index of a CPU's, -1 for none. */
int pmu_perf_hybrid_kind(const struct pmu_perf_hybrid *hybrid, int cpu);

/**
 * pmu_perf_hybrid_cores() - the slots that counters of cores count
 *
 * Not among them are what the kernel counts in software and PMUs that are the same for all cores
 * (msr).
 */
uint32_t pmu_perf_hybrid_cores(const struct pmu_perf_hybrid *hybrid, const struct pmu_plan *plan);

/**
 * pmu_perf_hybrid_plan() - a plan as one kind of core counts it
 * @kind: index
 * @rest: with the slots that no core's counters count
 * @out: what another kind alone can count is absent; generic and raw events are those of this
 *	kind's PMU
 *
 * Source: perf_event_open(2), "config": PERF_TYPE_HARDWARE and PERF_TYPE_HW_CACHE have the PMU's
 * type in bits 63:32.
 */
void pmu_perf_hybrid_plan(const struct pmu_perf_hybrid *hybrid, unsigned int kind, bool rest,
			  const struct pmu_plan *plan, struct pmu_plan *out);

/** Groups of one thread that may run on any core: one for each kind, and one for the rest. */
struct pmu_perf_parts {
	unsigned int n;
	struct pmu_perf_group group[PMU_PERF_KINDS + 1];
	uint8_t core_type[PMU_PERF_KINDS + 1]; /* 0: the rest, which counts on all of them */
	bool whole;      /* each kind of core has one: time that none of them counts is a hole */
	int64_t hole_ns; /* such time before all of them counted */
};

/**
 * pmu_perf_parts_open() - open them
 * @where: the thread
 * Return: 0, or a negative errno with nothing open.
 */
int pmu_perf_parts_open(struct pmu_perf_parts *parts, const struct pmu_perf_hybrid *hybrid,
			const struct pmu_plan *plan, const struct pmu_perf_where *where);
/**
 * pmu_perf_parts_start() - let them count
 * Return: 0; a negative errno; -ENOSPC: no counters for one of them.  They stay open.
 */
int pmu_perf_parts_start(struct pmu_perf_parts *parts);
void pmu_perf_parts_close(struct pmu_perf_parts *parts);

/** pmu_perf_parts_slots() - those they hold. */
uint32_t pmu_perf_parts_slots(const struct pmu_perf_parts *parts);

/**
 * pmu_perf_parts_read() - the sum over all kinds
 * @value: [n_slots]; those they do not hold are left alone
 * @core_types: result: kinds on which the thread has been
 *
 * Return: PMU_SOURCE_HOLDS; otherwise @value means nothing.  Keeps errno.
 */
enum pmu_source_lost pmu_perf_parts_read(const struct pmu_perf_parts *parts, uint64_t *value,
					 uint32_t *core_types);

#endif
