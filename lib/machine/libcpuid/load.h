/* SPDX-License-Identifier: BSD-3-Clause */
/* libcpuid's functions. */
#ifndef PMU_MACHINE_LIBCPUID_LOAD_H
#define PMU_MACHINE_LIBCPUID_LOAD_H

#include <libcpuid/libcpuid.h>

struct pmu_libcpuid_calls {
	__typeof__(cpuid_get_raw_data) *get_raw_data;
	__typeof__(cpuid_serialize_all_raw_data) *serialize_all;
	__typeof__(cpuid_deserialize_all_raw_data) *deserialize_all;
	__typeof__(cpuid_free_raw_data_array) *free_all;
	__typeof__(cpu_identify) *identify;
	__typeof__(cpu_feature_str) *feature_name;
	__typeof__(cpuid_lib_version) *version;
	__typeof__(cpuid_error) *error;
	__typeof__(cpuid_set_warn_function) *set_warn;
};

/**
 * pmu_libcpuid_load() - loads libcpuid, once, and silences it
 *
 * Context: one thread at a time; file system, loader's lock.  It is never unloaded.
 * Return: its functions; NULL with a sentence: it is not looked for again.
 */
const struct pmu_libcpuid_calls *pmu_libcpuid_load(void);

#endif
