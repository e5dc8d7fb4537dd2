/* SPDX-License-Identifier: BSD-3-Clause */
/* The names in a formula. */
#ifndef PMU_PLAN_FORMULA_NAMES_H
#define PMU_PLAN_FORMULA_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/** Characters of a text, without a terminator. */
struct pmu_group_span {
	const char *at;
	size_t len;
};

/** pmu_group_name_is_ours() - time, calls, tsc_hz, min, max: no alias can be called so */
bool pmu_group_name_is_ours(struct pmu_group_span name);

/** pmu_group_name_next() - the next name in a formula, quoted or not; false: there is none */
bool pmu_group_name_next(const char *formula, struct pmu_group_span *name);

#endif
