/* SPDX-License-Identifier: BSD-3-Clause */
/* Machines made by hand, as the manuals describe them, for the tests of plans. */
#ifndef PMU_TESTS_MACHINES_H
#define PMU_TESTS_MACHINES_H

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "machine/machine.h"
#include "plan/plan.h"

#define MADE_EVENTS_ALL 0x7f

#define MADE_INTEL(v, gp, gp_bits, fix, fix_bits, available, any, caps)                            \
	.family = PMU_PERFMON_INTEL, .version = v, .n_general = gp, .general = (1u << gp) - 1,     \
	.general_bits = gp_bits, .n_fixed = fix, .fixed = (1u << fix) - 1, .fixed_bits = fix_bits, \
	.events = available, .any_thread = any, .pdcm = caps
#define MADE_AMD(v, n, extended, l3)                                                       \
	.family = PMU_PERFMON_AMD, .version = v, .n_general = n, .general = (1u << n) - 1, \
	.general_bits = 48, .core_extension = extended, .l3_extension = l3

struct made {
	const char *name, *vendor;
	uint32_t family, model;
	struct pmu_perfmon kind[2];
	struct pmu_cpu_model row;
};

static const struct made made_machines[] = {
	{ "core2",
	  "GenuineIntel",
	  6,
	  15,
	  { { MADE_INTEL(2, 2, 40, 3, 40, MADE_EVENTS_ALL, false, true) } },
	  { .microarchitecture = "Core" } },
	{ "core2 early",
	  "GenuineIntel",
	  6,
	  15,
	  { { MADE_INTEL(2, 2, 40, 0, 0, MADE_EVENTS_ALL, false, true) } },
	  { .microarchitecture = "Core" } },
	{ "core",
	  "GenuineIntel",
	  6,
	  14,
	  { { MADE_INTEL(1, 2, 40, 0, 0, MADE_EVENTS_ALL, false, false) } },
	  { .microarchitecture = "Yonah" } },
	{ "nehalem",
	  "GenuineIntel",
	  6,
	  26,
	  { { MADE_INTEL(3, 4, 48, 3, 48, 0x3b, true, true) } },
	  { .microarchitecture = "Nehalem", .uncore = PMU_UNCORE_NEHALEM } },
	{ "westmere",
	  "GenuineIntel",
	  6,
	  44,
	  { { MADE_INTEL(3, 4, 48, 3, 48, 0x7b, true, true) } },
	  { .microarchitecture = "Westmere", .uncore = PMU_UNCORE_NEHALEM } },
	{ "nehalem-ex",
	  "GenuineIntel",
	  6,
	  46,
	  { { MADE_INTEL(3, 4, 48, 3, 48, 0x7b, true, true) } },
	  { .microarchitecture = "Nehalem" } },
	/* 8 counters in CPUID, whatever SMT makes of them */
	{ "sandybridge",
	  "GenuineIntel",
	  6,
	  42,
	  { { MADE_INTEL(3, 8, 48, 3, 48, MADE_EVENTS_ALL, true, true) } },
	  { .microarchitecture = "Sandy Bridge",
	    .uncore = PMU_UNCORE_SANDY_BRIDGE,
	    .rapl = PMU_RAPL_INTEL_CLIENT,
	    .rapl_domains = 1u << PMU_ENERGY_PACKAGE | 1u << PMU_ENERGY_CORES |
			    1u << PMU_ENERGY_GRAPHICS,
	    .full_width = true } },
	{ "haswell-ep",
	  "GenuineIntel",
	  6,
	  63,
	  { { MADE_INTEL(3, 4, 48, 3, 48, MADE_EVENTS_ALL, true, true) } },
	  { .microarchitecture = "Haswell",
	    .rapl = PMU_RAPL_INTEL_SERVER,
	    .rapl_domains = 1u << PMU_ENERGY_PACKAGE | 1u << PMU_ENERGY_DRAM,
	    .dram_fixed_unit = true,
	    .full_width = true } },
	{ "silvermont",
	  "GenuineIntel",
	  6,
	  55,
	  { { MADE_INTEL(3, 2, 40, 3, 40, MADE_EVENTS_ALL, false, true) } },
	  { .microarchitecture = "Silvermont",
	    .rapl = PMU_RAPL_INTEL_SILVERMONT,
	    .rapl_domains = 1u << PMU_ENERGY_PACKAGE | 1u << PMU_ENERGY_CORES,
	    .full_width = true } },
	{ "skylake",
	  "GenuineIntel",
	  6,
	  94,
	  { { MADE_INTEL(4, 4, 48, 3, 48, MADE_EVENTS_ALL, true, true) } },
	  { .microarchitecture = "Skylake", .uncore = PMU_UNCORE_SKYLAKE, .full_width = true } },
	{ "icelake",
	  "GenuineIntel",
	  6,
	  126,
	  { { MADE_INTEL(5, 8, 48, 4, 48, 0xff, false, true) } },
	  { .microarchitecture = "Sunny Cove",
	    .uncore = PMU_UNCORE_ICE_LAKE,
	    .full_width = true } },
	{ "alderlake",
	  "GenuineIntel",
	  6,
	  151,
	  { { MADE_INTEL(5, 8, 48, 4, 48, 0xff, false, true), .core_type = PMU_CORE_P,
	      .hybrid = true },
	    { MADE_INTEL(5, 6, 48, 3, 48, 0x7f, false, true), .core_type = PMU_CORE_E,
	      .hybrid = true } },
	  { .microarchitecture = "Golden Cove", .full_width = true } },
	{ "skymont",
	  "GenuineIntel",
	  6,
	  189,
	  { { .family = PMU_PERFMON_INTEL,
	      .version = 6,
	      .n_general = 8,
	      .general = 0xff,
	      .general_bits = 48,
	      .n_fixed = 6,
	      .fixed = 0x77,
	      .fixed_bits = 48,
	      .events = 0x7f,
	      .umask2 = true,
	      .equal = true,
	      .pdcm = true } },
	  { .microarchitecture = "Skymont", .full_width = true } },
	{ "k10",
	  "AuthenticAMD",
	  0x10,
	  2,
	  { { MADE_AMD(1, 4, false, false) } },
	  { .microarchitecture = "K10" } },
	{ "bulldozer",
	  "AuthenticAMD",
	  0x15,
	  1,
	  { { MADE_AMD(1, 6, true, false) } },
	  { .microarchitecture = "Bulldozer" } },
	{ "zen2",
	  "AuthenticAMD",
	  0x17,
	  49,
	  { { MADE_AMD(1, 6, true, true) } },
	  { .microarchitecture = "Zen 2",
	    .uncore = PMU_UNCORE_AMD_L3,
	    .rapl = PMU_RAPL_AMD,
	    .rapl_domains = 1u << PMU_ENERGY_PACKAGE | 1u << PMU_ENERGY_CORES } },
	{ "zen3",
	  "AuthenticAMD",
	  0x19,
	  33,
	  { { MADE_AMD(1, 6, true, true) } },
	  { .microarchitecture = "Zen 3",
	    .uncore = PMU_UNCORE_AMD_L3_19H,
	    .rapl = PMU_RAPL_AMD,
	    .rapl_domains = 1u << PMU_ENERGY_PACKAGE | 1u << PMU_ENERGY_CORES } },
	{ "zen4",
	  "AuthenticAMD",
	  0x19,
	  97,
	  { { MADE_AMD(2, 6, true, true) } },
	  { .microarchitecture = "Zen 4",
	    .uncore = PMU_UNCORE_AMD_L3_19H,
	    .rapl = PMU_RAPL_AMD,
	    .rapl_domains = 1u << PMU_ENERGY_PACKAGE | 1u << PMU_ENERGY_CORES } },
	{ "hidden",
	  "GenuineIntel",
	  6,
	  85,
	  { { .family = PMU_PERFMON_NONE, .why = "the hypervisor hides it" } },
	  { .microarchitecture = "Skylake" } },
};

/*
 * Processors as Linux numbers them: all first threads, socket after socket, then the siblings.
 * Kinds of core: the second half of a hybrid's cores is of the second kind.  An L3 for each four
 * cores on AMD, else for each socket.
 */
__attribute__((unused)) static struct pmu_machine *made_machine(const char *name,
								unsigned int packages,
								unsigned int cores,
								unsigned int threads)
{
	struct pmu_machine *machine = calloc(1, sizeof(*machine));
	const struct made *made = made_machines;
	unsigned int per_l3 = cores;

	while (strcmp(made->name, name))
		made++;
	memcpy(machine->id.vendor, made->vendor, strlen(made->vendor) + 1);
	machine->id.family = made->family;
	machine->id.model = made->model;
	machine->model = &made->row;
	machine->n_kinds = made->kind[1].family == PMU_PERFMON_NONE ? 1 : 2;
	memcpy(machine->kind, made->kind, sizeof(made->kind));
	if (made->kind[0].family == PMU_PERFMON_AMD && cores > 4)
		per_l3 = 4;
	machine->n_packages = packages;
	machine->n_cores = packages * cores;
	machine->n_l3 = packages * (cores / per_l3);
	machine->n_cpus = (size_t)packages * cores * threads;
	machine->cpu = calloc(machine->n_cpus, sizeof(*machine->cpu));
	machine->smt = threads > 1;
	for (unsigned int i = 0; i < machine->n_cpus; i++) {
		unsigned int core = i % machine->n_cores;

		machine->cpu[i] = (struct pmu_machine_cpu){
			.pu = { .cpu = (int)i,
				.core = (int)core,
				.package = (int)(core / cores),
				.smt = (int)(i / machine->n_cores) },
			.l3 = (int)(core / per_l3),
			.kind = machine->n_kinds == 2 && core % cores >= cores / 2,
		};
	}
	return machine;
}

__attribute__((unused)) static void made_free(struct pmu_machine *machine)
{
	free(machine->cpu);
	free(machine);
}

/* --- plans --- */

__attribute__((unused)) static struct pmu_slot generic(uint64_t config)
{
	return (struct pmu_slot){
		.kind = PMU_SLOT_CORE, .type = PERF_TYPE_HARDWARE, .config = config, .user = true
	};
}

__attribute__((unused)) static struct pmu_slot raw(uint64_t config)
{
	return (struct pmu_slot){
		.kind = PMU_SLOT_CORE, .type = PERF_TYPE_RAW, .config = config, .user = true
	};
}

__attribute__((unused)) static struct pmu_slot outside(enum pmu_uncore_unit unit, uint64_t config)
{
	return (struct pmu_slot){ .kind = PMU_SLOT_UNCORE,
				  .unit = unit,
				  .config = config,
				  .user = true,
				  .kernel = true };
}

__attribute__((unused)) static struct pmu_slot energy(enum pmu_energy_domain domain)
{
	return (struct pmu_slot){
		.kind = PMU_SLOT_ENERGY, .unit = domain, .user = true, .kernel = true
	};
}

__attribute__((unused)) static void plan_add(struct pmu_plan *plan, struct pmu_slot slot)
{
	plan->slot[plan->n_slots++] = slot;
}

/* The seven architectural events, in the order of the group CORE. */
__attribute__((unused)) static void plan_core(struct pmu_plan *plan)
{
	static const uint64_t events[] = {
		PERF_COUNT_HW_INSTRUCTIONS,        PERF_COUNT_HW_CPU_CYCLES,
		PERF_COUNT_HW_BRANCH_INSTRUCTIONS, PERF_COUNT_HW_BRANCH_MISSES,
		PERF_COUNT_HW_CACHE_MISSES,        PERF_COUNT_HW_CACHE_REFERENCES,
		PERF_COUNT_HW_REF_CPU_CYCLES
	};

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		plan_add(plan, generic(events[i]));
}

#endif
