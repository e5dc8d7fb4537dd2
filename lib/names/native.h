/* SPDX-License-Identifier: BSD-3-Clause */
/* Names that a CPU gives to its events itself. */
#ifndef PMU_NAMES_NATIVE_H
#define PMU_NAMES_NATIVE_H

#include "plan/event.h"

/**
 * pmu_native_encode() - an event by its CPU's name, with modifiers but for levels
 * @word: "UOPS_ISSUED.ANY:c=1:i", however it is spelled (spelling.h)
 * @event: slot and name are filled in; the name has room for ":uk"
 *
 * Return: 0; -ENOENT, -ENOTSUP, -EINVAL, -ENOMEM with a sentence.
 */
int pmu_native_encode(const char *word, struct pmu_catalog *catalog, struct pmu_event *event);

#endif
