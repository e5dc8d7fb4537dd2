/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Events of AMD's, Arm's and RISC-V processors, as the kernel's PMUs take them.
 *
 * Sources: Linux, tools/perf/pmu-events/jevents.py (members, names of units), and the formats of
 * arch/x86/events/amd/core.c and uncore.c, drivers/perf/arm_pmuv3.c, drivers/perf/riscv_pmu_sbi.c,
 * drivers/perf/hisilicon/; AMD PPRs, L3 and data fabric performance counters.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "base/error.h"
#include "names/vendor/slot.h"
#include "plan/select.h"

#define WIDTH(bits) ((UINT64_C(1) << (bits)) - 1)

/* A member that has to fit into so many bits. */
struct limit {
	const char *name;
	uint64_t value, most;
};

static int check_field_limits(const struct pmu_vendor_entry *entry, const struct limit *limit,
			      size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (limit[i].value > limit[i].most)
			return pmu_vendor_wrong(entry, limit[i].name);
	return 0;
}

/* What only a PMU of another kind has. */
static int check_other_fields(const struct pmu_vendor_entry *entry, uint64_t umask,
			      uint64_t rd_wr_mask, bool l3)
{
	const struct limit limits[] = {
		{ "UMask", entry->umask, umask },
		{ "RdWrMask", entry->rd_wr_mask, rd_wr_mask },
		{ "SliceId", entry->slice, l3 ? WIDTH(3) : 0 },
		{ "ThreadMask", entry->thread_mask, l3 ? WIDTH(4) : 0 },
		{ "EnAllSlices", entry->all_slices, l3 },
		{ "EnAllCores", entry->all_cores, l3 },
		{ "UMaskExt", entry->umask_ext, 0 },
		{ "MSRIndex", entry->msr_index, 0 },
		{ "PortMask", entry->port_mask, 0 },
		{ "FCMask", entry->fc_mask, 0 },
		{ "ExtSel", entry->ext_sel, 0 },
		{ "FILTER_VALUE", entry->filter_value, 0 },
		{ "Filter", strlen(entry->filter), 0 },
		{ "AnyThread", entry->any, 0 },
		{ "Equal", entry->equal, 0 },
	};

	return check_field_limits(entry, limits, PMU_ARRAY_LEN(limits));
}

static int check_modifiers(const struct pmu_vendor_entry *entry, uint64_t cmask)
{
	const struct limit limits[] = {
		{ "CounterMask", entry->cmask, cmask },
		{ "Invert", entry->invert, !!cmask },
		{ "EdgeDetect", entry->edge, !!cmask },
	};

	return check_field_limits(entry, limits, PMU_ARRAY_LEN(limits));
}

/* --- cores --- */

static int amd_core(const struct pmu_vendor_entry *entry, struct pmu_slot *slot)
{
	const struct pmu_select select = { .event = (uint16_t)entry->code,
					   .umask = (uint8_t)entry->umask,
					   .cmask = (uint8_t)entry->cmask,
					   .invert = entry->invert,
					   .edge = entry->edge };

	if (entry->code > WIDTH(12) || entry->whole)
		return pmu_vendor_wrong(entry, "EventCode");
	slot->config = pmu_select_encode(PMU_SELECT_AMD, &select);
	return check_modifiers(entry, WIDTH(8));
}

/* An event's number is all of its code: 16 bits of Arm's, of RISC-V's what the SBI takes. */
static int plain_core(const struct pmu_vendor_entry *entry, const struct pmu_cpu_id *id,
		      struct pmu_slot *slot)
{
	bool arm = pmu_cpu_arch(id) == PMU_ARCH_ARM;

	/* RISC-V's firmware events have the upper bit */
	if (arm ? entry->code > WIDTH(16) || entry->whole
		: !entry->whole && entry->code > WIDTH(48))
		return pmu_vendor_wrong(entry, "EventCode");
	slot->config = entry->code;
	return check_modifiers(entry, 0);
}

static int core_slot(const struct pmu_vendor_entry *entry, const struct pmu_cpu_id *id,
		     struct pmu_slot *slot)
{
	bool amd = pmu_cpu_arch(id) == PMU_ARCH_X86;
	int rc = check_other_fields(entry, amd ? WIDTH(8) : 0, 0, false);

	slot->kind = PMU_SLOT_CORE;
	slot->type = PERF_TYPE_RAW;
	if (!rc)
		rc = amd ? amd_core(entry, slot) : plain_core(entry, id, slot);
	return rc;
}

/* --- outside the cores --- */

/* Zen 4 and later: family 19H but for Zen 3's models, and what comes behind it. */
static bool has_perfmon_v2(const struct pmu_cpu_id *id)
{
	const struct pmu_cpu_model *model = pmu_cpu_model_find(id);

	return id->family > 0x19 ||
	       (id->family == 0x19 && model && !strncmp(model->microarchitecture, "Zen 4", 5));
}

/* Slices, cores and threads that are not named are all of them. */
static int l3_config(const struct pmu_vendor_entry *entry, const struct pmu_cpu_id *id,
		     uint64_t *config)
{
	bool masks = id->family <= 0x18;
	struct pmu_select select = { .event = (uint16_t)entry->code,
				     .umask = (uint8_t)entry->umask,
				     .slice = (uint8_t)entry->slice,
				     .threads = (uint8_t)entry->thread_mask,
				     .all_slices = entry->all_slices,
				     .all_cores = entry->all_cores };
	int rc = check_other_fields(entry, WIDTH(8), 0, !masks);

	if (rc)
		return rc;
	if (entry->code > WIDTH(8))
		return pmu_vendor_wrong(entry, "EventCode");
	if (!select.threads)
		select.slices = select.threads = 0xff;
	*config = pmu_select_encode(masks ? PMU_SELECT_AMD_L3 : PMU_SELECT_AMD_L3_19H, &select);
	return 0;
}

/* Twelve bits of both are at the same place everywhere, more of them are the second version's. */
static int df_config(const struct pmu_vendor_entry *entry, const struct pmu_cpu_id *id,
		     uint64_t *config)
{
	bool v2 = has_perfmon_v2(id);

	if (entry->code > WIDTH(v2 ? 14 : 12))
		return pmu_vendor_wrong(entry, "EventCode");
	*config = (entry->code & 0xff) | (entry->code >> 8) << 32 | (entry->umask & 0xff) << 8 |
		  (entry->umask >> 8) << 24;
	return check_other_fields(entry, WIDTH(v2 ? 12 : 8), 0, false);
}

static int umc_config(const struct pmu_vendor_entry *entry, const struct pmu_cpu_id *id,
		      uint64_t *config)
{
	if (entry->code > WIDTH(8) || !has_perfmon_v2(id))
		return pmu_vendor_wrong(entry, "EventCode");
	*config = entry->code | entry->rd_wr_mask << 8;
	return check_other_fields(entry, 0, WIDTH(2), false);
}

static int hisi_config(const struct pmu_vendor_entry *entry, const struct pmu_cpu_id *id,
		       uint64_t *config)
{
	(void)id;
	if (entry->code > WIDTH(8))
		return pmu_vendor_wrong(entry, "EventCode");
	*config = entry->code;
	return check_other_fields(entry, 0, 0, false);
}

static const struct unit {
	const char *name, *pmu;
	enum pmu_cpu_arch arch;
	uint8_t unit; /* what registers can program */
	int (*config)(const struct pmu_vendor_entry *entry, const struct pmu_cpu_id *id,
		      uint64_t *config);
} units[] = {
	{ "L3PMC", "amd_l3", PMU_ARCH_X86, PMU_UNIT_L3, l3_config },
	{ "DFPMC", "amd_df", PMU_ARCH_X86, PMU_UNIT_NONE, df_config },
	{ "UMCPMC", "amd_umc", PMU_ARCH_X86, PMU_UNIT_NONE, umc_config },
	/* hisi_scclX_ddrcY */
	{ "hisi_sccl,ddrc", "hisi_sccl,ddrc", PMU_ARCH_ARM, PMU_UNIT_NONE, hisi_config },
	{ "hisi_sccl,hha", "hisi_sccl,hha", PMU_ARCH_ARM, PMU_UNIT_NONE, hisi_config },
	{ "hisi_sccl,l3c", "hisi_sccl,l3c", PMU_ARCH_ARM, PMU_UNIT_NONE, hisi_config },
};

static const struct unit *unit_of(const struct pmu_vendor_entry *entry, const struct pmu_cpu_id *id)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(units); i++)
		if (!strcasecmp(units[i].name, entry->unit) && units[i].arch == pmu_cpu_arch(id))
			return &units[i];
	return NULL;
}

static int unit_slot(const struct pmu_vendor_entry *entry, const struct pmu_cpu_id *id,
		     struct pmu_slot *slot)
{
	const struct unit *unit = unit_of(entry, id);
	int rc = unit ? check_modifiers(entry, 0) : 0;

	if (!unit)
		return pmu_fail(ENOTSUP,
				"%.60s is counted outside the cores by %.40s, whose events are not "
				"known here: write its terms as the kernel has them, PMU/term=.../",
				entry->name, entry->unit);
	slot->kind = PMU_SLOT_UNCORE;
	slot->type = PMU_TYPE_NONE;
	slot->unit = unit->unit;
	snprintf(slot->pmu, sizeof(slot->pmu), "%s", unit->pmu);
	return rc ? rc : unit->config(entry, id, &slot->config);
}

int pmu_linux_slot(const struct pmu_vendor_entry *entry, const struct pmu_cpu_id *id,
		   struct pmu_slot *slot)
{
	struct pmu_slot new = *slot;
	int rc;

	if (entry->wrong)
		return pmu_vendor_wrong(entry, entry->wrong);
	new.config1 = new.extra = 0;
	new.extra_value = 0;
	new.counters = 0;
	new.core_types = 0;
	rc = entry->unit[0] ? unit_slot(entry, id, &new) : core_slot(entry, id, &new);
	if (!rc)
		*slot = new;
	return rc;
}
