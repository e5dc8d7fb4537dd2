/* SPDX-License-Identifier: BSD-3-Clause */
/* What slots take of each kind of core. */
#include "counters/msr/request.h"

#include <errno.h>

#include "base/error.h"
#include "unit/machines.h"
#include "unit/part.h"

static struct pmu_msr_request got;

static int request_on(const char *name, unsigned int kind, struct pmu_slot slot)
{
	struct pmu_machine *machine = made_machine(name, 1, 4, 1);
	int rc;

	pmu_error_clear();
	rc = pmu_msr_request(machine, kind, &slot, &got);
	made_free(machine);
	return rc;
}

static void is_request(const char *machine, struct pmu_slot slot, unsigned int event,
		       unsigned int umask, int fixed, const char *name)
{
	bool holds = !request_on(machine, 0, slot) && got.selectable && got.select.event == event &&
		     got.select.umask == umask && got.fixed == fixed;

	if (!ok(holds, "%s: %s", machine, name))
		diag("event %x umask %x fixed %d: %s", got.select.event, got.select.umask,
		     got.fixed, pmu_error_text());
}

static void knows_the_architectural_events(void)
{
	is_request("westmere", generic(PERF_COUNT_HW_INSTRUCTIONS), 0xc0, 0, 0, "instructions");
	is_request("westmere", generic(PERF_COUNT_HW_CPU_CYCLES), 0x3c, 0, 1, "cycles");
	is_request("westmere", generic(PERF_COUNT_HW_CACHE_REFERENCES), 0x2e, 0x4f, -1,
		   "LLC references");
	is_request("westmere", generic(PERF_COUNT_HW_CACHE_MISSES), 0x2e, 0x41, -1, "LLC misses");
	is_request("westmere", generic(PERF_COUNT_HW_BRANCH_INSTRUCTIONS), 0xc4, 0, -1, "branches");
	is_request("westmere", generic(PERF_COUNT_HW_BRANCH_MISSES), 0xc5, 0, -1, "branch misses");
	is_request("skylake", generic(PERF_COUNT_HW_BUS_CYCLES), 0x3c, 1, -1, "bus cycles");
	is_int(got.general, 0xf, "by any general counter");
	ok(got.select.user && !got.select.os, "at the slot's level");
}

static void believes_cpuid_about_events(void)
{
	is_int(request_on("nehalem", 0, generic(PERF_COUNT_HW_BRANCH_MISSES)), -ENOENT,
	       "branch misses that are not there");
	has(pmu_error_text(), "C5H", "are named");
	is_int(request_on("westmere", 0, generic(PERF_COUNT_HW_BUS_CYCLES)), -ENOENT,
	       "nor are reference cycles");
	is_int(request_on("westmere", 0, generic(PERF_COUNT_HW_REF_CPU_CYCLES)), 0,
	       "which their fixed counter counts");
	ok(!got.selectable && got.fixed == 2, "and no other");
	is_int(request_on("skylake", 0, generic(PERF_COUNT_HW_REF_CPU_CYCLES)), 0,
	       "where both are there");
	ok(!got.selectable && got.fixed == 2, "the fixed counter alone has the unit");
	is_request("core2 early", generic(PERF_COUNT_HW_REF_CPU_CYCLES), 0x3c, 1, -1,
		   "without a fixed counter: 3CH/01H");
	is_request("core2 early", generic(PERF_COUNT_HW_INSTRUCTIONS), 0xc0, 0, -1,
		   "no fixed instructions");
}

static void knows_amds_events(void)
{
	is_request("k10", generic(PERF_COUNT_HW_CPU_CYCLES), 0x76, 0, -1, "cycles");
	is_request("k10", generic(PERF_COUNT_HW_CACHE_MISSES), 0x7e, 7, -1, "level 2 misses");
	is_request("zen3", generic(PERF_COUNT_HW_INSTRUCTIONS), 0xc0, 0, -1, "instructions");
	is_request("zen3", generic(PERF_COUNT_HW_CACHE_MISSES), 0x64, 9, -1, "level 2 misses");
	is_request("zen3", generic(PERF_COUNT_HW_BRANCH_MISSES), 0xc3, 0, -1, "branch misses");
	is_int(got.general, 0x3f, "six counters");
	is_int(request_on("zen3", 0, generic(PERF_COUNT_HW_REF_CPU_CYCLES)), -ENOENT,
	       "no reference cycles before Zen 4");
	is_request("zen4", generic(PERF_COUNT_HW_REF_CPU_CYCLES), 0x120, 1, -1,
		   "where they are event 120H");
}

static void is_limited(uint64_t config, uint32_t counters)
{
	char name[32];

	snprintf(name, sizeof(name), "event %llx", (unsigned long long)config);
	is_int(request_on("bulldozer", 0, raw(config)), 0, name);
	is_u64(got.general, counters, name);
}

static void keeps_to_amds_counters(void)
{
	is_request("bulldozer", generic(PERF_COUNT_HW_INSTRUCTIONS), 0xc0, 0, -1, "instructions");
	is_u64(got.general, 0x3f, "on any");
	is_request("bulldozer", generic(PERF_COUNT_HW_CACHE_MISSES), 0x7e, 7, -1, "level 2 misses");
	is_u64(got.general, 0x07, "on the first three");
	is_limited(0x0100, 0x38);
	is_limited(0xff00, 0x08);
	is_limited(0xf103, 0x08);
	is_limited(0x0104, 0x38);
	is_limited(0x0304, 0x08);
	is_limited(0x0023, 0x07);
	is_limited(0x0029, 0x3f);
	is_limited(0x002e, 0x09);
	is_limited(0x0131, 0x07);
	is_limited(0x0080, 0x07);
	is_limited(0x008f, 0x01);
	is_limited(0x00dc, 0x3f);
	is_limited(UINT64_C(0x100000087), 0x01);
	is_limited(UINT64_C(0x1000000c0), 0x38);
	is_int(request_on("bulldozer", 0, raw(0x0331)), -ENOENT, "one unit mask at a time");
	is_int(request_on("bulldozer", 0, raw(0x00e0)), -ENOENT, "what the northbridge counts");
	is_int(request_on("k10", 0, raw(UINT64_C(0x4000007e0))), -ENOENT, "is no core's");
	has(pmu_error_text(), "4E0H is the northbridge's", "says so");
	is_int(request_on("zen3", 0, raw(0x00e0)), 0, "Zen's cores may have such codes");
	is_int(request_on("zen3", 0, raw(0xff03)), -ENOENT, "FLOPs, which take two counters");
	has(pmu_error_text(), "two merged counters", "say so");
	is_int(request_on("zen3", 0, raw(UINT64_C(0x10000ff03))), 0, "event 103H does not");
}

static void takes_raw_codes_as_they_are(void)
{
	struct pmu_slot slot = raw(0x010e);

	is_request("sandybridge", slot, 0x0e, 1, -1, "UOPS_ISSUED.ANY");
	is_u64(pmu_select_encode(PMU_SELECT_INTEL, &got.select) | 1u << 22, 0x0041010e,
	       "is 0041010EH at user level");
	is_int(request_on("sandybridge", 0, raw(0x0280003c)), 0, "cycles with a threshold");
	ok(got.fixed == -1 && got.select.cmask == 2 && got.select.invert, "are no fixed counter's");
	slot = raw(0x53003c);
	is_int(request_on("westmere", 0, slot), 0, "a whole register's value");
	ok(got.fixed == 1 && !got.select.os && !got.select.interrupt && !got.select.enable,
	   "whose USR, OS, INT and EN are ours to say");
	is_request("westmere", raw(0xc0), 0xc0, 0, 0, "instructions by their code");
	is_int(request_on("core2 early", 0, raw(0xc0)), 0, "also where no counter is fixed");
	is_int(got.fixed, -1, "then by a general one");
	is_request("icelake", raw(0x01a4), 0xa4, 1, 3, "slots have a fixed counter too");
}

static void keeps_to_the_events_counters(void)
{
	struct pmu_slot slot = raw(0x0151);

	slot.counters = 0x3;
	is_int(request_on("westmere", 0, slot), 0, "L1D on counters 0 and 1");
	is_int(got.general, 0x3, "only");
	slot.counters = 0x30;
	is_int(request_on("westmere", 0, slot), -ENOENT, "on counters that are not there");
	slot = raw(0x01b7);
	slot.extra = 0x1a6;
	slot.extra_value = 0x1ff;
	is_int(request_on("westmere", 0, slot), 0, "an offcore response");
	ok(got.extra == 0x1a6 && got.extra_value == 0x1ff, "has a second register");
	is_int(request_on("haswell-ep", 0, raw(UINT64_C(0x2000100c0))), 0,
	       "in a transaction that fails");
	is_int(got.general, 0x4, "is for counter 2");
}

static void refuses_bits_that_are_not_there(void)
{
	is_int(request_on("westmere", 0, raw(0x20003c)), 0, "AnyThread where it is");
	is_int(request_on("icelake", 0, raw(0x20003c)), -EINVAL, "and where it is not");
	has(pmu_error_text(), "AnyThread", "is named");
	is_int(request_on("icelake", 0, raw(UINT64_C(0x0100000000c0))), -EINVAL, "UMASK2");
	is_int(request_on("skymont", 0, raw(UINT64_C(0x0100000001c0))), 0, "UMASK2 where it is");
	is_int(got.select.umask2, 1, "is kept");
	is_int(request_on("icelake", 0, raw(UINT64_C(0x1000000001c0))), -EINVAL, "EQ");
	is_int(request_on("skylake", 0, raw(0x0800c0)), -EINVAL, "pin control from version 4 on");
	is_int(request_on("core2", 0, raw(UINT64_C(0x1000000c0))), -EINVAL,
	       "transactions on Core 2");
	is_int(request_on("westmere", 0, raw(UINT64_C(0x80000000000000c0))), -EINVAL, "bit 63");
	has(pmu_error_text(), "8000000000000000H", "is named");
	is_int(request_on("zen3", 0, raw(0x2000c0)), -EINVAL, "AnyThread on AMD");
}

static void knows_pseudo_codes(void)
{
	is_int(request_on("westmere", 0, raw(0x0300)), 0, "event 00H, umask 03H");
	ok(!got.selectable && got.fixed == 2, "is fixed counter 2");
	is_int(request_on("core2 early", 0, raw(0x0300)), -ENOENT, "which is not everywhere");
	is_int(request_on("skymont", 0, raw(0x0500)), 0, "behind the hole");
	is_int(got.fixed, 4, "comes counter 4");
	is_int(request_on("skymont", 0, raw(0x0400)), -ENOENT, "the hole itself is none");
	is_int(request_on("westmere", 0, raw(0)), -ENOENT, "and event 0 is none");
	is_int(request_on("westmere", 0, raw(0xff00)), -ENOENT, "nor is umask FFH");
}

static void gives_fixed_counters_anythread(void)
{
	is_int(request_on("westmere", 0, raw(0x20003c)), 0, "cycles of both threads");
	ok(got.selectable && got.fixed == 1 && got.select.any_thread, "by the fixed counter too");
	is_int(request_on("westmere", 0, raw(0x200300)), 0, "and by its pseudo code");
	ok(!got.selectable && got.fixed == 2 && got.select.any_thread, "alone");
	is_int(request_on("westmere", 0, raw(0x800300)), -ENOENT, "but no INV");
}

static void refuses_what_registers_do_not_count(void)
{
	struct pmu_slot slot = { .type = PERF_TYPE_HW_CACHE, .user = true };

	is_int(request_on("westmere", 0, slot), -ENOENT, "the kernel's cache events");
	is_int(request_on("westmere", 0, generic(PERF_COUNT_HW_STALLED_CYCLES_BACKEND)), -ENOENT,
	       "stalled cycles");
	is_int(request_on("hidden", 0, generic(PERF_COUNT_HW_INSTRUCTIONS)), -ENOENT,
	       "anything where there is no PMU");
	has(pmu_error_text(), "the hypervisor hides it", "with the reason");
}

UNIT_PART(request)
{
	knows_the_architectural_events();
	believes_cpuid_about_events();
	knows_amds_events();
	keeps_to_amds_counters();
	takes_raw_codes_as_they_are();
	keeps_to_the_events_counters();
	refuses_bits_that_are_not_there();
	knows_pseudo_codes();
	gives_fixed_counters_anythread();
	refuses_what_registers_do_not_count();
	return done_testing();
}
