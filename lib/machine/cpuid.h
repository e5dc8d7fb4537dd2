/* SPDX-License-Identifier: BSD-3-Clause */
/* What the CPUID instruction says: on this processor, or in a dump of another machine's. */
#ifndef PMU_MACHINE_CPUID_H
#define PMU_MACHINE_CPUID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pmu_cpuid_regs {
	uint32_t eax, ebx, ecx, edx;
};

struct pmu_cpuid_entry {
	uint32_t leaf, subleaf;
	struct pmu_cpuid_regs regs;
};

/** The leaves of one logical processor, in ascending order of leaf and subleaf. */
struct pmu_cpuid {
	size_t n;
	struct pmu_cpuid_entry *entry;
};

/** The logical processors of one machine, in the order of the dump. */
struct pmu_cpuid_dump {
	size_t n_cpus;
	struct pmu_cpuid *cpu;
};

/** Why a line of a dump is refused, by its number. */
#define PMU_CPUID_NO_LEAF \
	"line %zu is no CPUID leaf: a leaf has four registers in hexadecimal digits"

/** Limits of a dump; beyond them it is refused. */
#define PMU_CPUID_MAX_CPUS    8192
#define PMU_CPUID_MAX_ENTRIES 1024 /* of one logical processor */
#define PMU_CPUID_MAX_BYTES   (64u << 20)

/**
 * pmu_cpuid_get() - one leaf
 * @regs: result; all 0 where false is returned
 *
 * A leaf above the maximum that leaf 0 (8000_0000H) reports does not exist, whatever the
 * dump holds in its place: Intel processors answer with the highest basic leaf instead.
 */
bool pmu_cpuid_get(const struct pmu_cpuid *cpuid, uint32_t leaf, uint32_t subleaf,
		   struct pmu_cpuid_regs *regs);

/** Most leaves that pmu_cpuid_read() finds. */
#define PMU_CPUID_LIVE 20

/**
 * pmu_cpuid_read() - what pmu_cpuid_live() reads, without allocation
 * @identity: only what pmu_cpu_identify() needs.  A CPUID leaves a virtual machine, which takes
 *            microseconds
 *
 * Return: how many, in ascending order; 0 on other architectures.
 */
size_t pmu_cpuid_read(struct pmu_cpuid_entry entry[PMU_CPUID_LIVE], bool identity);

/** pmu_cpuid_executed() - how many CPUID instructions of ours this process has executed. */
unsigned int pmu_cpuid_executed(void);

/**
 * pmu_cpuid_live() - the leaves that pmu_perfmon_decode() and pmu_cpu_identify_by() need, of the
 * processor that runs this
 *
 * Context: the caller keeps the thread where it is.
 * Return: 0; -ENODEV on other architectures; -ENOMEM.
 */
int pmu_cpuid_live(struct pmu_cpuid *cpuid);
void pmu_cpuid_free(struct pmu_cpuid *cpuid);

/** pmu_cpuid_sort() - into the order that pmu_cpuid_get() needs. */
void pmu_cpuid_sort(struct pmu_cpuid *cpuid);

/**
 * pmu_cpuid_parse() - a dump as text
 *
 * Formats: a line "CPUID 0000000A: eax-ebx-ecx-edx [SL 00]" per leaf and a heading per logical
 * processor, as pmu_cpuid_print() writes it; and libcpuid's raw one
 * ("basic_cpuid[10]=07300403 00000040 00000000 00000603", with its ext_cpuid, intel_fn4, ...
 * arrays), which libcpuid reads.  It would read the other, too, but has no room for subleaf 1 of
 * leaf 07H nor for the leaves 23H, 8000_0022H and 4000_0000H, and writes beyond its arrays if told
 * to (0.6.2).  Behind libcpuid's format's end, a line of 80 dashes, may follow in the other what it
 * lacks, with the headings once more.
 *
 * Return: 0; -EINVAL with a sentence that names the line; -E2BIG; -ENOMEM;
 * -ENOTSUP: it needs libcpuid, which is not there.
 */
int pmu_cpuid_parse(const char *text, size_t len, struct pmu_cpuid_dump *dump);

/**
 * pmu_cpuid_load() - the dump in a file.  Return: as pmu_cpuid_parse(), or open(2)'s and read(2)'s
 * errno.
 */
int pmu_cpuid_load(const char *path, struct pmu_cpuid_dump *dump);
void pmu_cpuid_dump_free(struct pmu_cpuid_dump *dump);

struct pmu_strbuf;
/** pmu_cpuid_print() - such a dump as text that pmu_cpuid_parse() reads. */
void pmu_cpuid_print(const struct pmu_cpuid_dump *dump, struct pmu_strbuf *out);
void pmu_cpuid_print_heading(size_t cpu, struct pmu_strbuf *out);
void pmu_cpuid_print_entry(const struct pmu_cpuid_entry *entry, struct pmu_strbuf *out);

#endif
