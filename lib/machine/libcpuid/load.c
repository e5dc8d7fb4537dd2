/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads libcpuid when a processor's identity or a dump is asked for. */
#include "machine/libcpuid/load.h"

#include <stdbool.h>
#include <stddef.h>

#include "base/compiler.h"
#include "base/library.h"
#include "machine/libcpuid/libcpuid.h"

static struct pmu_libcpuid_calls calls;

#define CALL(member, name) { #name, offsetof(struct pmu_libcpuid_calls, member) },
static const struct pmu_library_call table[] = { PMU_LIBCPUID_CALLS(CALL) };

const struct pmu_libcpuid_calls *pmu_libcpuid_load(void)
{
	/* LIBCPUID_SONAME has the version of the headers' structures */
	static struct pmu_library libcpuid = { .file = LIBCPUID_SONAME,
					       .needs = "it needs libcpuid (Debian: libcpuid16)",
					       .calls = &calls,
					       .call = table,
					       .n_calls = PMU_ARRAY_LEN(table) };
	static bool is_silent;

	if (pmu_library_load(&libcpuid))
		return NULL;
	if (!is_silent)
		calls.set_warn(NULL);
	is_silent = true;
	return &calls;
}

const char *pmu_libcpuid_version(void)
{
	const struct pmu_libcpuid_calls *loaded = pmu_libcpuid_load();

	return loaded ? loaded->version() : "";
}
