/* SPDX-License-Identifier: BSD-3-Clause */
/* Core events of Intel's files as slots. */
#include "names/vendor/slot.h"

#include <errno.h>
#include <linux/perf_event.h>

#include "base/compiler.h"
#include "base/error.h"
#include "names/pfm/names.h"
#include "plan/select.h"

#define MAX_FIXED 16

int pmu_vendor_wrong(const struct pmu_vendor_entry *entry, const char *member)
{
	return pmu_fail(EINVAL, "%s:%u: %s of %.60s is not what it should be", entry->file->name,
			pmu_vendor_file_line(entry), member, entry->name);
}

/* --- fixed counters --- */

bool pmu_intel_is_fixed(const struct pmu_vendor_entry *entry)
{
	return entry->fixed >= 0 && !entry->counters;
}

/*
 * Code 00H with a mask says which counter, from 1 on.  Files without such masks (Nehalem, Westmere:
 * 00H/00H; Bonnell: 0AH/00H) number the counters themselves from 1 on: none of them has a "Fixed
 * counter 0".
 */
static unsigned int fixed_counter_of(const struct pmu_vendor_entry *entry)
{
	if (!entry->code && entry->umask >= 1 && entry->umask <= PMU_PFM_MAX_PSEUDO)
		return (unsigned int)entry->umask - 1;
	return (unsigned int)entry->fixed - (!entry->file->zero_based && entry->fixed > 0);
}

/*
 * What the first counters count has a code of its own (struct pmu_slot, config); the kernel knows
 * the third and the fourth by 00H/03H and 00H/04H, those behind by the code of the general
 * counters' event (Linux, arch/x86/events/intel/core.c, intel_fixed_event_constraints[] and
 * intel_skt_event_constraints[]).
 */
static int fixed_config(const struct pmu_vendor_entry *entry, const struct pmu_vendor_entry *twin,
			struct pmu_select *select)
{
	static const struct {
		uint8_t event, umask;
	} known[] = { { 0xc0, 0x00 }, { 0x3c, 0x00 }, { 0x00, 0x03 }, { 0x00, 0x04 } };
	unsigned int n = fixed_counter_of(entry);

	if (n >= MAX_FIXED)
		return pmu_vendor_wrong(entry, "Counter");
	select->any_thread = entry->any;
	select->event = 0;
	select->umask = (uint8_t)(n + 1);
	if (n < PMU_ARRAY_LEN(known)) {
		select->event = known[n].event;
		select->umask = known[n].umask;
	} else if (twin && !twin->wrong && twin->code <= 0xff && twin->umask <= 0xff &&
		   twin->counters) {
		select->event = (uint8_t)twin->code;
		select->umask = (uint8_t)twin->umask;
	}
	return 0;
}

/* --- general counters --- */

static int general_config(const struct pmu_vendor_entry *entry, struct pmu_select *select)
{
	const struct {
		const char *name;
		uint64_t value;
	} bytes[] = { { "EventCode", entry->code },
		      { "UMask", entry->umask },
		      { "UMaskExt", entry->umask_ext },
		      { "CounterMask", entry->cmask },
		      { "Counter", entry->counters >> 24 } };

	for (size_t i = 0; i < PMU_ARRAY_LEN(bytes); i++)
		if (bytes[i].value > 0xff)
			return pmu_vendor_wrong(entry, bytes[i].name);
	/* that would be a fixed counter's */
	if (!entry->code)
		return pmu_vendor_wrong(entry, "EventCode");
	select->event = (uint8_t)entry->code;
	select->umask = (uint8_t)entry->umask;
	select->umask2 = (uint8_t)entry->umask_ext;
	select->cmask = (uint8_t)entry->cmask;
	select->invert = entry->invert;
	select->edge = entry->edge;
	select->any_thread = entry->any;
	select->equal = entry->equal;
	return 0;
}

/*
 * Second registers: Intel SDM vol. 4, MSR_OFFCORE_RSP_0 and _1, MSR_PEBS_LD_LAT, MSR_PEBS_FRONTEND.
 */
static int check_extra_register(const struct pmu_vendor_entry *entry)
{
	static const uint16_t extras[] = { 0, 0x1a6, 0x1a7, 0x3f6, 0x3f7 };

	for (size_t i = 0; i < PMU_ARRAY_LEN(extras); i++)
		if (entry->msr_index == extras[i])
			return 0;
	return pmu_fail(EINVAL, "%s:%u: %.60s needs register %llXH, which is none that events need",
			entry->file->name, pmu_vendor_file_line(entry), entry->name,
			(unsigned long long)entry->msr_index);
}

int pmu_intel_core_slot(const struct pmu_vendor_entry *entry, const struct pmu_vendor_entry *twin,
			struct pmu_slot *slot)
{
	struct pmu_select select = { .event = 0 };
	bool fixed = pmu_intel_is_fixed(entry);
	int rc;

	if (entry->wrong)
		return pmu_vendor_wrong(entry, entry->wrong);
	rc = fixed ? fixed_config(entry, twin, &select) : general_config(entry, &select);
	if (!rc)
		rc = check_extra_register(entry);
	if (rc)
		return rc;
	slot->kind = PMU_SLOT_CORE;
	slot->type = PERF_TYPE_RAW;
	slot->config = pmu_select_encode(PMU_SELECT_INTEL, &select);
	slot->counters = (uint32_t)entry->counters;
	slot->extra = (uint32_t)entry->msr_index;
	slot->extra_value = slot->extra ? entry->msr_value : 0;
	slot->config1 = slot->extra_value;
	return 0;
}
