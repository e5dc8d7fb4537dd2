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

static const struct pmu_cpuid_regs *find_cpuid_leaf(const struct pmu_cpuid *cpuid, uint32_t leaf,
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
static bool leaf_in_range(const struct pmu_cpuid *cpuid, uint32_t leaf)
{
	uint32_t base = leaf & 0xffff0000;
	const struct pmu_cpuid_regs *first;

	if (base != 0 && base != 0x80000000)
		return true;
	first = find_cpuid_leaf(cpuid, base, 0);
	return first && leaf <= first->eax;
}

bool pmu_cpuid_get(const struct pmu_cpuid *cpuid, uint32_t leaf, uint32_t subleaf,
		   struct pmu_cpuid_regs *regs)
{
	const struct pmu_cpuid_regs *found = leaf_in_range(cpuid, leaf)
						     ? find_cpuid_leaf(cpuid, leaf, subleaf)
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
	bool identity; /* it says which processor it is, not what its PMU can do */
} wanted[] = {
	{ 0x00000000, 0, true },  { 0x00000001, 0, true },  { 0x00000007, 0, false },
	{ 0x00000007, 1, false }, { 0x0000000a, 0, false }, { 0x0000001a, 0, false },
	{ 0x00000023, 0, false }, { 0x00000023, 1, false }, { 0x00000023, 2, false },
	{ 0x00000023, 3, false }, { 0x40000000, 0, true },  { 0x40000100, 0, true },
	{ 0x80000000, 0, true },  { 0x80000001, 0, false }, { 0x80000002, 0, true },
	{ 0x80000003, 0, true },  { 0x80000004, 0, true },  { 0x80000007, 0, true },
	{ 0x80000008, 0, false }, { 0x80000022, 0, false },
};

_Static_assert(PMU_ARRAY_LEN(wanted) == PMU_CPUID_LIVE, "room for every leaf");

static unsigned int executed;

unsigned int pmu_cpuid_executed(void)
{
	return pmu_load_relaxed(&executed);
}

static void execute(uint32_t leaf, uint32_t subleaf, struct pmu_cpuid_regs *regs)
{
	__cpuid_count(leaf, subleaf, regs->eax, regs->ebx, regs->ecx, regs->edx);
	__atomic_fetch_add(&executed, 1, __ATOMIC_RELAXED);
}

/* Which leaves there are, as far as has been read. */
struct bounds {
	uint32_t basic, hypervisor, extended;
};

static bool leaf_exists(const struct bounds *bounds, uint32_t leaf)
{
	switch (leaf & 0xffff0000) {
	case 0x40000000:
		return leaf <= bounds->hypervisor;
	case 0x80000000:
		return leaf <= bounds->extended;
	}
	return leaf <= bounds->basic;
}

/* Hyper-V's signature, which KVM and Xen put before their own where they emulate it. */
static bool is_hyperv(const struct pmu_cpuid_regs *regs)
{
	return regs->ebx == 0x7263694d && regs->ecx == 0x666f736f && regs->edx == 0x76482074;
}

static void extend_bounds(struct bounds *bounds, const struct pmu_cpuid_entry *entry)
{
	const struct pmu_cpuid_regs *regs = &entry->regs;

	switch (entry->leaf) {
	case 0x00000000:
		bounds->basic = regs->eax;
		break;
	case 0x00000001:
		/* without a hypervisor its leaves are the highest basic one */
		bounds->hypervisor = regs->ecx >> 31 ? 0x40000000 : 0;
		break;
	case 0x40000000:
		bounds->hypervisor = is_hyperv(regs) ? 0x4000ffff : 0x40000000;
		break;
	case 0x80000000:
		/* where there are none, it is the highest basic one, too */
		bounds->extended = regs->eax & 0x80000000 ? regs->eax : 0;
		break;
	}
}

size_t pmu_cpuid_read(struct pmu_cpuid_entry entry[PMU_CPUID_LIVE], bool identity)
{
	struct bounds bounds = { .extended = 0x80000000 };
	size_t n = 0;

	for (size_t i = 0; i < PMU_ARRAY_LEN(wanted); i++) {
		if ((identity && !wanted[i].identity) || !leaf_exists(&bounds, wanted[i].leaf))
			continue;
		entry[n].leaf = wanted[i].leaf;
		entry[n].subleaf = wanted[i].subleaf;
		execute(entry[n].leaf, entry[n].subleaf, &entry[n].regs);
		extend_bounds(&bounds, &entry[n++]);
	}
	return n;
}

int pmu_cpuid_live(struct pmu_cpuid *cpuid)
{
	cpuid->n = 0;
	cpuid->entry = calloc(PMU_CPUID_LIVE, sizeof(*cpuid->entry));
	if (!cpuid->entry)
		return pmu_fail(ENOMEM, "no memory for the leaves of CPUID");
	cpuid->n = pmu_cpuid_read(cpuid->entry, false);
	return 0;
}

#else

unsigned int pmu_cpuid_executed(void)
{
	return 0;
}

size_t pmu_cpuid_read(struct pmu_cpuid_entry entry[PMU_CPUID_LIVE], bool identity)
{
	(void)entry;
	(void)identity;
	return 0;
}

int pmu_cpuid_live(struct pmu_cpuid *cpuid)
{
	memset(cpuid, 0, sizeof(*cpuid));
	return -ENODEV;
}

#endif

static int by_leaf(const void *a, const void *b)
{
	const struct pmu_cpuid_entry *s = a, *t = b;

	if (s->leaf != t->leaf)
		return s->leaf < t->leaf ? -1 : 1;
	return (s->subleaf > t->subleaf) - (s->subleaf < t->subleaf);
}

void pmu_cpuid_sort(struct pmu_cpuid *cpuid)
{
	if (cpuid->n)
		qsort(cpuid->entry, cpuid->n, sizeof(*cpuid->entry), by_leaf);
}

void pmu_cpuid_free(struct pmu_cpuid *cpuid)
{
	free(cpuid->entry);
	memset(cpuid, 0, sizeof(*cpuid));
}
