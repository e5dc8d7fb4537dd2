/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs for machines made by hand: the order, which counters are left alone, and that everything
 * is put back.
 */
#include "counters/msr/program.h"

#include "unit/counters/program_run.h"
#include "unit/part.h"

static void follows_the_founding_order(void)
{
	/* 2 sockets with 4 cores of 2 threads */
	begin("westmere", 2, 4, 2);
	plan_core(&plan);
	plan.absent = 1u << 6;
	plan_add(&plan, outside(PMU_UNIT_UNCORE, 0x0101));
	plan_add(&plan, outside(PMU_UNIT_CLOCK, 0));
	look();
	set_found(-1, MSR_IA32_PERF_GLOBAL_CTRL, UINT64_C(0x70000000f));
	is_int(make(), 0, "a program for a Westmere with two sockets");
	is_int(disorder(), 0, "in phases");
	is_u64(address_of(0, 0), MSR_IA32_FIXED_CTR0, "instructions on fixed counter 0");
	is_u64(address_of(0, 1), MSR_IA32_FIXED_CTR0 + 1, "cycles on fixed counter 1");
	is_u64(address_of(0, 2), MSR_IA32_PMC0, "branches on general counter 0");
	is_u64(counter_of(0, 1)->rdpmc, (1u << 30) + 1, "RDPMC reads a fixed counter so");
	is_u64(counter_of(0, 2)->rdpmc, 0, "and a general one so");
	is_u64(counter_of(0, 2)->bits, 48, "of 48 bits");
	is_u64(unheld(0, 3), 0, "what controls them is known");
	is_u64(counter_of(0, 1)->hold[0].bits, 0xf0, "of the fixed control a field each");
	is_u64(program.missing[0], 0x1c0,
	       "the absent slot and those of the sockets are missing on a core");

	is_write(PMU_MSR_STOP, 3, MSR_IA32_PERF_GLOBAL_CTRL, UINT64_C(0x400000000),
		 "our bits leave the global control");
	is_write(PMU_MSR_CLEAR, 3, MSR_IA32_PERF_GLOBAL_OVF_CTRL, UINT64_C(0x30000000f),
		 "our overflows are cleared");
	is_write(PMU_MSR_SELECT, 3, MSR_IA32_PERFEVTSEL0, 0x100c4, "the select without EN");
	is_write(PMU_MSR_ZERO, 3, MSR_IA32_PMC0, 0, "the counter");
	is_write(PMU_MSR_ZERO, 3, MSR_IA32_FIXED_CTR0 + 1, 0, "the fixed counter");
	is_write(PMU_MSR_ENABLE, 3, MSR_IA32_PERFEVTSEL0, 0x4100c4, "the select with EN");
	is_write(PMU_MSR_ENABLE, 3, MSR_IA32_FIXED_CTR_CTRL, 0x22, "fixed counters at user level");
	is_write(PMU_MSR_ENABLE, 3, MSR_IA32_PERF_GLOBAL_CTRL, UINT64_C(0x70000000f),
		 "and all of them");
	is_int(count(PMU_MSR_LOOK, 3, MSR_IA32_PERF_GLOBAL_INUSE), 0, "no INUSE before version 4");
	is_u64(program.op[program.first[PMU_MSR_CLEAR] - 1].socket, 1,
	       "sockets come last in a phase");
	is_int(run_all(), 0, "everything is put back");

	for (int package = 0; package < 2; package++) {
		int cpu = 4 * package;

		is_int(count(PMU_MSR_SELECT, cpu, MSR_UNCORE_PERFEVTSEL0), 1,
		       "a socket's uncore, on its first processor");
		is_write(PMU_MSR_SELECT, cpu, MSR_UNCORE_PERFEVTSEL0, 0x20101,
			 "its queue is reset");
		is_write(PMU_MSR_ENABLE, cpu, MSR_UNCORE_PERFEVTSEL0, 0x400101,
			 "then it is enabled");
		is_write(PMU_MSR_ENABLE, cpu, MSR_UNCORE_FIXED_CTR_CTRL, 1, "the clock too");
		is_write(PMU_MSR_ENABLE, cpu, MSR_UNCORE_PERF_GLOBAL_CTRL, UINT64_C(0x100000001),
			 "and both together");
		is_write(PMU_MSR_CLEAR, cpu, MSR_UNCORE_PERF_GLOBAL_OVF_CTRL, UINT64_C(0x100000001),
			 "overflows");
	}
	is_int(count(PMU_MSR_SELECT, -1, MSR_UNCORE_PERFEVTSEL0), 2, "and on no other");
	is_int((long long)program.n_units, 4, "a unit for each uncore and each clock");
	ok(program.unit[0].package == 0 && program.unit[1].package == 0 &&
		   program.unit[2].package == 1,
	   "socket after socket");
	is_u64(program.unit[1].counter[0].address, MSR_UNCORE_FIXED_CTR0, "the clock's counter");
	is_str(program.taken, "", "nobody was there");
	end();
}

static void enables_globals_last(void)
{
	const struct pmu_msr_op *last = NULL;
	unsigned int wrong = 0, n = 0;

	begin("skylake", 1, 2, 1);
	plan_core(&plan);
	is_int(make(), 0, "a program without having looked");
	for (size_t i = program.first[PMU_MSR_ENABLE]; i < program.first[PMU_MSR_READ]; i++) {
		if (last && last->cpu != program.op[i].cpu)
			wrong += last->address != MSR_IA32_PERF_GLOBAL_CTRL;
		n += program.op[i].address == MSR_IA32_PERF_GLOBAL_CTRL;
		last = &program.op[i];
	}
	ok(!wrong && n == 2 && last && last->address == MSR_IA32_PERF_GLOBAL_CTRL,
	   "the global control is the last that each processor gets");
	last = nth(PMU_MSR_RESTORE, 1, MSR_IA32_PERF_GLOBAL_CTRL, 0);
	ok(last && last->mask == UINT64_C(0x70000000f) && !last->value,
	   "and the first that is restored: stopped");
	last = nth(PMU_MSR_RESTORE, 1, MSR_IA32_PERF_GLOBAL_CTRL, 1);
	ok(last && last->mask == UINT64_C(0x70000000f), "and the last: our bits only");
	ok(last == &program.op[program.n_ops - 1], "of all");
	is_write(PMU_MSR_ZERO, 0, MSR_IA32_A_PMC0, 0,
		 "counters are written at full width where the model says so");
	is_int(count(PMU_MSR_LOOK, 0, MSR_IA32_PERF_GLOBAL_INUSE), 1, "INUSE from version 4 on");
	is_int(count(PMU_MSR_LOOK, 0, MSR_IA32_PERF_CAPABILITIES), 1, "capabilities");
	end();
}

static void knows_version_1(void)
{
	begin("core", 1, 2, 1);
	plan_add(&plan, generic(PERF_COUNT_HW_INSTRUCTIONS));
	plan_add(&plan, generic(PERF_COUNT_HW_CPU_CYCLES));
	is_int(make(), 0, "a Core Duo");
	is_int(disorder(), 0, "in phases");
	is_int(count(PMU_MSR_ENABLE, -1, MSR_IA32_PERF_GLOBAL_CTRL) +
		       count(PMU_MSR_LOOK, -1, 0x38e) + count(PMU_MSR_CLEAR, -1, 0x390) +
		       count(PMU_MSR_LOOK, -1, 0x38d),
	       0, "has no global registers");
	is_int((long long)(program.first[PMU_MSR_SELECT] - program.first[PMU_MSR_CLEAR]), 0,
	       "nothing to clear");
	is_write(PMU_MSR_ENABLE, 1, MSR_IA32_PERFEVTSEL0 + 1, 0x41003c, "EN alone enables");
	is_int(run_all(), 0, "everything is put back");
	end();
	begin("core2 early", 1, 2, 1);
	plan_core(&plan);
	plan.absent = 0x7c;
	is_int(make(), 0, "an early Core 2");
	is_int(count(PMU_MSR_LOOK, -1, MSR_IA32_FIXED_CTR_CTRL), 0, "has no fixed control");
	is_u64(address_of(0, 0), MSR_IA32_PMC0, "and counts instructions on a general counter");
	is_write(PMU_MSR_ENABLE, 0, MSR_IA32_PERF_GLOBAL_CTRL, 3, "with global control");
	end();
}

static void says_what_fits(void)
{
	begin("core2", 1, 2, 1);
	plan_core(&plan);
	is_int(make(), -ENOSPC, "seven events on a Core 2");
	ok(!probe.error[0] && !probe.error[1] && !probe.error[2] && !probe.error[3] &&
		   !probe.error[6],
	   "five of them fit: two general counters, three fixed");
	ok(probe.error[4] == -ENOSPC && probe.error[5] == -ENOSPC, "two do not");
	is_str(probe.why, "5 of 7 events fit the counters at the same time", "says so");
	is_int((long long)(program.n_ops - program.first[PMU_MSR_STOP]), 0,
	       "and nothing would be written");
	end();
	begin("nehalem", 1, 4, 1);
	plan_core(&plan);
	is_int(make(), -ENOENT, "branch misses that CPUID denies");
	ok(probe.error[3] == -ENOENT && !probe.error[6], "are refused alone");
	has(probe.why, "C5H", "with their code");
	end();
	begin("core2", 1, 2, 1);
	plan_core(&plan);
	plan_add(&plan, (struct pmu_slot){ .type = PERF_TYPE_RAW, .config = 0x0900, .user = true });
	is_int(make(), -ENOENT, "an event that does not exist behind two that do not fit");
	ok(probe.error[4] == -ENOSPC && probe.error[7] == -ENOENT, "each has its own code");
	has(probe.why, "no fixed counter of this CPU",
	    "and what is said is about the one that never can be counted");
	end();
	begin("hidden", 1, 4, 1);
	plan_core(&plan);
	is_int(make(), -ENODEV, "a PMU that is hidden");
	has(probe.why, "the hypervisor hides it", "says why");
	end();
	begin("skylake", 1, 4, 1);
	plan_add(&plan, (struct pmu_slot){ .kind = PMU_SLOT_SOFTWARE });
	is_int(make(), -ENOENT, "a software event");
	has(probe.why, "kernel", "is the kernel's");
	end();
}

static void leaves_others_alone(void)
{
	const struct pmu_msr_op *op;

	begin("skylake", 1, 4, 1);
	plan_core(&plan);
	plan.absent = 1u << 6 | 1u << 5;
	look();
	set_found(-1, MSR_IA32_PERF_GLOBAL_CTRL, UINT64_C(0x70000000f));
	set_found(3, MSR_IA32_PERFEVTSEL0, 0x53003c);
	is_int(make(), 0, "a general counter that somebody has on one processor");
	is_str(program.taken,
	       "general counter 0 is in use on CPU 3: event 3CH, umask 00H, USR, OS, INT (the kernel's watchdog?)",
	       "is named");
	ok(!program.stranger, "as no stranger");
	ok(address_of(0, 2) == MSR_IA32_PMC0 + 1 && address_of(0, 3) == MSR_IA32_PMC0 + 2,
	   "and left out");
	is_int(count(PMU_MSR_STOP, -1, MSR_IA32_PERFEVTSEL0) +
		       count(PMU_MSR_ZERO, -1, MSR_IA32_PMC0),
	       0, "on all processors");
	is_write(PMU_MSR_STOP, 3, MSR_IA32_PERF_GLOBAL_CTRL, UINT64_C(0x400000001),
		 "its bit stays");
	is_int(run_all(), 0, "everything is put back");
	remake();
	plan.absent = 0;
	set_found(1, MSR_IA32_FIXED_CTR_CTRL, 0xb0);
	is_int(make(), -ENOSPC, "a fixed counter, too");
	has(program.taken, "fixed counter 1 is in use on CPU 1: USR, OS (the kernel's watchdog?)",
	    "is named");
	is_str(probe.why,
	       "5 of 7 events fit the counters at the same time; general counter 0 is in use on CPU 3: event 3CH, umask "
	       "00H, USR, OS, INT (the kernel's watchdog?), and 1 more counter",
	       "and so is what does fit");
	has(probe.mend, "nmi_watchdog", "and what would help");
	remake();
	plan.absent = 1u << 4 | 1u << 5;
	is_int(make(), 0, "without what does not fit");
	op = nth(PMU_MSR_ENABLE, 1, MSR_IA32_FIXED_CTR_CTRL, 0);
	ok(op && op->value == 0x2b2, "the other's bits of the fixed control stay");
	op = nth(PMU_MSR_RESTORE, 1, MSR_IA32_FIXED_CTR_CTRL, 0);
	ok(op && op->mask == 0xf0f && !op->value, "also when it is put back");
	is_u64(address_of(0, 1), MSR_IA32_PMC0 + 1, "cycles go to a general counter");
	end();
}

static void believes_inuse_from_version_4(void)
{
	begin("skylake", 1, 2, 1);
	plan_core(&plan);
	plan.absent = 0x78;
	look();
	set_found(1, MSR_IA32_PERF_GLOBAL_INUSE, UINT64_C(0x200000001));
	set_found(1, MSR_IA32_PERFEVTSEL0, 0x1c2);
	is_int(make(), 0, "counters that are marked");
	is_str(program.taken, "", "are not worth a word");
	ok(address_of(0, 1) == MSR_IA32_PMC0 + 1 && address_of(0, 2) == MSR_IA32_PMC0 + 2,
	   "and left out");
	end();
}

static void uses_a_marked_counter_where_no_other_is_left(void)
{
	begin("skylake", 1, 2, 1);
	plan_core(&plan);
	plan.absent = 0x20;
	look();
	for (unsigned int i = 0; i < 4; i++)
		set_found(1, MSR_IA32_PERFEVTSEL0 + i, 0x1c2);
	set_found(1, MSR_IA32_PERF_GLOBAL_INUSE, UINT64_C(0xf));
	is_int(make(), 0, "all four are marked and none is enabled");
	is_str(program.taken, "", "nobody is disturbed, so nothing is said");
	is_int(count(PMU_MSR_STOP, 1, MSR_IA32_PERFEVTSEL0), 1, "they are used");
	set_found(0, MSR_IA32_PERFEVTSEL0, 0x4101c2);
	pmu_msr_program_free(&program);
	is_int(make(), 0, "one of them enabled on another processor");
	is_int(count(PMU_MSR_STOP, 1, MSR_IA32_PERFEVTSEL0), 0, "is left alone");
	has(program.stranger, "general counter 0 is in use on CPU 0: event C2H, umask 01H",
	    "and named");
	end();
}

static void takes_no_counter_for_used_by_a_global_bit(void)
{
	begin("westmere", 1, 2, 1);
	plan_core(&plan);
	plan.absent = 1u << 6;
	look();
	set_found(-1, MSR_IA32_PERF_GLOBAL_CTRL, UINT64_C(0x70000000f));
	set_found(-1, MSR_IA32_PERFEVTSEL0, 0x3003c);      /* not enabled */
	set_found(-1, MSR_IA32_PERFEVTSEL0 + 1, 0x400000); /* enabled at no level */
	set_found(-1, MSR_IA32_FIXED_CTR_CTRL, 0x8c8);     /* the same of fixed counters */
	is_int(make(), 0, "what firmware and kernels leave behind");
	is_str(program.taken, "", "is nobody's");
	is_write(PMU_MSR_STOP, 0, MSR_IA32_PERFEVTSEL0, 0x3003c, "and stopped without losing it");
	is_write(PMU_MSR_ENABLE, 0, MSR_IA32_FIXED_CTR_CTRL, 0x822, "but for the time of counting");
	is_int(run_all(), 0, "everything is put back");
	end();
}

static void puts_counters_back_exactly(void)
{
	begin("nehalem", 1, 1, 1);
	for (unsigned int i = 0; i < 4; i++)
		plan_add(&plan, raw(0x0151 + i));
	look();
	set_found(0, MSR_IA32_PMC0, 0x1234);
	set_found(0, MSR_IA32_PMC0 + 1, UINT64_C(0xffff80000000));
	set_found(0, MSR_IA32_PMC0 + 2, UINT64_C(0x100000000));
	set_found(0, MSR_IA32_PMC0 + 3, 0x80000000);
	is_int(make(), 0, "32-bit writes");
	ok(nth(PMU_MSR_ZERO, 0, MSR_IA32_PMC0, 0) && nth(PMU_MSR_ZERO, 0, MSR_IA32_PMC0 + 1, 0),
	   "what 32 bits with their sign can say is zeroed");
	ok(!nth(PMU_MSR_ZERO, 0, MSR_IA32_PMC0 + 2, 0) &&
		   !nth(PMU_MSR_ZERO, 0, MSR_IA32_PMC0 + 3, 0),
	   "what they cannot is not");
	is_write(PMU_MSR_RESTORE, 0, MSR_IA32_PMC0, 0x1234, "a positive number comes back");
	is_write(PMU_MSR_RESTORE, 0, MSR_IA32_PMC0 + 1, 0x80000000,
		 "a negative one too, by its low half");
	ok(!nth(PMU_MSR_RESTORE, 0, MSR_IA32_PMC0 + 2, 0), "the others are left as they count");
	remake();
	set_found(0, MSR_IA32_PERF_CAPABILITIES, 1u << 13);
	is_int(make(), 0, "full-width writes");
	is_write(PMU_MSR_RESTORE, 0, MSR_IA32_A_PMC0 + 2, UINT64_C(0x100000000),
		 "bring back every value");
	is_int(run_all(), 0, "everything is put back");
	end();
}

static void knows_what_smt_takes(void)
{
	begin("sandybridge", 1, 2, 2);
	for (unsigned int i = 0; i < 5; i++)
		plan_add(&plan, raw(0x0151 + i));
	is_int(make(), -ENOSPC, "five events on a Sandy Bridge with SMT");
	is_int(count(PMU_MSR_LOOK, -1, MSR_IA32_PERFEVTSEL0 + 4), 0,
	       "counter 4 is not even looked at");
	end();
	begin("sandybridge", 1, 2, 1);
	for (unsigned int i = 0; i < 8; i++)
		plan_add(&plan, raw(0x0151 + i));
	is_int(make(), 0, "eight without");
	is_u64(address_of(0, 7), MSR_IA32_PMC0 + 7, "on counter 7");
	end();
	begin("icelake", 1, 2, 2);
	for (unsigned int i = 0; i < 8; i++)
		plan_add(&plan, raw(0x0151 + i));
	plan_add(&plan, raw(0x0400));
	is_int(make(), 0, "Ice Lake has eight with SMT, and a fourth fixed counter");
	is_u64(address_of(0, 8), MSR_IA32_FIXED_CTR0 + 3, "for slots");
	is_write(PMU_MSR_ENABLE, 0, MSR_IA32_FIXED_CTR_CTRL, 0x2000, "its four bits");
	end();
}

static void knows_counters_with_a_hole(void)
{
	begin("skymont", 1, 2, 1);
	plan_add(&plan, raw(0x0500));
	plan_add(&plan, raw(0x0700));
	is_int(make(), 0, "Skymont's fixed counters");
	is_u64(address_of(0, 1), MSR_IA32_FIXED_CTR0 + 6, "the last is the seventh");
	is_int(count(PMU_MSR_LOOK, 0, MSR_IA32_FIXED_CTR0 + 3), 0, "the hole is not looked at");
	is_write(PMU_MSR_ENABLE, 0, MSR_IA32_FIXED_CTR_CTRL, 0x2020000, "their bits");
	is_write(PMU_MSR_ENABLE, 0, MSR_IA32_PERF_GLOBAL_CTRL, UINT64_C(0x5000000000),
		 "and in the global control");
	end();
}

static void counts_hybrids_kind_by_kind(void)
{
	/* cores 0-3 are P cores, 4-7 E cores */
	begin("alderlake", 1, 8, 1);
	plan_core(&plan);
	for (unsigned int i = 0; i < 3; i++)
		plan_add(&plan, raw(0x0151 + i));
	plan_add(&plan, raw(0x01c2));
	plan.slot[10].core_types = PMU_SLOT_P;
	look();
	set_found(0, MSR_IA32_PERF_CAPABILITIES, 1u << 13);
	set_found(6, MSR_IA32_PERFEVTSEL0 + 5, 0x43003c);
	is_int(make(), 0, "eleven events on P and E cores");
	is_u64(unheld(0, machine->cpu[0].pu.cpu), 0, "what controls them is known on both");
	is_int(disorder(), 0, "in phases");
	is_int(program.n_counters[0], 11, "P cores count all");
	is_int(program.n_counters[1], 8, "E cores what fits: five counters are left");
	is_u64(program.missing[0], 0, "nothing is missing on P cores");
	is_u64(program.missing[1], 0x700,
	       "two that do not fit and one that is not theirs on E cores");
	has(program.taken, "general counter 5 is in use on CPU 6", "somebody's on an E core");
	is_int(count(PMU_MSR_ENABLE, 0, MSR_IA32_PERFEVTSEL0 + 5), 1,
	       "keeps no P core from its own");
	is_int(count(PMU_MSR_ENABLE, 7, MSR_IA32_PERFEVTSEL0 + 5), 0, "but every E core");
	ok(nth(PMU_MSR_ZERO, 0, MSR_IA32_A_PMC0, 0) && nth(PMU_MSR_ZERO, 1, MSR_IA32_PMC0, 0),
	   "each processor's own capabilities say how it is written");
	is_int(run_all(), 0, "everything is put back");
	remake();
	plan.slot[10].config = UINT64_C(1) << 63;
	is_int(make(), -EINVAL, "an event that no kind has");
	is_int(probe.error[10], -EINVAL, "is refused, whatever the other kind says");
	end();
}

static void a_name_of_both_kinds_has_two_codes(void)
{
	struct pmu_slot p = raw(0x01ae), e = raw(0x000e);

	begin("alderlake", 1, 8, 1);
	pmu_slot_set_e_code(&p, &e);
	plan_add(&plan, p);
	look();
	is_int(make(), 0, "an event with two codes");
	is_int(program.n_counters[0], 1, "is counted on P cores");
	is_int(program.n_counters[1], 1, "and on E cores");
	is_write(PMU_MSR_SELECT, 0, MSR_IA32_PERFEVTSEL0, 0x101ae, "by the P cores' code");
	is_write(PMU_MSR_SELECT, 6, MSR_IA32_PERFEVTSEL0, 0x1000e, "by the E cores'");
	end();
}

static void shares_offcore_registers(void)
{
	struct pmu_slot slot = raw(0x01b7);

	begin("westmere", 1, 2, 2);
	slot.extra = MSR_OFFCORE_RSP_0;
	slot.extra_value = 0x5011;
	plan_add(&plan, slot);
	plan_add(&plan, slot);
	look();
	set_found(-1, MSR_OFFCORE_RSP_0, 0x77);
	is_int(make(), 0, "the same offcore response twice");
	is_u64(unheld(0, 0), 0, "their register is known to control both");
	is_int(count(PMU_MSR_LOOK, 2, MSR_OFFCORE_RSP_0), 1, "is one register");
	is_int(count(PMU_MSR_SELECT, 2, MSR_OFFCORE_RSP_0), 1, "written once");
	is_write(PMU_MSR_SELECT, 2, MSR_OFFCORE_RSP_0, 0x5011, "with its value");
	ok(nth(PMU_MSR_SELECT, 2, MSR_OFFCORE_RSP_0, 0) <
		   nth(PMU_MSR_SELECT, 2, MSR_IA32_PERFEVTSEL0, 0),
	   "before the selects");
	is_write(PMU_MSR_RESTORE, 2, MSR_OFFCORE_RSP_0, 0x77, "and put back");
	is_int(run_all(), 0, "everything is put back");
	remake();
	plan.slot[1].extra_value = 0x5012;
	is_int(make(), -ENOSPC, "two responses");
	ok(!probe.error[0] && probe.error[1] == -ENOSPC, "the first has the register");
	has(probe.why, "1A6H", "which is named");
	remake();
	plan.n_slots = 1;
	set_found(1, MSR_IA32_PERFEVTSEL0 + 2, 0x4101b7);
	is_int(make(), -ENOSPC, "a register that somebody else's event needs");
	remake();
	set_found(1, MSR_IA32_PERFEVTSEL0 + 2, 0);
	plan.slot[0].extra = 0x1a0;
	is_int(make(), -EINVAL, "any other register");
	end();
}

/* Slots are left out after the registers were read. */
static void looks_alike_whatever_is_absent(void)
{
	struct pmu_msr_program all, less;
	struct pmu_slot slot = raw(0x01b7);
	bool same;

	begin("sandybridge", 1, 2, 2);
	slot.extra = MSR_OFFCORE_RSP_0;
	plan_add(&plan, slot);
	plan_add(&plan, generic(PERF_COUNT_HW_INSTRUCTIONS));
	plan_add(&plan, outside(PMU_UNIT_ARB, 0x0181));
	plan_add(&plan, energy(PMU_ENERGY_PACKAGE));
	is_int(pmu_msr_program_look(machine, &plan, &all), 0, "a plan of all kinds");
	plan.absent = 0xd;
	is_int(pmu_msr_program_look(machine, &plan, &less), 0, "and what is left of it");
	same = all.n_ops == less.n_ops;
	for (size_t i = 0; same && i < all.n_ops; i++)
		same = all.op[i].cpu == less.op[i].cpu && all.op[i].address == less.op[i].address &&
		       all.op[i].socket == less.op[i].socket && !all.op[i].write &&
		       !less.op[i].write;
	ok(same, "read the same registers in the same order");
	pmu_msr_program_free(&all);
	pmu_msr_program_free(&less);
	end();
}

static void programs_amd(void)
{
	begin("k10", 1, 4, 1);
	plan_add(&plan, generic(PERF_COUNT_HW_INSTRUCTIONS));
	is_int(make(), 0, "K10");
	is_u64(unheld(0, 0), 0, "what controls its counters is known");
	is_write(PMU_MSR_ENABLE, 1, MSR_AMD_LEGACY_PERF_CTL0, 0x4100c0, "by the legacy registers");
	is_u64(address_of(0, 0), MSR_AMD_LEGACY_PERF_CTR0, "all of them");
	end();
	begin("zen3", 1, 4, 2);
	for (unsigned int i = 0; i < 6; i++)
		plan_add(&plan, raw(0xc0 + i));
	look();
	set_found(-1, MSR_AMD_PERF_CTR0 + 2, UINT64_C(0x123456789abc));
	is_int(make(), 0, "Zen 3");
	is_int(disorder(), 0, "in phases");
	is_u64(address_of(0, 5), 0xc001020b, "has six counters, every other register");
	is_u64(counter_of(0, 5)->rdpmc, 5, "as RDPMC numbers them");
	is_int(count(PMU_MSR_ENABLE, -1, MSR_AMD_GLOBAL_CTL), 0, "no global control");
	is_int(run_all(), 0, "everything is put back, at full width");
	end();
	begin("zen4", 1, 4, 2);
	plan_core(&plan);
	plan.absent = 1u << 6;
	look();
	set_found(5, MSR_AMD_PERF_CTL0 + 4, 0x530076);
	set_found(-1, MSR_AMD_GLOBAL_CTL, 0x3f);
	is_int(make(), -ENOSPC, "Zen 4 with one of six counters in use");
	has(program.taken,
	    "general counter 2 is in use on CPU 5: event 76H, umask 00H, USR, OS, INT (the kernel's watchdog?)",
	    "names it");
	remake();
	plan.absent |= 1u << 5;
	is_int(make(), 0, "and without the last event");
	is_u64(unheld(0, 0), 0, "what controls its counters is known, the global control too");
	is_write(PMU_MSR_STOP, 5, MSR_AMD_GLOBAL_CTL, 0x4, "the global control");
	is_write(PMU_MSR_CLEAR, 5, MSR_AMD_GLOBAL_STATUS_CLR, 0x3b, "its overflows");
	is_int(run_all(), 0, "everything is put back");
	end();
}

static void counts_on_given_processors(void)
{
	const int cpus[] = { 1, 5 };

	begin("westmere", 2, 2, 2);
	plan_core(&plan);
	plan.absent = 1u << 6;
	plan_add(&plan, outside(PMU_UNIT_UNCORE, 0x0101));
	plan.cpu = cpus;
	plan.n_cpus = 2;
	is_int(make(), 0, "two processors of one socket");
	is_int(count(PMU_MSR_ENABLE, -1, MSR_IA32_PERF_GLOBAL_CTRL), 2, "are programmed");
	ok(nth(PMU_MSR_ENABLE, 1, MSR_IA32_PERF_GLOBAL_CTRL, 0) &&
		   nth(PMU_MSR_ENABLE, 5, MSR_IA32_PERF_GLOBAL_CTRL, 0),
	   "they alone");
	is_int((long long)program.n_units, 1, "and their socket");
	end();
}

/* Speed, by what is to be done: 512 processors, 7 events. */
static void stays_small(void)
{
	begin("skylake", 8, 32, 2);
	plan_core(&plan);
	is_int(make(), 0, "512 processors");
	/* look 16, stop 6, clear 1, select 4, zero 7, enable 6, read 7, restore 20 */
	ok(program.n_ops == 512 * (16 + 6 + 1 + 4 + 7 + 6 + 7 + 20), "take 67 operations each");
	if (program.n_ops != 512u * 67)
		diag("%zu", program.n_ops);
	end();
}

/* Whatever registers hold: shared bits of others stay, everything comes back. */
static void trusts_no_register(void)
{
	static const struct {
		const char *name;
		enum pmu_uncore_unit unit;
	} tried[] = { { "westmere", PMU_UNIT_UNCORE }, { "skylake", PMU_UNIT_CBO },
		      { "icelake", PMU_UNIT_CBO },     { "alderlake", PMU_UNIT_CBO },
		      { "zen4", PMU_UNIT_L3 },         { "core2", PMU_UNIT_CLOCK } };
	unsigned int wrong = 0, seed = 7, made = 0;

	for (unsigned int round = 0; round < 3000; round++) {
		struct pmu_msr_program looked;

		begin(tried[round % PMU_ARRAY_LEN(tried)].name, 1, 2, 1 + round % 2);
		plan_core(&plan);
		plan.absent = round >> 3 & 0x7f;
		plan_add(&plan, outside(tried[round % PMU_ARRAY_LEN(tried)].unit, 0x0134));
		if (round & 1)
			plan.absent |= 1u << 7;
		look();
		wrong += pmu_msr_program_look(machine, &plan, &looked) != 0;
		for (size_t i = 0; i < looked.n_ops; i++) {
			seed = seed * 1103515245u + 12345;
			found[i] = seed & 0x700 ? 0 : (uint64_t)seed * seed >> (seed & 31);
		}
		pmu_msr_program_free(&looked);
		if (!make()) {
			made++;
			wrong += disorder();
		}
		end();
	}
	is_int(wrong, 0, "registers with any contents");
	ok(made > 100, "some of which can be planned with");
}

static void names_phases(void)
{
	is_str(pmu_msr_phase_name(PMU_MSR_LOOK), "look", "the first phase");
	is_str(pmu_msr_phase_name(PMU_MSR_RESTORE), "restore", "and the last");
}

UNIT_PART(program)
{
	follows_the_founding_order();
	enables_globals_last();
	knows_version_1();
	says_what_fits();
	leaves_others_alone();
	believes_inuse_from_version_4();
	uses_a_marked_counter_where_no_other_is_left();
	takes_no_counter_for_used_by_a_global_bit();
	puts_counters_back_exactly();
	knows_what_smt_takes();
	knows_counters_with_a_hole();
	counts_hybrids_kind_by_kind();
	a_name_of_both_kinds_has_two_codes();
	shares_offcore_registers();
	looks_alike_whatever_is_absent();
	programs_amd();
	counts_on_given_processors();
	stays_small();
	trusts_no_register();
	names_phases();
	return done_testing();
}
