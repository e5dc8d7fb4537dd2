/* SPDX-License-Identifier: BSD-3-Clause */
/* Leaves as libcpuid keeps them. */
#include "machine/libcpuid/raw.h"

#include <string.h>

#include "base/compiler.h"

typedef uint32_t row[NUM_REGS];

/* Leaves in a row, or subleaves of one. */
static const struct {
	uint32_t leaf;
	bool subleaves;
	uint32_t n;
	size_t offset;
} arrays[] = {
#define ARRAY(leaf, subleaves, n, member)                                   \
	{                                                                   \
		leaf, subleaves, n, offsetof(struct cpu_raw_data_t, member) \
	}
	ARRAY(0x00000000, false, MAX_CPUID_LEVEL, basic_cpuid),
	ARRAY(0x80000000, false, MAX_EXT_CPUID_LEVEL, ext_cpuid),
	ARRAY(0x00000004, true, MAX_INTELFN4_LEVEL, intel_fn4),
	ARRAY(0x0000000b, true, MAX_INTELFN11_LEVEL, intel_fn11),
	ARRAY(0x00000012, true, MAX_INTELFN12H_LEVEL, intel_fn12h),
	ARRAY(0x00000014, true, MAX_INTELFN14H_LEVEL, intel_fn14h),
	ARRAY(0x8000001d, true, MAX_AMDFN8000001DH_LEVEL, amd_fn8000001dh),
};

/* Whether the array has the leaf, and where. */
static bool place_leaf(size_t array, uint32_t leaf, uint32_t subleaf, uint32_t *index)
{
	*index = arrays[array].subleaves ? subleaf : leaf - arrays[array].leaf;
	if (arrays[array].subleaves ? leaf != arrays[array].leaf : subleaf != 0)
		return false;
	return *index < arrays[array].n;
}

bool pmu_libcpuid_keeps(uint32_t leaf, uint32_t subleaf)
{
	uint32_t index;

	for (size_t i = 0; i < PMU_ARRAY_LEN(arrays); i++)
		if (place_leaf(i, leaf, subleaf, &index))
			return true;
	return false;
}

size_t pmu_libcpuid_fill(const struct pmu_cpuid *cpuid, struct cpu_raw_data_t *raw)
{
	size_t without = 0;
	uint32_t index;

	memset(raw, 0, sizeof(*raw));
	for (size_t i = 0; i < cpuid->n; i++) {
		const struct pmu_cpuid_entry *entry = &cpuid->entry[i];
		const struct pmu_cpuid_regs *regs = &entry->regs;
		const row registers = { regs->eax, regs->ebx, regs->ecx, regs->edx };

		for (size_t j = 0; j < PMU_ARRAY_LEN(arrays); j++)
			if (place_leaf(j, entry->leaf, entry->subleaf, &index))
				memcpy((char *)raw + arrays[j].offset + index * sizeof(row),
				       registers, sizeof(row));
		without += !pmu_libcpuid_keeps(entry->leaf, entry->subleaf);
	}
	return without;
}

/* Leaves that have an array of their own: what they say is there. */
static bool is_in_another(uint32_t leaf)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(arrays); i++)
		if (arrays[i].subleaves && arrays[i].leaf == leaf)
			return true;
	return false;
}

int pmu_libcpuid_each(const struct cpu_raw_data_t *raw, size_t cpu, pmu_libcpuid_take *take,
		      void *context)
{
	int rc = 0;

	for (size_t i = 0; i < PMU_ARRAY_LEN(arrays); i++) {
		const row *rows = (const row *)((const char *)raw + arrays[i].offset);
		uint32_t leaf = arrays[i].leaf, max = rows[0][EAX];

		for (uint32_t j = 0; j < arrays[i].n && !rc; j++) {
			const struct pmu_cpuid_entry entry = { leaf + (arrays[i].subleaves ? 0 : j),
							       arrays[i].subleaves ? j : 0,
							       { rows[j][EAX], rows[j][EBX],
								 rows[j][ECX], rows[j][EDX] } };
			bool empty = !(rows[j][EAX] | rows[j][EBX] | rows[j][ECX] | rows[j][EDX]);

			if (!empty || (!arrays[i].subleaves && j && entry.leaf <= max &&
				       !is_in_another(entry.leaf)))
				rc = take(context, cpu, &entry);
		}
	}
	return rc;
}
