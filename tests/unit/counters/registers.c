/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers' names, by machine, and what their values say. */
#include "counters/msr/registers.h"

#include "unit/machines.h"
#include "unit/part.h"

static void is_name(const char *on, uint32_t address, const char *want)
{
	struct pmu_machine *machine = made_machine(on, 1, 2, 1);
	char name[64], what[128];

	pmu_msr_name(machine, address, name, sizeof(name));
	snprintf(what, sizeof(what), "%XH on %s: %s", address, on, want);
	is_str(name, want, what);
	made_free(machine);
}

static void says(const char *on, uint32_t address, uint64_t value, const char *want)
{
	struct pmu_machine *machine = made_machine(on, 1, 2, 1);
	struct pmu_strbuf text = { 0 };
	char what[160];

	pmu_msr_fields(machine, address, value, &text);
	snprintf(what, sizeof(what), "%XH on %s: %s", address, on, want[0] ? want : "nothing");
	is_str(pmu_strbuf_text(&text), want, what);
	pmu_strbuf_free(&text);
	made_free(machine);
}

static bool is_counting(const char *on, uint32_t address)
{
	struct pmu_machine *machine = made_machine(on, 1, 2, 1);
	bool is = pmu_msr_is_counting(machine, address);

	made_free(machine);
	return is;
}

static void names_registers(void)
{
	is_name("westmere", 0x186, "IA32_PERFEVTSEL0");
	is_name("westmere", 0x189, "IA32_PERFEVTSEL3");
	is_name("westmere", 0x18a, "MSR 18AH");
	is_name("sandybridge", 0x18a, "IA32_PERFEVTSEL4");
	is_name("westmere", 0xc4, "IA32_PMC3");
	is_name("skylake", 0x4c2, "IA32_A_PMC1");
	is_name("westmere", 0x30b, "IA32_FIXED_CTR2");
	is_name("westmere", 0x30c, "MSR 30CH");
	is_name("icelake", 0x30c, "IA32_FIXED_CTR3");
	is_name("skymont", 0x30c, "MSR 30CH");
	is_name("skymont", 0x30f, "IA32_FIXED_CTR6");
	is_name("westmere", 0x38f, "IA32_PERF_GLOBAL_CTRL");
	is_name("core", 0x38f, "MSR 38FH");
	is_name("westmere", 0x390, "IA32_PERF_GLOBAL_OVF_CTRL");
	is_name("skylake", 0x390, "IA32_PERF_GLOBAL_STATUS_RESET");
	is_name("westmere", 0x1a7, "MSR_OFFCORE_RSP_1");
	is_name("core2", 0x1a7, "MSR 1A7H");
	is_name("zen3", 0xc0010202, "PERF_CTL1");
	is_name("zen3", 0xc0010203, "PERF_CTR1");
	is_name("zen3", 0xc0010000, "MSR C0010000H");
	is_name("k10", 0xc0010001, "PERF_LEGACY_CTL1");
	is_name("k10", 0xc0010202, "MSR C0010202H");
	is_name("zen4", 0xc0000301, "PERF_CNTR_GLOBAL_CTL");
	is_name("zen3", 0xc0000301, "MSR C0000301H");
	is_name("zen3", 0xc0010239, "L3_PERF_CTR4");
	is_name("zen3", 0xc001029a, "CORE_ENERGY_STATUS");
	is_name("zen3", 0x186, "MSR 186H");
	is_name("westmere", 0, "MSR 0H");
	is_name("westmere", UINT32_MAX, "MSR FFFFFFFFH");
}

static void tells_reused_addresses_apart(void)
{
	is_name("nehalem", 0x392, "MSR_UNCORE_PERF_GLOBAL_STATUS");
	is_name("skylake", 0x392, "IA32_PERF_GLOBAL_INUSE");
	is_name("sandybridge", 0x392, "MSR 392H");
	is_name("nehalem", 0x394, "MSR_UNCORE_FIXED_CTR0");
	is_name("sandybridge", 0x394, "MSR_UNC_PERF_FIXED_CTRL");
	is_name("nehalem", 0x395, "MSR_UNCORE_FIXED_CTR_CTRL");
	is_name("sandybridge", 0x395, "MSR_UNC_PERF_FIXED_CTR");
	is_name("nehalem", 0x3b2, "MSR_UNCORE_PMC2");
	is_name("sandybridge", 0x3b2, "MSR_UNC_ARB_PERFEVTSEL0");
	is_name("nehalem", 0x391, "MSR_UNCORE_PERF_GLOBAL_CTRL");
	is_name("sandybridge", 0x391, "MSR_UNC_PERF_GLOBAL_CTRL");
	is_name("skylake", 0x391, "MSR 391H");
	is_name("skylake", 0xe01, "MSR_UNC_PERF_GLOBAL_CTRL");
	is_name("nehalem-ex", 0x3c0, "MSR 3C0H");
	is_name("sandybridge", 0x727, "MSR_UNC_CBO_2_PERFCTR1");
	is_name("sandybridge", 0x711, "MSR_UNC_CBO_1_PERFEVTSEL1");
	is_name("sandybridge", 0x702, "MSR 702H");
	is_name("icelake", 0x702, "MSR_UNC_CBO_0_PERFCTR0");
	is_name("icelake", 0x711, "MSR_UNC_CBO_2_PERFEVTSEL1");
	is_name("icelake", 0x71a, "MSR_UNC_CBO_3_PERFCTR0");
	is_name("icelake", 0x706, "MSR 706H");
}

static void says_what_values_mean(void)
{
	says("westmere", 0x186, 0x4100c0, "event C0H, umask 00H, USR, EN");
	says("westmere", 0x187, 0x0284003c | 1u << 23, "event 3CH, umask 00H, EDGE, INV, CMASK 2");
	says("westmere", 0x186, UINT64_C(0x8000000000020151),
	     "event 51H, umask 01H, OS, and bits 8000000000000000H");
	says("westmere", 0x186, 0, "");
	says("westmere", 0xc1, 0x1234, "");
	says("skymont", 0x186, UINT64_C(0x0410004101c0),
	     "event C0H, umask 01H, USR, EN, EQ, UMASK2 04H");
	says("westmere", 0x38f, UINT64_C(0x300000003), "PMC0 PMC1 FIXED0 FIXED1");
	says("westmere", 0x390, UINT64_C(0x8000000100000001), "PMC0 FIXED0 bit 63");
	says("westmere", 0x38d, 0x022, "FIXED0 USR, FIXED1 USR");
	says("westmere", 0x38d, 0xb30, "FIXED1 USR OS, FIXED2 PMI USR OS");
	says("westmere", 0x391, UINT64_C(0x1000000ff),
	     "PMC0 PMC1 PMC2 PMC3 PMC4 PMC5 PMC6 PMC7 FIXED0");
	says("westmere", 0x3c0, 0x420101, "event 01H, umask 01H, OCC_CTR_RST, EN");
	says("westmere", 0x395, 1, "EN");
	says("sandybridge", 0x394, 1u << 22, "EN");
	says("sandybridge", 0x391, 0x2000000f, "EN, bits FH");
	says("sandybridge", 0x700, 0x1f400f34, "event 34H, umask 0FH, EN, CMASK 31");
	says("zen3", 0xc0010200, UINT64_C(0x100410120), "event 120H, umask 01H, USR, EN");
	says("zen4", 0xc0000301, 0x3, "PMC0 PMC1");
	says("zen2", 0xc0010230, UINT64_C(0xff0f00000040ff04),
	     "event 04H, umask FFH, EN, slices FH, threads FFH");
	says("zen3", 0xc0010230, UINT64_C(0x0f00c0000040ff04),
	     "event 04H, umask FFH, EN, all slices, all cores, threads FH");
	says("zen3", 0xc0010230, UINT64_C(0x010208000000ff04),
	     "event 04H, umask FFH, slice 2, core 2, threads 1H");
	says("zen3", 0x186, 0x4100c0, "");
}

static void lets_nothing_else_be_written(void)
{
	ok(is_counting("westmere", 0x186) && is_counting("westmere", 0xc1) &&
		   is_counting("westmere", 0x38f) && is_counting("westmere", 0x390) &&
		   is_counting("westmere", 0x3c7) && is_counting("westmere", 0x1a6),
	   "what counts on Westmere");
	ok(!is_counting("westmere", 0x1a0) && !is_counting("westmere", 0x10) &&
		   !is_counting("westmere", 0x606) && !is_counting("westmere", 0x38e) &&
		   !is_counting("westmere", 0x700),
	   "nothing else there");
	ok(!is_counting("skylake", 0x392) && !is_counting("skylake", 0x396) &&
		   !is_counting("sandybridge", 0x611),
	   "nothing that is only read");
	ok(is_counting("zen3", 0xc0010200) && !is_counting("zen3", 0xc0000301) &&
		   !is_counting("zen3", 0xc0010015),
	   "AMD's");
	ok(!is_counting("hidden", 0x186), "nothing where there is no PMU");
}

UNIT_PART(registers)
{
	names_registers();
	tells_reused_addresses_apart();
	says_what_values_mean();
	lets_nothing_else_be_written();
	return done_testing();
}
