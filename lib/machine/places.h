/* SPDX-License-Identifier: BSD-3-Clause */
/* Which PU is next: the order of a policy, and how many threads each has. */
#ifndef PMU_MACHINE_PLACES_H
#define PMU_MACHINE_PLACES_H

#include <stddef.h>
#include <stdint.h>

#include "machine/mask.h"
#include "machine/pin.h"
#include "machine/topology.h"

/** A PU that threads can be placed on. */
struct pmu_place {
	int cpu;
	int core; /* -1 where the topology is not known or does not matter */
};

/** All zero before pmu_places_order(). */
struct pmu_places {
	struct pmu_place *place; /* in the order in which the policy hands them out */
	size_t n;
	uint32_t on[PMU_MASK_CPUS]; /* threads of ours on each CPU, by its number */
};

/**
 * pmu_places_order() - put the PUs into the policy's order
 * @topology: NULL for a list, or where it is not known
 * @mask: CPUs that threads may use here: where the topology knows none of them (it is
 * another machine's), the order is that of the numbers
 *
 * Return: 0 or -ENOMEM.
 */
int pmu_places_order(struct pmu_places *places, const struct pmu_pin_request *request,
		     const struct pmu_topology *topology, const struct pmu_mask *mask);
void pmu_places_free(struct pmu_places *places);

/**
 * pmu_places_idle() - the first PU without a thread, on the core that has the least to do
 * @mask: only these
 * @others: none of these; they keep their cores busy too
 *
 * Return: OS number; -1 where there is none.
 */
int pmu_places_idle(const struct pmu_places *places, const struct pmu_mask *mask,
		    const struct pmu_mask *others);

/** pmu_places_turn() - the first PU of @mask with the fewest threads; -1 where there is
 * none. */
int pmu_places_turn(const struct pmu_places *places, const struct pmu_mask *mask);

#endif
