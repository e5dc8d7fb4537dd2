/* SPDX-License-Identifier: BSD-3-Clause */
/* Which PU is next, on recorded machines. */
#include "machine/places.h"

#include "unit/machine/recorded.h"
#include "unit/part.h"

static const struct pmu_mask nobody;

static struct pmu_mask range(int first, int last)
{
	struct pmu_mask mask = { { 0 } };

	for (int cpu = first; cpu <= last; cpu++)
		pmu_mask_set(&mask, cpu);
	return mask;
}

/* Places @n threads, and compares where they went. */
static void is_order(struct pmu_places *places, enum pmu_pin_policy policy, unsigned int n,
		     const struct pmu_mask *mask, const struct pmu_mask *others, const char *want,
		     const char *name)
{
	char text[256] = "";
	size_t len = 0;
	int cpu;

	for (unsigned int i = 0; i < n; i++) {
		cpu = policy == PMU_PIN_AUTO ? pmu_places_idle(places, mask, others)
					     : pmu_places_turn(places, mask);
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%d", i ? " " : "", cpu);
		if (cpu >= 0)
			places->on[cpu]++;
	}
	is_str(text, want, name);
}

static struct pmu_places *order(enum pmu_pin_policy policy, const struct pmu_topology *topology,
				const struct pmu_mask *mask)
{
	struct pmu_places *places = calloc(1, sizeof(*places));
	struct pmu_pin_request request = { .policy = policy, .cpu = { 5, 2, 9 }, .n_cpus = 3 };

	is_int(pmu_places_order(places, &request, topology, mask), 0, "an order");
	return places;
}

static void drop(struct pmu_places *places)
{
	pmu_places_free(places);
	free(places);
}

static void auto_takes_whole_cores_first(void)
{
	struct pmu_topology *topology = load_recorded("westmere-ep-2s6c2t");
	struct pmu_mask all = range(0, 23), four = range(0, 1), others = range(0, 1);
	struct pmu_places *places = order(PMU_PIN_AUTO, topology, &all);

	is_order(places, PMU_PIN_AUTO, 14, &all, &nobody, "0 1 2 3 4 5 6 7 8 9 10 11 12 13",
		 "twelve cores, then siblings");
	places->on[3] = 0;
	is_order(places, PMU_PIN_AUTO, 1, &all, &nobody, "3", "a core that became free");
	drop(places);
	places = order(PMU_PIN_AUTO, topology, &all);
	pmu_mask_set(&four, 12);
	pmu_mask_set(&four, 13);
	is_order(places, PMU_PIN_AUTO, 5, &four, &nobody, "0 1 12 13 -1",
		 "within a mask, and no further");
	drop(places);
	places = order(PMU_PIN_AUTO, topology, &all);
	is_order(places, PMU_PIN_AUTO, 12, &all, &others, "2 3 4 5 6 7 8 9 10 11 12 13",
		 "the cores of other sessions come last, their PUs not at all");
	drop(places);
	pmu_topology_free(topology);
}

static void auto_takes_a_lone_sibling_for_a_core(void)
{
	struct pmu_topology *topology = load_recorded("westmere-ep-2s6c2t");
	struct pmu_mask mask = { { 0 } };
	struct pmu_places *places;

	pmu_mask_set(&mask, 0);
	pmu_mask_set(&mask, 12);
	pmu_mask_set(&mask, 13);
	places = order(PMU_PIN_AUTO, topology, &mask);
	is_order(places, PMU_PIN_AUTO, 3, &mask, &nobody, "0 13 12",
		 "the second core by its second PU");
	drop(places);
	pmu_topology_free(topology);
}

static void compact_fills_cores(void)
{
	struct pmu_topology *topology = load_recorded("westmere-ep-2s6c2t");
	struct pmu_mask all = range(0, 23);
	struct pmu_places *places = order(PMU_PIN_COMPACT, topology, &all);

	is_order(places, PMU_PIN_COMPACT, 4, &all, &nobody, "0 12 1 13", "siblings together");
	drop(places);
	pmu_topology_free(topology);
}

static void scatter_goes_far_and_wraps(void)
{
	struct pmu_topology *topology = load_recorded("westmere-ep-2s6c2t");
	struct pmu_mask all = range(0, 23), two = range(0, 1);
	struct pmu_places *places = order(PMU_PIN_SCATTER, topology, &all);

	is_order(places, PMU_PIN_SCATTER, 4, &all, &nobody, "0 6 3 9", "far apart");
	drop(places);
	places = order(PMU_PIN_SCATTER, topology, &all);
	is_order(places, PMU_PIN_SCATTER, 5, &two, &nobody, "0 1 0 1 0", "round and round");
	places->on[1] = 0;
	is_order(places, PMU_PIN_SCATTER, 1, &two, &nobody, "1", "a PU given back is next");
	drop(places);
	pmu_topology_free(topology);
}

static void lists_are_taken_as_they_are(void)
{
	struct pmu_mask all = range(0, 23), none = range(10, 12);
	struct pmu_places *places = order(PMU_PIN_LIST, NULL, &all);

	is_order(places, PMU_PIN_LIST, 4, &all, &nobody, "5 2 9 5", "in their order, wrapping");
	is_order(places, PMU_PIN_LIST, 1, &none, &nobody, "-1", "nothing outside the mask");
	drop(places);
}

static void numbers_serve_without_a_topology(void)
{
	struct pmu_topology *topology = load_recorded("westmere-ep-2s6c2t");
	struct pmu_mask elsewhere = range(2000, 2001);
	struct pmu_places *places = order(PMU_PIN_AUTO, NULL, &elsewhere);

	is_order(places, PMU_PIN_AUTO, 3, &elsewhere, &nobody, "2000 2001 -1", "no topology");
	drop(places);
	places = order(PMU_PIN_AUTO, topology, &elsewhere);
	is_order(places, PMU_PIN_AUTO, 2, &elsewhere, &nobody, "2000 2001", "not the right one");
	drop(places);
	pmu_topology_free(topology);
}

UNIT_PART(places)
{
	auto_takes_whole_cores_first();
	auto_takes_a_lone_sibling_for_a_core();
	compact_fills_cores();
	scatter_goes_far_and_wraps();
	lists_are_taken_as_they_are();
	numbers_serve_without_a_topology();
	return done_testing();
}
