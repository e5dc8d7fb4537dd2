/* SPDX-License-Identifier: BSD-3-Clause */
/* Processor models: const tables by vendor, family and model.  A new CPU adds a row. */
#ifndef PMU_MACHINE_MODELS_H
#define PMU_MACHINE_MODELS_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/cpu.h"

/** Layout of the counters outside the cores that are programmed by model-specific registers. */
enum pmu_uncore_layout {
	PMU_UNCORE_NONE,
	/* eight counters and a fixed clock for the whole socket; also Westmere */
	PMU_UNCORE_NEHALEM,
	PMU_UNCORE_SANDY_BRIDGE, /* client: global control at 391H; also Ivy Bridge to Broadwell */
	PMU_UNCORE_SKYLAKE,      /* client: global control at E01H; also Kaby, Coffee, Comet Lake */
	PMU_UNCORE_ICE_LAKE,     /* client: CBo stride 8H; also Tiger and Rocket Lake */
	PMU_UNCORE_AMD_L3,       /* family 17H: slices and threads by masks */
	PMU_UNCORE_AMD_L3_19H,   /* from family 19H: slices, cores and threads by number */
};

/** Energy counters. */
enum pmu_rapl_layout {
	PMU_RAPL_NONE,
	/* package, cores, graphics; DRAM from Haswell on: see rapl_domains */
	PMU_RAPL_INTEL_CLIENT,
	PMU_RAPL_INTEL_SERVER,     /* package, cores, DRAM */
	PMU_RAPL_INTEL_SILVERMONT, /* the unit is 2^n microjoules */
	PMU_RAPL_AMD,
};
enum pmu_energy_domain {
	PMU_ENERGY_PACKAGE,
	PMU_ENERGY_CORES, /* Intel PP0: all cores of the socket; AMD: each core by itself, summed */
	PMU_ENERGY_GRAPHICS,
	PMU_ENERGY_DRAM,
	PMU_ENERGY_DOMAINS,
};

struct pmu_cpu_model {
	/* "GenuineIntel", "AuthenticAMD", ...; as in struct pmu_cpu_id */
	const char *vendor;
	uint32_t family;                  /* arm64: implementer; model: part number */
	uint32_t model_first, model_last; /* a range, both included */
	/* 0 and 15 (arm64: 255) but where steppings are different CPUs */
	uint32_t stepping_first, stepping_last;
	const char *microarchitecture; /* "Westmere" */
	const char *codename;          /* "Gulftown, Westmere-EP" */
	unsigned int process_nm;       /* 0: not known */
	const char *pfm;               /* libpfm4's name of its core PMU; "" none */
	const char *pfm_e;             /* of the E cores of a hybrid */
	/* of its uncore's first or only box: "wsm_unc", "snb_unc_cbo0"; "" none */
	const char *pfm_uncore;
	enum pmu_uncore_layout uncore;
	enum pmu_rapl_layout rapl;
	uint32_t rapl_domains; /* bits by enum pmu_energy_domain */
	/* DRAM energy in units of 15.3 uJ whatever RAPL_POWER_UNIT says */
	bool dram_fixed_unit;
	bool full_width; /* IA32_A_PMCx are there, as far as the model alone tells */
};

/** pmu_cpu_model_find() - the row of a CPU; NULL for one that no table has. */
const struct pmu_cpu_model *pmu_cpu_model_find(const struct pmu_cpu_id *id);

/** pmu_models_find() - the same, by what has the table. */
const struct pmu_cpu_model *pmu_models_find(const struct pmu_cpu_id *id);

/** All rows, a NULL vendor at the end. */
extern const struct pmu_cpu_model pmu_cpu_models[];

#endif
