/* SPDX-License-Identifier: BSD-3-Clause */
/* A CPU's identity. */
#ifndef PMU_MACHINE_CPU_H
#define PMU_MACHINE_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pmu_cpu_id {
	char vendor[16];          /* "GenuineIntel", "AuthenticAMD"; arm64: "ARM", "Ampere", ... by
			    implementer; "RISC-V" */
	char brand[64];           /* "AMD EPYC 7763"; arm64: part name; "" unknown */
	uint32_t family;          /* x86 display family and model (Intel SDM vol. 2A, CPUID leaf
			    01H); */
	uint32_t model;           /* arm64: implementer and part of MIDR_EL1 */
	uint32_t stepping;        /* arm64: variant << 4 | revision */
	uint64_t march, mimp;     /* riscv: marchid and mimpid; family is mvendorid */
	bool hypervisor;          /* runs under one that says so */
	char hypervisor_name[16]; /* "KVM", "VMware", ...; "" unknown */
};

/** What a processor's names and files are sorted by. */
enum pmu_cpu_arch { PMU_ARCH_X86, PMU_ARCH_ARM, PMU_ARCH_RISCV };

/** pmu_cpu_arch() - by the vendor: those of x86 have the twelve letters that CPUID spells */
enum pmu_cpu_arch pmu_cpu_arch(const struct pmu_cpu_id *id);

static inline bool pmu_cpu_is_intel(const struct pmu_cpu_id *id)
{
	return !strcmp(id->vendor, "GenuineIntel");
}

/**
 * pmu_cpu_identify() - the calling thread's CPU
 * Context: CPUID instruction on x86, the first time that a process asks; MIDR_EL1 from sysfs and
 * /proc on arm64; /proc on riscv.  No allocation.
 * Return: 0, or -ENODEV where nothing can be found out; @id is then empty.
 */
int pmu_cpu_identify(struct pmu_cpu_id *id);

struct pmu_cpuid;
/**
 * pmu_cpu_identify_by() - the same from CPUID leaves, of any x86 machine
 * Return: 0, -ENODEV where leaf 1 is missing; @id is then empty.
 */
int pmu_cpu_identify_by(const struct pmu_cpuid *cpuid, struct pmu_cpu_id *id);

/**
 * pmu_cpu_kinds() - arm64: the kinds of cores of a machine
 * @cpus: a folder like /sys/devices/system/cpu
 * @kind: one processor of each implementer and part; those beyond @room are left out
 * Return: how many were filled in; 0 where the kernel does not tell.
 */
unsigned int pmu_cpu_kinds(const char *cpus, struct pmu_cpu_id *kind, unsigned int room);

/** pmu_cpu_tsc_invariant() - CPUID 8000_0007H EDX[8]; false anywhere but on x86. */
bool pmu_cpu_tsc_invariant(void);

/*
 * What these are made of, on any machine.
 */

/**
 * pmu_cpu_signature() - family, model and stepping from CPUID leaf 01H EAX
 * Source: Intel SDM vol. 2A, CPUID, "Version information"; AMD APM vol. 3, appendix
 * E.3.2.  The extended model counts for families 6 and 0FH there; Zhaoxin has one in
 * family 7, and Linux takes it into account from family 6 on.
 */
void pmu_cpu_signature(uint32_t eax, struct pmu_cpu_id *id);

/** pmu_cpu_brand() - a processor's name without the blanks that pad it; what is not
 * printable is left out. */
void pmu_cpu_brand(const char *raw, size_t len, char *brand, size_t size);

/** pmu_cpu_hypervisor() - a name for the 12 bytes of CPUID leaf 4000_0000H; NULL for
 * unknown ones. */
const char *pmu_cpu_hypervisor(const char signature[12]);

/**
 * pmu_cpu_midr() - everything that follows from MIDR_EL1
 * Source: Arm ARM (DDI 0487), MIDR_EL1: Implementer [31:24], Variant [23:20], PartNum
 * [15:4], Revision [3:0].
 */
void pmu_cpu_midr(uint64_t midr, struct pmu_cpu_id *id);

/**
 * pmu_cpu_midr_of_cpuinfo() - MIDR_EL1 put together from the first processor of
 * /proc/cpuinfo Return: 0, -ENOENT where the implementer or the part is not there.
 */
int pmu_cpu_midr_of_cpuinfo(const char *text, uint64_t *midr);

/**
 * pmu_cpu_riscv_of_cpuinfo() - a RISC-V processor's identity, by the first one of /proc/cpuinfo
 * Source: RISC-V Privileged Architecture, machine-level CSRs: mvendorid, marchid, mimpid.
 * Return: 0, -ENOENT where one of the three is not there.
 */
int pmu_cpu_riscv_of_cpuinfo(const char *text, struct pmu_cpu_id *id);

#endif
