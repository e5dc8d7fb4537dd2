/* SPDX-License-Identifier: BSD-3-Clause */
/* Event selects: their fields and their bits. */
#ifndef PMU_PLAN_SELECT_H
#define PMU_PLAN_SELECT_H

#include <stdbool.h>
#include <stdint.h>

/** Which registers' bits. */
enum pmu_select_layout {
	PMU_SELECT_INTEL,          /* IA32_PERFEVTSELx */
	PMU_SELECT_AMD,            /* PERF_CTL: twelve bits of event */
	PMU_SELECT_UNCORE_NEHALEM, /* MSR_UNCORE_PERFEVTSELx: no USR, no OS; OCC_CTR_RST at 17 */
	PMU_SELECT_UNCORE_CLIENT,  /* MSR_UNC_CBO_x_PERFEVTSELx, ARB: five bits of CMASK */
	PMU_SELECT_AMD_L3,         /* family 17H: masks of slices and threads */
	PMU_SELECT_AMD_L3_19H,     /* one slice or all, one core or all, a mask of its threads */
};

/** Every field of every layout; those that a layout lacks are 0 in it. */
struct pmu_select {
	uint16_t event;
	uint8_t umask;
	uint8_t umask2;
	uint8_t cmask;
	bool user, os, edge, pin_control, interrupt, any_thread, enable, invert, equal;
	bool in_tx, in_txcp;
	bool guest_only, host_only; /* AMD */
	bool reset_occupancy;       /* Nehalem's uncore */
	/* AMD L3: masks; FFH for all, also where the layout has numbers: */
	uint8_t slices, threads;
	uint8_t slice, core;
	bool all_slices, all_cores;
};

/** pmu_select_encode() - the register's value; what does not fit into a field is cut off */
uint64_t pmu_select_encode(enum pmu_select_layout layout, const struct pmu_select *select);

/** pmu_select_decode() - its fields.  Return: the bits that belong to none. */
uint64_t pmu_select_decode(enum pmu_select_layout layout, uint64_t value,
			   struct pmu_select *select);

/**
 * pmu_select_fixed() - the four bits of one counter in IA32_FIXED_CTR_CTRL, in their place
 * Source: Intel SDM vol. 3B, "IA32_FIXED_CTR_CTRL": OS, USR, ANY, PMI.
 */
uint64_t pmu_select_fixed(unsigned int index, bool os, bool user, bool any_thread, bool interrupt);

#endif
