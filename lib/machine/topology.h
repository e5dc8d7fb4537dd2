/* SPDX-License-Identifier: BSD-3-Clause */
/* What is where: the processors this process may use, from hwloc. */
#ifndef PMU_MACHINE_TOPOLOGY_H
#define PMU_MACHINE_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>

struct pmu_topology;

/** One logical processor that the process may use. */
struct pmu_pu {
	int cpu;     /* OS number */
	int core;    /* logical index of its core; PUs of one core share it */
	int package; /* logical index of its socket; 0 where there is none */
	int smt;     /* 0 for the first PU of its core, 1 for its sibling, ... */
};

/**
 * pmu_topology_load() - this machine (or HWLOC_XMLFILE), only what we need of it: PUs, cores, packages
 *
 * Without hwloc's x86 component (it moves the thread about), I/O devices and plugins; under 10 ms on a small machine.
 * Only PUs allowed to the process (cgroup, taskset, launcher) are in it.
 *
 * Return: 0, or a negative errno with a sentence.  @topology is for pmu_topology_free().
 */
int pmu_topology_load(struct pmu_topology **topology);
void pmu_topology_free(struct pmu_topology *topology);

/** pmu_topology_pus() - the PUs in hwloc's order.  Return: how many. */
size_t pmu_topology_pus(const struct pmu_topology *topology, const struct pmu_pu **pu);

unsigned int pmu_topology_n_cores(const struct pmu_topology *topology);
unsigned int pmu_topology_n_packages(const struct pmu_topology *topology);

/**
 * pmu_topology_distribute() - spread n threads as far from each other as they go (hwloc_distrib)
 * @cpu: result: OS number for each; with more threads than PUs they repeat
 * Return: 0 or a negative errno.
 */
int pmu_topology_distribute(const struct pmu_topology *topology, unsigned int n, int *cpu);

#endif
