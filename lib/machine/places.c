/* SPDX-License-Identifier: BSD-3-Clause */
/* Which PU is next: the order of a policy, and how many threads each has. */
#include "machine/places.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"

static void add_place(struct pmu_places *places, int cpu, int core)
{
	places->place[places->n].cpu = cpu;
	places->place[places->n++].core = core;
}

static void order_list(struct pmu_places *places, const struct pmu_pin_request *request)
{
	for (unsigned int i = 0; i < request->n_cpus; i++)
		add_place(places, request->cpu[i], -1);
}

static void order_by_number(struct pmu_places *places)
{
	for (int cpu = 0; cpu < PMU_MASK_CPUS; cpu++)
		add_place(places, cpu, -1);
}

/* hwloc's order: the PUs of a core are neighbours. */
static void order_compact(struct pmu_places *places, const struct pmu_pu *pu, size_t n)
{
	for (size_t i = 0; i < n; i++)
		add_place(places, pu[i].cpu, pu[i].core);
}

/* The spread order over the process's PUs, then those that only single threads may use.
 */
static int order_scattered(struct pmu_places *places, const struct pmu_topology *topology,
			   const struct pmu_pu *pu, size_t n)
{
	const struct pmu_pu *own;
	size_t n_own = pmu_topology_pus(topology, &own);
	struct pmu_mask seen = { { 0 } };
	int *cpu = calloc(n_own + 1, sizeof(*cpu)), rc;

	if (cpu)
		rc = pmu_topology_distribute(topology, (unsigned int)n_own, cpu);
	else
		rc = pmu_fail(ENOMEM, "no memory to order the processors");
	for (size_t i = 0; !rc && i < n_own; i++) {
		pmu_mask_set(&seen, cpu[i]);
		add_place(places, cpu[i], -1);
	}
	for (size_t i = 0; !rc && i < n; i++)
		if (!pmu_mask_has(&seen, pu[i].cpu))
			add_place(places, pu[i].cpu, -1);
	free(cpu);
	return rc;
}

void pmu_places_free(struct pmu_places *places)
{
	free(places->place);
	places->place = NULL;
	places->n = 0;
}

int pmu_places_order(struct pmu_places *places, const struct pmu_pin_request *request,
		     const struct pmu_topology *topology, const struct pmu_mask *mask)
{
	const struct pmu_pu *pu = NULL;
	bool known = false;
	size_t n = 0;

	if (topology)
		n = pmu_topology_machine(topology, &pu);
	for (size_t i = 0; i < n && !known; i++)
		known = pmu_mask_has(mask, pu[i].cpu);
	pmu_places_free(places); /* what a failure has left */
	places->place = calloc(n + PMU_MASK_CPUS, sizeof(*places->place));
	if (!places->place)
		return pmu_fail(ENOMEM, "no memory to order the processors");
	if (request->policy == PMU_PIN_LIST)
		order_list(places, request);
	else if (!known)
		order_by_number(places);
	else if (request->policy == PMU_PIN_SCATTER)
		return order_scattered(places, topology, pu, n);
	else
		order_compact(places, pu, n);
	return 0;
}

static unsigned int load_of(const struct pmu_places *places, size_t i,
			    const struct pmu_mask *others)
{
	int cpu = places->place[i].cpu;

	return places->on[cpu] + pmu_mask_has(others, cpu);
}

/* Threads of ours, and PUs of other sessions, on the core of a place; its PUs are neighbours. */
static unsigned int core_load(const struct pmu_places *places, size_t at,
			      const struct pmu_mask *others)
{
	int core = places->place[at].core;
	unsigned int load = 0;

	if (core < 0)
		return 0;
	for (size_t i = at; i < places->n && places->place[i].core == core; i++)
		load += load_of(places, i, others);
	for (size_t i = at; i-- > 0 && places->place[i].core == core;)
		load += load_of(places, i, others);
	return load;
}

int pmu_places_idle(const struct pmu_places *places, const struct pmu_mask *mask,
		    const struct pmu_mask *others)
{
	unsigned int load, least = UINT32_MAX;
	const struct pmu_place *at;
	int best = -1;

	for (size_t i = 0; i < places->n && least; i++) {
		at = &places->place[i];
		if (places->on[at->cpu] || !pmu_mask_has(mask, at->cpu) ||
		    pmu_mask_has(others, at->cpu))
			continue;
		load = core_load(places, i, others);
		if (load < least) {
			least = load;
			best = at->cpu;
		}
	}
	return best;
}

int pmu_places_turn(const struct pmu_places *places, const struct pmu_mask *mask)
{
	uint32_t least = UINT32_MAX;
	int cpu, best = -1;

	for (size_t i = 0; i < places->n; i++) {
		cpu = places->place[i].cpu;
		if (!pmu_mask_has(mask, cpu) || places->on[cpu] >= least)
			continue;
		least = places->on[cpu];
		best = cpu;
	}
	return best;
}
