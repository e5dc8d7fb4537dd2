/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters of the cores: their registers, and which counter counts what.
 *
 * Sources: Intel SDM vol. 3B, "Architectural Performance Monitoring" (versions 1 to 5); AMD APM
 * vol. 2, "Performance Monitoring Counters" (legacy, extended, PerfMonV2).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "counters/msr/program_parts.h"
#include "counters/msr/registers.h"

#define RDPMC_FIXED (1u << 30)

/* --- registers of a kind of core --- */

uint32_t pmu_msr_select_address(const struct pmu_perfmon *perfmon, unsigned int i)
{
	if (perfmon->family == PMU_PERFMON_INTEL)
		return MSR_IA32_PERFEVTSEL0 + i;
	return perfmon->core_extension ? MSR_AMD_PERF_CTL0 + 2 * i : MSR_AMD_LEGACY_PERF_CTL0 + i;
}

uint32_t pmu_msr_counter_address(const struct pmu_perfmon *perfmon, unsigned int i)
{
	if (perfmon->family == PMU_PERFMON_INTEL)
		return MSR_IA32_PMC0 + i;
	return perfmon->core_extension ? MSR_AMD_PERF_CTR0 + 2 * i : MSR_AMD_LEGACY_PERF_CTR0 + i;
}

/* Counters that the processors of this machine can reach. */
static uint32_t reachable(const struct pmu_machine *machine, const struct pmu_perfmon *perfmon)
{
	/*
	 * Sandy Bridge to before Ice Lake: counters 4 to 7 of a thread are those its sibling does
	 * not have
	 */
	if (perfmon->family == PMU_PERFMON_INTEL && perfmon->version < 5 && machine->smt)
		return perfmon->general & 0xf;
	/* the legacy registers are four */
	if (perfmon->family == PMU_PERFMON_AMD && !perfmon->core_extension)
		return perfmon->general & 0xf;
	return perfmon->general;
}

static void set_shared_registers(struct pmu_msr_core *core)
{
	const struct pmu_perfmon *perfmon = core->perfmon;

	if (perfmon->version < 2)
		return;
	if (perfmon->family == PMU_PERFMON_AMD) {
		core->global_ctrl = MSR_AMD_GLOBAL_CTL;
		core->global_status = MSR_AMD_GLOBAL_STATUS;
		core->global_clear = MSR_AMD_GLOBAL_STATUS_CLR;
		return;
	}
	core->global_ctrl = MSR_IA32_PERF_GLOBAL_CTRL;
	core->global_status = MSR_IA32_PERF_GLOBAL_STATUS;
	core->global_clear = MSR_IA32_PERF_GLOBAL_OVF_CTRL;
	core->fixed_ctrl = core->fixed ? MSR_IA32_FIXED_CTR_CTRL : 0;
	core->inuse = perfmon->version >= 4 ? MSR_IA32_PERF_GLOBAL_INUSE : 0;
	core->capabilities = perfmon->pdcm ? MSR_IA32_PERF_CAPABILITIES : 0;
}

static int look_at_register(struct pmu_msr_core *core, uint32_t address)
{
	if (!address)
		return -1;
	core->look[core->n_look] = address;
	return (int)core->n_look++;
}

/* What these cores count of it. */
static struct pmu_slot slot_on(const struct pmu_msr_build *b, unsigned int i,
			       const struct pmu_perfmon *perfmon)
{
	struct pmu_slot slot = b->plan->slot[i];

	if (perfmon->core_type == PMU_CORE_E)
		pmu_slot_use_e_code(&slot);
	return slot;
}

/* Second registers of events, each once. */
static void look_at_extras(const struct pmu_msr_build *b, struct pmu_msr_core *core)
{
	uint32_t extra[PMU_MAX_SLOTS];

	for (unsigned int i = 0; i < b->plan->n_slots; i++) {
		const struct pmu_slot slot = slot_on(b, i, core->perfmon);

		core->at_extra[i] = -1;
		extra[i] = slot.extra;
		if (slot.kind != PMU_SLOT_CORE || !slot.extra ||
		    !pmu_msr_is_counting(b->machine, slot.extra))
			continue;
		for (unsigned int j = 0; j < i; j++)
			if (core->at_extra[j] >= 0 && extra[j] == slot.extra)
				core->at_extra[i] = core->at_extra[j];
		if (core->at_extra[i] < 0)
			core->at_extra[i] = look_at_register(core, slot.extra);
	}
}

static void start_kind(struct pmu_msr_build *b, unsigned int kind)
{
	struct pmu_msr_core *core = &b->core[kind];

	core->perfmon = &b->machine->kind[kind];
	/* nothing is looked at that will not be written */
	if (core->perfmon->family == PMU_PERFMON_NONE || !pmu_msr_listed(b, PMU_SLOT_CORE))
		return;
	core->general = reachable(b->machine, core->perfmon);
	if (core->perfmon->family == PMU_PERFMON_INTEL && core->perfmon->version >= 2)
		core->fixed = core->perfmon->fixed & 0xffff;
	set_shared_registers(core);
	core->at_global = look_at_register(core, core->global_ctrl);
	look_at_register(core, core->global_status);
	core->at_inuse = look_at_register(core, core->inuse);
	core->at_fixed_ctrl = look_at_register(core, core->fixed_ctrl);
	core->at_capabilities = look_at_register(core, core->capabilities);
	for (unsigned int i = 0; i < PMU_MSR_MAX_GENERAL; i++)
		if (core->general >> i & 1)
			core->at_select[i] = look_at_register(
				core, pmu_msr_select_address(core->perfmon, i));
	for (unsigned int i = 0; i < PMU_MSR_MAX_GENERAL; i++)
		if (core->general >> i & 1)
			core->at_counter[i] = look_at_register(
				core, pmu_msr_counter_address(core->perfmon, i));
	for (unsigned int i = 0; i < PMU_MSR_MAX_FIXED; i++)
		if (core->fixed >> i & 1)
			core->at_fixed[i] = look_at_register(core, MSR_IA32_FIXED_CTR0 + i);
	look_at_extras(b, core);
}

/* Is a processor to be counted on?  Both lists are ascending. */
static bool in_plan(const struct pmu_plan *plan, int cpu, unsigned int *at)
{
	if (!plan->n_cpus)
		return true;
	while (*at < plan->n_cpus && plan->cpu[*at] < cpu)
		++*at;
	return *at < plan->n_cpus && plan->cpu[*at] == cpu;
}

int pmu_msr_core_start(struct pmu_msr_build *b)
{
	const struct pmu_machine *machine = b->machine;
	unsigned int at = 0;

	b->cpu = calloc(machine->n_cpus ? machine->n_cpus : 1, sizeof(*b->cpu));
	if (!b->cpu)
		return pmu_fail(ENOMEM, "no memory for the plan of a session");
	for (unsigned int k = 0; k < machine->n_kinds; k++)
		start_kind(b, k);
	for (size_t i = 0; i < machine->n_cpus; i++) {
		const struct pmu_machine_cpu *cpu = &machine->cpu[i];

		if (!in_plan(b->plan, cpu->pu.cpu, &at))
			continue;
		b->cpu[b->n_cpus++] = (struct pmu_msr_core_cpu){ .cpu = cpu->pu.cpu,
								 .kind = cpu->kind };
		b->core[cpu->kind].n_cpus++;
	}
	return 0;
}

/* --- which counter counts what --- */

static bool runs_on(const struct pmu_slot *slot, const struct pmu_perfmon *perfmon)
{
	if (!slot->core_types || perfmon->core_type == PMU_CORE_ONLY)
		return true;
	return slot->core_types & (perfmon->core_type == PMU_CORE_P ? PMU_SLOT_P : PMU_SLOT_E);
}

const struct pmu_msr_chosen *pmu_msr_same_extra(const struct pmu_msr_chosen *chosen, unsigned int n,
						uint32_t extra)
{
	for (unsigned int i = 0; i < n; i++)
		if (chosen[i].request.extra == extra)
			return &chosen[i];
	return NULL;
}

/* A second register that an event beside it needs otherwise: 0, or -ENOSPC with a sentence. */
static int check_shared_extra(const struct pmu_msr_core *core, const struct pmu_msr_chosen *chosen,
			      unsigned int n, const struct pmu_slot *slot, unsigned int at)
{
	unsigned int event = chosen[n].request.select.event & 0xff;
	const struct pmu_msr_chosen *other = pmu_msr_same_extra(chosen, n, slot->extra);

	if (!slot->extra)
		return 0;
	if (core->at_extra[at] < 0)
		return pmu_fail(EINVAL, "register %XH is none of those that events need",
				slot->extra);
	if (other && other->request.extra_value != slot->extra_value)
		return pmu_fail(
			ENOSPC,
			"register %XH is needed with two values at the same time: ask for one of these "
			"events at a time",
			slot->extra);
	if (core->taken_events[event / 64] >> event % 64 & 1)
		return pmu_fail(ENOSPC,
				"another program counts event %02XH, so register %XH is theirs",
				event, slot->extra);
	return 0;
}

static pmu_counters counters_of_request(const struct pmu_msr_request *request)
{
	pmu_counters counters = request->selectable ? request->general : 0;

	if (request->fixed >= 0)
		counters |= (pmu_counters)1 << (PMU_COUNTER_FIXED + request->fixed);
	return counters;
}

static pmu_counters free_counters(const struct pmu_msr_core *core)
{
	return (core->general | (pmu_counters)core->fixed << PMU_COUNTER_FIXED) & ~core->taken;
}

/* What one kind refuses and why; the sentence of the first. */
struct refusals {
	int error[PMU_MAX_SLOTS];
	char why[PMU_MAX_SLOTS][sizeof(((struct pmu_probe *)NULL)->why)];
};

static void refuse_slot(struct refusals *refusals, unsigned int slot, int error, const char *why)
{
	if (refusals->error[slot])
		return;
	refusals->error[slot] = error;
	snprintf(refusals->why[slot], sizeof(refusals->why[slot]), "%s", why);
}

/* Events of one kind of core, as far as they are possible at all.  Return: how many. */
static unsigned int collect_core_events(const struct pmu_msr_build *b, unsigned int kind,
					struct refusals *refusals, struct pmu_msr_chosen *chosen)
{
	const struct pmu_msr_core *core = &b->core[kind];
	unsigned int n = 0;

	for (unsigned int i = 0; i < b->plan->n_slots; i++) {
		const struct pmu_slot slot = slot_on(b, i, core->perfmon);
		int rc;

		if (!pmu_msr_wanted(b, i, PMU_SLOT_CORE))
			continue;
		if (!runs_on(&slot, core->perfmon)) {
			refuse_slot(refusals, i, -ENOENT,
				    "the event is one of another type of core");
			continue;
		}
		rc = pmu_msr_request(b->machine, kind, &slot, &chosen[n].request);
		if (!rc)
			rc = check_shared_extra(core, chosen, n, &slot, i);
		if (rc) {
			refuse_slot(refusals, i, rc, pmu_error_text());
			continue;
		}
		chosen[n++].slot = (int)i;
	}
	return n;
}

/* The chosen counters' bits in the registers that all share. */
static void gather_bits(struct pmu_msr_core *core)
{
	for (unsigned int i = 0; i < core->n_chosen; i++) {
		const struct pmu_msr_chosen *chosen = &core->chosen[i];
		const struct pmu_select *select = &chosen->request.select;
		unsigned int fixed = (unsigned int)chosen->counter - PMU_COUNTER_FIXED;

		core->global_bits |= UINT64_C(1) << chosen->counter;
		if (chosen->counter < PMU_COUNTER_FIXED)
			continue;
		core->fixed_mask |= pmu_select_fixed(fixed, true, true, true, true);
		core->fixed_value |= pmu_select_fixed(fixed, select->os, select->user,
						      select->any_thread, false);
	}
}

uint64_t pmu_msr_core_select(const struct pmu_msr_core *core, const struct pmu_msr_chosen *chosen)
{
	bool amd = core->perfmon->family == PMU_PERFMON_AMD;

	return pmu_select_encode(amd ? PMU_SELECT_AMD : PMU_SELECT_INTEL, &chosen->request.select);
}

static void set_holds(const struct pmu_msr_core *core, const struct pmu_msr_chosen *chosen,
		      struct pmu_msr_hold hold[PMU_MSR_HOLDS])
{
	const struct pmu_select *select = &chosen->request.select;
	unsigned int i = (unsigned int)chosen->counter % PMU_COUNTER_FIXED;
	uint64_t global = UINT64_C(1) << chosen->counter;

	if (chosen->counter >= PMU_COUNTER_FIXED)
		hold[0] = (struct pmu_msr_hold){
			core->fixed_ctrl,
			pmu_select_fixed(i, true, true, true, true),
			pmu_select_fixed(i, select->os, select->user, select->any_thread, false),
		};
	else
		hold[0] = (struct pmu_msr_hold){ pmu_msr_select_address(core->perfmon, i),
						 UINT64_MAX,
						 pmu_msr_core_select(core, chosen) | PMU_MSR_EN };
	hold[1] = (struct pmu_msr_hold){ core->global_ctrl, global, global };
	hold[2] = (struct pmu_msr_hold){ chosen->request.extra, UINT64_MAX,
					 chosen->request.extra_value };
}

static void set_counters(struct pmu_msr_build *b, unsigned int kind)
{
	const struct pmu_msr_core *core = &b->core[kind];

	b->program->n_counters[kind] = core->n_chosen;
	for (unsigned int i = 0; i < core->n_chosen; i++) {
		bool fixed = core->chosen[i].counter >= PMU_COUNTER_FIXED;
		unsigned int index = (unsigned int)core->chosen[i].counter % PMU_COUNTER_FIXED;

		b->counted |= 1u << core->chosen[i].slot;
		b->program->counter[kind][i] = (struct pmu_msr_counter){
			.slot = core->chosen[i].slot,
			.address = fixed ? MSR_IA32_FIXED_CTR0 + index
					 : pmu_msr_counter_address(core->perfmon, index),
			.rdpmc = fixed ? RDPMC_FIXED | index : index,
			.bits = fixed ? core->perfmon->fixed_bits : core->perfmon->general_bits,
		};
		set_holds(core, &core->chosen[i], b->program->counter[kind][i].hold);
	}
}

/* Counters that are marked as in use but enabled nowhere come last, one after the other. */
static void assign(const struct pmu_msr_core *core, const pmu_counters *can, unsigned int n,
		   int *counter)
{
	pmu_counters usable = free_counters(core);
	pmu_counters marked = core->marked;

	while (pmu_assign(can, n, usable, counter) < n && marked) {
		usable |= marked & -marked;
		marked &= marked - 1;
	}
}

static void choose_kind(struct pmu_msr_build *b, unsigned int kind, struct refusals *refusals)
{
	struct pmu_msr_core *core = &b->core[kind];
	struct pmu_msr_chosen chosen[PMU_MAX_SLOTS];
	pmu_counters can[PMU_MAX_SLOTS];
	int counter[PMU_MAX_SLOTS];
	unsigned int n = collect_core_events(b, kind, refusals, chosen);

	for (unsigned int i = 0; i < n; i++)
		can[i] = counters_of_request(&chosen[i].request);
	assign(core, can, n, counter);
	for (unsigned int i = 0; i < n; i++) {
		chosen[i].counter = counter[i];
		if (counter[i] < 0)
			refuse_slot(refusals, (unsigned int)chosen[i].slot, -ENOSPC, "");
		else
			core->chosen[core->n_chosen++] = chosen[i];
	}
	gather_bits(core);
	set_counters(b, kind);
}

void pmu_msr_core_choose(struct pmu_msr_build *b)
{
	struct refusals *refusals = calloc(1, sizeof(*refusals));

	if (!refusals) {
		b->failed = true;
		return;
	}
	for (unsigned int k = 0; k < b->machine->n_kinds; k++)
		if (b->core[k].n_cpus)
			choose_kind(b, k, refusals);
	for (unsigned int i = 0; i < b->plan->n_slots; i++)
		if (pmu_msr_wanted(b, i, PMU_SLOT_CORE) && !(b->counted >> i & 1))
			pmu_msr_refuse(b, i, refusals->error[i] ? refusals->error[i] : -ENODEV,
				       refusals->why[i]);
	free(refusals);
}
