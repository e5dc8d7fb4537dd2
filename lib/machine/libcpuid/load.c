/* SPDX-License-Identifier: BSD-3-Clause */
/* Loads libcpuid when a processor's identity or a dump is asked for. */
#include "machine/libcpuid/load.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "machine/libcpuid/libcpuid.h"

static struct pmu_libcpuid_calls calls;

#define CALL(member, name)                                                             \
	{                                                                              \
		.symbol = #name, .offset = offsetof(struct pmu_libcpuid_calls, member) \
	}
static const struct {
	const char *symbol;
	size_t offset;
} table[] = {
	CALL(get_raw_data, cpuid_get_raw_data),
	CALL(serialize_all, cpuid_serialize_all_raw_data),
	CALL(deserialize_all, cpuid_deserialize_all_raw_data),
	CALL(free_all, cpuid_free_raw_data_array),
	CALL(identify, cpu_identify),
	CALL(feature_name, cpu_feature_str),
	CALL(version, cpuid_lib_version),
	CALL(error, cpuid_error),
	CALL(set_warn, cpuid_set_warn_function),
};
_Static_assert(sizeof(calls) == PMU_ARRAY_LEN(table) * sizeof(void *),
	       "every function is in the table");

static bool find_libcpuid_calls(void *library)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(table); i++) {
		void *found = dlsym(library, table[i].symbol);

		if (!found)
			return false;
		memcpy((char *)&calls + table[i].offset, &found, sizeof(found));
	}
	return true;
}

const struct pmu_libcpuid_calls *pmu_libcpuid_load(void)
{
	static enum { UNTRIED, LOADED, FAILED } state;
	static char why[192];

	if (state == UNTRIED) {
		/* LIBCPUID_SONAME has the version of the headers' structures */
		void *library = dlopen(LIBCPUID_SONAME, RTLD_NOW | RTLD_LOCAL);
		const char *text;

		if (library && find_libcpuid_calls(library)) {
			state = LOADED;
			calls.set_warn(NULL);
			return &calls;
		}
		text = dlerror();
		snprintf(why, sizeof(why), "%s", text ? text : LIBCPUID_SONAME);
		state = FAILED;
	}
	if (state == LOADED)
		return &calls;
	pmu_fail(ENOTSUP, "it needs libcpuid (Debian: libcpuid16); %s", why);
	return NULL;
}

const char *pmu_libcpuid_version(void)
{
	const struct pmu_libcpuid_calls *loaded = pmu_libcpuid_load();

	return loaded ? loaded->version() : "";
}
