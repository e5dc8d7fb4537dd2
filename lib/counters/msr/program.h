/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What is done to which register of which processor, in order: planned as a pure function, so that
 * it can be printed for any machine and tested on none.
 *
 * The order is phase by phase, within a phase processor by processor, then socket by socket: all of
 * one phase can go to the kernel in one call.
 */
#ifndef PMU_MSR_PROGRAM_H
#define PMU_MSR_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "counters/backend.h"
#include "machine/machine.h"
#include "plan/plan.h"

enum pmu_msr_phase {
	/* which counters others use; what was in each register that is going to be written */
	PMU_MSR_LOOK,
	PMU_MSR_STOP,    /* global controls, fixed control, EN of each select */
	PMU_MSR_CLEAR,   /* overflow status */
	PMU_MSR_SELECT,  /* event selects without EN */
	PMU_MSR_ZERO,    /* counters */
	PMU_MSR_ENABLE,  /* EN of the selects, fixed control, global controls last */
	PMU_MSR_READ,    /* what each region's begin and end read */
	PMU_MSR_RESTORE, /* stop, then everything as it was */
	PMU_MSR_PHASES,
};

/** One access. */
struct pmu_msr_op {
	uint32_t address;
	int32_t cpu;   /* OS number of the processor it is done on */
	uint8_t phase; /* enum pmu_msr_phase */
	bool write;
	int8_t slot; /* READ: which slot's counter; else -1 */
	/* of a register that the whole socket shares: index of its package; else -1 */
	int16_t socket;
	/*
	 * A write stores (what is there & ~mask) | value; all ones: just value.  Only RESTORE has
	 * other masks.
	 */
	uint64_t value;
	uint64_t mask;
};

/** A register's value as LOOK found it, in the order of the LOOK operations. */
typedef const uint64_t *pmu_msr_found;

/** Bits of a register that say what a counter counts, as they are while it counts for us. */
struct pmu_msr_hold {
	uint32_t address; /* 0: none */
	uint64_t bits, value;
};
#define PMU_MSR_HOLDS 3

/** Where a slot is counted. */
struct pmu_msr_counter {
	int slot;
	uint32_t address;
	uint32_t rdpmc; /* the operand of RDPMC, UINT32_MAX: cannot be read so */
	unsigned int bits;
	/* its select or field of the fixed control, its global bit, its event's second register */
	struct pmu_msr_hold hold[PMU_MSR_HOLDS];
};

/** Counters of one socket that one processor of it reads: its boxes, its energy. */
struct pmu_msr_unit {
	int package; /* logical index */
	int cpu;     /* OS number */
	unsigned int n_counters;
	struct pmu_msr_counter counter[PMU_MAX_SLOTS * 2];
};

struct pmu_msr_program {
	const struct pmu_machine *machine; /* the caller's */
	size_t n_ops;
	struct pmu_msr_op *op;
	size_t first[PMU_MSR_PHASES + 1]; /* phase p is op[first[p]] to op[first[p + 1] - 1] */
	/* For each kind of core. */
	unsigned int n_counters[PMU_MAX_KINDS];
	struct pmu_msr_counter counter[PMU_MAX_KINDS][PMU_MAX_SLOTS];
	/* slots that this kind does not count (socket slots included) */
	uint32_t missing[PMU_MAX_KINDS];
	/* Sockets; boxes and cores of one package follow each other. */
	size_t n_units;
	struct pmu_msr_unit *unit;
	/*
	 * Energy: microjoules of one raw count, by enum pmu_energy_domain; 0: not counted, or
	 * LOOK was not run.
	 */
	double energy_uj[PMU_ENERGY_DOMAINS];
	/* What was found in use and is left alone: sentences, one a line; "" nothing. */
	char *taken;
	/* the first line of it that is not about the kernel's watchdog; NULL: none */
	const char *stranger;
};

/**
 * pmu_msr_program_look() - the LOOK operations alone
 *
 * Every counter, select and control that a program for this plan could write, whichever it will
 * choose, and what tells which are in use (IA32_PERF_GLOBAL_INUSE, IA32_PERF_CAPABILITIES, energy
 * units).  Then as for pmu_msr_program_make().  Which slots are absent makes no difference.
 */
int pmu_msr_program_look(const struct pmu_machine *machine, const struct pmu_plan *plan,
			 struct pmu_msr_program *program);

/**
 * pmu_msr_program_make() - all of it
 * @plan: slots that are not absent
 * @found: [operations of LOOK] what those registers hold; NULL: everything 0, no counter in use
 * @probe: result where it does not return 0: error[], why and mend as struct pmu_backend's probe()
 *
 * Counters that are enabled, or in use by IA32_PERF_GLOBAL_INUSE, on any processor are left alone
 * on all of them. Their bits in shared registers stay as they are.  A counter is not zeroed where
 * its old value could not be put back exactly (no full-width write, and not a sign-extended 32-bit
 * number): differences are what is counted.
 *
 * Return: 0; -ENODEV: no PMU that registers program (why says what this is); -ENOENT, -ENOSPC,
 * -EINVAL: of the first slot refused; -ENOMEM.  @program is for pmu_msr_program_free() in any case.
 */
int pmu_msr_program_make(const struct pmu_machine *machine, const struct pmu_plan *plan,
			 pmu_msr_found found, struct pmu_msr_program *program,
			 struct pmu_probe *probe);
void pmu_msr_program_free(struct pmu_msr_program *program);

/**
 * pmu_msr_program_taken() - the first sentence of @taken, and of how many more counters there is
 * one
 * @text: result; "" nothing is in use
 */
void pmu_msr_program_taken(const char *taken, char *text, size_t size);

/** pmu_msr_phase_name() - "look", "stop", ... */
const char *pmu_msr_phase_name(enum pmu_msr_phase phase);

#endif
