/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs on simulated registers, which were written from the manuals alone: nothing faults, what
 * happens is counted.
 */
#include <errno.h>

#include "base/error.h"
#include "counters/msr/program.h"
#include "counters/msr/registers.h"
#include "sim/model.h"
#include "unit/machines.h"
#include "unit/part.h"

#define N_CPUS 64

static struct pmu_machine *machine;
static struct sim_machine *sim;
static struct pmu_plan plan;
static struct pmu_msr_program program;
static struct pmu_probe probe;
static uint64_t *found;

static void begin(const char *name, const char *simulated, unsigned int packages,
		  unsigned int cores, unsigned int threads)
{
	struct sim_place place[N_CPUS];

	machine = made_machine(name, packages, cores, threads);
	memset(&plan, 0, sizeof(plan));
	for (size_t i = 0; i < machine->n_cpus; i++)
		place[i] = (struct sim_place){ .cpu = machine->cpu[i].pu.cpu,
					       .package = machine->cpu[i].pu.package,
					       .core = machine->cpu[i].pu.core,
					       .thread = machine->cpu[i].pu.smt,
					       .l3 = machine->cpu[i].l3,
					       .efficient = machine->cpu[i].kind == 1 };
	sim = sim_machine_new(sim_cpu_find(simulated), place, machine->n_cpus);
}

static void end(void)
{
	pmu_msr_program_free(&program);
	sim_machine_free(sim);
	made_free(machine);
	free(found);
	found = NULL;
}

/* Reads every register.  Return: how many accesses faulted. */
static unsigned int look(void)
{
	struct pmu_msr_program looked;
	unsigned int faults = 0;

	if (pmu_msr_program_look(machine, &plan, &looked))
		return 1;
	found = calloc(looked.n_ops + 1, sizeof(*found));
	for (size_t i = 0; i < looked.n_ops; i++) {
		if (!sim_read(sim, looked.op[i].cpu, looked.op[i].address, &found[i]))
			continue;
		diag("cannot read %X on CPU %d", looked.op[i].address, looked.op[i].cpu);
		faults++;
	}
	pmu_msr_program_free(&looked);
	return faults;
}

static bool write_op(const struct pmu_msr_op *op)
{
	uint64_t value = op->value, there = 0;

	if (op->mask != UINT64_MAX) {
		if (sim_read(sim, op->cpu, op->address, &there))
			return false;
		value |= there & ~op->mask;
	}
	return !sim_write(sim, op->cpu, op->address, value);
}

static unsigned int run(enum pmu_msr_phase first, enum pmu_msr_phase last)
{
	unsigned int faults = 0;

	for (size_t i = program.first[first]; i < program.first[last + 1]; i++) {
		if (write_op(&program.op[i]))
			continue;
		diag("cannot write %X <- %" PRIX64 " in %s", program.op[i].address,
		     program.op[i].value,
		     pmu_msr_phase_name((enum pmu_msr_phase)program.op[i].phase));
		faults++;
	}
	return faults;
}

/* Registers that do not hold what was found. */
static unsigned int different(void)
{
	unsigned int n = 0;

	for (size_t i = 0; i < program.first[PMU_MSR_STOP]; i++) {
		const struct pmu_msr_op *op = &program.op[i];
		uint64_t value = 0;

		if (!sim_read(sim, op->cpu, op->address, &value) && value == found[i])
			continue;
		if (!n++)
			diag("%X on CPU %d: %" PRIX64 ", was %" PRIX64, op->address, op->cpu, value,
			     found[i]);
	}
	return n;
}

/* What a slot counted on one processor, or everywhere for -1. */
static uint64_t counted(int cpu, int slot)
{
	uint64_t sum = 0, value;

	for (size_t i = program.first[PMU_MSR_READ]; i < program.first[PMU_MSR_RESTORE]; i++)
		if (program.op[i].slot == slot && (cpu < 0 || program.op[i].cpu == cpu) &&
		    !sim_read(sim, program.op[i].cpu, program.op[i].address, &value))
			sum += value;
	return sum;
}

static void happen(int cpu, uint16_t event, uint8_t umask, uint64_t n, uint32_t fixed)
{
	const struct sim_event user = { .event = event, .umask = umask, .n = n, .fixed = fixed };
	const struct sim_event kernel = {
		.event = event, .umask = umask, .n = 1000000, .kernel = true, .fixed = fixed
	};

	sim_count(sim, cpu, &user);
	sim_count(sim, cpu, &kernel);
}

/* Instructions, cycles and branches of two processors, at user level. */
static void is_counted(const char *name, bool amd, bool branches)
{
	char what[96];

	happen(0, 0xc0, 0, 100, 1u << 0);
	happen(0, amd ? 0x76 : 0x3c, 0, 200, 1u << 1);
	happen(0, amd ? 0xc2 : 0xc4, 0, 30, 0);
	happen(1, 0xc0, 0, 7, 1u << 0);
	snprintf(what, sizeof(what), "%s: instructions, cycles, branches as they happened", name);
	ok(counted(0, 0) == 100 && counted(0, 1) == 200 && counted(0, 2) == (branches ? 30 : 0),
	   "%s", what);
	ok(counted(1, 0) == 7 && !counted(1, 1) && !counted(1, 2),
	   "%s: on each processor by itself", name);
}

static void counts_on(const char *name, const char *simulated, unsigned int n_events)
{
	bool amd = !strncmp(name, "zen", 3);

	begin(name, simulated, 2, 4, 2);
	if (!strcmp(name, "alderlake")) {
		/* with its E cores on, CPUID names what both kinds have */
		machine->kind[0].general = 0x3f;
		machine->kind[0].fixed = 0x7;
	}
	plan_core(&plan);
	plan.absent = 0x7fu & ~((1u << n_events) - 1);
	for (int cpu = 0; cpu < (int)machine->n_cpus; cpu++) {
		uint32_t select = amd ? MSR_AMD_PERF_CTL0 : MSR_IA32_PERFEVTSEL0;

		/*
		 * what others left behind, not enabled; marked as in use it would be from version 4
		 * on
		 */
		if (machine->kind[0].version < 4)
			sim_poke(sim, cpu, select, 0x31234);
		sim_poke(sim, cpu, amd ? MSR_AMD_PERF_CTR0 : MSR_IA32_PMC0, 0x1234567);
	}
	is_int(look(), 0, "no register that is looked at faults");
	is_int(pmu_msr_program_make(machine, &plan, found, &program, &probe), 0, "a program");
	is_str(program.taken, "", "nobody is in the way");
	is_int(run(PMU_MSR_STOP, PMU_MSR_ENABLE), 0, "no write of it faults");
	is_counted(name, amd, n_events > 2);
	is_int(run(PMU_MSR_RESTORE, PMU_MSR_RESTORE), 0, "nor one of putting back");
	is_int(different(), 0, "after which everything is as it was");
	happen(0, 0xc0, 0, 100, 1u << 0);
	is_int(different(), 0, "and counts no more");
	end();
}

static void counts_outside_the_cores(const char *name, const char *simulated,
				     enum pmu_uncore_unit unit, const char *box, uint64_t config)
{
	const uint16_t event = config & 0xff;
	const uint8_t umask = config >> 8 & 0xff;

	begin(name, simulated, 1, unit == PMU_UNIT_CBO && !strcmp(name, "skylake") ? 2 : 4, 2);
	plan_add(&plan, outside(unit, config));
	is_int(look(), 0, "no register that is looked at faults");
	is_int(pmu_msr_program_make(machine, &plan, found, &program, &probe), 0, probe.why);
	is_int(run(PMU_MSR_STOP, PMU_MSR_ENABLE), 0, "no write faults");
	is_int(sim_count_uncore(sim, 0, box, event, umask, 5), 0, box);
	if (unit == PMU_UNIT_CBO)
		sim_count_uncore(sim, 0, "cbo1", event, umask, 6);
	is_u64(counted(-1, 0), unit == PMU_UNIT_CBO ? 11 : 5, name);
	is_int(run(PMU_MSR_RESTORE, PMU_MSR_RESTORE), 0, "nor does putting back");
	is_int(different(), 0, "everything is as it was");
	sim_count_uncore(sim, 0, box, event, umask, 5);
	is_int(different(), 0, "and counts no more");
	end();
}

static void reads_energy(const char *name, const char *domain, enum pmu_energy_domain which)
{
	begin(name, name, 1, 2, 1);
	plan_add(&plan, energy(which));
	is_int(look(), 0, "the unit can be read");
	is_int(pmu_msr_program_make(machine, &plan, found, &program, &probe), 0, name);
	sim_energy(sim, 0, domain, 65536);
	ok(counted(-1, 0) * program.energy_uj[which] == 1e6, "a joule is a million microjoules");
	end();
}

UNIT_PART(program_sim)
{
	counts_on("core", "yonah", 2);
	counts_on("core2", "core2", 4);
	counts_on("westmere", "westmere", 7);
	counts_on("sandybridge", "sandybridge", 7);
	counts_on("skylake", "skylake", 7);
	counts_on("icelake", "icelake", 7);
	counts_on("alderlake", "alderlake", 7);
	counts_on("zen3", "zen3", 6);
	counts_on("zen4", "zen4", 6);
	counts_outside_the_cores("nehalem", "nehalem", PMU_UNIT_UNCORE, "uncore", 0x0101);
	counts_outside_the_cores("westmere", "westmere", PMU_UNIT_CLOCK, "clock", 0);
	counts_outside_the_cores("sandybridge", "sandybridge", PMU_UNIT_CBO, "cbo0", 0x0f34);
	counts_outside_the_cores("sandybridge", "sandybridge", PMU_UNIT_ARB, "arb", 0x0180);
	counts_outside_the_cores("sandybridge", "sandybridge", PMU_UNIT_CLOCK, "clock", 0);
	counts_outside_the_cores("skylake", "skylake", PMU_UNIT_CBO, "cbo0", 0x0f34);
	counts_outside_the_cores("icelake", "icelake", PMU_UNIT_CBO, "cbo0", 0x0f34);
	counts_outside_the_cores("icelake", "icelake", PMU_UNIT_ARB, "arb", 0x0181);
	counts_outside_the_cores("zen3", "zen3", PMU_UNIT_L3, "l3", 0xff04);
	counts_outside_the_cores("zen4", "zen4", PMU_UNIT_L3, "l3", 0xff04);
	reads_energy("sandybridge", "pkg", PMU_ENERGY_PACKAGE);
	reads_energy("zen3", "core", PMU_ENERGY_CORES);
	return done_testing();
}
