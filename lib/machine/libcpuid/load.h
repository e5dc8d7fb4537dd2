/* SPDX-License-Identifier: BSD-3-Clause */
/* libcpuid's functions. */
#ifndef PMU_MACHINE_LIBCPUID_LOAD_H
#define PMU_MACHINE_LIBCPUID_LOAD_H

#include <libcpuid/libcpuid.h>

#define PMU_LIBCPUID_CALLS(CALL)                              \
	CALL(get_raw_data, cpuid_get_raw_data)                \
	CALL(serialize_all, cpuid_serialize_all_raw_data)     \
	CALL(deserialize_all, cpuid_deserialize_all_raw_data) \
	CALL(free_all, cpuid_free_raw_data_array)             \
	CALL(identify, cpu_identify)                          \
	CALL(feature_name, cpu_feature_str)                   \
	CALL(version, cpuid_lib_version)                      \
	CALL(error, cpuid_error)                              \
	CALL(set_warn, cpuid_set_warn_function)

struct pmu_libcpuid_calls {
#define PMU_LIBCPUID_CALL(member, name) __typeof__(name) *member;
	PMU_LIBCPUID_CALLS(PMU_LIBCPUID_CALL)
};

/**
 * pmu_libcpuid_load() - loads libcpuid, once, and silences it
 *
 * Context: one thread at a time; file system, loader's lock.  It is never unloaded.
 * Return: its functions; NULL with a sentence: it is not looked for again.
 */
const struct pmu_libcpuid_calls *pmu_libcpuid_load(void);

#endif
