/* SPDX-License-Identifier: BSD-3-Clause */
/* Which source counts a group. */
#ifndef PMU_SESSION_CHOOSE_H
#define PMU_SESSION_CHOOSE_H

#include <stdbool.h>

#include "plan/catalog.h"
#include "session/groups.h"

/**
 * pmu_session_usual_group() - as pmu_group_find(), for groups that were not asked for
 */
int pmu_session_usual_group(const char *name, struct pmu_catalog *catalog, struct pmu_group *group);

/**
 * pmu_session_choose() - for one group: the source that counts it, and what of it it counts
 * @group: group.group set; group, plan and backend are made final
 * @asked: the user named this group or a source: what cannot be counted stays as a missing column
 *
 * Every refusal and everything given up is written into the table.
 */
void pmu_session_choose(struct pmu_session_group *group, bool asked);

/**
 * pmu_session_choose_next() - the chosen source could not be opened: the next one
 *
 * Columns stay as they are: the layout may have been written.
 */
void pmu_session_choose_next(struct pmu_session_group *group);

#endif
