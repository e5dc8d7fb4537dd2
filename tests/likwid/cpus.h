/* SPDX-License-Identifier: BSD-3-Clause */
/* Processors as LIKWID calls them: the folders of its groups. */
#ifndef PMU_TESTS_LIKWID_CPUS_H
#define PMU_TESTS_LIKWID_CPUS_H

#include <stdio.h>
#include <string.h>

#include "names/likwid/likwid.h"

#define INTEL(number, step)                                                              \
	{                                                                                \
		.vendor = "GenuineIntel", .family = 6, .model = number, .stepping = step \
	}
#define AMD(kin, number)                                                 \
	{                                                                \
		.vendor = "AuthenticAMD", .family = kin, .model = number \
	}
#define ARM(who, implementer, part)                                 \
	{                                                           \
		.vendor = who, .family = implementer, .model = part \
	}

struct likwid_cpu {
	const char *name;
	struct pmu_cpu_id id;
};

/*
 * What is not here is no x86-64 or arm64 processor that the library has: pentiumm, phi (Knights Corner),
 * power8, power9, and graphics processors.
 */
static const struct likwid_cpu likwid_cpus[] = {
	{ "core2", INTEL(0x17, 0) },
	{ "atom", INTEL(0x1c, 0) },
	{ "nehalem", INTEL(0x1a, 0) },
	{ "nehalemEX", INTEL(0x2e, 0) },
	{ "westmere", INTEL(0x2c, 0) },
	{ "westmereEX", INTEL(0x2f, 0) },
	{ "sandybridge", INTEL(0x2a, 0) },
	{ "sandybridgeEP", INTEL(0x2d, 0) },
	{ "ivybridge", INTEL(0x3a, 0) },
	{ "ivybridgeEP", INTEL(0x3e, 0) },
	{ "haswell", INTEL(0x3c, 0) },
	{ "haswellEP", INTEL(0x3f, 0) },
	{ "broadwell", INTEL(0x3d, 0) },
	{ "broadwellD", INTEL(0x56, 0) },
	{ "broadwellEP", INTEL(0x4f, 0) },
	{ "skylake", INTEL(0x5e, 0) },
	{ "skylakeX", INTEL(0x55, 4) },
	{ "CLX", INTEL(0x55, 7) },
	{ "ICL", INTEL(0x7e, 0) },
	{ "TGL", INTEL(0x8c, 0) },
	{ "RKL", INTEL(0xa7, 0) },
	{ "ICX", INTEL(0x6a, 0) },
	{ "SPR", INTEL(0x8f, 0) },
	{ "EMR", INTEL(0xcf, 0) },
	{ "GNR", INTEL(0xad, 0) },
	{ "SRF", INTEL(0xaf, 0) },
	{ "silvermont", INTEL(0x37, 0) },
	{ "goldmont", INTEL(0x5c, 0) },
	{ "knl", INTEL(0x57, 0) },
	{ "k8", AMD(0x0f, 0x41) },
	{ "k10", AMD(0x10, 0x04) },
	{ "interlagos", AMD(0x15, 0x01) },
	{ "kabini", AMD(0x16, 0x00) },
	{ "zen", AMD(0x17, 0x01) },
	{ "zen2", AMD(0x17, 0x31) },
	{ "zen3", AMD(0x19, 0x01) },
	{ "zen4", AMD(0x19, 0x11) },
	{ "zen4c", AMD(0x19, 0xa0) },
	{ "zen5", AMD(0x1a, 0x02) },
	{ "arm8", ARM("ARM", 0x41, 0xd07) },
	{ "arm8_n1", ARM("ARM", 0x41, 0xd0c) },
	{ "arm8_tx2", ARM("Cavium", 0x43, 0x0af) },
	{ "arm64fx", ARM("Fujitsu", 0x46, 0x001) },
	{ "nvidia_grace", ARM("ARM", 0x41, 0xd4f) },
	{ "apple_m1", ARM("Apple", 0x61, 0x023) },
};

#undef INTEL
#undef AMD
#undef ARM

/** likwid_catalog() - of one of them, its kernel not known; pmu_catalog_close() when done */
static inline struct pmu_catalog likwid_catalog(const struct likwid_cpu *cpu)
{
	struct pmu_catalog catalog = { .id = cpu->id, .sysfs = "", .keep_tables = true };

	catalog.model = pmu_cpu_model_find(&catalog.id);
	return catalog;
}

/**
 * likwid_counts() - what a line of an EVENTSET counts
 * @group: result: its first event; with none where nothing is to be counted
 * Return: whether it is taken; else the reason is in the group's note.
 */
static inline bool likwid_counts(const char *counter, const char *event,
				 struct pmu_catalog *catalog, struct pmu_group *group)
{
	char text[512];
	bool own = !strcmp(event, "INSTR_RETIRED_ANY");

	/* with a line that is understood anywhere, so that there is a group without it, too */
	snprintf(text, sizeof(text), "EVENTSET\n%s %s\nFIXC99 INSTR_RETIRED_ANY\n", counter, event);
	if (pmu_likwid_parse(text, strlen(text), "x", "x", catalog, group))
		return false;
	if (group->n_events == 1 && !own)
		group->n_events = 0;
	return !group->note[0];
}

#endif
