/* SPDX-License-Identifier: BSD-3-Clause */
/* What the PMU of one kind of core can do, as CPUID describes it. */
#ifndef PMU_MACHINE_PERFMON_H
#define PMU_MACHINE_PERFMON_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/cpu.h"
#include "machine/cpuid.h"

/** Which register layout. */
enum pmu_perfmon_family {
	PMU_PERFMON_NONE,
	/* architectural performance monitoring, CPUID leaf 0AH; also Zhaoxin's */
	PMU_PERFMON_INTEL,
	PMU_PERFMON_AMD, /* also Hygon's */
};

/**
 * Architectural events, in the order of CPUID leaf 0AH EBX (Intel SDM vol. 3B, table "Architectural
 * Performance Events").
 */
enum pmu_arch_event {
	PMU_ARCH_CORE_CYCLES,      /* 3CH/00H */
	PMU_ARCH_INSTRUCTIONS,     /* C0H/00H */
	PMU_ARCH_REFERENCE_CYCLES, /* 3CH/01H */
	PMU_ARCH_LLC_REFERENCES,   /* 2EH/4FH */
	PMU_ARCH_LLC_MISSES,       /* 2EH/41H */
	PMU_ARCH_BRANCHES,         /* C4H/00H */
	PMU_ARCH_BRANCH_MISSES,    /* C5H/00H */
	PMU_ARCH_TOPDOWN_SLOTS,    /* A4H/01H */
	PMU_ARCH_EVENTS,
};

/** Core types of hybrid processors; CPUID leaf 1AH EAX[31:24]. */
enum pmu_core_type { PMU_CORE_ONLY = 0, PMU_CORE_E = 0x20, PMU_CORE_P = 0x40 };

struct pmu_perfmon {
	enum pmu_perfmon_family family;
	unsigned int version; /* Intel: leaf 0AH EAX[7:0]; AMD: 2 with PerfMonV2, else 1; 0 none */
	/* General counters.  The bitmap has holes on none so far; leaf 23H could say so. */
	unsigned int n_general;
	uint32_t general; /* bit i: counter i exists */
	unsigned int general_bits;
	/* Fixed counters: those by count and those by bitmap; Skymont has 6 with a hole at 3. */
	unsigned int n_fixed;
	uint32_t fixed;
	unsigned int fixed_bits;
	/* bit by enum pmu_arch_event: can be counted; AMD: 0, CPUID lists none there */
	uint32_t events;
	bool any_thread; /* from version 3, until EDX[15] deprecates it */
	bool umask2;     /* leaf 23H.0 EBX[0]: bits 40-47 of an event select */
	bool equal;      /* EBX[1]: bit 36 */
	/* AMD, CPUID 8000_0001H ECX and 8000_0022H */
	bool core_extension;          /* ECX[23]: six counters at C001_0200H instead of four */
	bool nb_extension;            /* ECX[24] */
	bool l3_extension;            /* ECX[28]; family 16H: L2I */
	unsigned int n_nb;            /* 8000_0022H EBX[15:10] */
	unsigned int n_umc;           /* EBX[21:16] */
	bool pdcm;                    /* leaf 1 ECX[15]: IA32_PERF_CAPABILITIES exists */
	bool hybrid;                  /* leaf 7 EDX[15] */
	enum pmu_core_type core_type; /* of hybrids alone; E-core-only processors have ONLY, too */
	/* family NONE: why there is none, a clause ("the hypervisor hides it"); else "" */
	char why[96];
};

/**
 * pmu_perfmon_decode() - from the leaves of one logical processor
 *
 * Nothing is decoded from a leaf above the maximum; reserved bits are masked.  Fixed counter i
 * exists if i < EDX[4:0], or (version 5 on) ECX[i]; leaf 23H, where it is, wins over both.  A
 * version that promises fixed counters where EDX says 0 (early Core 2) has none.  Pentium 4,
 * Pentium M and everything older have no architectural monitoring: NONE, with a clause.
 *
 * Source: Intel SDM vol. 2A, CPUID leaves 0AH, 1AH, 23H; vol. 3B, "Performance Monitoring"; AMD APM
 * vol. 3, 8000_0001H, 8000_0022H.
 */
void pmu_perfmon_decode(const struct pmu_cpuid *cpuid, struct pmu_perfmon *perfmon);

/** pmu_arch_event_name() - as in `pmu info --json`: "core_cycles", "llc_misses", ... */
const char *pmu_arch_event_name(enum pmu_arch_event event);

#endif
