/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is done to the registers of one processor, phase by phase.
 *
 * Source: Intel SDM vol. 3B, "Full-Width Writes to Performance Counter Registers".
 */
#include "counters/msr/program_parts.h"
#include "counters/msr/registers.h"

#define FULL_WIDTH_WRITES (UINT64_C(1) << 13) /* of IA32_PERF_CAPABILITIES */

/* One processor's registers while operations are added. */
struct place {
	struct pmu_msr_build *b;
	const struct pmu_msr_core *core;
	const struct pmu_msr_core_cpu *cpu;
};

static uint64_t found_on_core(const struct place *p, int at)
{
	return at < 0 ? 0 : pmu_msr_found_at(p->b, p->cpu->look + (size_t)at);
}

static void put_register(const struct place *p, uint32_t address, uint64_t value)
{
	if (address)
		pmu_msr_add_write(p->b, p->cpu->cpu, -1, address, value);
}

static void put_bits(const struct place *p, uint32_t address, uint64_t value, uint64_t mask)
{
	if (address)
		pmu_msr_add_masked(p->b, p->cpu->cpu, -1, address, value, mask);
}

static bool is_general(const struct pmu_msr_chosen *chosen)
{
	return chosen->counter < PMU_COUNTER_FIXED;
}

static uint32_t select_of(const struct place *p, const struct pmu_msr_chosen *chosen)
{
	return pmu_msr_select_address(p->core->perfmon, (unsigned int)chosen->counter);
}

static bool full_width(const struct place *p)
{
	if (p->core->perfmon->family == PMU_PERFMON_AMD)
		return true;
	if (!p->b->found)
		return p->b->machine->model && p->b->machine->model->full_width;
	return found_on_core(p, p->core->at_capabilities) & FULL_WIDTH_WRITES;
}

static uint64_t keep_low_bits(uint64_t value, unsigned int bits)
{
	return bits >= 64 ? value : value & ((UINT64_C(1) << bits) - 1);
}

/* What a counter holds after a write of 32 bits: bit 31 fills those above. */
static uint64_t sign_extended(uint64_t value, unsigned int bits)
{
	return keep_low_bits((uint64_t)(int64_t)(int32_t)(uint32_t)value, bits);
}

/* Where and how a counter is written. */
struct counter_write {
	uint32_t address;
	uint64_t old;
	bool exact; /* the old value can be put back */
};

static struct counter_write counter_write(const struct place *p,
					  const struct pmu_msr_chosen *chosen)
{
	const struct pmu_perfmon *perfmon = p->core->perfmon;
	unsigned int i = (unsigned int)chosen->counter % PMU_COUNTER_FIXED;
	struct counter_write w = { .exact = true };

	if (!is_general(chosen)) {
		w.address = MSR_IA32_FIXED_CTR0 + i;
		w.old = found_on_core(p, p->core->at_fixed[i]);
		return w;
	}
	w.address = pmu_msr_counter_address(perfmon, i);
	w.old = found_on_core(p, p->core->at_counter[i]);
	if (perfmon->family == PMU_PERFMON_AMD)
		return w;
	if (full_width(p)) {
		w.address = MSR_IA32_A_PMC0 + i;
		return w;
	}
	w.exact = w.old == sign_extended(w.old, perfmon->general_bits);
	w.old &= UINT32_MAX;
	return w;
}

static void add_look(const struct place *p)
{
	for (unsigned int i = 0; i < p->core->n_look; i++)
		pmu_msr_add_read(p->b, p->cpu->cpu, -1, -1, p->core->look[i]);
}

static void add_selects(const struct place *p, bool old, uint64_t enable)
{
	for (unsigned int i = 0; i < p->core->n_chosen; i++) {
		const struct pmu_msr_chosen *chosen = &p->core->chosen[i];

		if (!is_general(chosen))
			continue;
		if (old)
			put_register(p, select_of(p, chosen),
				     found_on_core(p, p->core->at_select[chosen->counter]) &
					     ~enable);
		else
			put_register(p, select_of(p, chosen),
				     pmu_msr_core_select(p->core, chosen) | enable);
	}
}

static void add_extras(const struct place *p, bool old)
{
	for (unsigned int i = 0; i < p->core->n_chosen; i++) {
		const struct pmu_msr_chosen *chosen = &p->core->chosen[i];

		if (!chosen->request.extra ||
		    pmu_msr_same_extra(p->core->chosen, i, chosen->request.extra))
			continue;
		put_register(p, chosen->request.extra,
			     old ? found_on_core(p, p->core->at_extra[chosen->slot])
				 : chosen->request.extra_value);
	}
}

static void add_counters(const struct place *p, bool old)
{
	for (unsigned int i = 0; i < p->core->n_chosen; i++) {
		struct counter_write w = counter_write(p, &p->core->chosen[i]);

		if (w.exact)
			put_register(p, w.address, old ? w.old : 0);
	}
}

static void add_core_stop(const struct place *p)
{
	const struct pmu_msr_core *core = p->core;

	put_register(p, core->global_ctrl, found_on_core(p, core->at_global) & ~core->global_bits);
	if (core->fixed_mask)
		put_register(p, core->fixed_ctrl,
			     found_on_core(p, core->at_fixed_ctrl) & ~core->fixed_mask);
	add_selects(p, true, PMU_MSR_EN);
}

static void add_core_clear(const struct place *p)
{
	put_register(p, p->core->global_clear, p->core->global_bits);
}

static void add_core_select(const struct place *p)
{
	add_extras(p, false);
	add_selects(p, false, 0);
}

static void add_core_zero(const struct place *p)
{
	add_counters(p, false);
}

static void add_core_enable(const struct place *p)
{
	const struct pmu_msr_core *core = p->core;

	add_selects(p, false, PMU_MSR_EN);
	if (core->fixed_mask)
		put_register(p, core->fixed_ctrl,
			     (found_on_core(p, core->at_fixed_ctrl) & ~core->fixed_mask) |
				     core->fixed_value);
	put_register(p, core->global_ctrl, found_on_core(p, core->at_global) | core->global_bits);
}

static void add_read(const struct place *p)
{
	const struct pmu_msr_counter *counter = p->b->program->counter[p->cpu->kind];

	for (unsigned int i = 0; i < p->b->program->n_counters[p->cpu->kind]; i++)
		pmu_msr_add_read(p->b, p->cpu->cpu, -1, counter[i].slot, counter[i].address);
}

/* Others may have changed their bits of the shared registers meanwhile: those stay. */
static void add_core_restore(const struct place *p)
{
	const struct pmu_msr_core *core = p->core;

	put_bits(p, core->global_ctrl, 0, core->global_bits);
	put_bits(p, core->fixed_ctrl, 0, core->fixed_mask);
	add_selects(p, true, PMU_MSR_EN);
	add_counters(p, true);
	put_register(p, core->global_clear, core->global_bits);
	add_extras(p, true);
	add_selects(p, true, 0);
	put_bits(p, core->fixed_ctrl, found_on_core(p, core->at_fixed_ctrl), core->fixed_mask);
	put_bits(p, core->global_ctrl, found_on_core(p, core->at_global), core->global_bits);
}

static void (*const adders[PMU_MSR_PHASES])(const struct place *p) = {
	[PMU_MSR_LOOK] = add_look,        [PMU_MSR_STOP] = add_core_stop,
	[PMU_MSR_CLEAR] = add_core_clear, [PMU_MSR_SELECT] = add_core_select,
	[PMU_MSR_ZERO] = add_core_zero,   [PMU_MSR_ENABLE] = add_core_enable,
	[PMU_MSR_READ] = add_read,        [PMU_MSR_RESTORE] = add_core_restore,
};

void pmu_msr_core_add(struct pmu_msr_build *b)
{
	for (size_t i = 0; i < b->n_cpus; i++) {
		const struct pmu_msr_core *core = &b->core[b->cpu[i].kind];

		if (b->phase == PMU_MSR_LOOK)
			b->cpu[i].look = b->program->n_ops;
		else if (!core->n_chosen)
			continue;
		adders[b->phase](&(struct place){ .b = b, .core = core, .cpu = &b->cpu[i] });
	}
}
