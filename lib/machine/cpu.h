/* SPDX-License-Identifier: BSD-3-Clause */
/* Who is this CPU. */
#ifndef PMU_MACHINE_CPU_H
#define PMU_MACHINE_CPU_H

#include <stdbool.h>
#include <stdint.h>

struct pmu_cpu_id {
	char vendor[16]; /* "GenuineIntel", "AuthenticAMD"; arm64: "ARM", "Ampere", ... by implementer */
	char brand[64];  /* "AMD EPYC 7763"; arm64: part name; "" unknown */
	uint32_t family; /* x86 display family and model (Intel SDM vol. 2A, CPUID leaf 01H); */
	uint32_t model;  /* arm64: implementer and part of MIDR_EL1 */
	uint32_t stepping; /* arm64: variant << 4 | revision */
	bool hypervisor; /* runs under one that says so */
	char hypervisor_name[16]; /* "KVM", "VMware", ...; "" unknown */
};

/**
 * pmu_cpu_identify() - the calling thread's CPU
 * Context: CPUID instruction on x86; MIDR_EL1 from sysfs and /proc on arm64.  No allocation.
 * Return: 0, or -ENODEV where nothing can be found out; @id is then empty.
 */
int pmu_cpu_identify(struct pmu_cpu_id *id);

/** pmu_cpu_tsc_invariant() - CPUID 8000_0007H EDX[8]; false anywhere but on x86. */
bool pmu_cpu_tsc_invariant(void);

#endif
