/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters that others use: those that are enabled already.  Those that are only marked as in use
 * are taken when no other is left, and not reported: a program that has counted leaves its event
 * code behind, and IA32_PERF_GLOBAL_INUSE shows no more than that.
 *
 * A bit in a global control alone says nothing: firmware and kernels leave all of them set.
 * Source: Intel SDM vol. 3B, "IA32_PERF_GLOBAL_INUSE MSR".
 */
#include <string.h>

#include "counters/msr/program_parts.h"
#include "counters/msr/registers.h"
#include "machine/mask.h"

/* One counter of one kind of core while its processors are gone through. */
struct seen {
	unsigned int n;
	struct pmu_mask cpus;
	uint64_t value; /* of the first: its select, or its four bits of the fixed control */
	bool marked;    /* on one of those where it is not enabled */
};

static void see(struct seen *seen, int cpu, uint64_t value)
{
	if (!seen->n++)
		seen->value = value;
	pmu_mask_set(&seen->cpus, cpu);
}

static bool select_counts(uint64_t select)
{
	return select & PMU_MSR_EN && select & 3u << 16;
}

static uint64_t found_on_cpu(const struct pmu_msr_build *b, const struct pmu_msr_core_cpu *cpu,
			     int at)
{
	return at < 0 ? 0 : pmu_msr_found_at(b, cpu->look + (size_t)at);
}

static void look_general(const struct pmu_msr_build *b, unsigned int kind, unsigned int i,
			 struct seen *seen)
{
	const struct pmu_msr_core *core = &b->core[kind];

	for (size_t c = 0; c < b->n_cpus; c++) {
		const struct pmu_msr_core_cpu *cpu = &b->cpu[c];
		uint64_t select;

		if (cpu->kind != (int)kind)
			continue;
		select = found_on_cpu(b, cpu, core->at_select[i]);
		if (select_counts(select))
			see(seen, cpu->cpu, select);
		seen->marked |= found_on_cpu(b, cpu, core->at_inuse) >> i & 1;
	}
}

static void look_fixed(const struct pmu_msr_build *b, unsigned int kind, unsigned int i,
		       struct seen *seen)
{
	const struct pmu_msr_core *core = &b->core[kind];

	for (size_t c = 0; c < b->n_cpus; c++) {
		const struct pmu_msr_core_cpu *cpu = &b->cpu[c];
		uint64_t bits;

		if (cpu->kind != (int)kind)
			continue;
		bits = found_on_cpu(b, cpu, core->at_fixed_ctrl) >> 4 * i & 0xf;
		if (bits & 3)
			see(seen, cpu->cpu, bits);
		seen->marked |= found_on_cpu(b, cpu, core->at_inuse) >> (PMU_COUNTER_FIXED + i) & 1;
	}
}

/* The last line of @taken is not the kernel's watchdog's: the first such is kept. */
static void note_stranger(struct pmu_msr_build *b)
{
	const char *taken = pmu_strbuf_text(&b->taken), *line = strrchr(taken, '\n');

	if (!b->stranger)
		b->stranger = 1 + (line ? (size_t)(line + 1 - taken) : 0);
}

static void say_where(struct pmu_msr_build *b, const char *what, unsigned int i,
		      const struct seen *seen)
{
	char cpus[64];

	pmu_mask_format(&seen->cpus, cpus, sizeof(cpus));
	pmu_strbuf_addf(&b->taken, "%s%s counter %u is in use on CPU%s %s",
			b->taken.len ? "\n" : "", what, i, seen->n > 1 ? "s" : "", cpus);
}

/* What the kernel's watchdog looks like: cycles, the kernel's included, with an interrupt. */
static void say_watchdog(struct pmu_msr_build *b, bool looks_so)
{
	if (looks_so)
		pmu_strbuf_add(&b->taken, " (the kernel's watchdog?)");
	else
		note_stranger(b);
}

/* Return: is it enabled already, and to be named? */
static bool take_core_counter(struct pmu_msr_core *core, unsigned int counter,
			      const struct seen *seen)
{
	if (!seen->n && !seen->marked)
		return false;
	core->taken |= (pmu_counters)1 << counter;
	if (!seen->n)
		core->marked |= (pmu_counters)1 << counter;
	return seen->n;
}

static void take_general(struct pmu_msr_build *b, unsigned int kind, unsigned int i,
			 const struct seen *seen)
{
	struct pmu_msr_core *core = &b->core[kind];
	unsigned int event = seen->value & 0xff;
	bool intel = core->perfmon->family == PMU_PERFMON_INTEL;

	if (!take_core_counter(core, i, seen))
		return;
	core->taken_events[event / 64] |= UINT64_C(1) << event % 64;
	say_where(b, "general", i, seen);
	pmu_strbuf_add(&b->taken, ": ");
	pmu_msr_fields(b->machine, pmu_msr_select_address(core->perfmon, i),
		       seen->value & ~PMU_MSR_EN, &b->taken);
	say_watchdog(b, (seen->value & 0xffff) == (intel ? 0x3cu : 0x76u) &&
				seen->value >> 17 & 1 && seen->value >> 20 & 1);
}

static void take_fixed(struct pmu_msr_build *b, unsigned int kind, unsigned int i,
		       const struct seen *seen)
{
	static const char *const levels[] = { "", ": OS", ": USR", ": USR, OS" };

	if (!take_core_counter(&b->core[kind], PMU_COUNTER_FIXED + i, seen))
		return;
	say_where(b, "fixed", i, seen);
	pmu_strbuf_add(&b->taken, levels[seen->value & 3]);
	say_watchdog(b, i == 1 && seen->value & 1 && seen->value & 8);
}

void pmu_msr_core_taken(struct pmu_msr_build *b)
{
	for (unsigned int k = 0; b->found && k < b->machine->n_kinds; k++) {
		const struct pmu_msr_core *core = &b->core[k];

		for (unsigned int i = 0; i < PMU_MSR_MAX_GENERAL; i++) {
			struct seen seen = { 0 };

			if (core->general >> i & 1)
				look_general(b, k, i, &seen);
			take_general(b, k, i, &seen);
		}
		for (unsigned int i = 0; i < PMU_MSR_MAX_FIXED; i++) {
			struct seen seen = { 0 };

			if (core->fixed >> i & 1)
				look_fixed(b, k, i, &seen);
			take_fixed(b, k, i, &seen);
		}
	}
}

/* --- outside the cores --- */

/* The first box on which a counter is enabled; NULL for none. */
static const struct pmu_msr_box *find_taken(const struct pmu_msr_build *b,
					    const struct pmu_msr_box_type *type, unsigned int i,
					    uint64_t *select)
{
	for (size_t n = 0; n < b->n_boxes; n++) {
		const struct pmu_msr_box *box = &b->box[n];

		if (box->type != type || box->absent)
			continue;
		*select = pmu_msr_found_at(b, box->look + 2 * i);
		if (*select >> type->enable & 1)
			return box;
	}
	return NULL;
}

static void take_box(struct pmu_msr_build *b, const struct pmu_msr_box *box, unsigned int i,
		     uint64_t select)
{
	uint32_t address = box->select + i * box->type->step;
	char name[64];

	pmu_msr_name(b->machine, address, name, sizeof(name));
	pmu_strbuf_addf(&b->taken, "%sthe counter of %s is in use on socket %d",
			b->taken.len ? "\n" : "", name, box->package);
	note_stranger(b);
	if (box->type->unit == PMU_UNIT_CLOCK)
		return;
	pmu_strbuf_add(&b->taken, ": ");
	pmu_msr_fields(b->machine, address, select & ~PMU_MSR_EN, &b->taken);
}

void pmu_msr_uncore_taken(struct pmu_msr_build *b)
{
	for (unsigned int t = 0; b->found && t < b->n_types; t++) {
		struct pmu_msr_box_choice *choice = &b->type[t];

		for (unsigned int i = 0; i < choice->type->n_counters; i++) {
			uint64_t select = 0;
			const struct pmu_msr_box *box = find_taken(b, choice->type, i, &select);

			if (!box)
				continue;
			choice->taken |= (pmu_counters)1 << i;
			take_box(b, box, i, select);
		}
	}
}
