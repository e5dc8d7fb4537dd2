/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside the simulated machine: what a register does, and what a CPU model has. */
#ifndef PMU_SIM_RULES_H
#define PMU_SIM_RULES_H

#include "model.h"

#define SIM_KINDS  2 /* P cores (or all there are), E cores */
#define SIM_BIT(i) (UINT64_C(1) << (i))
/* The low @n bits, n from 0 to 64. */
#define SIM_LOW(n) ((n) < 64 ? SIM_BIT(n) - 1 : ~UINT64_C(0))

/* Which processors share a register. */
enum sim_scope { SIM_THREAD, SIM_CORE, SIM_L3, SIM_PACKAGE };

/* What a write does. */
enum sim_action {
	SIM_ABSENT, /* neither exists on this kind of core */
	SIM_STORE,  /* bits outside .writable are reserved: #GP */
	SIM_MASK,   /* bits outside .writable are ignored and read as 0 (AMD) */
	SIM_CONST,  /* read-only: #GP */
	SIM_SIGN,   /* the low 32 bits, sign-extended to the bits of .writable */
	SIM_ALIAS,  /* stores in .target as SIM_STORE does; reads from there */
	SIM_MIRROR, /* is .target under another address */
	SIM_CLEAR,  /* ones clear bits of .target; nothing is stored, so it reads as 0 */
	SIM_SET,    /* ones set bits of .target; likewise */
	SIM_INUSE,  /* read-only, computed from the selects */
};

struct sim_rule {
	enum sim_action action;
	uint64_t writable;
	uint64_t once; /* bits that act when written and read as 0 */
	uint64_t reset;
	uint32_t target; /* address */
};

struct sim_register {
	uint32_t address;
	enum sim_scope scope;
	struct sim_rule rule[SIM_KINDS];
};

/*
 * What one kind of core has.  Intel SDM vol. 3B, chapter "Performance Monitoring"; CPUID leaf 0AH.
 */
struct sim_core {
	unsigned int version; /* of architectural monitoring; 0: AMD */
	unsigned int n_general, general_bits;
	unsigned int n_fixed, fixed_bits;
	bool any;                    /* AnyThread, from version 3 on until EDX[15] takes it back */
	bool tsx;                    /* select bits 32, and 33 of counter 2 */
	bool has_capabilities;       /* CPUID.01H:ECX[15] */
	uint64_t capabilities;       /* IA32_PERF_CAPABILITIES */
	uint64_t offcore[2];         /* valid bits of MSR_OFFCORE_RSP_0 and 1, 0: none */
	bool load_latency, frontend; /* MSR_PEBS_LD_LAT 3F6H, MSR_PEBS_FRONTEND 3F7H */
};

/*
 * Client uncore: the same units at other places.  Intel SDM vol. 3B, "Uncore Performance
 * Monitoring".
 */
struct sim_client {
	uint32_t global;                /* MSR_UNC_PERF_GLOBAL_CTRL, its status follows */
	bool global_works;              /* else its bits 29 and 31 do nothing */
	unsigned int targets;           /* PMI target bits of the global control */
	unsigned int n_cbo, cbo_config; /* units there are, and what MSR_UNC_CBO_CONFIG says */
	/* first select, distance of units, counter's distance from its select */
	uint32_t cbo, stride, counter;
	unsigned int arb_first; /* first usable counter of ARB */
};

struct sim_energy_counter {
	const char *domain; /* NULL ends the list */
	uint32_t address;
	enum sim_scope scope;
};

enum sim_vendor { SIM_INTEL, SIM_AMD };

struct sim_cpu {
	const char *name;
	enum sim_vendor vendor;
	struct sim_core core[SIM_KINDS]; /* the second: n_general 0 where there are no E cores */
	bool nehalem_uncore;
	const struct sim_client *client;
	uint32_t unit_address; /* of energy, 0: none */
	uint64_t unit;
	const struct sim_energy_counter *energy;
	bool perfmon_v2;   /* AMD's global registers */
	unsigned int n_df; /* AMD's data fabric counters */
};

#define SIM_MAX_FAULTS 256

struct sim_fault {
	int cpu;
	uint32_t address;
	bool reads, writes;
	int error;
};

struct sim_machine {
	const struct sim_cpu *cpu;
	size_t n_places;
	struct sim_place *place;
	bool *offline;
	size_t n_registers, room;
	struct sim_register *reg; /* in ascending order of the address */
	/* [place][register]; shared ones lie with the first place that shares them */
	uint64_t *value;
	size_t n_faults;
	struct sim_fault fault[SIM_MAX_FAULTS];
	bool no_memory;
};

/* --- model.c --- */

/* While the machine is made: a register of one kind of core (-1: of all that there are). */
void sim_add(struct sim_machine *machine, int kind, uint32_t address, enum sim_scope scope,
	     struct sim_rule rule);
/* A register's place in memory, NULL where this processor has none at that address. */
uint64_t *sim_cell(struct sim_machine *machine, size_t place, uint32_t address);
/* What it holds, 0 where there is none. */
uint64_t sim_value(struct sim_machine *machine, size_t place, uint32_t address);
const struct sim_core *sim_core_of(const struct sim_machine *machine, size_t place);
/* Add @n to a counter of that width.  Return: whether it went round. */
bool sim_advance(uint64_t *counter, unsigned int bits, uint64_t n);
/*
 * How often a counter counts @n cycles in each of which something happens once, by CMASK, INV of
 * its select.
 */
uint64_t sim_condition(uint64_t select, uint64_t cmask, uint64_t n);

/* --- core.c: Intel --- */
void sim_add_core(struct sim_machine *machine, int kind);
void sim_count_core(struct sim_machine *machine, size_t place, bool sibling,
		    const struct sim_event *event);
uint64_t sim_inuse(struct sim_machine *machine, size_t place);

/* --- amd.c --- */
void sim_add_amd(struct sim_machine *machine);
void sim_count_amd(struct sim_machine *machine, size_t place, const struct sim_event *event);
int sim_count_l3(struct sim_machine *machine, size_t place, uint16_t event, uint8_t umask,
		 uint64_t n);

/* --- uncore.c: Intel --- */
void sim_add_uncore(struct sim_machine *machine);
int sim_count_nehalem(struct sim_machine *machine, size_t place, const char *unit, uint16_t event,
		      uint8_t umask, uint64_t n);
int sim_count_client(struct sim_machine *machine, size_t place, const char *unit, uint16_t event,
		     uint8_t umask, uint64_t n);

#endif
