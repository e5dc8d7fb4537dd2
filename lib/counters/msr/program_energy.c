/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Energy counters: nothing is written to them.
 *
 * Sources: Intel SDM vol. 3B, "RAPL Interfaces", vol. 4, MSR_RAPL_POWER_UNIT (Silvermont: 2^n
 * microjoules) and the notes on the DRAM domain of server parts; AMD PPR family 17H, "RAPL Power
 * Unit", "Core Energy Status".
 */
#include <errno.h>

#include "counters/msr/program_parts.h"
#include "counters/msr/registers.h"
#include "machine/mask.h"

#define BITS           32
#define DRAM_UNIT_UJ   (1e6 / 65536) /* 15.3 */
#define UNIT_ENERGY(x) ((unsigned int)((x) >> 8 & 0x1f))

static const struct domain {
	const char *name;
	uint32_t intel, amd; /* 0: has none */
} domains[PMU_ENERGY_DOMAINS] = {
	[PMU_ENERGY_PACKAGE] = { "the socket", MSR_PKG_ENERGY_STATUS, MSR_AMD_PKG_ENERGY_STATUS },
	[PMU_ENERGY_CORES] = { "the cores", MSR_PP0_ENERGY_STATUS, MSR_AMD_CORE_ENERGY_STATUS },
	[PMU_ENERGY_GRAPHICS] = { "the graphics", MSR_PP1_ENERGY_STATUS, 0 },
	[PMU_ENERGY_DRAM] = { "the memory", MSR_DRAM_ENERGY_STATUS, 0 },
};

static enum pmu_rapl_layout rapl_layout_of(const struct pmu_msr_build *b)
{
	return b->machine->model ? b->machine->model->rapl : PMU_RAPL_NONE;
}

static uint32_t address_of(const struct pmu_msr_build *b, unsigned int domain)
{
	if (domain >= PMU_ENERGY_DOMAINS || rapl_layout_of(b) == PMU_RAPL_NONE ||
	    !(b->machine->model->rapl_domains >> domain & 1))
		return 0;
	return rapl_layout_of(b) == PMU_RAPL_AMD ? domains[domain].amd : domains[domain].intel;
}

/* Also by a slot that is absent: what LOOK reads does not depend on that. */
static bool is_asked(const struct pmu_msr_build *b)
{
	for (unsigned int i = 0; i < b->plan->n_slots; i++)
		if (b->plan->slot[i].kind == PMU_SLOT_ENERGY &&
		    address_of(b, b->plan->slot[i].unit))
			return true;
	return false;
}

/*
 * Parts without graphics, or with those of another processor, have the register all the same: it
 * never moves.  The kernel shows no counter of energy that is 0 either
 * (arch/x86/events/probe.c, perf_msr_probe()).
 */
static bool is_listed_graphics(const struct pmu_msr_build *b)
{
	for (unsigned int i = 0; i < b->plan->n_slots; i++)
		if (b->plan->slot[i].kind == PMU_SLOT_ENERGY &&
		    b->plan->slot[i].unit == PMU_ENERGY_GRAPHICS)
			return address_of(b, PMU_ENERGY_GRAPHICS);
	return false;
}

static bool domain_counts(const struct pmu_msr_build *b, unsigned int domain)
{
	bool looked = domain == PMU_ENERGY_GRAPHICS && b->found && b->look_graphics;

	return address_of(b, domain) && !(looked && !pmu_msr_found_at(b, b->look_graphics));
}

/* Energy of one count in microjoules; 0 where LOOK was not run. */
static double unit_uj(const struct pmu_msr_build *b, unsigned int domain)
{
	unsigned int n = b->found ? UNIT_ENERGY(pmu_msr_found_at(b, b->look_energy)) : 0;

	if (domain == PMU_ENERGY_DRAM && b->machine->model->dram_fixed_unit)
		return DRAM_UNIT_UJ;
	if (!b->found)
		return 0;
	if (rapl_layout_of(b) == PMU_RAPL_INTEL_SILVERMONT)
		return (double)(1u << n);
	return 1e6 / (double)(1u << n);
}

/* AMD: a counter of each core, read on its lowest-numbered processor. */
static void count_on_cores(struct pmu_msr_build *b, const struct pmu_msr_socket *socket, int slot,
			   uint32_t address)
{
	const struct pmu_machine *machine = b->machine;
	struct pmu_mask seen = { { 0 } };

	for (size_t i = 0; i < machine->n_cpus; i++) {
		const struct pmu_pu *pu = &machine->cpu[i].pu;

		if (pu->package != socket->package || pmu_mask_has(&seen, pu->core))
			continue;
		pmu_mask_set(&seen, pu->core);
		pmu_msr_unit_count(pmu_msr_add_unit(b, pu->package, pu->cpu), slot, address, BITS);
	}
}

static bool is_per_core(const struct pmu_msr_build *b, unsigned int domain)
{
	return domain == PMU_ENERGY_CORES && rapl_layout_of(b) == PMU_RAPL_AMD;
}

void pmu_msr_energy_units(struct pmu_msr_build *b, const struct pmu_msr_socket *socket)
{
	struct pmu_msr_unit *unit = NULL;

	for (unsigned int pass = 0; pass < 2; pass++) {
		for (unsigned int i = 0; i < b->plan->n_slots; i++) {
			unsigned int domain = b->plan->slot[i].unit;

			if (!pmu_msr_wanted(b, i, PMU_SLOT_ENERGY) ||
			    is_per_core(b, domain) != pass)
				continue;
			if (pass) {
				count_on_cores(b, socket, (int)i, address_of(b, domain));
				continue;
			}
			if (!unit)
				unit = pmu_msr_add_unit(b, socket->package, socket->cpu);
			pmu_msr_unit_count(unit, (int)i, address_of(b, domain), BITS);
		}
	}
}

static bool is_refused(const struct pmu_msr_build *b, unsigned int slot)
{
	return pmu_msr_wanted(b, slot, PMU_SLOT_ENERGY) &&
	       !domain_counts(b, b->plan->slot[slot].unit);
}

/* One sentence for all of them. */
static void say_refused(const struct pmu_msr_build *b, struct pmu_strbuf *why)
{
	const char *between = "on this CPU no register that is known counts the energy of ";

	if (b->machine->model && rapl_layout_of(b) == PMU_RAPL_NONE) {
		pmu_strbuf_addf(why, "this CPU (%s) has no counters of energy",
				b->machine->model->microarchitecture);
		return;
	}
	for (unsigned int i = 0; i < b->plan->n_slots; i++) {
		unsigned int domain = b->plan->slot[i].unit;

		if (!is_refused(b, i))
			continue;
		pmu_strbuf_addf(why, "%s%s%s", between,
				domain < PMU_ENERGY_DOMAINS ? domains[domain].name : "that",
				address_of(b, domain) ? " (its own is 0)" : "");
		between = ", ";
	}
}

static void refuse_energy(struct pmu_msr_build *b)
{
	struct pmu_strbuf why = { 0 };

	say_refused(b, &why);
	for (unsigned int i = 0; i < b->plan->n_slots; i++)
		if (is_refused(b, i))
			pmu_msr_refuse(b, i, -ENOENT, pmu_strbuf_text(&why));
	pmu_strbuf_free(&why);
}

void pmu_msr_energy_choose(struct pmu_msr_build *b)
{
	refuse_energy(b);
	for (unsigned int i = 0; i < b->plan->n_slots; i++) {
		unsigned int domain = b->plan->slot[i].unit;

		if (!pmu_msr_wanted(b, i, PMU_SLOT_ENERGY) || !domain_counts(b, domain))
			continue;
		if (is_per_core(b, domain) && b->machine->partial) {
			pmu_msr_refuse(
				b, i, -ENOENT,
				"this process may use only some of the machine's processors, and each "
				"core counts its own energy");
			continue;
		}
		b->counted |= 1u << i;
		b->program->energy_uj[domain] = unit_uj(b, domain);
	}
}

/* All sockets of a machine have the same unit. */
void pmu_msr_energy_add(struct pmu_msr_build *b)
{
	const struct pmu_msr_socket *socket = b->socket;

	if (b->phase != PMU_MSR_LOOK || !b->n_sockets || !is_asked(b))
		return;
	b->look_energy = b->program->n_ops;
	pmu_msr_add_read(b, socket->cpu, socket->package, -1,
			 rapl_layout_of(b) == PMU_RAPL_AMD ? MSR_AMD_RAPL_POWER_UNIT
							   : MSR_RAPL_POWER_UNIT);
	if (!is_listed_graphics(b))
		return;
	b->look_graphics = b->program->n_ops;
	pmu_msr_add_read(b, socket->cpu, socket->package, -1, address_of(b, PMU_ENERGY_GRAPHICS));
}
