/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of Intel's files as slots. */
#ifndef PMU_NAMES_VENDOR_SLOT_H
#define PMU_NAMES_VENDOR_SLOT_H

#include "machine/models.h"
#include "names/vendor/file.h"
#include "plan/plan.h"

/**
 * pmu_intel_core_slot() - an event of a core
 * @twin: where it is a fixed counter's: the event of the general counters that counts the same;
 *	NULL none
 * @slot: kind, type, config, config1, extra, counters filled in; untouched on error
 * Return: 0; -EINVAL with a sentence.
 */
int pmu_intel_core_slot(const struct pmu_vendor_entry *entry, const struct pmu_vendor_entry *twin,
			struct pmu_slot *slot);

/**
 * pmu_intel_uncore_slot() - an event outside the cores
 * @open_filter: result: the event counts nothing of use until config1 says which accesses are meant
 * Return: 0; -EINVAL, -ENOTSUP with a sentence.
 */
int pmu_intel_uncore_slot(const struct pmu_vendor_entry *entry, const struct pmu_cpu_id *id,
			  struct pmu_slot *slot, bool *open_filter);

/**
 * pmu_linux_slot() - an event of AMD's, Arm's and RISC-V processors as Linux's files have it, of a
 * core or outside of them
 * Return: 0; -EINVAL, -ENOTSUP with a sentence.
 */
int pmu_linux_slot(const struct pmu_vendor_entry *entry, const struct pmu_cpu_id *id,
		   struct pmu_slot *slot);

/**
 * pmu_intel_uncore_check() - the same event against the kernel that is there
 * @devices: folder of its PMUs
 * @name: the event's, for sentences
 * @slot: pmu is changed to what this kernel calls it
 *
 * Return: 0, also where the kernel has no such PMU: opening the event says so; -ENOTSUP
 * with a sentence: the PMU's formats have no place for all of it.
 */
int pmu_intel_uncore_check(const char *devices, const char *name, struct pmu_slot *slot);

/** pmu_intel_is_fixed() - only a fixed counter counts it */
bool pmu_intel_is_fixed(const struct pmu_vendor_entry *entry);

/** pmu_vendor_wrong() - the sentence about a member that could not be read.  Return: -EINVAL. */
int pmu_vendor_wrong(const struct pmu_vendor_entry *entry, const char *member);

#endif
