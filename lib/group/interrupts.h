/* SPDX-License-Identifier: BSD-3-Clause */
/* Hardware interrupts: each may add one to a count of instructions at user level. */
#ifndef PMU_GROUP_INTERRUPTS_H
#define PMU_GROUP_INTERRUPTS_H

#include "group/group.h"
#include "machine/models.h"

/** The event's name, and its column's. */
#define PMU_INTERRUPTS "interrupts"

/**
 * pmu_interrupts_encode() - the event that counts interrupts received by a processor
 * @model: NULL: one that no table has
 * @slot: its type and config are set
 *
 * Return: 0; -ENOENT with a sentence: there is none, as far as is known. Sources: Intel's event
 * files, HW_INTERRUPTS.RECEIVED, HW_INT_RCV; AMD PPRs and BKDGs, LsIntTaken (2CH) from Zen 2 on,
 * before Zen InterruptsTaken (CFH).  Those of Sandy Bridge to Broadwell and of Ice Lake are not
 * documented.
 */
int pmu_interrupts_encode(const struct pmu_cpu_model *model, struct pmu_slot *slot);

/**
 * pmu_group_add_interrupts() - count interrupts beside instructions at user level
 * @group: one without them, or with nothing that they may add to, is left alone
 *
 * They come directly behind the instructions, as an event that can be given up: where counters are
 * few, later ones that can go before it.
 * Return: 0; -ENOENT with a sentence.
 */
int pmu_group_add_interrupts(struct pmu_group *group, struct pmu_catalog *catalog);

#endif
