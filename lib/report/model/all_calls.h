/* SPDX-License-Identifier: BSD-3-Clause */
/* All calls of a region, whichever group counted them. */
#ifndef PMU_REPORT_ALL_CALLS_H
#define PMU_REPORT_ALL_CALLS_H

struct pmu_model;

/**
 * pmu_model_add_calls() - all_calls of each sum, and estimates of what they did; paths are made
 *
 * Return: 0 or -ENOMEM.
 */
int pmu_model_add_calls(struct pmu_model *model);

#endif
