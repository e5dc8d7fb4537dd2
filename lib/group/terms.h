/* SPDX-License-Identifier: BSD-3-Clause */
/* Events as terms between slashes, as perf writes them. */
#ifndef PMU_GROUP_TERMS_H
#define PMU_GROUP_TERMS_H

#include "group/event.h"
#include "machine/models.h"

/**
 * pmu_terms_parse() - "cpu/event=0x0e,umask=0x01,cmask=1,inv/", "uncore_cbox/event=0x34,umask=0x8f/"
 * @text: changed; what follows the second slash is left for the caller
 * @model: whose registers; NULL: none that is known, Intel's layout
 * @event: its name in one order of the terms, its unit and its slot but for the level
 * @rest: what follows the second slash
 *
 * Sources: the kernel's sysfs folders event_source/devices/.../format.
 * Return: 0; 1: cpu/NAME/ or power/NAME/: *rest is NAME, to be looked up; -EINVAL with a sentence.
 */
int pmu_terms_parse(char *text, const struct pmu_cpu_model *model, struct pmu_event *event, char **rest);

#endif
