/* SPDX-License-Identifier: BSD-3-Clause */
/* Two groups as one: for a source that has room for both. */
#ifndef PMU_PLAN_FOLD_H
#define PMU_PLAN_FOLD_H

#include "plan/group.h"

/**
 * pmu_group_fold() - adds what another group has and this one has not
 * @to: "A"; then "A+B", with the events and metrics of both
 *
 * What both have is there once; a metric of the same name by another formula also has its group's name.
 * Return: 0; -E2BIG: there is no room, or the same name is of two events, and @to is as it was.
 */
int pmu_group_fold(struct pmu_group *to, const struct pmu_group *more);

#endif
