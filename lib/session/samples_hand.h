/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PMU_SESSION_SAMPLES_HAND_H
#define PMU_SESSION_SAMPLES_HAND_H

#include <stdbool.h>

#include "store/samples.h"

/**
 * pmu_samples_hand() - what a thread is sampled by, to who collects
 * @folder: where stores lie
 * @passed: [PMU_SAMPLES_PASSED]
 *
 * Waits for an answer, up to a second.  Return: whether they were taken.
 */
bool pmu_samples_hand(const char *folder, const struct pmu_samples_hello *hello, const int *passed);

#endif
