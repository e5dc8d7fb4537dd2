/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * AMD family 19H: core counters with the core extension, PerfMonV2's global registers, L3 and data
 * fabric counters. AMD64 APM vol. 2, "Performance Monitoring Counters"; PPR for family 19H, "MSR
 * Registers".
 *
 * Reserved bits of selects and counters are ignored and read as 0.
 */
#include <errno.h>

#include "rules.h"

#define LEGACY_CTL0 0xc0010000u
#define LEGACY_CTR0 0xc0010004u
#define CTL0        0xc0010200u /* CTL and CTR alternate, here and below */
#define L3_CTL0     0xc0010230u
#define DF_CTL0     0xc0010240u
#define STATUS      0xc0000300u
#define GLOBAL_CTL  0xc0000301u
#define STATUS_CLR  0xc0000302u

enum { N_LEGACY = 4, N_L3 = 6, BITS = 48 };

/*
 * Event in bits 0-7 and 32-35, levels, edge, interrupt, EN, invert, counter mask, guest and host.
 */
#define CTL_BITS (UINT64_C(0xffd7ffff) | UINT64_C(0x30f) << 32)
/* Event, unit mask, EN, core, all slices, all cores, slice, thread mask. */
#define L3_BITS                                                                           \
	(UINT64_C(0x40ffff) | UINT64_C(7) << 42 | UINT64_C(3) << 46 | UINT64_C(7) << 48 | \
	 UINT64_C(3) << 56)
#define DF_BITS (UINT64_C(0x0f40ffff) | UINT64_C(0x3f) << 32 | UINT64_C(3) << 59)

static void pair(struct sim_machine *machine, uint32_t ctl, enum sim_scope scope, uint64_t bits)
{
	sim_add(machine, -1, ctl, scope, (struct sim_rule){ SIM_MASK, bits, 0, 0, 0 });
	sim_add(machine, -1, ctl + 1, scope, (struct sim_rule){ SIM_MASK, SIM_LOW(BITS), 0, 0, 0 });
}

/*
 * The global control's reset value has every counter enabled, for software that does not know of
 * it: Linux, arch/x86/kvm/pmu.c, kvm_pmu_refresh() says so of both vendors.
 */
static void add_global(struct sim_machine *machine, unsigned int n)
{
	uint64_t status = SIM_LOW(n) | SIM_BIT(58) | SIM_BIT(59);

	sim_add(machine, -1, STATUS, SIM_THREAD, (struct sim_rule){ SIM_CONST, 0, 0, 0, 0 });
	sim_add(machine, -1, GLOBAL_CTL, SIM_THREAD,
		(struct sim_rule){ SIM_STORE, SIM_LOW(n), 0, SIM_LOW(n), 0 });
	sim_add(machine, -1, STATUS_CLR, SIM_THREAD,
		(struct sim_rule){ SIM_CLEAR, status, 0, 0, STATUS });
}

void sim_add_amd(struct sim_machine *machine)
{
	unsigned int n = machine->cpu->core[0].n_general;

	for (unsigned int i = 0; i < n; i++)
		pair(machine, CTL0 + 2 * i, SIM_THREAD, CTL_BITS);
	for (unsigned int i = 0; i < N_LEGACY; i++) {
		sim_add(machine, -1, LEGACY_CTL0 + i, SIM_THREAD,
			(struct sim_rule){ SIM_MIRROR, 0, 0, 0, CTL0 + 2 * i });
		sim_add(machine, -1, LEGACY_CTR0 + i, SIM_THREAD,
			(struct sim_rule){ SIM_MIRROR, 0, 0, 0, CTL0 + 2 * i + 1 });
	}
	for (unsigned int i = 0; i < N_L3; i++)
		pair(machine, L3_CTL0 + 2 * i, SIM_L3, L3_BITS);
	for (unsigned int i = 0; i < machine->cpu->n_df; i++)
		pair(machine, DF_CTL0 + 2 * i, SIM_PACKAGE, DF_BITS);
	if (machine->cpu->perfmon_v2)
		add_global(machine, n);
	sim_add(machine, -1, 0xc0010015u, SIM_THREAD, /* HWCR */
		(struct sim_rule){ SIM_STORE, ~UINT64_C(0), 0, 0, 0 });
}

static bool counts(uint64_t ctl, const struct sim_event *event)
{
	uint64_t code = (ctl & 0xff) | (ctl >> 32 & 0xf) << 8;

	if (!(event->event || event->umask) || code != event->event ||
	    (ctl >> 8 & 0xff) != event->umask)
		return false;
	if (ctl & SIM_BIT(40) && !(ctl & SIM_BIT(41)))
		return false; /* in guests only: there are none here */
	return ctl & SIM_BIT(22) && ctl & SIM_BIT(event->kernel ? 17 : 16);
}

void sim_count_amd(struct sim_machine *machine, size_t place, const struct sim_event *event)
{
	bool v2 = machine->cpu->perfmon_v2;
	uint64_t enabled = v2 ? sim_value(machine, place, GLOBAL_CTL) : ~UINT64_C(0);

	for (unsigned int i = 0; i < machine->cpu->core[0].n_general; i++) {
		uint64_t ctl = sim_value(machine, place, CTL0 + 2 * i);

		if (enabled >> i & 1 && counts(ctl, event) &&
		    sim_advance(sim_cell(machine, place, CTL0 + 2 * i + 1), BITS,
				sim_condition(ctl, ctl >> 24 & 0xff, event->n)) &&
		    v2)
			*sim_cell(machine, place, STATUS) |= SIM_BIT(i);
	}
}

/* The core's number within its L3 complex. */
static unsigned int core_in_l3(const struct sim_machine *machine, size_t place)
{
	const struct sim_place *self = &machine->place[place];
	unsigned int n = 0;

	for (size_t i = 0; i < machine->n_places; i++)
		if (machine->place[i].l3 == self->l3 && machine->place[i].core < self->core &&
		    machine->place[i].thread == 0)
			n++;
	return n;
}

/* What this processor does happens on slice 0. */
int sim_count_l3(struct sim_machine *machine, size_t place, uint16_t event, uint8_t umask,
		 uint64_t n)
{
	for (unsigned int i = 0; i < N_L3; i++) {
		uint64_t ctl = sim_value(machine, place, L3_CTL0 + 2 * i);
		bool slice = ctl & SIM_BIT(46) || !(ctl >> 48 & 7);
		bool core = ctl & SIM_BIT(47) || (ctl >> 42 & 7) == core_in_l3(machine, place);

		if (ctl & SIM_BIT(22) && (ctl & 0xff) == event && (ctl >> 8 & 0xff) == umask &&
		    slice && core && ctl >> 56 >> (machine->place[place].thread & 1) & 1)
			sim_advance(sim_cell(machine, place, L3_CTL0 + 2 * i + 1), BITS, n);
	}
	return 0;
}
