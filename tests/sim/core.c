/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters of Intel's cores, versions 1 to 5: Intel SDM vol. 3B, "Architectural Performance
 * Monitoring".
 */
#include "rules.h"

enum {
	PMC0 = 0xc1,
	SELECT0 = 0x186,
	OFFCORE_RSP_0 = 0x1a6,
	FIXED0 = 0x309,
	PERF_METRICS = 0x329,
	CAPABILITIES = 0x345,
	FIXED_CTRL = 0x38d,
	STATUS = 0x38e,
	GLOBAL_CTRL = 0x38f,
	OVF_CTRL = 0x390,
	STATUS_SET = 0x391,
	INUSE = 0x392,
	PEBS_ENABLE = 0x3f1,
	FULL_WIDTH_PMC0 = 0x4c1,
};

/* IA32_PERF_CAPABILITIES */
#define FULL_WIDTH_WRITE SIM_BIT(13)
#define PEBS_BASELINE    SIM_BIT(14)
#define METRICS          SIM_BIT(15)

static uint64_t counter_bits(const struct sim_core *core)
{
	return SIM_LOW(core->n_general) | SIM_LOW(core->n_fixed) << 32;
}

static uint64_t global_bits(const struct sim_core *core)
{
	return counter_bits(core) | (core->capabilities & METRICS ? SIM_BIT(48) : 0);
}

/*
 * Reserved bits raise #GP: bit 21 without AnyThread, 32 and 33 without TSX, everything above but
 * adaptive PEBS.
 */
static uint64_t select_bits(const struct sim_core *core, unsigned int i)
{
	uint64_t bits = UINT64_C(0xffdfffff);

	if (core->any)
		bits |= SIM_BIT(21);
	if (core->tsx)
		bits |= SIM_BIT(32) | (i == 2 ? SIM_BIT(33) : 0);
	if (core->capabilities & PEBS_BASELINE)
		bits |= SIM_BIT(34);
	return bits;
}

static uint64_t fixed_ctrl_bits(const struct sim_core *core)
{
	uint64_t bits = 0;

	for (unsigned int i = 0; i < core->n_fixed; i++) {
		bits |= (core->any ? UINT64_C(0xf) : UINT64_C(0xb)) << 4 * i;
		if (core->capabilities & PEBS_BASELINE)
			bits |= SIM_BIT(32 + 4 * i);
	}
	return bits;
}

/*
 * The status register: counters, bit 61 the uncore's (Nehalem), 62 the debug store, 63 a condition
 * changed.
 */
static uint64_t status_bits(const struct sim_machine *machine, const struct sim_core *core)
{
	uint64_t bits = global_bits(core) | SIM_BIT(62) | SIM_BIT(63);

	if (machine->cpu->nehalem_uncore)
		bits |= SIM_BIT(61);
	if (core->version >= 4) /* trace, LBR and counters frozen, SGX */
		bits |= SIM_BIT(55) | SIM_BIT(58) | SIM_BIT(59) | SIM_BIT(60);
	return bits;
}

static void add_general(struct sim_machine *machine, int kind, const struct sim_core *core)
{
	uint64_t width = SIM_LOW(core->general_bits);

	for (unsigned int i = 0; i < core->n_general; i++) {
		sim_add(machine, kind, SELECT0 + i, SIM_THREAD,
			(struct sim_rule){ SIM_STORE, select_bits(core, i), 0, 0, 0 });
		sim_add(machine, kind, PMC0 + i, SIM_THREAD,
			(struct sim_rule){ SIM_SIGN, width, 0, 0, 0 });
		if (core->capabilities & FULL_WIDTH_WRITE)
			sim_add(machine, kind, FULL_WIDTH_PMC0 + i, SIM_THREAD,
				(struct sim_rule){ SIM_ALIAS, width, 0, 0, PMC0 + i });
	}
}

/*
 * Version 2 and later.  After reset the general counters are enabled here, for software of version
 * 1: SDM, table "IA-32 and Intel 64 Processor States Following Power-up, Reset, or INIT",
 * IA32_PERF_GLOBAL_CTRL.
 */
static void add_global(struct sim_machine *machine, int kind, const struct sim_core *core)
{
	uint64_t status = status_bits(machine, core);

	for (unsigned int i = 0; i < core->n_fixed; i++)
		sim_add(machine, kind, FIXED0 + i, SIM_THREAD,
			(struct sim_rule){ SIM_STORE, SIM_LOW(core->fixed_bits), 0, 0, 0 });
	sim_add(machine, kind, FIXED_CTRL, SIM_THREAD,
		(struct sim_rule){ SIM_STORE, fixed_ctrl_bits(core), 0, 0, 0 });
	sim_add(machine, kind, STATUS, SIM_THREAD, (struct sim_rule){ SIM_CONST, 0, 0, 0, 0 });
	sim_add(machine, kind, GLOBAL_CTRL, SIM_THREAD,
		(struct sim_rule){ SIM_STORE, global_bits(core), 0, SIM_LOW(core->n_general), 0 });
	sim_add(machine, kind, OVF_CTRL, SIM_THREAD,
		(struct sim_rule){ SIM_CLEAR, status, 0, 0, STATUS });
	if (core->version < 4)
		return;
	sim_add(machine, kind, STATUS_SET, SIM_THREAD,
		(struct sim_rule){ SIM_SET, status, 0, 0, STATUS });
	sim_add(machine, kind, INUSE, SIM_THREAD, (struct sim_rule){ SIM_INUSE, 0, 0, 0, 0 });
}

/* Registers beside the counters that a program for counters may touch. */
static void add_others(struct sim_machine *machine, int kind, const struct sim_core *core)
{
	sim_add(machine, kind, 0x1a0, SIM_THREAD, /* IA32_MISC_ENABLE: monitoring is there */
		(struct sim_rule){ SIM_STORE, ~UINT64_C(0), 0, SIM_BIT(0) | SIM_BIT(7), 0 });
	sim_add(machine, kind, 0x1d9, SIM_THREAD, /* IA32_DEBUGCTL */
		(struct sim_rule){ SIM_STORE, UINT64_C(0x7fc3), 0, 0, 0 });
	if (core->has_capabilities)
		sim_add(machine, kind, CAPABILITIES, SIM_THREAD,
			(struct sim_rule){ SIM_CONST, 0, 0, core->capabilities, 0 });
	if (core->capabilities & METRICS)
		sim_add(machine, kind, PERF_METRICS, SIM_THREAD,
			(struct sim_rule){ SIM_STORE, ~UINT64_C(0), 0, 0, 0 });
	for (unsigned int i = 0; i < 2; i++)
		if (core->offcore[i])
			sim_add(machine, kind, OFFCORE_RSP_0 + i, SIM_CORE,
				(struct sim_rule){ SIM_STORE, core->offcore[i], 0, 0, 0 });
	if (core->version >= 2)
		sim_add(machine, kind, PEBS_ENABLE, SIM_THREAD,
			(struct sim_rule){ SIM_STORE, global_bits(core), 0, 0, 0 });
	if (core->load_latency)
		sim_add(machine, kind, 0x3f6, SIM_THREAD,
			(struct sim_rule){ SIM_STORE, 0xffff, 0, 0, 0 });
	if (core->frontend)
		sim_add(machine, kind, 0x3f7, SIM_THREAD,
			(struct sim_rule){ SIM_STORE, 0x7fff17, 0, 0, 0 });
}

void sim_add_core(struct sim_machine *machine, int kind)
{
	const struct sim_core *core = &machine->cpu->core[kind];

	if (!core->n_general)
		return;
	add_general(machine, kind, core);
	if (core->version >= 2)
		add_global(machine, kind, core);
	add_others(machine, kind, core);
}

/*
 * IA32_PERF_GLOBAL_INUSE: an event in a select, an enabled fixed counter, bit 63 for any interrupt.
 */
uint64_t sim_inuse(struct sim_machine *machine, size_t place)
{
	const struct sim_core *core = sim_core_of(machine, place);
	uint64_t fixed = sim_value(machine, place, FIXED_CTRL), inuse = 0;

	for (unsigned int i = 0; i < core->n_general; i++) {
		uint64_t select = sim_value(machine, place, SELECT0 + i);

		if (select & 0xff)
			inuse |= SIM_BIT(i);
		if (select & SIM_BIT(20))
			inuse |= SIM_BIT(63);
	}
	for (unsigned int i = 0; i < core->n_fixed; i++) {
		if (fixed >> 4 * i & 3)
			inuse |= SIM_BIT(32 + i);
		if (fixed >> 4 * i & 8)
			inuse |= SIM_BIT(63);
	}
	return inuse;
}

static void overflow(struct sim_machine *machine, size_t place, unsigned int bit)
{
	uint64_t *status = sim_cell(machine, place, STATUS);

	if (status)
		*status |= SIM_BIT(bit);
}

static bool general_counts(const struct sim_core *core, uint64_t select, uint64_t enabled,
			   unsigned int i, bool sibling, const struct sim_event *event)
{
	if (!(event->event || event->umask) || (select & 0xff) != event->event ||
	    (select >> 8 & 0xff) != event->umask)
		return false;
	if (!(select & SIM_BIT(22)) || !(select & SIM_BIT(event->kernel ? 17 : 16)))
		return false;
	if (sibling && !(select & SIM_BIT(21)))
		return false;
	return core->version < 2 || enabled >> i & 1;
}

static bool fixed_counts(uint64_t control, uint64_t enabled, unsigned int i, bool sibling,
			 const struct sim_event *event)
{
	uint64_t nibble = control >> 4 * i;

	if (!(event->fixed >> i & 1) || !(enabled >> (32 + i) & 1))
		return false;
	return nibble & (event->kernel ? 1 : 2) && (!sibling || nibble & 4);
}

void sim_count_core(struct sim_machine *machine, size_t place, bool sibling,
		    const struct sim_event *event)
{
	const struct sim_core *core = sim_core_of(machine, place);
	uint64_t enabled = sim_value(machine, place, GLOBAL_CTRL);
	uint64_t control = sim_value(machine, place, FIXED_CTRL);

	for (unsigned int i = 0; i < core->n_general; i++) {
		uint64_t select = sim_value(machine, place, SELECT0 + i);

		if (general_counts(core, select, enabled, i, sibling, event) &&
		    sim_advance(sim_cell(machine, place, PMC0 + i), core->general_bits,
				sim_condition(select, select >> 24 & 0xff, event->n)))
			overflow(machine, place, i);
	}
	for (unsigned int i = 0; i < core->n_fixed; i++)
		if (fixed_counts(control, enabled, i, sibling, event) &&
		    sim_advance(sim_cell(machine, place, FIXED0 + i), core->fixed_bits, event->n))
			overflow(machine, place, 32 + i);
}
