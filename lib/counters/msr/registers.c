/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Registers' names and fields, from tables.  A row counts only on a machine that meets its
 * condition: addresses are used again by later models.
 *
 * Sources: Intel SDM vol. 4; AMD PPR families 17H and 19H, "MSR Registers".
 */
#include "counters/msr/registers.h"

#include <stdio.h>
#include <string.h>

#include "plan/select.h"

enum condition {
	INTEL,    /* architectural monitoring */
	INTEL_V2, /* with global control */
	INTEL_V3, /* from Nehalem on */
	INTEL_V4, /* with IA32_PERF_GLOBAL_INUSE */
	AMD_LEGACY,
	AMD_EXTENDED,
	AMD_V2,
	UNCORE_NEHALEM,
	UNCORE_SANDY_BRIDGE,
	UNCORE_SKYLAKE, /* also Ice Lake */
	UNCORE_CLIENT,  /* all three */
	UNCORE_CBO,     /* the first two of them */
	UNCORE_ICE_LAKE,
	UNCORE_AMD,
	RAPL_INTEL,
	RAPL_AMD,
};

/** What a value says, and whether a session writes it. */
enum what {
	SELECT,
	COUNTER,
	FIXED_COUNTER,
	GLOBAL,
	FIXED_CTRL,
	CLOCK_CTRL,
	CLIENT_GLOBAL,
	CLEAR,
	EXTRA,
	READ_ONLY
};

/** Registers at regular distances: @count groups of @inner. */
struct row {
	uint32_t first;
	uint16_t count, stride, inner, inner_stride;
	enum condition condition;
	enum what what;
	const char *format; /* for the number of the group and that in it; one "%u" or two */
};

#define ONE(address, on, is, name)                \
	{                                         \
		address, 1, 0, 1, 0, on, is, name \
	}
#define MANY(address, n, step, on, is, name)         \
	{                                            \
		address, n, step, 1, 0, on, is, name \
	}
#define CBOS(address, step, on, is, name)             \
	{                                             \
		address, 15, step, 2, 1, on, is, name \
	}

static const struct row rows[] = {
	MANY(MSR_IA32_PERFEVTSEL0, 32, 1, INTEL, SELECT, "IA32_PERFEVTSEL%u"),
	MANY(MSR_IA32_PMC0, 32, 1, INTEL, COUNTER, "IA32_PMC%u"),
	MANY(MSR_IA32_A_PMC0, 32, 1, INTEL, COUNTER, "IA32_A_PMC%u"),
	MANY(MSR_IA32_FIXED_CTR0, 16, 1, INTEL_V2, FIXED_COUNTER, "IA32_FIXED_CTR%u"),
	ONE(MSR_IA32_PERF_CAPABILITIES, INTEL, READ_ONLY, "IA32_PERF_CAPABILITIES"),
	ONE(MSR_IA32_FIXED_CTR_CTRL, INTEL_V2, FIXED_CTRL, "IA32_FIXED_CTR_CTRL"),
	ONE(MSR_IA32_PERF_GLOBAL_STATUS, INTEL_V2, READ_ONLY, "IA32_PERF_GLOBAL_STATUS"),
	ONE(MSR_IA32_PERF_GLOBAL_CTRL, INTEL_V2, GLOBAL, "IA32_PERF_GLOBAL_CTRL"),
	ONE(MSR_IA32_PERF_GLOBAL_OVF_CTRL, INTEL_V4, CLEAR, "IA32_PERF_GLOBAL_STATUS_RESET"),
	ONE(MSR_IA32_PERF_GLOBAL_OVF_CTRL, INTEL_V2, CLEAR, "IA32_PERF_GLOBAL_OVF_CTRL"),
	ONE(MSR_IA32_PERF_GLOBAL_INUSE, INTEL_V4, READ_ONLY, "IA32_PERF_GLOBAL_INUSE"),
	MANY(MSR_OFFCORE_RSP_0, 2, 1, INTEL_V3, EXTRA, "MSR_OFFCORE_RSP_%u"),
	ONE(MSR_PEBS_LD_LAT, INTEL_V3, EXTRA, "MSR_PEBS_LD_LAT"),
	ONE(MSR_PEBS_FRONTEND, INTEL_V4, EXTRA, "MSR_PEBS_FRONTEND"),

	ONE(MSR_UNCORE_PERF_GLOBAL_CTRL, UNCORE_NEHALEM, GLOBAL, "MSR_UNCORE_PERF_GLOBAL_CTRL"),
	ONE(MSR_UNCORE_PERF_GLOBAL_STATUS, UNCORE_NEHALEM, READ_ONLY,
	    "MSR_UNCORE_PERF_GLOBAL_STATUS"),
	ONE(MSR_UNCORE_PERF_GLOBAL_OVF_CTRL, UNCORE_NEHALEM, CLEAR,
	    "MSR_UNCORE_PERF_GLOBAL_OVF_CTRL"),
	ONE(MSR_UNCORE_FIXED_CTR0, UNCORE_NEHALEM, COUNTER, "MSR_UNCORE_FIXED_CTR0"),
	ONE(MSR_UNCORE_FIXED_CTR_CTRL, UNCORE_NEHALEM, CLOCK_CTRL, "MSR_UNCORE_FIXED_CTR_CTRL"),
	MANY(MSR_UNCORE_PMC0, 8, 1, UNCORE_NEHALEM, COUNTER, "MSR_UNCORE_PMC%u"),
	MANY(MSR_UNCORE_PERFEVTSEL0, 8, 1, UNCORE_NEHALEM, SELECT, "MSR_UNCORE_PERFEVTSEL%u"),

	ONE(MSR_UNC_PERF_GLOBAL_CTRL, UNCORE_SANDY_BRIDGE, CLIENT_GLOBAL,
	    "MSR_UNC_PERF_GLOBAL_CTRL"),
	ONE(MSR_UNC_PERF_GLOBAL_CTRL_SKL, UNCORE_SKYLAKE, CLIENT_GLOBAL,
	    "MSR_UNC_PERF_GLOBAL_CTRL"),
	ONE(MSR_UNC_PERF_FIXED_CTRL, UNCORE_CLIENT, CLOCK_CTRL, "MSR_UNC_PERF_FIXED_CTRL"),
	ONE(MSR_UNC_PERF_FIXED_CTR, UNCORE_CLIENT, COUNTER, "MSR_UNC_PERF_FIXED_CTR"),
	ONE(MSR_UNC_CBO_CONFIG, UNCORE_CLIENT, READ_ONLY, "MSR_UNC_CBO_CONFIG"),
	MANY(MSR_UNC_ARB_PERFCTR0, 2, 1, UNCORE_CLIENT, COUNTER, "MSR_UNC_ARB_PERFCTR%u"),
	MANY(MSR_UNC_ARB_PERFEVTSEL0, 2, 1, UNCORE_CLIENT, SELECT, "MSR_UNC_ARB_PERFEVTSEL%u"),
	CBOS(MSR_UNC_CBO_0_PERFEVTSEL0, 0x10, UNCORE_CBO, SELECT, "MSR_UNC_CBO_%u_PERFEVTSEL%u"),
	CBOS(MSR_UNC_CBO_0_PERFCTR0, 0x10, UNCORE_CBO, COUNTER, "MSR_UNC_CBO_%u_PERFCTR%u"),
	CBOS(MSR_UNC_CBO_0_PERFEVTSEL0, 0x8, UNCORE_ICE_LAKE, SELECT,
	     "MSR_UNC_CBO_%u_PERFEVTSEL%u"),
	CBOS(MSR_UNC_CBO_0_PERFCTR0_ICL, 0x8, UNCORE_ICE_LAKE, COUNTER, "MSR_UNC_CBO_%u_PERFCTR%u"),

	ONE(MSR_RAPL_POWER_UNIT, RAPL_INTEL, READ_ONLY, "MSR_RAPL_POWER_UNIT"),
	ONE(MSR_PKG_ENERGY_STATUS, RAPL_INTEL, READ_ONLY, "MSR_PKG_ENERGY_STATUS"),
	ONE(MSR_DRAM_ENERGY_STATUS, RAPL_INTEL, READ_ONLY, "MSR_DRAM_ENERGY_STATUS"),
	ONE(MSR_PP0_ENERGY_STATUS, RAPL_INTEL, READ_ONLY, "MSR_PP0_ENERGY_STATUS"),
	ONE(MSR_PP1_ENERGY_STATUS, RAPL_INTEL, READ_ONLY, "MSR_PP1_ENERGY_STATUS"),

	MANY(MSR_AMD_LEGACY_PERF_CTL0, 4, 1, AMD_LEGACY, SELECT, "PERF_LEGACY_CTL%u"),
	MANY(MSR_AMD_LEGACY_PERF_CTR0, 4, 1, AMD_LEGACY, COUNTER, "PERF_LEGACY_CTR%u"),
	/* six of them, or with PerfMonV2 as many as CPUID says: up to fifteen */
	MANY(MSR_AMD_PERF_CTL0, 15, 2, AMD_EXTENDED, SELECT, "PERF_CTL%u"),
	MANY(MSR_AMD_PERF_CTR0, 15, 2, AMD_EXTENDED, COUNTER, "PERF_CTR%u"),
	ONE(MSR_AMD_GLOBAL_STATUS, AMD_V2, READ_ONLY, "PERF_CNTR_GLOBAL_STATUS"),
	ONE(MSR_AMD_GLOBAL_CTL, AMD_V2, GLOBAL, "PERF_CNTR_GLOBAL_CTL"),
	ONE(MSR_AMD_GLOBAL_STATUS_CLR, AMD_V2, CLEAR, "PERF_CNTR_GLOBAL_STATUS_CLR"),
	MANY(MSR_AMD_L3_PERF_CTL0, 6, 2, UNCORE_AMD, SELECT, "L3_PERF_CTL%u"),
	MANY(MSR_AMD_L3_PERF_CTR0, 6, 2, UNCORE_AMD, COUNTER, "L3_PERF_CTR%u"),
	ONE(MSR_AMD_RAPL_POWER_UNIT, RAPL_AMD, READ_ONLY, "RAPL_POWER_UNIT"),
	ONE(MSR_AMD_CORE_ENERGY_STATUS, RAPL_AMD, READ_ONLY, "CORE_ENERGY_STATUS"),
	ONE(MSR_AMD_PKG_ENERGY_STATUS, RAPL_AMD, READ_ONLY, "PKG_ENERGY_STATUS"),
};

/* --- which row --- */

static bool has_core(const struct pmu_machine *machine, enum pmu_perfmon_family family,
		     unsigned int version)
{
	for (unsigned int k = 0; k < machine->n_kinds; k++)
		if (machine->kind[k].family == family && machine->kind[k].version >= version)
			return true;
	return false;
}

static bool has_extension(const struct pmu_machine *machine)
{
	return machine->n_kinds && machine->kind[0].core_extension;
}

static bool meets(const struct pmu_machine *machine, enum condition condition)
{
	enum pmu_uncore_layout uncore = machine->model ? machine->model->uncore : PMU_UNCORE_NONE;
	enum pmu_rapl_layout rapl = machine->model ? machine->model->rapl : PMU_RAPL_NONE;

	switch (condition) {
	case INTEL:
		return has_core(machine, PMU_PERFMON_INTEL, 1);
	case INTEL_V2:
		return has_core(machine, PMU_PERFMON_INTEL, 2);
	case INTEL_V3:
		return has_core(machine, PMU_PERFMON_INTEL, 3);
	case INTEL_V4:
		return has_core(machine, PMU_PERFMON_INTEL, 4);
	case AMD_LEGACY:
		return has_core(machine, PMU_PERFMON_AMD, 0) && !has_extension(machine);
	case AMD_EXTENDED:
		return has_core(machine, PMU_PERFMON_AMD, 0) && has_extension(machine);
	case AMD_V2:
		return has_core(machine, PMU_PERFMON_AMD, 2);
	case UNCORE_NEHALEM:
		return uncore == PMU_UNCORE_NEHALEM;
	case UNCORE_SANDY_BRIDGE:
		return uncore == PMU_UNCORE_SANDY_BRIDGE;
	case UNCORE_SKYLAKE:
		return uncore == PMU_UNCORE_SKYLAKE || uncore == PMU_UNCORE_ICE_LAKE;
	case UNCORE_CLIENT:
		return uncore == PMU_UNCORE_SANDY_BRIDGE || uncore == PMU_UNCORE_SKYLAKE ||
		       uncore == PMU_UNCORE_ICE_LAKE;
	case UNCORE_CBO:
		return uncore == PMU_UNCORE_SANDY_BRIDGE || uncore == PMU_UNCORE_SKYLAKE;
	case UNCORE_ICE_LAKE:
		return uncore == PMU_UNCORE_ICE_LAKE;
	case UNCORE_AMD:
		return uncore == PMU_UNCORE_AMD_L3 || uncore == PMU_UNCORE_AMD_L3_19H;
	case RAPL_INTEL:
		return rapl != PMU_RAPL_NONE && rapl != PMU_RAPL_AMD;
	case RAPL_AMD:
		return rapl == PMU_RAPL_AMD;
	}
	return false;
}

/* Where an address is in a row.  Return: whether it is. */
static bool in_row(const struct row *row, uint32_t address, unsigned int *group,
		   unsigned int *in_group)
{
	uint32_t off = address - row->first;

	if (address < row->first)
		return false;
	*group = row->stride ? off / row->stride : 0;
	off -= *group * row->stride;
	*in_group = row->inner_stride ? off / row->inner_stride : 0;
	off -= *in_group * row->inner_stride;
	return !off && *group < row->count && *in_group < row->inner;
}

/*
 * Does the counter of that number exist?  Rows are as long as registers of that kind can ever be.
 */
static bool counter_exists(const struct pmu_machine *machine, const struct row *row,
			   unsigned int group)
{
	uint32_t counters = 0, fixed = 0;

	if (row->condition != INTEL && row->condition != INTEL_V2)
		return true;
	for (unsigned int k = 0; k < machine->n_kinds; k++) {
		counters |= machine->kind[k].general;
		fixed |= machine->kind[k].fixed;
	}
	if (row->what == SELECT || row->what == COUNTER)
		return counters >> group & 1;
	return row->what == FIXED_COUNTER ? fixed >> group & 1 : true;
}

static const struct row *find_register(const struct pmu_machine *machine, uint32_t address,
				       unsigned int *group, unsigned int *in_group)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(rows); i++)
		if (in_row(&rows[i], address, group, in_group) &&
		    meets(machine, rows[i].condition) && counter_exists(machine, &rows[i], *group))
			return &rows[i];
	return NULL;
}

void pmu_msr_name(const struct pmu_machine *machine, uint32_t address, char *name, size_t size)
{
	unsigned int group, in_group;
	const struct row *row = find_register(machine, address, &group, &in_group);
	struct pmu_strbuf text = { 0 };
	const unsigned int number[] = { group, in_group };
	unsigned int n = 0;

	if (!row) {
		snprintf(name, size, "MSR %XH", address);
		return;
	}
	for (const char *at = row->format; *at; at++) {
		if (*at == '%' && n < 2) {
			pmu_strbuf_addf(&text, "%u", number[n++]);
			at++;
		} else {
			pmu_strbuf_add_n(&text, at, 1);
		}
	}
	snprintf(name, size, "%s", pmu_strbuf_text(&text));
	pmu_strbuf_free(&text);
}

bool pmu_msr_is_counting(const struct pmu_machine *machine, uint32_t address)
{
	unsigned int group, in_group;
	const struct row *row = find_register(machine, address, &group, &in_group);

	return row && row->what != READ_ONLY;
}

/* --- fields --- */

static void say_field(struct pmu_strbuf *out, size_t start, const char *text)
{
	pmu_strbuf_addf(out, "%s%s", out->len > start ? ", " : "", text);
}

static enum pmu_select_layout select_layout_of(const struct pmu_machine *machine,
					       enum condition condition)
{
	switch (condition) {
	case AMD_LEGACY:
	case AMD_EXTENDED:
		return PMU_SELECT_AMD;
	case UNCORE_NEHALEM:
		return PMU_SELECT_UNCORE_NEHALEM;
	case UNCORE_CLIENT:
	case UNCORE_CBO:
	case UNCORE_ICE_LAKE:
		return PMU_SELECT_UNCORE_CLIENT;
	case UNCORE_AMD:
		return machine->model->uncore == PMU_UNCORE_AMD_L3 ? PMU_SELECT_AMD_L3
								   : PMU_SELECT_AMD_L3_19H;
	default:
		return PMU_SELECT_INTEL;
	}
}

/* Which slices' and threads' accesses to the L3 are counted: masks, from family 19H on numbers. */
static void say_scope(enum pmu_select_layout layout, const struct pmu_select *s,
		      struct pmu_strbuf *out)
{
	if (layout == PMU_SELECT_AMD_L3)
		pmu_strbuf_addf(out, ", slices %XH, threads %XH", s->slices, s->threads);
	if (layout != PMU_SELECT_AMD_L3_19H)
		return;
	if (!s->all_slices)
		pmu_strbuf_addf(out, ", slice %u", s->slice);
	if (!s->all_cores)
		pmu_strbuf_addf(out, ", core %u", s->core);
	pmu_strbuf_addf(out, ", threads %XH", s->threads);
}

static void say_select(enum pmu_select_layout layout, uint64_t value, struct pmu_strbuf *out)
{
	struct pmu_select s;
	uint64_t rest = pmu_select_decode(layout, value, &s);
	size_t start = out->len;
	const struct {
		bool set;
		const char *name;
	} flags[] = {
		{ s.user, "USR" },
		{ s.os, "OS" },
		{ s.reset_occupancy, "OCC_CTR_RST" },
		{ s.edge, "EDGE" },
		{ s.pin_control, "PC" },
		{ s.interrupt, "INT" },
		{ s.any_thread, "ANY" },
		{ s.enable, "EN" },
		{ s.invert, "INV" },
		{ s.in_tx, "IN_TX" },
		{ s.in_txcp, "IN_TXCP" },
		{ s.equal, "EQ" },
		{ s.guest_only, "guests only" },
		{ s.host_only, "hosts only" },
		{ s.all_slices, "all slices" },
		{ s.all_cores, "all cores" },
	};

	pmu_strbuf_addf(out, "event %02XH, umask %02XH", s.event, s.umask);
	for (size_t i = 0; i < PMU_ARRAY_LEN(flags); i++)
		if (flags[i].set)
			say_field(out, start, flags[i].name);
	if (s.cmask)
		pmu_strbuf_addf(out, ", CMASK %u", s.cmask);
	if (s.umask2)
		pmu_strbuf_addf(out, ", UMASK2 %02XH", s.umask2);
	say_scope(layout, &s, out);
	if (rest)
		pmu_strbuf_addf(out, ", and bits %llXH", (unsigned long long)rest);
}

/* One bit a counter, fixed ones from 32 on. */
static void say_global(uint64_t value, struct pmu_strbuf *out)
{
	const char *between = "";

	for (unsigned int i = 0; i < 64; i++) {
		if (!(value >> i & 1))
			continue;
		if (i >= 48)
			pmu_strbuf_addf(out, "%sbit %u", between, i);
		else
			pmu_strbuf_addf(out, "%s%s%u", between, i < 32 ? "PMC" : "FIXED", i % 32);
		between = " ";
	}
}

static void say_fixed(uint64_t value, struct pmu_strbuf *out)
{
	static const char *const bits[] = { " OS", " USR", " ANY", " PMI" };
	size_t start = out->len;

	for (unsigned int i = 0; i < 8; i++) {
		char name[16];

		if (!(value >> 4 * i & 0xf))
			continue;
		snprintf(name, sizeof(name), "FIXED%u", i);
		say_field(out, start, name);
		for (unsigned int bit = 4; bit-- > 0;)
			if (value >> (4 * i + bit) & 1)
				pmu_strbuf_add(out, bits[bit]);
	}
	if (value >> 32)
		pmu_strbuf_addf(out, "%sand bits %llXH", out->len > start ? ", " : "",
				(unsigned long long)(value >> 32 << 32));
}

static void say_bit(uint64_t value, unsigned int bit, struct pmu_strbuf *out)
{
	uint64_t rest = value & ~(UINT64_C(1) << bit);

	if (value >> bit & 1)
		pmu_strbuf_add(out, rest ? "EN, " : "EN");
	if (rest)
		pmu_strbuf_addf(out, "bits %llXH", (unsigned long long)rest);
}

void pmu_msr_fields(const struct pmu_machine *machine, uint32_t address, uint64_t value,
		    struct pmu_strbuf *out)
{
	unsigned int group, in_group;
	const struct row *row = find_register(machine, address, &group, &in_group);

	if (!row || !value)
		return;
	switch (row->what) {
	case SELECT:
		say_select(select_layout_of(machine, row->condition), value, out);
		break;
	case GLOBAL:
	case CLEAR:
		say_global(value, out);
		break;
	case FIXED_CTRL:
		say_fixed(value, out);
		break;
	case CLOCK_CTRL:
		say_bit(value, row->condition == UNCORE_NEHALEM ? 0 : 22, out);
		break;
	case CLIENT_GLOBAL:
		say_bit(value, 29, out);
		break;
	default:
		break;
	}
}
