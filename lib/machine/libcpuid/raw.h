/* SPDX-License-Identifier: BSD-3-Clause */
/* Leaves as libcpuid keeps them: arrays by leaf and by subleaf. */
#ifndef PMU_MACHINE_LIBCPUID_RAW_H
#define PMU_MACHINE_LIBCPUID_RAW_H

#include <libcpuid/libcpuid.h>

#include "machine/libcpuid/libcpuid.h"

/**
 * pmu_libcpuid_fill() - leaves into arrays; what the leaves lack is 0
 * Return: how many leaves have no place there.
 */
size_t pmu_libcpuid_fill(const struct pmu_cpuid *cpuid, struct cpu_raw_data_t *raw);

/** pmu_libcpuid_keeps() - whether a leaf has a place there. */
bool pmu_libcpuid_keeps(uint32_t leaf, uint32_t subleaf);

/** pmu_libcpuid_each() - out of arrays: leaves that are in range or not 0. */
int pmu_libcpuid_each(const struct cpu_raw_data_t *raw, size_t cpu, pmu_libcpuid_take *take,
		      void *context);

#endif
