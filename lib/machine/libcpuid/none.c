/* SPDX-License-Identifier: BSD-3-Clause */
/* Built without libcpuid. */
#include <errno.h>

#include "base/error.h"
#include "machine/libcpuid/libcpuid.h"

static int none(void)
{
	return pmu_fail(ENOTSUP, "it needs libcpuid, which this was built without");
}

const char *pmu_libcpuid_version(void)
{
	none();
	return "";
}

int pmu_libcpuid_identify(const struct pmu_cpuid *cpuid, struct pmu_libcpuid_identity *identity)
{
	(void)cpuid;
	(void)identity;
	return none();
}

int pmu_libcpuid_here(struct pmu_cpuid *cpuid)
{
	(void)cpuid;
	return none();
}

int pmu_libcpuid_read(const struct pmu_libcpuid_text *text, pmu_libcpuid_take *take, void *context)
{
	(void)text;
	(void)take;
	(void)context;
	return none();
}

int pmu_libcpuid_print(const struct pmu_cpuid_dump *dump, struct pmu_strbuf *out)
{
	(void)dump;
	(void)out;
	return none();
}
