/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Where functions were called from, as the kernel found it by frame pointers: a tree of calls, in which each sample's
 * callers are one number.
 */
#ifndef PMU_COMMAND_SAMPLE_CHAINS_H
#define PMU_COMMAND_SAMPLE_CHAINS_H

#include <stddef.h>
#include <stdint.h>

#include "base/index.h"
#include "bindings/command/sample/maps.h"
#include "bindings/command/sample/record.h"

/** Calls of a process that are told apart: some 64 MiB. */
#define PMU_SAMPLE_MOST_CALLS (1u << 20)

struct pmu_sample_chains {
	/*
	 * [n] The last byte of each call, whose own caller is its @chain: that comes before it.  Of file
	 * PMU_SAMPLE_NO_FILE at 0: callers that are too far out to be known.
	 */
	struct pmu_sample_at *call;
	uint32_t n, room;
	struct pmu_index index; /* of 1 + their numbers */
	uint64_t n_left_out;    /* samples whose callers found no room */
};

/**
 * pmu_sample_chains_add() - the callers of a sample
 * @record: all of it is there, whatever it says
 * Return: 1 + the number of the call that its function was called by; 0: that is not known.
 */
uint32_t pmu_sample_chains_add(struct pmu_sample_chains *chains, const struct pmu_sample_maps *maps,
			       const struct pmu_sample_record *record);

/** pmu_sample_chains_copy() - all of them, with their numbers; @to: empty.  Return: 0 or -ENOMEM. */
int pmu_sample_chains_copy(struct pmu_sample_chains *to, const struct pmu_sample_chains *from);

void pmu_sample_chains_free(struct pmu_sample_chains *chains);

#endif
