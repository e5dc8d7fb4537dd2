/* SPDX-License-Identifier: BSD-3-Clause */
/* What the tests of programs share: a machine, what is found on it, its program, and registers to run that on. */
#ifndef PMU_TESTS_COUNTERS_PROGRAM_RUN_H
#define PMU_TESTS_COUNTERS_PROGRAM_RUN_H

#include <errno.h>

#include "base/error.h"
#include "counters/msr/program.h"
#include "counters/msr/registers.h"
#include "tap.h"
#include "unit/machines.h"

#define EN (UINT64_C(1) << 22)

static struct pmu_machine *machine;
static struct pmu_plan plan;
static struct pmu_msr_program program;
static struct pmu_probe probe;
static uint64_t *found;

/* --- a machine, what is found on it, a program --- */

static inline void begin(const char *name, unsigned int packages, unsigned int cores,
			 unsigned int threads)
{
	machine = made_machine(name, packages, cores, threads);
	memset(&plan, 0, sizeof(plan));
}

/* Every register 0, unless a test sets another value. */
static inline void look(void)
{
	struct pmu_msr_program looked;

	if (pmu_msr_program_look(machine, &plan, &looked))
		diag("look: %s", pmu_error_text());
	found = calloc(looked.n_ops + 1, sizeof(*found));
	pmu_msr_program_free(&looked);
}

static inline void set_found(int cpu, uint32_t address, uint64_t value)
{
	struct pmu_msr_program looked;

	if (pmu_msr_program_look(machine, &plan, &looked))
		diag("look: %s", pmu_error_text());
	for (size_t i = 0; i < looked.n_ops; i++)
		if ((cpu < 0 || looked.op[i].cpu == cpu) && looked.op[i].address == address)
			found[i] = value;
	pmu_msr_program_free(&looked);
}

static inline int make(void)
{
	return pmu_msr_program_make(machine, &plan, found, &program, &probe);
}

static inline void remake(void)
{
	pmu_msr_program_free(&program);
}

static inline void end(void)
{
	pmu_msr_program_free(&program);
	made_free(machine);
	free(found);
	found = NULL;
}

/* The nth operation of a phase on an address, of any processor if @cpu is -1; NULL. */
static inline const struct pmu_msr_op *nth(enum pmu_msr_phase phase, int cpu, uint32_t address,
					   unsigned int n)
{
	for (size_t i = program.first[phase]; i < program.first[phase + 1]; i++)
		if (program.op[i].address == address && (cpu < 0 || program.op[i].cpu == cpu) &&
		    !n--)
			return &program.op[i];
	return NULL;
}

static inline unsigned int count(enum pmu_msr_phase phase, int cpu, uint32_t address)
{
	unsigned int n = 0;

	while (nth(phase, cpu, address, n))
		n++;
	return n;
}

static inline void is_write(enum pmu_msr_phase phase, int cpu, uint32_t address, uint64_t value,
			    const char *name)
{
	const struct pmu_msr_op *op = nth(phase, cpu, address, 0);

	if (!op || !op->write || op->mask != UINT64_MAX)
		ok(false, "%s: no write of %x in %s", name, address, pmu_msr_phase_name(phase));
	else
		is_u64(op->value, value, name);
}

static inline const struct pmu_msr_counter *counter_of(unsigned int kind, int slot)
{
	for (unsigned int i = 0; i < program.n_counters[kind]; i++)
		if (program.counter[kind][i].slot == slot)
			return &program.counter[kind][i];
	return NULL;
}

/*
 * What controls each counter of a kind of core is written when it is enabled, on @cpu, and has the
 * value then that it is known by.  Return: the registers for which that is not so.
 */
static inline unsigned int unheld(unsigned int kind, int cpu)
{
	unsigned int wrong = 0;

	for (unsigned int i = 0; i < program.n_counters[kind]; i++)
		for (unsigned int j = 0; j < PMU_MSR_HOLDS; j++) {
			const struct pmu_msr_hold *hold = &program.counter[kind][i].hold[j];
			enum pmu_msr_phase phase = j < 2 ? PMU_MSR_ENABLE : PMU_MSR_SELECT;
			const struct pmu_msr_op *op = nth(phase, cpu, hold->address, 0);

			wrong += j ? hold->address &&
						 (!op || (op->value & hold->bits) != hold->value)
				   : !op || !hold->bits || (op->value & hold->bits) != hold->value;
		}
	return wrong;
}

static inline uint32_t address_of(unsigned int kind, int slot)
{
	return counter_of(kind, slot) ? counter_of(kind, slot)->address : 0;
}

/* --- registers to run a program on --- */

struct cell {
	int at; /* the processor, or -2 - package for what a socket shares */
	uint32_t address;
	uint64_t value;
};
static struct cell file[1 << 14];
static size_t n_cells;

static inline uint64_t *cell(const struct pmu_msr_op *op, uint32_t address)
{
	int at = op->socket >= 0 ? -2 - op->socket - 100 * op->cpu : op->cpu;

	for (size_t i = 0; i < n_cells; i++)
		if (file[i].at == at && file[i].address == address)
			return &file[i].value;
	file[n_cells] = (struct cell){ .at = at, .address = address };
	return &file[n_cells++].value;
}

/* Full-width aliases, and writes of the old addresses that extend the sign. */
static inline void write_op(const struct pmu_msr_op *op)
{
	bool intel = machine->kind[0].family == PMU_PERFMON_INTEL;
	uint64_t *to = cell(op, op->address), value = (*to & ~op->mask) | op->value;

	if (intel && op->address >= 0x4c1 && op->address < 0x4c1 + 8)
		to = cell(op, op->address - 0x400);
	else if (intel && op->address >= 0xc1 && op->address < 0xc1 + 8)
		value = (uint64_t)(int64_t)(int32_t)value &
			((UINT64_C(1) << machine->kind[0].general_bits) - 1);
	*to = value;
}

static inline bool is_write_only(uint32_t address)
{
	return address == 0x390 || address == 0xc0000302 || address == 0x393;
}

/*
 * Runs all phases on what was found; counters count in between.  Return: registers that differ at
 * the end.
 */
static inline unsigned int run_all(void)
{
	unsigned int wrong = 0;

	n_cells = 0;
	for (size_t i = program.first[PMU_MSR_LOOK]; i < program.first[PMU_MSR_STOP]; i++)
		*cell(&program.op[i], program.op[i].address) = found ? found[i] : 0;
	for (size_t i = program.first[PMU_MSR_STOP]; i < program.n_ops; i++) {
		const struct pmu_msr_op *op = &program.op[i];

		if (!op->write)
			*cell(op, op->address) += 1000;
		else if (!is_write_only(op->address))
			write_op(op);
	}
	for (size_t i = program.first[PMU_MSR_LOOK]; i < program.first[PMU_MSR_STOP]; i++) {
		const struct pmu_msr_op *op = &program.op[i];
		uint64_t left = *cell(op, op->address);

		if (left == (found ? found[i] : 0))
			continue;
		if (!wrong++)
			diag("CPU %d, register %x: %" PRIx64 " left", op->cpu, op->address, left);
	}
	return wrong;
}

/* What holds for every program. */
static inline unsigned int disorder(void)
{
	unsigned int wrong = program.first[0] != 0 ||
			     program.first[PMU_MSR_PHASES] != program.n_ops;

	for (size_t i = 0; i < program.n_ops; i++) {
		const struct pmu_msr_op *op = &program.op[i];

		wrong += i < program.first[op->phase] || i >= program.first[op->phase + 1];
		wrong += op->write != (op->phase != PMU_MSR_LOOK && op->phase != PMU_MSR_READ);
		wrong += op->write && op->phase != PMU_MSR_RESTORE && op->mask != UINT64_MAX;
		wrong += op->write && !pmu_msr_is_counting(machine, op->address);
		wrong += (op->slot >= 0) != (op->phase == PMU_MSR_READ);
		/* a select is enabled in one phase and put back in another */
		wrong += op->write && op->phase < PMU_MSR_ENABLE && op->address >= 0x186 &&
			 op->address < 0x18e && op->value & EN;
	}
	return wrong;
}

#endif
