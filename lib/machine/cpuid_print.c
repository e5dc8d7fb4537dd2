/* SPDX-License-Identifier: BSD-3-Clause */
/* A CPUID dump as text. */
#include <inttypes.h>

#include "base/strbuf.h"
#include "machine/cpuid.h"

void pmu_cpuid_print_heading(size_t cpu, struct pmu_strbuf *out)
{
	pmu_strbuf_addf(out, "------[ Logical CPU #%zu ]------\n", cpu);
}

void pmu_cpuid_print_entry(const struct pmu_cpuid_entry *entry, struct pmu_strbuf *out)
{
	const struct pmu_cpuid_regs *regs = &entry->regs;

	pmu_strbuf_addf(out,
			"CPUID %08" PRIX32 ": %08" PRIX32 "-%08" PRIX32 "-%08" PRIX32 "-%08" PRIX32
			" [SL %02" PRIX32 "]\n",
			entry->leaf, regs->eax, regs->ebx, regs->ecx, regs->edx, entry->subleaf);
}

void pmu_cpuid_print(const struct pmu_cpuid_dump *dump, struct pmu_strbuf *out)
{
	for (size_t i = 0; i < dump->n_cpus; i++) {
		pmu_cpuid_print_heading(i, out);
		for (size_t j = 0; j < dump->cpu[i].n; j++)
			pmu_cpuid_print_entry(&dump->cpu[i].entry[j], out);
	}
}
