/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Counters outside Intel's cores, shared by a package: Nehalem and Westmere, and clients from Sandy
 * Bridge to Ice Lake.  Intel SDM vol. 3B, "Uncore Performance Monitoring"; vol. 4 for addresses.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rules.h"

/* Nehalem and Westmere */
enum {
	N_GLOBAL = 0x391,
	N_STATUS = 0x392,
	N_OVF_CTRL = 0x393,
	N_FIXED = 0x394,
	N_FIXED_CTRL = 0x395,
	N_MATCH = 0x396,
	N_PMC0 = 0x3b0,
	N_SELECT0 = 0x3c0,
	N_COUNTERS = 8,
	N_BITS = 48,
};

/* Clients */
enum {
	C_FIXED_CTRL = 0x394,
	C_FIXED = 0x395,
	C_FIXED_BITS = 48,
	C_CBO_CONFIG = 0x396,
	C_ARB_PMC0 = 0x3b0,
	C_ARB_SELECT0 = 0x3b2,
	C_COUNTERS = 2, /* a unit */
	C_BITS = 44,
};

/*
 * Event, unit mask, edge, PMI, EN, invert, counter mask; no level: bits 16, 19 and 21 are reserved.
 */
#define N_SELECT_BITS UINT64_C(0xffd4ffff)
#define N_RESET_QUEUE SIM_BIT(17) /* acts when written, reads as 0 */
/* The counter mask has 5 bits. */
#define C_SELECT_BITS UINT64_C(0x1fd4ffff)

static void store(struct sim_machine *machine, uint32_t address, uint64_t writable)
{
	sim_add(machine, -1, address, SIM_PACKAGE,
		(struct sim_rule){ SIM_STORE, writable, 0, 0, 0 });
}

static void fixed(struct sim_machine *machine, uint32_t address, uint64_t reset)
{
	sim_add(machine, -1, address, SIM_PACKAGE, (struct sim_rule){ SIM_CONST, 0, 0, reset, 0 });
}

static void add_nehalem(struct sim_machine *machine)
{
	uint64_t counters = SIM_LOW(N_COUNTERS) | SIM_BIT(32);

	/* 48 to 51: which core gets the interrupt; 63: freeze then */
	store(machine, N_GLOBAL, counters | UINT64_C(0xf) << 48 | SIM_BIT(63));
	fixed(machine, N_STATUS, 0);
	sim_add(machine, -1, N_OVF_CTRL, SIM_PACKAGE,
		(struct sim_rule){ SIM_CLEAR, counters | SIM_BIT(61) | SIM_BIT(63), 0, 0,
				   N_STATUS });
	store(machine, N_FIXED, SIM_LOW(N_BITS));
	store(machine, N_FIXED_CTRL, SIM_BIT(0) | SIM_BIT(2));
	store(machine, N_MATCH, UINT64_C(0xe000fffffffffff8));
	for (unsigned int i = 0; i < N_COUNTERS; i++) {
		store(machine, N_PMC0 + i, SIM_LOW(N_BITS));
		sim_add(machine, -1, N_SELECT0 + i, SIM_PACKAGE,
			(struct sim_rule){ SIM_STORE, N_SELECT_BITS, N_RESET_QUEUE, 0, 0 });
	}
}

static void add_client(struct sim_machine *machine, const struct sim_client *client)
{
	store(machine, client->global,
	      SIM_LOW(client->targets) | SIM_BIT(29) | SIM_BIT(30) | SIM_BIT(31));
	fixed(machine, client->global + 1, 0);
	store(machine, C_FIXED_CTRL, SIM_BIT(20) | SIM_BIT(22));
	store(machine, C_FIXED, SIM_LOW(C_FIXED_BITS));
	fixed(machine, C_CBO_CONFIG, client->cbo_config);
	for (unsigned int i = 0; i < C_COUNTERS; i++) {
		store(machine, C_ARB_PMC0 + i, SIM_LOW(C_BITS));
		store(machine, C_ARB_SELECT0 + i, C_SELECT_BITS);
	}
	for (unsigned int unit = 0; unit < client->n_cbo; unit++)
		for (unsigned int i = 0; i < C_COUNTERS; i++) {
			uint32_t select = client->cbo + unit * client->stride + i;

			store(machine, select, C_SELECT_BITS);
			store(machine, select + client->counter, SIM_LOW(C_BITS));
		}
}

void sim_add_uncore(struct sim_machine *machine)
{
	if (machine->cpu->nehalem_uncore)
		add_nehalem(machine);
	else if (machine->cpu->client)
		add_client(machine, machine->cpu->client);
}

static bool selects(uint64_t select, uint16_t event, uint8_t umask)
{
	return select & SIM_BIT(22) && (select & 0xff) == event && (select >> 8 & 0xff) == umask;
}

static void overflow(struct sim_machine *machine, size_t place, uint32_t status, unsigned int bit)
{
	*sim_cell(machine, place, status) |= SIM_BIT(bit);
}

int sim_count_nehalem(struct sim_machine *machine, size_t place, const char *unit, uint16_t event,
		      uint8_t umask, uint64_t n)
{
	uint64_t enabled = sim_value(machine, place, N_GLOBAL);

	if (!strcmp(unit, "clock")) {
		if (enabled & SIM_BIT(32) && sim_value(machine, place, N_FIXED_CTRL) & 1 &&
		    sim_advance(sim_cell(machine, place, N_FIXED), N_BITS, n))
			overflow(machine, place, N_STATUS, 32);
		return 0;
	}
	if (strcmp(unit, "uncore"))
		return -EINVAL;
	for (unsigned int i = 0; i < N_COUNTERS; i++) {
		uint64_t select = sim_value(machine, place, N_SELECT0 + i);

		if (enabled >> i & 1 && selects(select, event, umask) &&
		    sim_advance(sim_cell(machine, place, N_PMC0 + i), N_BITS,
				sim_condition(select, select >> 24 & 0xff, n)))
			overflow(machine, place, N_STATUS, i);
	}
	return 0;
}

/* One unit's counters from @first on; @alone: an event that only counter 0 can count. */
static bool count_unit(struct sim_machine *machine, size_t place, uint32_t select0,
		       uint32_t counter0, unsigned int first, bool alone, uint16_t event,
		       uint8_t umask, uint64_t n)
{
	bool wraps = false;

	for (unsigned int i = first; i < (alone ? 1 : C_COUNTERS); i++) {
		uint64_t select = sim_value(machine, place, select0 + i);

		if (selects(select, event, umask))
			wraps |= sim_advance(sim_cell(machine, place, counter0 + i), C_BITS,
					     sim_condition(select, select >> 24 & 0x1f, n));
	}
	return wraps;
}

int sim_count_client(struct sim_machine *machine, size_t place, const char *unit, uint16_t event,
		     uint8_t umask, uint64_t n)
{
	const struct sim_client *client = machine->cpu->client;
	bool on = !client->global_works || sim_value(machine, place, client->global) & SIM_BIT(29);
	uint32_t status = client->global + 1, select;
	char *end;
	unsigned long cbo;

	if (!strcmp(unit, "clock")) {
		if (on && sim_value(machine, place, C_FIXED_CTRL) & SIM_BIT(22) &&
		    sim_advance(sim_cell(machine, place, C_FIXED), C_FIXED_BITS, n))
			overflow(machine, place, status, 0);
		return 0;
	}
	if (!strcmp(unit, "arb")) {
		/* occupancy, events 80H and 83H: counter 0 alone */
		if (on && count_unit(machine, place, C_ARB_SELECT0, C_ARB_PMC0, client->arb_first,
				     event == 0x80 || event == 0x83, event, umask, n))
			overflow(machine, place, status, 1);
		return 0;
	}
	if (strncmp(unit, "cbo", 3))
		return -EINVAL;
	cbo = strtoul(unit + 3, &end, 10);
	if (!unit[3] || *end || cbo >= client->n_cbo)
		return -EINVAL;
	select = client->cbo + (uint32_t)cbo * client->stride;
	if (on &&
	    count_unit(machine, place, select, select + client->counter, 0, false, event, umask, n))
		overflow(machine, place, status, 3);
	return 0;
}
