/* SPDX-License-Identifier: BSD-3-Clause */
/* libpfm4's functions: for pfm.c and pfm_names.c. */
#ifndef PMU_NAMES_PFM_LOAD_H
#define PMU_NAMES_PFM_LOAD_H

#include <perfmon/pfmlib.h>

/** Those that are used, without "pfm_" in front. */
#define PMU_PFM_CALLS(CALL)       \
	CALL(initialize)          \
	CALL(strerror)            \
	CALL(get_pmu_info)        \
	CALL(get_event_next)      \
	CALL(get_event_info)      \
	CALL(get_event_attr_info) \
	CALL(get_os_event_encoding)

struct pmu_pfm_calls {
#define PMU_PFM_CALL(name) __typeof__(pfm_##name) *name;
	PMU_PFM_CALLS(PMU_PFM_CALL)
};

/**
 * pmu_pfm_load() - loads libpfm4, once
 *
 * A program that links it has 41,000 relocations done at its start, most of a millisecond, and most
 * name no event that it is needed for.
 *
 * Context, return: as pmu_library_load().
 */
int pmu_pfm_load(void);

/** pmu_pfm_calls() - filled in once pmu_pfm_load() has returned 0 */
const struct pmu_pfm_calls *pmu_pfm_calls(void);

#endif
