/* SPDX-License-Identifier: BSD-3-Clause */
/* libpfm4's functions: for pfm.c and pfm_names.c. */
#ifndef PMU_NAMES_PFM_LOAD_H
#define PMU_NAMES_PFM_LOAD_H

#include <perfmon/pfmlib.h>

/** Those that are used, without "pfm_" in front. */
struct pmu_pfm_calls {
	__typeof__(pfm_initialize) *initialize;
	__typeof__(pfm_strerror) *strerror;
	__typeof__(pfm_get_pmu_info) *get_pmu_info;
	__typeof__(pfm_get_event_next) *get_event_next;
	__typeof__(pfm_get_event_info) *get_event_info;
	__typeof__(pfm_get_event_attr_info) *get_event_attr_info;
	__typeof__(pfm_get_os_event_encoding) *get_os_event_encoding;
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
