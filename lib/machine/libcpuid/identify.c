/* SPDX-License-Identifier: BSD-3-Clause */
/* A processor's identity, as libcpuid says. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "machine/libcpuid/load.h"
#include "machine/libcpuid/raw.h"

/*
 * Leaves may come from anywhere; libcpuid 0.6.2 trusts them (libcpuid_util.c, recog_intel.c): it
 * has room for five caches, though leaf 04H for eight; divides by leaf 0BH's number of siblings; of
 * SGX asks the processor that it runs on for what the dump lacks, up to a million times; and gives
 * the brand to isdigit() as plain char.
 */
static void tame(struct cpu_raw_data_t *raw)
{
	unsigned char *brand = (unsigned char *)&raw->ext_cpuid[2];

	for (size_t i = 5; i < MAX_INTELFN4_LEVEL; i++)
		memset(raw->intel_fn4[i], 0, sizeof(raw->intel_fn4[i]));
	for (size_t i = 0; i < MAX_INTELFN11_LEVEL; i++)
		raw->intel_fn11[i][EBX] &= 0xffff;
	raw->basic_cpuid[7][EBX] &= ~(1u << 2);
	for (size_t i = 0; i < 3 * sizeof(raw->ext_cpuid[0]); i++)
		if (brand[i] && (brand[i] < ' ' || brand[i] > '~'))
			brand[i] = ' ';
}

static void take_features(const struct pmu_libcpuid_calls *calls, const struct cpu_id_t *cpu,
			  struct pmu_libcpuid_identity *identity)
{
	for (int i = 0; i < NUM_CPU_FEATURES && i < CPU_FLAGS_MAX; i++)
		if (cpu->flags[i] && identity->n_features < PMU_ARRAY_LEN(identity->feature))
			identity->feature[identity->n_features++] = calls->feature_name(
				(cpu_feature_t)i);
}

int pmu_libcpuid_identify(const struct pmu_cpuid *cpuid, struct pmu_libcpuid_identity *identity)
{
	const struct pmu_libcpuid_calls *calls = pmu_libcpuid_load();
	struct pmu_cpu_id *id = &identity->id;
	struct cpu_raw_data_t raw;
	struct cpu_id_t cpu;

	memset(identity, 0, sizeof(*identity));
	if (!calls)
		return -ENOTSUP;
	pmu_libcpuid_fill(cpuid, &raw);
	tame(&raw);
	if (!raw.basic_cpuid[1][EAX] || calls->identify(&raw, &cpu) < 0)
		return pmu_fail(ENODEV, "libcpuid does not know this processor: %s",
				raw.basic_cpuid[1][EAX] ? calls->error() : "leaf 01H is missing");
	snprintf(id->vendor, sizeof(id->vendor), "%s", cpu.vendor_str);
	pmu_cpu_brand(cpu.brand_str, strlen(cpu.brand_str), id->brand, sizeof(id->brand));
	id->family = (uint32_t)cpu.ext_family;
	id->model = (uint32_t)cpu.ext_model;
	id->stepping = (uint32_t)cpu.stepping;
	id->hypervisor = cpu.flags[CPU_FEATURE_HYPERVISOR];
	snprintf(identity->codename, sizeof(identity->codename), "%s", cpu.cpu_codename);
	take_features(calls, &cpu, identity);
	return 0;
}
