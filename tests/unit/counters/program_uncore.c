/* SPDX-License-Identifier: BSD-3-Clause */
/* Programs of what a socket counts: cache slices, memory, L3, energy. */
#include "counters/msr/program.h"

#include "unit/counters/program_run.h"
#include "unit/part.h"

static void adds_up_cache_slices(void)
{
	begin("sandybridge", 1, 4, 2);
	plan_add(&plan, outside(PMU_UNIT_CBO, 0x0f34));
	plan_add(&plan, outside(PMU_UNIT_ARB, 0x0181));
	plan_add(&plan, outside(PMU_UNIT_ARB, 0x0180));
	plan_add(&plan, outside(PMU_UNIT_CLOCK, 0));
	look();
	set_found(-1, MSR_UNC_CBO_CONFIG, 5);
	is_int(make(), 0, "Sandy Bridge's uncore");
	is_int(disorder(), 0, "in phases");
	is_int((long long)program.n_units, 6, "four slices, the arbiter, the clock");
	ok(program.unit[3].counter[0].address == 0x736 && program.unit[3].counter[0].slot == 0 &&
		   program.unit[3].counter[0].bits == 44,
	   "the fourth slice counts the same, in 44 bits");
	is_write(PMU_MSR_ENABLE, 0, 0x730, 0x400f34, "its select");
	ok(nth(PMU_MSR_READ, 0, 0x3b0, 0)->slot == 2 && nth(PMU_MSR_READ, 0, 0x3b1, 0)->slot == 1,
	   "event 80H of the arbiter on counter 0");
	is_write(PMU_MSR_ENABLE, 0, MSR_UNC_PERF_FIXED_CTRL, 1u << 22,
		 "the clock's control is 394H");
	is_write(PMU_MSR_ENABLE, 0, MSR_UNC_PERF_GLOBAL_CTRL, 1u << 29, "and one bit for all");
	is_int(run_all(), 0, "everything is put back");
	remake();
	set_found(-1, MSR_UNC_CBO_CONFIG, 4);
	is_int(make(), 0, "without graphics, which have none");
	is_int((long long)program.n_units, 6, "each core's slice is counted all the same");
	remake();
	set_found(-1, MSR_UNC_CBO_CONFIG, 9);
	is_int(make(), -ENOENT, "with eight, four of them out of reach");
	has(probe.why, "8 slices", "says so");
	remake();
	set_found(-1, MSR_UNC_CBO_CONFIG, 5);
	set_found(-1, 0x711, 0x400f34);
	set_found(-1, MSR_UNC_PERF_GLOBAL_CTRL, 1u << 29);
	plan_add(&plan, outside(PMU_UNIT_CBO, 0x0122));
	is_int(make(), -ENOSPC, "a slice's counter that somebody has");
	is_str(program.taken,
	       "the counter of MSR_UNC_CBO_1_PERFEVTSEL1 is in use on socket 0: event 34H, umask 0FH",
	       "is named");
	remake();
	plan.n_slots--;
	is_int(make(), 0, "the other is free");
	is_write(PMU_MSR_STOP, 0, MSR_UNC_PERF_GLOBAL_CTRL, 1u << 29,
		 "what counts for both is not stopped");
	is_int(run_all(), 0, "everything is put back");
	end();
}

static void knows_later_uncores(void)
{
	begin("skylake", 1, 4, 1);
	plan_add(&plan, outside(PMU_UNIT_CBO, 0x0f34));
	is_int(make(), 0, "Skylake, without having looked");
	is_int((long long)program.n_units, 4, "a slice for each core");
	is_write(PMU_MSR_ENABLE, 0, MSR_UNC_PERF_GLOBAL_CTRL_SKL, 1u << 29,
		 "global control at E01H");
	end();
	begin("icelake", 1, 4, 1);
	plan_add(&plan, outside(PMU_UNIT_CBO, 0x0f34));
	look();
	set_found(-1, MSR_UNC_CBO_CONFIG, 4);
	is_int(make(), 0, "Ice Lake");
	is_u64(program.unit[3].counter[0].address, 0x71a,
	       "eight registers a slice, counters at 702H");
	remake();
	set_found(-1, MSR_UNC_CBO_CONFIG, 2);
	is_int(make(), 0, "with two slices");
	is_int((long long)program.n_units, 2, "two are counted");
	remake();
	free(found);
	found = NULL;
	plan_add(&plan, outside(PMU_UNIT_ARB, 0x0181));
	is_int(make(), 0, "its arbiter");
	is_u64(nth(PMU_MSR_READ, 0, 0x3b1, 0) != NULL, 1, "counts on counter 1");
	is_int(count(PMU_MSR_LOOK, 0, 0x3b0), 0, "counter 0 is not looked at");
	remake();
	plan.slot[1].config = 0x0180;
	is_int(make(), -ENOENT, "which alone would count event 80H");
	remake();
	machine->id.model = 140;
	is_int(make(), 0, "and does on Tiger Lake");
	end();
	begin("nehalem-ex", 1, 4, 1);
	plan_add(&plan, outside(PMU_UNIT_UNCORE, 0x0101));
	is_int(make(), -ENOENT, "an uncore that other registers program");
	end();
	begin("westmere", 1, 2, 1);
	plan_add(&plan, outside(PMU_UNIT_UNCORE, 0x10101));
	is_int(make(), -EINVAL, "a user bit outside the cores");
	end();
}

static void counts_each_l3(void)
{
	/* 8 cores a socket, 4 a complex: L3 0 to 3 begin at processors 0, 4, 8, 12 */
	begin("zen2", 2, 8, 2);
	plan_add(&plan, outside(PMU_UNIT_L3, 0xff04));
	is_int(make(), 0, "Zen 2's level 3");
	is_int(count(PMU_MSR_ENABLE, -1, MSR_AMD_L3_PERF_CTL0), 4, "one of each complex");
	is_write(PMU_MSR_ENABLE, 12, MSR_AMD_L3_PERF_CTL0, UINT64_C(0xff0f00000040ff04),
		 "every slice and thread");
	ok(program.n_units == 4 && program.unit[1].package == 0 && program.unit[1].cpu == 4 &&
		   program.unit[2].package == 1 && program.unit[2].cpu == 8,
	   "those of a socket follow each other");
	end();
	begin("zen3", 1, 4, 1);
	plan_add(&plan, outside(PMU_UNIT_L3, 0xff04));
	is_int(make(), 0, "Zen 3's");
	is_write(PMU_MSR_ENABLE, 0, MSR_AMD_L3_PERF_CTL0, UINT64_C(0x0f00c0000040ff04),
		 "says so otherwise");
	remake();
	machine->partial = true;
	is_int(make(), -ENOENT, "one of some processors, when there may be other complexes");
	remake();
	machine->partial = false;
	machine->kind[0].l3_extension = false;
	is_int(make(), -ENOENT, "a hypervisor that hides it");
	is_int(count(PMU_MSR_LOOK, -1, MSR_AMD_L3_PERF_CTL0), 0, "is believed");
	has(probe.why, "CPUID shows no counters of the level 3 cache", "and said so");
	end();
}

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-6;
}

static void counts_no_energy_that_never_moves(void)
{
	begin("sandybridge", 1, 2, 2);
	plan_add(&plan, energy(PMU_ENERGY_PACKAGE));
	plan_add(&plan, energy(PMU_ENERGY_GRAPHICS));
	look();
	set_found(-1, MSR_RAPL_POWER_UNIT, 0xa0e03);
	is_int(make(), -ENOENT, "graphics whose energy is 0");
	ok(!probe.error[0] && probe.error[1] == -ENOENT, "are not counted");
	has(probe.why, "the energy of the graphics (its own is 0)", "and it is said why");
	set_found(-1, MSR_PP1_ENERGY_STATUS, 5);
	remake();
	is_int(make(), 0, "graphics that have used some are");
	end();
	begin("zen4", 1, 2, 2);
	plan_add(&plan, energy(PMU_ENERGY_GRAPHICS));
	plan_add(&plan, energy(PMU_ENERGY_DRAM));
	look();
	is_int(make(), -ENOENT, "energy that no register has");
	is_str(probe.why,
	       "on this CPU no register that is known counts the energy of the graphics, the memory",
	       "one sentence for all of it");
	end();
}

static void reads_energy(void)
{
	begin("sandybridge", 1, 2, 2);
	plan_add(&plan, energy(PMU_ENERGY_PACKAGE));
	plan_add(&plan, energy(PMU_ENERGY_CORES));
	look();
	set_found(-1, MSR_RAPL_POWER_UNIT, 0xa0e03);
	is_int(make(), 0, "energy on Sandy Bridge");
	ok(near(program.energy_uj[PMU_ENERGY_PACKAGE], 1e6 / 16384), "in 2^-14 joules");
	ok(program.energy_uj[PMU_ENERGY_DRAM] == 0, "none of the memory");
	is_int((long long)(program.first[PMU_MSR_READ] - program.first[PMU_MSR_STOP]), 0,
	       "nothing is written");
	is_int((long long)(program.n_ops - program.first[PMU_MSR_RESTORE]), 0, "or put back");
	is_int((long long)program.first[PMU_MSR_STOP], 1, "and nothing is looked at but the unit");
	ok(program.n_units == 1 && program.unit[0].n_counters == 2 &&
		   program.unit[0].counter[1].address == 0x639 &&
		   program.unit[0].counter[1].bits == 32,
	   "two counters of 32 bits");
	remake();
	plan_add(&plan, energy(PMU_ENERGY_DRAM));
	is_int(make(), -ENOENT, "no energy of the memory");
	has(probe.why, "memory", "is known");
	end();
	begin("haswell-ep", 2, 2, 1);
	plan_add(&plan, energy(PMU_ENERGY_DRAM));
	is_int(make(), 0, "energy of the memory");
	ok(near(program.energy_uj[PMU_ENERGY_DRAM], 15.2587890625), "in a unit of its own");
	is_int((long long)program.n_units, 2, "of both sockets");
	end();
	begin("silvermont", 1, 2, 1);
	plan_add(&plan, energy(PMU_ENERGY_CORES));
	look();
	set_found(-1, MSR_RAPL_POWER_UNIT, 0x00505);
	is_int(make(), 0, "Silvermont");
	ok(near(program.energy_uj[PMU_ENERGY_CORES], 32), "in 2^5 microjoules");
	end();
	begin("zen3", 2, 2, 2);
	plan_add(&plan, energy(PMU_ENERGY_CORES));
	plan_add(&plan, energy(PMU_ENERGY_PACKAGE));
	look();
	set_found(-1, MSR_AMD_RAPL_POWER_UNIT, 0xa1003);
	is_int(make(), 0, "AMD");
	is_int(count(PMU_MSR_READ, -1, MSR_AMD_CORE_ENERGY_STATUS), 4, "each core");
	is_int(count(PMU_MSR_READ, -1, MSR_AMD_PKG_ENERGY_STATUS), 2, "each socket");
	ok(near(program.energy_uj[PMU_ENERGY_CORES], 1e6 / 65536), "in 2^-16 joules");
	ok(program.unit[0].package == 0 && program.unit[program.n_units - 1].package == 1,
	   "socket after socket");
	remake();
	machine->partial = true;
	is_int(make(), -ENOENT, "a process that may use some of the processors");
	ok(probe.error[0] == -ENOENT && !probe.error[1],
	   "does not know what all cores used, only the socket");
	end();
}

UNIT_PART(program_uncore)
{
	adds_up_cache_slices();
	knows_later_uncores();
	counts_each_l3();
	counts_no_energy_that_never_moves();
	reads_energy();
	return done_testing();
}
