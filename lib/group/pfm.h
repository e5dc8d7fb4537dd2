/* SPDX-License-Identifier: BSD-3-Clause */
/* Event names by libpfm4. */
#ifndef PMU_GROUP_PFM_H
#define PMU_GROUP_PFM_H

#include "base/strbuf.h"
#include "counters/plan.h"
#include "machine/models.h"

/**
 * pmu_pfm_encode() - a native event's name as a slot
 * @text: "UOPS_ISSUED.ANY", "UOPS_ISSUED:ANY:c=1:i", "snb::UOPS_ISSUED:ANY"; dots as Intel writes them or colons; u
 *        and k are taken from the slot, not from here
 * @model: whose events; NULL: those of the machine we run on
 * @slot: kind, type, config, config1, extra, counters, core_types and unit filled in, the rest is the caller's; USR,
 *        OS, INT and EN are never in config
 * @label: the event's name as a column has it: Intel's writing with what it was given
 *
 * Context: the first call loads and initialises libpfm4 (milliseconds).  Any thread.
 * Return: 0; -ENOENT with a sentence that names the nearest events; -EINVAL (modifiers); -ENOTSUP: libpfm4 does
 * not know this CPU, or cannot be loaded.
 */
int pmu_pfm_encode(const char *text, const struct pmu_cpu_model *model, struct pmu_slot *slot, char *label,
		   size_t size);

/** pmu_pfm_own_model() - the model of the machine we run on; NULL: none that our tables have. */
const struct pmu_cpu_model *pmu_pfm_own_model(void);

#endif
