/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A machine's performance monitoring registers, simulated from the manuals: in the process of a
 * unit test, or behind files that look like /dev/cpu/N/msr (fuse.c).
 *
 * Written from the manuals alone, without the library's headers: where both sides read the same
 * table, a mistake in it would never show.
 */
#ifndef PMU_SIM_MODEL_H
#define PMU_SIM_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Rules of one CPU model; sim_cpu_find() has them by name. */
struct sim_cpu;

/**
 * Names: core2, nehalem, westmere, sandybridge, skylake, icelake, alderlake, zen3, zen4, and yonah,
 * the one with version 1; NULL otherwise.
 */
const struct sim_cpu *sim_cpu_find(const char *name);
/** The @i-th name, NULL behind the last. */
const char *sim_cpu_name(size_t i);

/** A logical processor's place. */
struct sim_place {
	int cpu;                   /* OS number */
	int package, core, thread; /* core: unique in the machine */
	int l3;
	bool efficient; /* an E core of a hybrid */
};

struct sim_machine;

/** sim_machine_new() - every register at its reset value; NULL without memory */
struct sim_machine *sim_machine_new(const struct sim_cpu *cpu, const struct sim_place *place,
				    size_t n);
void sim_machine_free(struct sim_machine *machine);

/**
 * sim_read(), sim_write() - as RDMSR and WRMSR on that processor
 *
 * Return: 0; -EIO where those raise #GP; -ENXIO without such a processor, or an offline one;
 * whatever sim_fail() says.
 */
int sim_read(struct sim_machine *machine, int cpu, uint32_t address, uint64_t *value);
int sim_write(struct sim_machine *machine, int cpu, uint32_t address, uint64_t value);

/**
 * sim_poke() - past the rules: any value, also into a register that is read-only.  -EIO: no such
 * register.
 */
int sim_poke(struct sim_machine *machine, int cpu, uint32_t address, uint64_t value);

/**
 * Something that happens @n times on one processor, at user or kernel level, in one cycle each.
 *
 * General counters with exactly this event and unit mask in their select count it.  As it never
 * happens twice in a cycle, a counter mask of 2 or more never holds: such a counter stays, or with
 * the invert bit counts all @n cycles; with a mask of 1 and the invert bit it stays; edges are as
 * many as there are cycles. Event and unit mask both 0: only fixed counters.
 */
struct sim_event {
	uint16_t event;
	uint8_t umask;
	bool kernel;
	uint64_t n;
	/* Fixed counters count these whatever the selects say: bit i, fixed counter i. */
	uint32_t fixed;
};

/**
 * sim_count() - every counter that is enabled and selects it takes it in, overflow status included.
 */
int sim_count(struct sim_machine *machine, int cpu, const struct sim_event *event);

/**
 * sim_count_uncore() - the same outside the cores
 * @cpu: one of the package, or of the L3 complex
 * @unit: "uncore", "clock" (event and umask do not matter), "cbo0", "cbo1", ..., "arb", "l3"
 *
 * Return: 0; -EINVAL: the model has no such unit; -ENXIO: no such processor.
 */
int sim_count_uncore(struct sim_machine *machine, int cpu, const char *unit, uint16_t event,
		     uint8_t umask, uint64_t n);

/**
 * sim_energy() - add raw units to an energy counter; @domain: "pkg", "cores", "gpu", "dram",
 * "core".  As above.
 */
int sim_energy(struct sim_machine *machine, int cpu, const char *domain, uint64_t raw);

#define SIM_IGNORED 1

/**
 * sim_fail() - from now on accesses of @address on @cpu (-1: all) fail with @error
 * @error: a negative errno; SIM_IGNORED: a write changes nothing; 0: ends what an earlier call with
 *	the same @cpu and @address began
 * @reads, @writes: which of them
 *
 * Return: 0; -ENOSPC after 256 of them.
 */
int sim_fail(struct sim_machine *machine, int cpu, uint32_t address, bool reads, bool writes,
	     int error);

/** sim_offline() - a processor goes away, or comes back with every register of its own reset */
int sim_offline(struct sim_machine *machine, int cpu, bool offline);
bool sim_is_offline(const struct sim_machine *machine, int cpu);

/**
 * sim_each() - every register of every processor that can be read, in ascending order, without side
 * effects
 */
void sim_each(struct sim_machine *machine,
	      void (*each)(void *context, int cpu, uint32_t address, uint64_t value),
	      void *context);

#endif
