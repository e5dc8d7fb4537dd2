/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A machine's performance monitoring registers, simulated from the manuals: in the process of a unit test, or
 * behind files that look like /dev/cpu/N/msr (fuse.c).
 *
 * Written from the manuals alone, without the library's headers: where both sides read the same table, a mistake in
 * it would never show.
 */
#ifndef PMU_SIM_MODEL_H
#define PMU_SIM_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Rules of one CPU model; sim_cpu_find() has them by name. */
struct sim_cpu;

/** Names: core2, nehalem, westmere, sandybridge, skylake, icelake, alderlake, zen3, zen4; NULL otherwise. */
const struct sim_cpu *sim_cpu_find(const char *name);

/** A logical processor's place. */
struct sim_place {
	int cpu; /* OS number */
	int package, core, thread; /* core: unique in the machine */
	int l3;
	bool efficient; /* an E core of a hybrid */
};

struct sim_machine;

/** sim_machine_new() - every register at its reset value */
struct sim_machine *sim_machine_new(const struct sim_cpu *cpu, const struct sim_place *place, size_t n);
void sim_machine_free(struct sim_machine *machine);

/** sim_read(), sim_write() - as RDMSR and WRMSR on that processor: 0; -EIO where those raise #GP. */
int sim_read(struct sim_machine *machine, int cpu, uint32_t address, uint64_t *value);
int sim_write(struct sim_machine *machine, int cpu, uint32_t address, uint64_t value);

/** Something that happens @n times on one processor, at user or kernel level, in one cycle each. */
struct sim_event {
	uint16_t event;
	uint8_t umask;
	bool kernel;
	uint64_t n;
	/* Fixed counters count these whatever the selects say: bit i, fixed counter i. */
	uint32_t fixed;
};

/** sim_count() - every counter that is enabled and selects it takes it in, overflow status included. */
int sim_count(struct sim_machine *machine, int cpu, const struct sim_event *event);

/** sim_count_uncore() - the same outside the cores; @unit: "uncore", "clock", "cbo0", "cbo1", ..., "arb", "l3" */
int sim_count_uncore(struct sim_machine *machine, int cpu, const char *unit, uint16_t event, uint8_t umask,
		     uint64_t n);

/** sim_energy() - add raw units to an energy counter; @domain: "pkg", "cores", "gpu", "dram" */
int sim_energy(struct sim_machine *machine, int cpu, const char *domain, uint64_t raw);

/** sim_fail() - from now on accesses of @address on @cpu (-1: all) fail with @error; @reads, @writes: which; 0 mends. */
void sim_fail(struct sim_machine *machine, int cpu, uint32_t address, bool reads, bool writes, int error);

#endif
