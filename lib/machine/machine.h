/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * One machine, this or a recorded one: its processors, what is where, what each kind of core can
 * count.
 */
#ifndef PMU_MACHINE_MACHINE_H
#define PMU_MACHINE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

#include "machine/cpu.h"
#include "machine/models.h"
#include "machine/perfmon.h"
#include "machine/topology.h"

#define PMU_MAX_KINDS 4

/** Where a machine is described; every NULL is this machine's own. */
struct pmu_machine_from {
	const char *cpuid_file; /* a dump for pmu_cpuid_load() */
	const char *topology;   /* an hwloc XML file */
	const char *msr_device; /* registers: a path with %d for the CPU's number */
	const char *msr_batch;  /* msr-safe's batch device */
};

struct pmu_machine_cpu {
	struct pmu_pu pu;
	/* logical index of its last level cache; that of its package where hwloc knows none */
	int l3;
	int kind; /* index into pmu_machine.kind */
};

struct pmu_machine {
	struct pmu_cpu_id id;
	const struct pmu_cpu_model *model; /* NULL: not in our tables */
	bool recorded;                     /* another machine than the one we run on */
	/* a dump without a topology: where its processors are is made up */
	bool unplaced;
	unsigned int n_kinds; /* of cores; 1 but on hybrids */
	struct pmu_perfmon kind[PMU_MAX_KINDS];
	size_t n_cpus;               /* that this process may use; of a recorded machine all */
	struct pmu_machine_cpu *cpu; /* in ascending order of the OS number */
	unsigned int n_packages, n_cores, n_l3;
	bool smt; /* some core has two of them */
	/*
	 * others are online that this process may not use: what cores count is not all of a
	 * socket's
	 */
	bool partial;
};

/**
 * pmu_machine_load() - identity by CPUID, places by hwloc
 * @from: NULL for this machine
 *
 * A recorded machine without a topology of its own has one package, and the logical processors of
 * its dump, each a core.  A dump with fewer logical processors than the topology: the first of a
 * core type stands for all of them (hwloc's CPU kinds tell which are which; without them the
 * processors of cores with siblings are P). Of this machine, if hybrid, the calling thread is moved
 * to each of its processors and back.
 *
 * Return: 0; a negative errno with a sentence.  @machine is for pmu_machine_free().
 */
int pmu_machine_load(const struct pmu_machine_from *from, struct pmu_machine **machine);
void pmu_machine_free(struct pmu_machine *machine);

#endif
