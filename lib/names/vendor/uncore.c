/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events outside the cores, of Intel's files, as the kernel's PMUs take them.
 *
 * Sources: Linux, arch/x86/events/intel/uncore_snbep.c and uncore_snb.c (formats: umask_ext,
 * ch_mask, fc_mask, filters), uncore.h (UNCORE_FIXED_EVENT); tools/perf/pmu-events/jevents.py,
 * unit_to_pmu() (names); Intel's uncore performance monitoring reference manuals.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "base/error.h"
#include "names/vendor/slot.h"

#define FIXED_CODE 0xff /* the kernel's, of a box's fixed counter */

/* Where the unit's name in lower case is not the PMU's. */
static const struct unit {
	const char *name, *pmu;
	/* what registers can program where the layout is a client's; PMU_UNIT_NONE none */
	uint8_t client;
} units[] = {
	{ "CBO", "uncore_cbox", PMU_UNIT_CBO },
	{ "ARB", "uncore_arb", PMU_UNIT_ARB },
	{ "iMPH-U", "uncore_arb", PMU_UNIT_ARB },
	{ "NCU", "uncore_clock", PMU_UNIT_CLOCK },
	{ "SBO", "uncore_sbox", PMU_UNIT_NONE },
	{ "QPI LL", "uncore_qpi", PMU_UNIT_NONE },
	{ "UPI LL", "uncore_upi", PMU_UNIT_NONE },
	{ "HAC_CBO", "uncore_hac_cbox", PMU_UNIT_NONE },
	{ "iMC_DCLK", "uncore_imc", PMU_UNIT_NONE },
	{ "MCHBM", "uncore_hbm", PMU_UNIT_NONE },
};

static bool is_unit(const struct pmu_vendor_entry *entry, const char *name)
{
	return !strcasecmp(entry->unit, name);
}

/* Skylake's, Cascade Lake's and Cooper Lake's servers: filters in registers of their own. */
static bool is_skylake_server(const struct pmu_cpu_id *id)
{
	return id->family == 6 && id->model == 0x55;
}

static int name_pmu(const struct pmu_vendor_entry *entry, struct pmu_slot *slot)
{
	size_t len;

	for (size_t i = 0; i < PMU_ARRAY_LEN(units); i++) {
		if (!is_unit(entry, units[i].name))
			continue;
		snprintf(slot->pmu, sizeof(slot->pmu), "%s", units[i].pmu);
		slot->unit = units[i].client;
		return 0;
	}
	len = (size_t)snprintf(slot->pmu, sizeof(slot->pmu), "uncore_%s", entry->unit);
	if (len >= sizeof(slot->pmu))
		return pmu_vendor_wrong(entry, "Unit");
	for (char *c = slot->pmu; *c; c++) {
		*c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
		if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789_", *c))
			return pmu_vendor_wrong(entry, "Unit");
	}
	slot->unit = PMU_UNIT_NONE;
	return 0;
}

/* Registers program the clients' boxes only. */
static void settle_unit(const struct pmu_cpu_id *id, struct pmu_slot *slot)
{
	const struct pmu_cpu_model *model = pmu_cpu_model_find(id);
	enum pmu_uncore_layout layout = model ? model->uncore : PMU_UNCORE_NONE;

	if (layout != PMU_UNCORE_SANDY_BRIDGE && layout != PMU_UNCORE_SKYLAKE &&
	    layout != PMU_UNCORE_ICE_LAKE)
		slot->unit = PMU_UNIT_NONE;
}

/* The clients' one fixed counter counts the clock, whichever unit it is said to be of. */
static void settle_clock(const struct pmu_vendor_entry *entry, struct pmu_slot *slot)
{
	if (entry->fixed_uncore) {
		slot->config = FIXED_CODE;
		if (slot->unit != PMU_UNIT_NONE) {
			slot->unit = PMU_UNIT_CLOCK;
			snprintf(slot->pmu, sizeof(slot->pmu), "uncore_clock");
		}
	} else if (slot->unit == PMU_UNIT_CLOCK) {
		slot->unit = PMU_UNIT_NONE;
	}
}

/*
 * The integrated I/O's: which ports and which kinds of flow; UMaskExt says the same in its bits 4
 * on and 16 on.
 */
static int add_io_masks(const struct pmu_vendor_entry *entry, const struct pmu_cpu_id *id,
			uint64_t *config)
{
	bool old = is_skylake_server(id);
	uint64_t ports = old ? 0xff : 0xfff;
	uint64_t masks = entry->port_mask << 36 | entry->fc_mask << (old ? 44 : 48);

	if (entry->port_mask > ports)
		return pmu_vendor_wrong(entry, "PortMask");
	if (entry->fc_mask > 7)
		return pmu_vendor_wrong(entry, "FCMask");
	if (entry->umask_ext && entry->umask_ext << 32 != masks)
		return pmu_vendor_wrong(entry, "UMaskExt");
	*config |= masks;
	return 0;
}

static int add_extension(const struct pmu_vendor_entry *entry, const struct pmu_cpu_id *id,
			 uint64_t *config)
{
	if (is_unit(entry, "IIO"))
		return add_io_masks(entry, id, config);
	if (entry->port_mask)
		return pmu_vendor_wrong(entry, "PortMask");
	if (entry->fc_mask)
		return pmu_vendor_wrong(entry, "FCMask");
	/* config:32-63 is all there is; how much of it this kernel has its format says */
	if (entry->umask_ext >> 32 || (entry->umask_ext && is_skylake_server(id)))
		return pmu_vendor_wrong(entry, "UMaskExt");
	*config |= entry->umask_ext << 32;
	if (entry->ext_sel > 1)
		return pmu_vendor_wrong(entry, "ExtSel");
	*config |= entry->ext_sel << 21;
	return 0;
}

/* Is "Filter" about a register of filters?  "fc, chnl" are the masks above. */
static bool names_filter(const char *filter)
{
	for (const char *at = filter; *at; at++)
		if (!strncasecmp(at, "filter", 6))
			return true;
	return false;
}

/* CHAFilter1 is the upper half of config1, CHAFilter0 the lower. */
static int add_filter(const struct pmu_vendor_entry *entry, const struct pmu_cpu_id *id,
		      struct pmu_slot *slot, bool *open_filter)
{
	const char *filter = entry->filter;

	*open_filter = names_filter(filter) && !entry->filter_value;
	if (!entry->filter_value)
		return 0;
	if (!is_unit(entry, "CHA") || !is_skylake_server(id) || entry->filter_value > UINT32_MAX ||
	    (strncasecmp(filter, "CHAFilter1", 10) != 0 && strncasecmp(filter, "Filter1", 7) != 0))
		return pmu_vendor_wrong(entry, "FILTER_VALUE");
	slot->config1 = entry->filter_value << 32;
	return 0;
}

static int event_config(const struct pmu_vendor_entry *entry, uint64_t *config)
{
	if (entry->code > 0xff)
		return pmu_vendor_wrong(entry, "EventCode");
	if (entry->umask > 0xff)
		return pmu_vendor_wrong(entry, "UMask");
	if (entry->cmask > 0xff)
		return pmu_vendor_wrong(entry, "CounterMask");
	*config = entry->code | entry->umask << 8 | (uint64_t)entry->edge << 18 |
		  (uint64_t)entry->invert << 23 | entry->cmask << 24;
	return 0;
}

/* Linux's have in UMask, from bit 8 on, what is UMaskExt in Intel's. */
static struct pmu_vendor_entry as_intel_has_it(const struct pmu_vendor_entry *entry)
{
	struct pmu_vendor_entry same = *entry;

	if (same.file->is_linux && !same.umask_ext) {
		same.umask_ext = same.umask >> 8;
		same.umask &= 0xff;
	}
	return same;
}

static int make_uncore_slot(const struct pmu_vendor_entry *entry, const struct pmu_cpu_id *id,
			    struct pmu_slot *slot, bool *open_filter)
{
	struct pmu_slot new = *slot;
	int rc;

	if (entry->wrong)
		return pmu_vendor_wrong(entry, entry->wrong);
	if (!strcasecmp(entry->counter_type, "FREERUN"))
		return pmu_fail(
			ENOTSUP,
			"%.60s counts by itself, without an event code: the kernel has such counters "
			"as PMUs of their own, like uncore_imc_free_running/data_read/",
			entry->name);
	new.kind = PMU_SLOT_UNCORE;
	new.type = PMU_TYPE_NONE;
	new.config1 = 0;
	new.core_types = 0;
	rc = name_pmu(entry, &new);
	if (!rc)
		rc = event_config(entry, &new.config);
	if (!rc)
		rc = add_extension(entry, id, &new.config);
	if (!rc)
		rc = add_filter(entry, id, &new, open_filter);
	if (rc)
		return rc;
	settle_unit(id, &new);
	settle_clock(entry, &new);
	/* the kernel knows by itself which counters of a server's box can count an event */
	new.counters = new.unit == PMU_UNIT_NONE ? 0 : (uint32_t)entry->counters;
	*slot = new;
	return 0;
}

int pmu_intel_uncore_slot(const struct pmu_vendor_entry *entry, const struct pmu_cpu_id *id,
			  struct pmu_slot *slot, bool *open_filter)
{
	const struct pmu_vendor_entry same = as_intel_has_it(entry);

	return make_uncore_slot(&same, id, slot, open_filter);
}
