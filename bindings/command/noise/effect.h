/* SPDX-License-Identifier: BSD-3-Clause */
/* What a disturbance did to the times of runs, where that is clear. */
#ifndef PMU_COMMAND_NOISE_EFFECT_H
#define PMU_COMMAND_NOISE_EFFECT_H

#include <stdbool.h>
#include <stddef.h>

enum pmu_noise_effect {
	PMU_NOISE_UNCLEAR,
	PMU_NOISE_OF_SET,  /* the disturbed runs took longer than the others */
	PMU_NOISE_OF_MORE, /* the half of the runs with more of it took longer than the other half */
};

/**
 * pmu_noise_effect() - did disturbed runs take longer?
 * @time: of @n runs
 * @value: how much they were disturbed, which is a number in all of them
 * @disturbed: which of them were so to speak of
 * @longer: result: by which share, from medians
 *
 * Clear is: three standard deviations of the rank sum (Mann-Whitney) or of the rank correlation
 * (Spearman); where few are disturbed, all of them are beyond the slowest of at least five others
 * by as much as these differ.
 *
 * Without memory nothing is clear.
 */
enum pmu_noise_effect pmu_noise_effect(const double *time, const double *value,
				       const bool *disturbed, size_t n, double *longer);

#endif
