/* SPDX-License-Identifier: BSD-3-Clause */
/* What is where: the processors this process may use, from hwloc. */
#ifndef PMU_MACHINE_TOPOLOGY_H
#define PMU_MACHINE_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pmu_topology;

/** One logical processor that the process may use. */
struct pmu_pu {
	int cpu;     /* OS number */
	int core;    /* logical index of its core; PUs of one core share it */
	int package; /* logical index of its socket; 0 where there is none */
	int smt;     /* 0 for the first PU of its core, 1 for its sibling, ... */
};

/** pmu_topology_is_given() - hwloc's variables say what pmu_topology_load() is to read. */
bool pmu_topology_is_given(void);

/**
 * pmu_topology_load() - this machine (or HWLOC_XMLFILE), only what we need of it: PUs,
 * cores, packages
 *
 * Without hwloc's x86 component (it moves the thread about), I/O devices and plugins;
 * about 1 ms on a small machine. Only PUs allowed to the process (cgroup, taskset,
 * launcher) are in it: those of the calling thread's mask, as it is without a pin of
 * ours.  Of another machine (HWLOC_XMLFILE) all that its file allows.  Indices are
 * hwloc's, counted over the whole machine: with fewer PUs they may have gaps.  hwloc
 * itself is left as if we had never used it.
 *
 * Context: environ is another array for some microseconds; see the source.
 * Return: 0, or a negative errno with a sentence.  @topology is for pmu_topology_free().
 */
int pmu_topology_load(struct pmu_topology **topology);
void pmu_topology_free(struct pmu_topology *topology);

/** What pmu_topology_load_details() finds out about a PU beside. */
struct pmu_pu_details {
	int l3;        /* logical index of its L3 cache; -1 none */
	int kind;      /* hwloc's kind of CPU; -1 it knows none */
	int core_type; /* 40H performance, 20H efficiency, as in CPUID leaf 1AH; 0 not known */
};

/**
 * pmu_topology_load_details() - the same with caches and kinds of core
 * @xml: an hwloc XML file instead of this machine; NULL for this machine (or HWLOC_XMLFILE)
 *
 * For callers that program counters themselves; finding the caches takes hwloc a little longer.
 *
 * Context, return: as pmu_topology_load().
 */
int pmu_topology_load_details(const char *xml, struct pmu_topology **topology);

/** A cache. */
struct pmu_cache {
	uint64_t size;     /* bytes; 0: not known, nor is the rest */
	unsigned int line; /* bytes */
	unsigned int ways; /* fully associative: as many as it has lines */
};

/** Those that a simulation has. */
enum pmu_cache_level {
	PMU_CACHE_I1, /* of instructions */
	PMU_CACHE_D1, /* of data; also where one is both */
	PMU_CACHE_LL, /* the last one, shared or not */
	PMU_CACHES,
};

/**
 * pmu_topology_caches() - this machine's, of the first PU that the process may use
 *
 * Context, return: as pmu_topology_load(); hwloc may know none of them.
 */
int pmu_topology_caches(struct pmu_cache cache[PMU_CACHES]);

/** pmu_topology_details() - parallel to pmu_topology_pus(); NULL after pmu_topology_load(). */
const struct pmu_pu_details *pmu_topology_details(const struct pmu_topology *topology);

/** pmu_topology_is_other() - it describes another machine than the one we run on. */
bool pmu_topology_is_other(const struct pmu_topology *topology);

/** pmu_topology_pus() - the PUs in hwloc's order.  Return: how many. */
size_t pmu_topology_pus(const struct pmu_topology *topology, const struct pmu_pu **pu);

/**
 * pmu_topology_machine() - the same with the PUs that the cgroup allows and the mask does
 * not
 *
 * For threads that were given a mask of their own, within the process's or not.
 */
size_t pmu_topology_machine(const struct pmu_topology *topology, const struct pmu_pu **pu);

/** Cores and packages that have a PU in pmu_topology_pus(). */
unsigned int pmu_topology_n_cores(const struct pmu_topology *topology);
unsigned int pmu_topology_n_packages(const struct pmu_topology *topology);

/**
 * pmu_topology_distribute() - spread n threads as far from each other as they go
 * @cpu: result: OS number for each; with more threads than PUs they repeat
 *
 * Packages in turn, in each of them the cores that are furthest apart in hwloc's order
 * first (so caches are shared late), SMT siblings last.  The first k are the same for
 * every n: threads arrive one by one, it is not known how many there will be, and the
 * places of hwloc_distrib() all change with n.
 *
 * Return: 0; -ENOMEM; -ENODEV without a PU.
 */
int pmu_topology_distribute(const struct pmu_topology *topology, unsigned int n, int *cpu);

#endif
