/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of PMUs that the kernel has on other machines and not on this one. */
#ifndef PMU_NAMES_ABSENT_H
#define PMU_NAMES_ABSENT_H

#include "plan/event.h"

/**
 * pmu_absent_event() - "uncore_imc/cas_count_read/" where there is no uncore_imc
 * @text: changed where it is one
 * @devices: folder of the kernel's PMUs
 * @event: result: a name, and a slot of type PMU_TYPE_ABSENT that nothing counts; not the level
 * @rest: result: what follows the second slash
 *
 * The name must begin like that of a PMU of sockets, and no PMU that is there may look like it.
 * Whether that PMU has such an event cannot be known here.
 *
 * Return: 0; -ENOENT: it is none.
 */
int pmu_absent_event(char *text, const char *devices, struct pmu_event *event, char **rest);

#endif
