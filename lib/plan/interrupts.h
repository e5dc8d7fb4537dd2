/* SPDX-License-Identifier: BSD-3-Clause */
/* Hardware interrupts: each may add one to a count of instructions at user level. */
#ifndef PMU_PLAN_INTERRUPTS_H
#define PMU_PLAN_INTERRUPTS_H

#include "machine/models.h"
#include "plan/group.h"

/** The event's name, and its column's. */
#define PMU_INTERRUPTS "interrupts"
/** The metric of a group where they may be taken off. */
#define PMU_LESS_INTERRUPTS "instructions less interrupts"

/**
 * pmu_interrupts_encode() - the event that counts interrupts received by a processor
 * @model: NULL: one that no table has
 * @slot: its type and config are set
 * @level: result: at which it is counted: NONE, at user level alone, or ALL
 *
 * Return: 0; -ENOENT with a sentence: there is none, as far as is known.  Sources are beside the
 * table.
 */
int pmu_interrupts_encode(const struct pmu_cpu_model *model, struct pmu_slot *slot,
			  enum pmu_event_level *level);

/**
 * pmu_interrupts_are_subtracted() - does the count, taken off the instructions, make them repeat in
 * recordings?  Else it is a bound of what they may be too high by.
 */
bool pmu_interrupts_are_subtracted(const struct pmu_cpu_model *model);

/**
 * pmu_group_add_interrupts() - count interrupts beside instructions at user level
 * @group: one without them, or with nothing that they may add to, is left alone
 *
 * They come directly behind the instructions, as an event that can be given up: where counters are
 * few, later ones that can go before it.  Where they may be subtracted a metric says the difference.
 * Return: 0; -ENOENT with a sentence.
 */
int pmu_group_add_interrupts(struct pmu_group *group, struct pmu_catalog *catalog);

#endif
