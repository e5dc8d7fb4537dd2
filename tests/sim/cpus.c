/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The CPU models.  Counters and widths: CPUID leaf 0AH (AMD: 8000_0001H, 8000_0022H) of one such
 * processor, named with each; addresses: Intel SDM vol. 4, AMD PPR.
 */
#include <string.h>

#include "rules.h"

/* Units: Intel SDM vol. 3B, "RAPL Interfaces".  Bits 8-12: energy in 2^-n J. */
#define UNIT_16 UINT64_C(0x000a1003)
#define UNIT_14 UINT64_C(0x000a0e03)

static const struct sim_energy_counter sandybridge_energy[] = {
	{ "pkg", 0x611, SIM_PACKAGE },
	{ "cores", 0x639, SIM_PACKAGE },
	{ "gpu", 0x641, SIM_PACKAGE },
	{ NULL, 0, SIM_PACKAGE },
};

static const struct sim_energy_counter client_energy[] = {
	{ "pkg", 0x611, SIM_PACKAGE },   { "dram", 0x619, SIM_PACKAGE },
	{ "cores", 0x639, SIM_PACKAGE }, { "gpu", 0x641, SIM_PACKAGE },
	{ NULL, 0, SIM_PACKAGE },
};

static const struct sim_energy_counter zen_energy[] = {
	{ "core", 0xc001029au, SIM_CORE },
	{ "pkg", 0xc001029bu, SIM_PACKAGE },
	{ NULL, 0, SIM_PACKAGE },
};

/* Up to Skylake MSR_UNC_CBO_CONFIG says one more than can be used. */
static const struct sim_client sandybridge_client = { 0x391, true, 4, 4, 5, 0x700, 0x10, 6, 0 };
static const struct sim_client skylake_client = { 0xe01, true, 5, 2, 3, 0x700, 0x10, 6, 0 };
/*
 * Specification update for 10th generation processors, ICL068: the global control's enable and
 * freeze bits do nothing, ARB's counter 0 cannot be used.
 */
static const struct sim_client icelake_client = { 0xe01, false, 5, 4, 4, 0x700, 0x8, 2, 1 };

static const struct sim_cpu cpus[] = {
	{
		/* Core Duo T2300, the first with version 1 */
		.name = "yonah",
		.core = { { .version = 1, .n_general = 2, .general_bits = 40 } },
	},
	{
		/* Core 2 Quad Q9450 */
		.name = "core2",
		.core = { { .version = 2,
			    .n_general = 2,
			    .general_bits = 40,
			    .n_fixed = 3,
			    .fixed_bits = 40,
			    .has_capabilities = true,
			    .capabilities = 0xc2 } },
	},
	{
		/* Core i7 920 */
		.name = "nehalem",
		.core = { { .version = 3,
			    .n_general = 4,
			    .general_bits = 48,
			    .n_fixed = 3,
			    .fixed_bits = 48,
			    .any = true,
			    .has_capabilities = true,
			    .capabilities = 0x1c3,
			    .offcore = { 0xffff },
			    .load_latency = true } },
		.nehalem_uncore = true,
	},
	{
		/* Xeon X5667 */
		.name = "westmere",
		.core = { { .version = 3,
			    .n_general = 4,
			    .general_bits = 48,
			    .n_fixed = 3,
			    .fixed_bits = 48,
			    .any = true,
			    .has_capabilities = true,
			    .capabilities = 0x1c3,
			    .offcore = { 0xffff, 0xffff },
			    .load_latency = true } },
		.nehalem_uncore = true,
	},
	{
		/* Core i7-2600K */
		.name = "sandybridge",
		.core = { { .version = 3,
			    .n_general = 4,
			    .general_bits = 48,
			    .n_fixed = 3,
			    .fixed_bits = 48,
			    .any = true,
			    .has_capabilities = true,
			    .capabilities = 0x31c3,
			    .offcore = { UINT64_C(0x3f807f8fff), UINT64_C(0x3f807f8fff) },
			    .load_latency = true } },
		.client = &sandybridge_client,
		.unit_address = 0x606,
		.unit = UNIT_16,
		.energy = sandybridge_energy,
	},
	{
		/* Core i3-6100 */
		.name = "skylake",
		.core = { { .version = 4,
			    .n_general = 4,
			    .general_bits = 48,
			    .n_fixed = 3,
			    .fixed_bits = 48,
			    .any = true,
			    .tsx = true,
			    .has_capabilities = true,
			    .capabilities = 0x33c5,
			    .offcore = { UINT64_C(0x3fffff8fff), UINT64_C(0x3fffff8fff) },
			    .load_latency = true,
			    .frontend = true } },
		.client = &skylake_client,
		.unit_address = 0x606,
		.unit = UNIT_14,
		.energy = client_energy,
	},
	{
		/* Core i7-1065G7; AnyThread is deprecated: EDX[15] */
		.name = "icelake",
		.core = { { .version = 5,
			    .n_general = 8,
			    .general_bits = 48,
			    .n_fixed = 4,
			    .fixed_bits = 48,
			    .has_capabilities = true,
			    .capabilities = 0xf4c5,
			    .offcore = { UINT64_C(0x3fffffbfff), UINT64_C(0x3fffffbfff) },
			    .load_latency = true,
			    .frontend = true } },
		.client = &icelake_client,
		.unit_address = 0x606,
		.unit = UNIT_14,
		.energy = client_energy,
	},
	{
		/* Core i9-12900K: with its E cores on, CPUID names what both kinds have */
		.name = "alderlake",
		.core = { { .version = 5,
			    .n_general = 6,
			    .general_bits = 48,
			    .n_fixed = 3,
			    .fixed_bits = 48,
			    .has_capabilities = true,
			    .capabilities = 0xf4c5,
			    .offcore = { UINT64_C(0x3fffffffff), UINT64_C(0x3fffffffff) },
			    .load_latency = true,
			    .frontend = true },
			  { .version = 5,
			    .n_general = 6,
			    .general_bits = 48,
			    .n_fixed = 3,
			    .fixed_bits = 48,
			    .has_capabilities = true,
			    .capabilities = 0x74c5,
			    .offcore = { UINT64_C(0x3fffffffff), UINT64_C(0x3fffffffff) },
			    .load_latency = true } },
		.unit_address = 0x606,
		.unit = UNIT_14,
		.energy = client_energy,
	},
	{
		/* Ryzen 9 5950X */
		.name = "zen3",
		.vendor = SIM_AMD,
		.core = { { .n_general = 6, .general_bits = 48 } },
		.unit_address = 0xc0010299u,
		.unit = UNIT_16,
		.energy = zen_energy,
		.n_df = 4,
	},
	{
		/* Ryzen 7 8700G */
		.name = "zen4",
		.vendor = SIM_AMD,
		.core = { { .n_general = 6, .general_bits = 48 } },
		.unit_address = 0xc0010299u,
		.unit = UNIT_16,
		.energy = zen_energy,
		.perfmon_v2 = true,
		.n_df = 4,
	},
};

const struct sim_cpu *sim_cpu_find(const char *name)
{
	for (size_t i = 0; i < sizeof(cpus) / sizeof(*cpus); i++)
		if (!strcmp(cpus[i].name, name))
			return &cpus[i];
	return NULL;
}

const char *sim_cpu_name(size_t i)
{
	return i < sizeof(cpus) / sizeof(*cpus) ? cpus[i].name : NULL;
}
