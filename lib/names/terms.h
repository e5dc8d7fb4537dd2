/* SPDX-License-Identifier: BSD-3-Clause */
/* Events as terms between slashes, as perf writes them. */
#ifndef PMU_NAMES_TERMS_H
#define PMU_NAMES_TERMS_H

#include "machine/models.h"
#include "plan/event.h"

/**
 * pmu_terms_parse() - "cpu/event=0x0e,umask=0x01,cmask=1,inv/",
 * "uncore_cbox/event=0x34,umask=0x8f/"
 * @text: changed; what follows the second slash is left for the caller
 * @devices: folder of the kernel's PMUs, which are asked first; NULL: none, registers alone
 * @model: the CPU that has the registers; NULL: not known, Intel's layout
 * @event: its name in one order of the terms, its unit and its slot but for the level
 * @rest: what follows the second slash
 *
 * Where the kernel has the PMU the slot carries what perf_event needs, and beside it what registers
 * need as far as they count the same.
 *
 * Sources: the kernel's sysfs folders event_source/devices/.../format.
 * Return: 0; 1: cpu/NAME/ or power/NAME/: *rest is NAME, to be looked up, and
 * event->slot.core_types the kind of core that was named; -EINVAL with a sentence.
 */
int pmu_terms_parse(char *text, const char *devices, const struct pmu_cpu_model *model,
		    struct pmu_event *event, char **rest);

/**
 * pmu_terms_kernel() - gives energy-pkg, uncore-clock, ... what perf_event needs, if the kernel
 * counts them
 */
void pmu_terms_kernel(const char *devices, struct pmu_event *event);

/**
 * pmu_terms_kernel_unit() - the same for an UNCORE event by libpfm4's name: the kernel's PMU of
 * that unit, if it is there
 */
void pmu_terms_kernel_unit(const char *devices, const struct pmu_cpu_model *model,
			   struct pmu_event *event);

#endif
