/* SPDX-License-Identifier: BSD-3-Clause */
/* Event names by libpfm4. */
#ifndef PMU_NAMES_PFM_PFM_H
#define PMU_NAMES_PFM_PFM_H

#include "base/strbuf.h"
#include "machine/models.h"
#include "plan/plan.h"

/**
 * pmu_pfm_encode() - a native event's name as a slot
 * @text: "UOPS_ISSUED.ANY", "UOPS_ISSUED:ANY:c=1:i", "snb::UOPS_ISSUED:ANY"; dots as Intel writes
 *        them or colons; u and k are taken from the slot, not from here
 * @model: the CPU that has the event; NULL: the one we run on
 * @slot: kind, type, config, config1, extra, counters, core_types and unit filled in, the rest is
 *        the caller's; USR, OS, INT and EN are never in config
 * @label: the event's name as a column has it: Intel's writing with what it was given
 *
 * Context: the first call loads and initialises libpfm4 (milliseconds).  Any thread.
 * Return: 0; -ENOENT with a sentence that names the nearest events; -EINVAL (modifiers); -ENOTSUP:
 * libpfm4 does not know this CPU, or cannot be loaded.
 */
int pmu_pfm_encode(const char *text, const struct pmu_cpu_model *model, struct pmu_slot *slot,
		   char *label, size_t size);

/**
 * pmu_pfm_spell_out() - what libpfm4 calls an event in full: with masks that it has by itself
 * @text, @model: as for pmu_pfm_encode(), which took them
 * @full: "BR_INST_RETIRED:ALL_BRANCHES:c=1", with the modifiers that @text has
 *
 * Return: 0; a negative errno: it says nothing.
 */
int pmu_pfm_spell_out(const char *text, const struct pmu_cpu_model *model, char *full, size_t size);

/** One name that pmu_pfm_encode() knows. */
struct pmu_pfm_name {
	const char *table;       /* libpfm4's: "snb" */
	const char *of;          /* what the table is about, in its words: "Intel Sandy Bridge" */
	const char *event;       /* "UOPS_ISSUED" */
	const char *umask;       /* "ANY"; "" */
	const char *about;       /* of the mask, where there is one */
	const char *event_about; /* of the event */
};

/**
 * pmu_pfm_each() - every name of a model's tables: an event with each of its masks
 * @model: NULL: the machine we run on
 * @each: its strings are libpfm4's; it must not come back into these functions
 *
 * Context: as pmu_pfm_encode().
 * Return: 0; -ENOTSUP with a sentence: libpfm4 does not know this CPU, or cannot be loaded.
 */
int pmu_pfm_each(const struct pmu_cpu_model *model,
		 void (*each)(void *arg, const struct pmu_pfm_name *name), void *arg);

/** pmu_pfm_own_model() - the model of the machine we run on; NULL: none that our tables have. */
const struct pmu_cpu_model *pmu_pfm_own_model(void);

#endif
