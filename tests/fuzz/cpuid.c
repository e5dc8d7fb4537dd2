/* SPDX-License-Identifier: BSD-3-Clause */
/* Any text as a CPUID dump, and what each of its processors says of itself. */
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/strbuf.h"
#include "machine/libcpuid/libcpuid.h"
#include "machine/models.h"
#include "machine/perfmon.h"
#include "tests/fuzz/fuzz.h"

static void check_cpu(const struct pmu_cpuid *cpuid)
{
	struct pmu_perfmon perfmon;
	struct pmu_cpu_id id;

	pmu_perfmon_decode(cpuid, &perfmon);
	if (perfmon.n_general > 32 || perfmon.n_fixed > 32 || perfmon.general_bits > 64 ||
	    perfmon.fixed_bits > 64 || perfmon.events >> PMU_ARCH_EVENTS ||
	    !memchr(perfmon.why, 0, sizeof(perfmon.why)) ||
	    (perfmon.family == PMU_PERFMON_NONE) != (perfmon.why[0] != 0))
		abort();
	if (pmu_cpu_identify_by(cpuid, &id))
		return;
	if (!memchr(id.vendor, 0, sizeof(id.vendor)) || !memchr(id.brand, 0, sizeof(id.brand)))
		abort();
	(void)pmu_cpu_model_find(&id);
}

/* libcpuid gets only leaves that do not crash it, and identifies the processor as we do. */
static void check_libcpuid(const struct pmu_cpuid *cpuid)
{
	struct pmu_libcpuid_identity identity;
	struct pmu_cpu_id id;

	if (pmu_libcpuid_identify(cpuid, &identity) || pmu_cpu_identify_by(cpuid, &id))
		return;
	if (!memchr(identity.codename, 0, sizeof(identity.codename)) ||
	    !memchr(identity.id.brand, 0, sizeof(id.brand)) ||
	    identity.n_features > PMU_ARRAY_LEN(identity.feature) ||
	    strcmp(identity.id.vendor, id.vendor) != 0)
		abort();
}

/* What is printed is read again, and is printed the same. */
static void check_print(const struct pmu_cpuid_dump *dump)
{
	struct pmu_strbuf first = { 0 }, second = { 0 };
	struct pmu_cpuid_dump again;

	pmu_cpuid_print(dump, &first);
	if (pmu_cpuid_parse(first.text, first.len, &again))
		abort();
	pmu_cpuid_print(&again, &second);
	if (first.len != second.len || memcmp(first.text, second.text, first.len) != 0)
		abort();
	pmu_strbuf_free(&first);
	pmu_strbuf_free(&second);
	pmu_cpuid_dump_free(&again);
}

/* The same in libcpuid's format, where leaves in the other format may follow at the end. */
static void check_raw(const struct pmu_cpuid_dump *dump)
{
	struct pmu_strbuf text = { 0 };
	struct pmu_cpuid_dump again;

	if (dump->n_cpus > 64 || pmu_libcpuid_print(dump, &text))
		return;
	if (!pmu_cpuid_parse(text.text, text.len, &again)) {
		if (again.n_cpus != dump->n_cpus)
			abort();
		pmu_cpuid_dump_free(&again);
	}
	pmu_strbuf_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pmu_cpuid_dump dump;

	if (pmu_cpuid_parse((const char *)data, size, &dump)) {
		if (dump.cpu || dump.n_cpus)
			abort();
		return 0;
	}
	for (size_t i = 0; i < dump.n_cpus; i++)
		check_cpu(&dump.cpu[i]);
	for (size_t i = 0; i < dump.n_cpus && i < 4; i++)
		check_libcpuid(&dump.cpu[i]);
	check_print(&dump);
	check_raw(&dump);
	pmu_cpuid_dump_free(&dump);
	return 0;
}
