/* SPDX-License-Identifier: BSD-3-Clause */
/* What valgrind's race detectors are told about memory with an order that they cannot see. */
#ifndef PMU_BASE_RACES_H
#define PMU_BASE_RACES_H

#include <stddef.h>

/**
 * pmu_races_ignore() - helgrind and drd look for no races in this memory
 *
 * They know locks, but take a release store for any other: of words that one thread writes without a
 * lock while others read them, in an order that lib/README.md has, they would report each.
 * Where no such tool runs, it is a dozen instructions that do nothing: not for begin and end.
 */
void pmu_races_ignore(const volatile void *at, size_t size);

#endif
