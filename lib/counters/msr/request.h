/* SPDX-License-Identifier: BSD-3-Clause */
/* What one slot takes of one kind of core: from perf's encodings to selects and counters. */
#ifndef PMU_MSR_REQUEST_H
#define PMU_MSR_REQUEST_H

#include "machine/machine.h"
#include "plan/plan.h"
#include "plan/select.h"

struct pmu_msr_request {
	bool selectable;          /* a general counter can count it: */
	struct pmu_select select; /* with this, EN left out */
	uint32_t general;         /* by one of these */
	int fixed;                /* the fixed counter that counts it too, -1 for none */
	uint32_t extra;           /* a second register, 0 for none */
	uint64_t extra_value;
};

/**
 * pmu_msr_request() - a slot of kind CORE on one kind of core
 *
 * PERF_TYPE_HARDWARE: the architectural events where CPUID has them (ref-cycles: the fixed counter
 * only, 3CH/01H where there is none), AMD's equivalents (AMD PPR: 76H, C0H, C2H, C3H,
 * family-dependent cache events), PERF_TYPE_RAW: as it is, with the counters it is restricted to by
 * the slot; Intel's event 00H, umask n: fixed counter n - 1 alone.  USR, OS, INT and EN of a raw
 * code do not count: the slot says the level.  PERF_TYPE_HW_CACHE: none is known here.
 *
 * Return: 0; -ENOENT: no such event on this core; -EINVAL: bits that this CPU's selects do not
 * have; each with a sentence.
 */
int pmu_msr_request(const struct pmu_machine *machine, unsigned int kind,
		    const struct pmu_slot *slot, struct pmu_msr_request *request);

#endif
