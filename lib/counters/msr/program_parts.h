/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the makers of a program share: cores, units outside them, energy.  Each part adds its
 * operations to one phase after the other; between LOOK and the rest it chooses its counters.
 */
#ifndef PMU_MSR_PROGRAM_PARTS_H
#define PMU_MSR_PROGRAM_PARTS_H

#include "base/strbuf.h"
#include "counters/msr/assign.h"
#include "counters/msr/program.h"
#include "counters/msr/request.h"

#define PMU_MSR_MAX_GENERAL 32
#define PMU_MSR_MAX_FIXED   16
#define PMU_MSR_EN          (UINT64_C(1) << 22) /* of an event select of either vendor */

/** A slot and its counter. */
struct pmu_msr_chosen {
	int slot;
	int counter; /* general i; fixed i at PMU_COUNTER_FIXED + i */
	struct pmu_msr_request request;
};

/** One kind of core. */
struct pmu_msr_core {
	const struct pmu_perfmon *perfmon;
	size_t n_cpus;           /* that are counted on */
	uint32_t general, fixed; /* counters that can be reached */
	/* Registers that all of them share, 0 for none. */
	uint32_t global_ctrl, global_status, global_clear, fixed_ctrl, inuse, capabilities;
	/* Where each stands among what LOOK reads of one processor, -1 for nowhere. */
	unsigned int n_look;
	uint32_t look[8 + 2 * PMU_MSR_MAX_GENERAL + PMU_MSR_MAX_FIXED + PMU_MAX_SLOTS];
	int at_global, at_inuse, at_fixed_ctrl, at_capabilities;
	int at_select[PMU_MSR_MAX_GENERAL], at_counter[PMU_MSR_MAX_GENERAL],
		at_fixed[PMU_MSR_MAX_FIXED];
	int at_extra[PMU_MAX_SLOTS];
	/* Held by others on one processor at least. */
	pmu_counters taken;
	pmu_counters marked;      /* of these: marked as in use, and enabled nowhere */
	uint64_t taken_events[4]; /* bit by event code: what they count */
	unsigned int n_chosen;
	struct pmu_msr_chosen chosen[PMU_MAX_SLOTS];
	/* The chosen counters' bits in the global registers and in the fixed control. */
	uint64_t global_bits, fixed_mask, fixed_value;
};

/** One processor that is counted on. */
struct pmu_msr_core_cpu {
	int cpu;
	int kind;
	size_t look; /* index of its first LOOK operation */
};

enum pmu_msr_models { PMU_MSR_ALL_MODELS, PMU_MSR_ICE_LAKE, PMU_MSR_AFTER_ICE_LAKE };

/** Counters of one kind outside the cores. */
struct pmu_msr_box_type {
	enum pmu_uncore_layout layout;
	enum pmu_uncore_unit unit;
	enum pmu_select_layout select_layout; /* means nothing for a clock */
	uint32_t select, counter;             /* addresses of the first */
	uint8_t step;                         /* from one counter to the next */
	uint8_t n_counters;
	uint8_t first;    /* number of the first: some units lack counter 0 */
	uint8_t models;   /* enum pmu_msr_models: on some models of the layout only */
	uint8_t box_step; /* from one box to the next */
	uint8_t max_boxes;
	uint8_t bits;
	uint8_t enable; /* bit of the select that enables */
};

/** One box of one socket. */
struct pmu_msr_box {
	const struct pmu_msr_box_type *type;
	int package, cpu;
	uint32_t select, counter;
	size_t look; /* of its first select; each is followed by its counter */
	bool absent; /* the machine has fewer than were looked at */
};

struct pmu_msr_socket {
	int package, cpu; /* its lowest-numbered processor */
	unsigned int n_cores;
	size_t look_global, look_config; /* where there are such registers */
	size_t first_box, n_boxes;
};

/** A type's choices. */
struct pmu_msr_box_choice {
	const struct pmu_msr_box_type *type;
	int error; /* the machine's boxes cannot be reached: */
	char why[sizeof(((struct pmu_probe *)NULL)->why)];
	pmu_counters taken;
	unsigned int n_chosen;
	struct pmu_msr_chosen chosen[PMU_MAX_SLOTS];
};

#define PMU_MSR_MAX_BOX_TYPES 3

struct pmu_msr_build {
	const struct pmu_machine *machine;
	const struct pmu_plan *plan;
	pmu_msr_found found;
	struct pmu_msr_program *program;
	struct pmu_probe *probe;
	enum pmu_msr_phase phase; /* to which operations are added */
	size_t room, units_room;
	bool failed;      /* no memory */
	uint32_t counted; /* slots that are counted somewhere */
	struct pmu_strbuf taken;
	/*
	 * index in it, from 1 on, of the first line that is not about the kernel's watchdog; 0:
	 * none
	 */
	size_t stranger;

	size_t n_cpus;
	struct pmu_msr_core_cpu *cpu;
	struct pmu_msr_core core[PMU_MAX_KINDS];

	size_t n_sockets;
	struct pmu_msr_socket *socket; /* those that are counted on, ascending */
	size_t n_boxes, boxes_room;
	struct pmu_msr_box *box;
	unsigned int n_types;
	struct pmu_msr_box_choice type[PMU_MSR_MAX_BOX_TYPES];

	uint64_t uncore_bits; /* of the uncore's global control: ours */
	bool uncore_shared;   /* and others count by them too */

	size_t look_energy;   /* index of the unit's LOOK operation */
	size_t look_graphics; /* and of the graphics' counter; 0: there is none */
};

/* --- program.c --- */

/** Adds to the current phase. */
void pmu_msr_add_read(struct pmu_msr_build *b, int cpu, int socket, int slot, uint32_t address);
void pmu_msr_add_write(struct pmu_msr_build *b, int cpu, int socket, uint32_t address,
		       uint64_t value);
/** Only the bits of @mask; nothing where it has none. */
void pmu_msr_add_masked(struct pmu_msr_build *b, int cpu, int socket, uint32_t address,
			uint64_t value, uint64_t mask);
/** What a LOOK operation found; 0 where LOOK was not run. */
uint64_t pmu_msr_found_at(const struct pmu_msr_build *b, size_t op);
/** A new unit at the end; NULL without memory, which is remembered. */
struct pmu_msr_unit *pmu_msr_add_unit(struct pmu_msr_build *b, int package, int cpu);
/** One more counter of it, that nothing controls so far; NULL without a unit, or room. */
struct pmu_msr_counter *pmu_msr_unit_count(struct pmu_msr_unit *unit, int slot, uint32_t address,
					   unsigned int bits);
/**
 * A slot of this kind, absent or not: what LOOK goes by, so that leaving slots out does not change
 * its order.
 */
bool pmu_msr_listed(const struct pmu_msr_build *b, enum pmu_slot_kind kind);
/** A slot that is to be counted and of this kind? */
bool pmu_msr_wanted(const struct pmu_msr_build *b, unsigned int slot, enum pmu_slot_kind kind);
/** Remember why a slot is refused; the first sentence stays. */
void pmu_msr_refuse(struct pmu_msr_build *b, unsigned int slot, int error, const char *why);

/*
 * --- program_core.c, program_core_add.c, program_uncore.c, program_uncore_add.c, program_energy.c
 * ---
 */

/** Which of @chosen needs that second register; NULL for none. */
const struct pmu_msr_chosen *pmu_msr_same_extra(const struct pmu_msr_chosen *chosen, unsigned int n,
						uint32_t extra);
/** What a chosen general counter's select has, but for its enable bit. */
uint64_t pmu_msr_core_select(const struct pmu_msr_core *core, const struct pmu_msr_chosen *chosen);
int pmu_msr_core_start(struct pmu_msr_build *b);
void pmu_msr_core_choose(struct pmu_msr_build *b);
void pmu_msr_core_add(struct pmu_msr_build *b);

/** Sockets and their boxes, if the plan has slots of sockets. */
int pmu_msr_uncore_start(struct pmu_msr_build *b);
/** Which boxes there really are. */
void pmu_msr_uncore_settle(struct pmu_msr_build *b);
void pmu_msr_uncore_choose(struct pmu_msr_build *b);
void pmu_msr_uncore_units(struct pmu_msr_build *b, const struct pmu_msr_socket *socket);
void pmu_msr_uncore_add(struct pmu_msr_build *b);

void pmu_msr_energy_choose(struct pmu_msr_build *b);
void pmu_msr_energy_units(struct pmu_msr_build *b, const struct pmu_msr_socket *socket);
void pmu_msr_energy_add(struct pmu_msr_build *b);

/* --- program_taken.c --- */

/**
 * pmu_msr_core_taken() - counters of each kind of core that others hold
 * Fills core[].taken and the sentences of b->taken.
 */
void pmu_msr_core_taken(struct pmu_msr_build *b);
/** pmu_msr_uncore_taken() - the same for the boxes */
void pmu_msr_uncore_taken(struct pmu_msr_build *b);

/** pmu_msr_select_address(), ... - of general counter @i of a kind of core */
uint32_t pmu_msr_select_address(const struct pmu_perfmon *perfmon, unsigned int i);
uint32_t pmu_msr_counter_address(const struct pmu_perfmon *perfmon, unsigned int i);

#endif
