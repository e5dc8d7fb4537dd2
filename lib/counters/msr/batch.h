/* SPDX-License-Identifier: BSD-3-Clause */
/* msr-safe's batch device: many registers of many processors in one call. */
#ifndef PMU_MSR_BATCH_H
#define PMU_MSR_BATCH_H

#include "counters/msr/device.h"

/**
 * pmu_msr_batch_run() - operations by the device's batch descriptor
 *
 * Arguments as for pmu_msr_device_run().  All of them are tried, also behind a failure.
 *
 * Return: as pmu_msr_device_run(); 1: this kernel's module does not take them (another version, a
 * list of allowed registers without one of these, a processor that is offline): one by one they may
 * do.
 */
int pmu_msr_batch_run(struct pmu_msr_device *device, const struct pmu_msr_op *op, size_t n,
		      uint64_t *value, struct pmu_msr_fault *fault);

#endif
