/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and fields of registers.  The same address means different things on different models. */
#ifndef PMU_MSR_REGISTERS_H
#define PMU_MSR_REGISTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "machine/machine.h"

/* Addresses: Intel SDM vol. 4; AMD PPR, "MSR Registers". */
#define MSR_IA32_PMC0                 0x0c1u
#define MSR_IA32_PERFEVTSEL0          0x186u
#define MSR_IA32_A_PMC0               0x4c1u
#define MSR_IA32_FIXED_CTR0           0x309u
#define MSR_IA32_PERF_CAPABILITIES    0x345u
#define MSR_IA32_FIXED_CTR_CTRL       0x38du
#define MSR_IA32_PERF_GLOBAL_STATUS   0x38eu
#define MSR_IA32_PERF_GLOBAL_CTRL     0x38fu
#define MSR_IA32_PERF_GLOBAL_OVF_CTRL 0x390u
#define MSR_IA32_PERF_GLOBAL_INUSE    0x392u /* from version 4 on; elsewhere the uncore's */
#define MSR_OFFCORE_RSP_0             0x1a6u
#define MSR_OFFCORE_RSP_1             0x1a7u
#define MSR_PEBS_LD_LAT               0x3f6u
#define MSR_PEBS_FRONTEND             0x3f7u
/* Nehalem and Westmere uncore */
#define MSR_UNCORE_PERF_GLOBAL_CTRL     0x391u
#define MSR_UNCORE_PERF_GLOBAL_STATUS   0x392u
#define MSR_UNCORE_PERF_GLOBAL_OVF_CTRL 0x393u
#define MSR_UNCORE_FIXED_CTR0           0x394u
#define MSR_UNCORE_FIXED_CTR_CTRL       0x395u
#define MSR_UNCORE_PMC0                 0x3b0u
#define MSR_UNCORE_PERFEVTSEL0          0x3c0u
/* Client uncore: 394H and 395H have changed places */
#define MSR_UNC_PERF_GLOBAL_CTRL     0x391u
#define MSR_UNC_PERF_GLOBAL_CTRL_SKL 0xe01u
#define MSR_UNC_PERF_FIXED_CTRL      0x394u
#define MSR_UNC_PERF_FIXED_CTR       0x395u
#define MSR_UNC_CBO_CONFIG           0x396u
#define MSR_UNC_ARB_PERFCTR0         0x3b0u
#define MSR_UNC_ARB_PERFEVTSEL0      0x3b2u
#define MSR_UNC_CBO_0_PERFEVTSEL0    0x700u
#define MSR_UNC_CBO_0_PERFCTR0       0x706u
#define MSR_UNC_CBO_0_PERFCTR0_ICL   0x702u
/* Energy */
#define MSR_RAPL_POWER_UNIT    0x606u
#define MSR_PKG_ENERGY_STATUS  0x611u
#define MSR_DRAM_ENERGY_STATUS 0x619u
#define MSR_PP0_ENERGY_STATUS  0x639u
#define MSR_PP1_ENERGY_STATUS  0x641u
/* AMD */
#define MSR_AMD_LEGACY_PERF_CTL0   0xc0010000u
#define MSR_AMD_LEGACY_PERF_CTR0   0xc0010004u
#define MSR_AMD_PERF_CTL0          0xc0010200u /* CTL and CTR alternate */
#define MSR_AMD_PERF_CTR0          0xc0010201u
#define MSR_AMD_L3_PERF_CTL0       0xc0010230u
#define MSR_AMD_L3_PERF_CTR0       0xc0010231u
#define MSR_AMD_GLOBAL_STATUS      0xc0000300u
#define MSR_AMD_GLOBAL_CTL         0xc0000301u
#define MSR_AMD_GLOBAL_STATUS_CLR  0xc0000302u
#define MSR_AMD_RAPL_POWER_UNIT    0xc0010299u
#define MSR_AMD_CORE_ENERGY_STATUS 0xc001029au
#define MSR_AMD_PKG_ENERGY_STATUS  0xc001029bu

/** pmu_msr_name() - "IA32_PERFEVTSEL0"; by number where no table has it ("MSR 1A0H") */
void pmu_msr_name(const struct pmu_machine *machine, uint32_t address, char *name, size_t size);

/**
 * pmu_msr_fields() - what a value says: "event 3CH, umask 00H, USR, EN"; nothing for counters and 0
 */
void pmu_msr_fields(const struct pmu_machine *machine, uint32_t address, uint64_t value,
		    struct pmu_strbuf *out);

/** pmu_msr_is_counting() - may a program of ours have written it?  All else is never put back. */
bool pmu_msr_is_counting(const struct pmu_machine *machine, uint32_t address);

#endif
