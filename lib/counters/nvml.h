/* SPDX-License-Identifier: BSD-3-Clause */
/* What the source nvml counts. */
#ifndef PMU_COUNTERS_NVML_H
#define PMU_COUNTERS_NVML_H

/** config of a slot of PMU_SLOT_NVML; each is a sum over all cards that only grows. */
enum pmu_nvml_count {
	PMU_NVML_ENERGY,            /* microjoules */
	PMU_NVML_THROTTLED_POWER,   /* nanoseconds below the asked clock, for the limit of power */
	PMU_NVML_THROTTLED_THERMAL, /* the same, for that of temperature */
	PMU_NVML_COUNTS,
};

#endif
