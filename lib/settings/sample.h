/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PMU_SETTINGS_SAMPLE_H
#define PMU_SETTINGS_SAMPLE_H

struct pmu_config;

/**
 * pmu_config_take_sample() - PMU_SAMPLE: off, auto, a rate, or an event with its period
 * Return: 0; -EINVAL with a sentence.
 */
int pmu_config_take_sample(struct pmu_config *config, const char *text);

#endif
