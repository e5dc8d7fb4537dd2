/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUID leaves: of this processor, and by number among those of any. */
#include "machine/cpuid.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#define HAVE_CPUID 1
#else
#define HAVE_CPUID 0
#endif

static const struct pmu_cpuid_regs *find(const struct pmu_cpuid *cpuid, uint32_t leaf,
					 uint32_t subleaf)
{
	size_t low = 0, high = cpuid->n, middle;

	while (low < high) {
		const struct pmu_cpuid_entry *entry;

		middle = low + (high - low) / 2;
		entry = &cpuid->entry[middle];
		if (entry->leaf == leaf && entry->subleaf == subleaf)
			return &entry->regs;
		if (entry->leaf < leaf || (entry->leaf == leaf && entry->subleaf < subleaf))
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/*
 * Whether the processor has the leaf.  The hypervisors' and Centaur's have a maximum of their own,
 * that nothing here depends on.
 */
static bool in_range(const struct pmu_cpuid *cpuid, uint32_t leaf)
{
	uint32_t base = leaf & 0xffff0000;
	const struct pmu_cpuid_regs *first;

	if (base != 0 && base != 0x80000000)
		return true;
	first = find(cpuid, base, 0);
	return first && leaf <= first->eax;
}

bool pmu_cpuid_get(const struct pmu_cpuid *cpuid, uint32_t leaf, uint32_t subleaf,
		   struct pmu_cpuid_regs *regs)
{
	const struct pmu_cpuid_regs *found = in_range(cpuid, leaf) ? find(cpuid, leaf, subleaf)
								   : NULL;

	if (found)
		*regs = *found;
	else
		memset(regs, 0, sizeof(*regs));
	return found != NULL;
}

#if HAVE_CPUID

/* What is read of this processor, in ascending order. */
static const struct {
	uint32_t leaf, subleaf;
} wanted[] = {
	{ 0x00000000, 0 }, { 0x00000001, 0 }, { 0x00000007, 0 }, { 0x00000007, 1 },
	{ 0x0000000a, 0 }, { 0x0000001a, 0 }, { 0x00000023, 0 }, { 0x00000023, 1 },
	{ 0x00000023, 2 }, { 0x00000023, 3 }, { 0x40000000, 0 }, { 0x40000100, 0 },
	{ 0x80000000, 0 }, { 0x80000001, 0 }, { 0x80000002, 0 }, { 0x80000003, 0 },
	{ 0x80000004, 0 }, { 0x80000007, 0 }, { 0x80000008, 0 }, { 0x80000022, 0 },
};

_Static_assert(PMU_ARRAY_LEN(wanted) == PMU_CPUID_LIVE, "room for every leaf");

size_t pmu_cpuid_read(struct pmu_cpuid_entry entry[PMU_CPUID_LIVE])
{
	uint32_t max = 0, base = 1;
	bool hypervisor = false;
	size_t n = 0;

	for (size_t i = 0; i < PMU_ARRAY_LEN(wanted); i++) {
		struct pmu_cpuid_regs *regs = &entry[n].regs;
		uint32_t leaf = wanted[i].leaf;

		if ((leaf & 0xffff0000) != base) {
			base = leaf & 0xffff0000;
			/* without a hypervisor these leaves are the highest basic one */
			if (base == 0x40000000)
				max = hypervisor ? 0x4000ffff : 0;
			else
				max = __get_cpuid_max(base, NULL);
		}
		if (leaf > max)
			continue;
		__cpuid_count(leaf, wanted[i].subleaf, regs->eax, regs->ebx, regs->ecx, regs->edx);
		if (leaf == 1)
			hypervisor = regs->ecx >> 31;
		entry[n].leaf = leaf;
		entry[n++].subleaf = wanted[i].subleaf;
	}
	return n;
}

int pmu_cpuid_live(struct pmu_cpuid *cpuid)
{
	cpuid->n = 0;
	cpuid->entry = calloc(PMU_CPUID_LIVE, sizeof(*cpuid->entry));
	if (!cpuid->entry)
		return pmu_fail(ENOMEM, "no memory for the leaves of CPUID");
	cpuid->n = pmu_cpuid_read(cpuid->entry);
	return 0;
}

#else

size_t pmu_cpuid_read(struct pmu_cpuid_entry entry[PMU_CPUID_LIVE])
{
	(void)entry;
	return 0;
}

int pmu_cpuid_live(struct pmu_cpuid *cpuid)
{
	memset(cpuid, 0, sizeof(*cpuid));
	return -ENODEV;
}

#endif

void pmu_cpuid_free(struct pmu_cpuid *cpuid)
{
	free(cpuid->entry);
	memset(cpuid, 0, sizeof(*cpuid));
}
