/* SPDX-License-Identifier: BSD-3-Clause */
/* What the PMU of one kind of core can do, as CPUID describes it. */
#include "machine/perfmon.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"

static const char *const event_names[] = {
	[PMU_ARCH_CORE_CYCLES] = "core_cycles",
	[PMU_ARCH_INSTRUCTIONS] = "instructions",
	[PMU_ARCH_REFERENCE_CYCLES] = "reference_cycles",
	[PMU_ARCH_LLC_REFERENCES] = "llc_references",
	[PMU_ARCH_LLC_MISSES] = "llc_misses",
	[PMU_ARCH_BRANCHES] = "branches",
	[PMU_ARCH_BRANCH_MISSES] = "branch_misses",
	[PMU_ARCH_TOPDOWN_SLOTS] = "topdown_slots",
};

_Static_assert(PMU_ARRAY_LEN(event_names) == PMU_ARCH_EVENTS, "a name for each event");

#define KNOWN_EVENTS ((1u << PMU_ARCH_EVENTS) - 1)

const char *pmu_arch_event_name(enum pmu_arch_event event)
{
	return (unsigned int)event < PMU_ARCH_EVENTS ? event_names[event] : "";
}

static uint32_t field(uint32_t value, unsigned int last, unsigned int first)
{
	return value >> first & (uint32_t)((1ull << (last - first + 1)) - 1);
}

/* The n lowest bits. */
static uint32_t low_mask(unsigned int n)
{
	return (uint32_t)((1ull << n) - 1);
}

PMU_PRINTF(2, 3)
static void has_none(struct pmu_perfmon *perfmon, const char *fmt, ...)
{
	va_list args;

	perfmon->family = PMU_PERFMON_NONE;
	perfmon->version = 0;
	perfmon->general = perfmon->fixed = perfmon->events = 0;
	perfmon->any_thread = false;
	va_start(args, fmt);
	vsnprintf(perfmon->why, sizeof(perfmon->why), fmt, args);
	va_end(args);
}

/* --- architectural performance monitoring --- */

/* Leaf 0AH; of a hybrid processor it shows what all kinds of core have. */
static void decode_0a(const struct pmu_cpuid_regs *regs, struct pmu_perfmon *perfmon)
{
	unsigned int n_fixed = 0;
	uint32_t by_bitmap = 0;

	perfmon->family = PMU_PERFMON_INTEL;
	perfmon->version = field(regs->eax, 7, 0);
	perfmon->general = low_mask(field(regs->eax, 15, 8));
	perfmon->general_bits = field(regs->eax, 23, 16);
	/* the vector's length, then a set bit, say that an event is not there */
	perfmon->events = low_mask(field(regs->eax, 31, 24) < 32 ? field(regs->eax, 31, 24) : 32) &
			  ~regs->ebx & KNOWN_EVENTS;
	if (perfmon->version >= 2) {
		n_fixed = field(regs->edx, 4, 0);
		perfmon->fixed_bits = field(regs->edx, 12, 5);
	}
	if (perfmon->version >= 5)
		by_bitmap = regs->ecx;
	perfmon->fixed = low_mask(n_fixed) | by_bitmap;
	perfmon->any_thread = perfmon->version >= 3 && !field(regs->edx, 15, 15);
}

/* Leaf 23H: this kind of core's own counters and events. */
static void decode_23(const struct pmu_cpuid *cpuid, struct pmu_perfmon *perfmon)
{
	struct pmu_cpuid_regs extended, main, part;

	if (pmu_cpuid_get(cpuid, 7, 1, &extended) && !field(extended.eax, 8, 8))
		return;
	if (!pmu_cpuid_get(cpuid, 0x23, 0, &main))
		return;
	perfmon->umask2 = field(main.ebx, 0, 0);
	perfmon->equal = field(main.ebx, 1, 1);
	if (field(main.eax, 1, 1) && pmu_cpuid_get(cpuid, 0x23, 1, &part) && part.eax) {
		perfmon->general = part.eax;
		perfmon->fixed = part.ebx;
	}
	if (field(main.eax, 3, 3) && pmu_cpuid_get(cpuid, 0x23, 3, &part) && part.eax)
		perfmon->events = part.eax & KNOWN_EVENTS;
}

static void decode_intel(const struct pmu_cpuid *cpuid, bool hypervisor,
			 struct pmu_perfmon *perfmon)
{
	struct pmu_cpuid_regs max, regs;

	pmu_cpuid_get(cpuid, 0, 0, &max);
	if (!pmu_cpuid_get(cpuid, 0xa, 0, &regs)) {
		if (max.eax < 0xa)
			has_none(
				perfmon,
				"it has no architectural performance monitoring (highest CPUID leaf %02" PRIX32
				"H)",
				max.eax);
		else
			has_none(perfmon, "the dump lacks CPUID leaf 0AH");
		return;
	}
	if (!field(regs.eax, 7, 0)) {
		has_none(perfmon, hypervisor ? "the hypervisor hides it"
					     : "its CPUID leaf 0AH reports version 0");
		return;
	}
	if (field(regs.eax, 15, 8) > 32 || field(regs.eax, 23, 16) > 64 ||
	    field(regs.edx, 12, 5) > 64) {
		has_none(perfmon,
			 "its CPUID leaf 0AH makes no sense: %" PRIu32 " counters of %" PRIu32
			 " bits",
			 field(regs.eax, 15, 8), field(regs.eax, 23, 16));
		return;
	}
	decode_0a(&regs, perfmon);
	decode_23(cpuid, perfmon);
	if (!perfmon->general_bits)
		perfmon->general = 0;
	if (!perfmon->fixed_bits)
		perfmon->fixed = 0;
	if (!perfmon->general && !perfmon->fixed)
		has_none(perfmon, "its CPUID leaf 0AH reports no counter");
}

/* --- AMD --- */

/* Counters are 48 bits wide in every family: no leaf says so. */
#define AMD_BITS 48

/* Family 6 (K7) was the first to have them; CPUID says nothing of the first four. */
#define AMD_FIRST_FAMILY 6

static void decode_amd(const struct pmu_cpuid *cpuid, unsigned int family,
		       struct pmu_perfmon *perfmon)
{
	struct pmu_cpuid_regs regs;
	unsigned int n;

	if (family < AMD_FIRST_FAMILY) {
		has_none(perfmon, "AMD processors have it from family 6 on");
		return;
	}
	pmu_cpuid_get(cpuid, 0x80000001, 0, &regs);
	perfmon->core_extension = field(regs.ecx, 23, 23);
	perfmon->nb_extension = field(regs.ecx, 24, 24);
	perfmon->l3_extension = field(regs.ecx, 28, 28);
	perfmon->family = PMU_PERFMON_AMD;
	perfmon->version = 1;
	n = perfmon->core_extension ? 6 : 4;
	if (pmu_cpuid_get(cpuid, 0x80000022, 0, &regs) && field(regs.eax, 0, 0)) {
		perfmon->version = 2;
		if (field(regs.ebx, 3, 0))
			n = field(regs.ebx, 3, 0);
		perfmon->n_nb = field(regs.ebx, 15, 10);
		perfmon->n_umc = field(regs.ebx, 21, 16);
	}
	perfmon->general = low_mask(n);
	perfmon->general_bits = AMD_BITS;
}

/* --- any --- */

static const struct {
	const char *vendor; /* leaf 0 */
	enum pmu_perfmon_family family;
} vendors[] = {
	{ "GenuineIntel", PMU_PERFMON_INTEL }, { "CentaurHauls", PMU_PERFMON_INTEL },
	{ "  Shanghai  ", PMU_PERFMON_INTEL }, { "AuthenticAMD", PMU_PERFMON_AMD },
	{ "HygonGenuine", PMU_PERFMON_AMD },
};

static enum pmu_perfmon_family perfmon_family_of(const char *vendor)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(vendors); i++)
		if (!strcmp(vendors[i].vendor, vendor))
			return vendors[i].family;
	return PMU_PERFMON_NONE;
}

/*
 * Leaf 1AH names the type of core on E-core-only processors too: there it tells nothing that the
 * model does not.
 */
static enum pmu_core_type core_type_of_leaf(const struct pmu_cpuid *cpuid)
{
	struct pmu_cpuid_regs regs;

	pmu_cpuid_get(cpuid, 0x1a, 0, &regs);
	switch (field(regs.eax, 31, 24)) {
	case PMU_CORE_E:
		return PMU_CORE_E;
	case PMU_CORE_P:
		return PMU_CORE_P;
	}
	return PMU_CORE_ONLY;
}

void pmu_perfmon_decode(const struct pmu_cpuid *cpuid, struct pmu_perfmon *perfmon)
{
	struct pmu_cpuid_regs regs;
	struct pmu_cpu_id id;

	memset(perfmon, 0, sizeof(*perfmon));
	if (pmu_cpu_identify_by(cpuid, &id)) {
		has_none(perfmon, "CPUID leaf 01H is missing");
		return;
	}
	pmu_cpuid_get(cpuid, 1, 0, &regs);
	perfmon->pdcm = field(regs.ecx, 15, 15);
	pmu_cpuid_get(cpuid, 7, 0, &regs);
	perfmon->hybrid = field(regs.edx, 15, 15);
	if (perfmon->hybrid)
		perfmon->core_type = core_type_of_leaf(cpuid);
	switch (perfmon_family_of(id.vendor)) {
	case PMU_PERFMON_INTEL:
		decode_intel(cpuid, id.hypervisor, perfmon);
		break;
	case PMU_PERFMON_AMD:
		decode_amd(cpuid, id.family, perfmon);
		break;
	case PMU_PERFMON_NONE:
		has_none(perfmon, "nothing is known of processors by '%s'", id.vendor);
	}
	perfmon->n_general = (unsigned int)__builtin_popcount(perfmon->general);
	perfmon->n_fixed = (unsigned int)__builtin_popcount(perfmon->fixed);
}
