/* SPDX-License-Identifier: BSD-3-Clause */
/* The event that counts branches to the last, by processor, and what a simulation counts for it. */
#include "names/branches.h"

#include <errno.h>
#include <linux/perf_event.h>

#include "base/error.h"
#include "counters/valgrind/events.h"
#include "unit/part.h"

static struct pmu_catalog catalog_of(const char *vendor, uint32_t family, uint32_t model,
				     uint32_t stepping)
{
	struct pmu_catalog catalog = { .sysfs = "" };

	snprintf(catalog.id.vendor, sizeof(catalog.id.vendor), "%s", vendor);
	catalog.id.family = family;
	catalog.id.model = model;
	catalog.id.stepping = stepping;
	catalog.model = pmu_cpu_model_find(&catalog.id);
	return catalog;
}

static uint32_t hex(const char *text)
{
	return (uint32_t)strtoul(text, NULL, 16);
}

static void look(const struct pmu_event *event, char *const *column, bool conditional)
{
	const struct pmu_slot *slot = &event->slot;
	uint64_t code = strtoull(column[5], NULL, 16), e_code = strtoull(column[6], NULL, 16);

	is_u64(slot->config, code, column[0]);
	ok(slot->kind == PMU_SLOT_CORE && slot->type == PERF_TYPE_RAW && slot->user &&
		   !slot->kernel,
	   "  at user level");
	is_u64(slot->e_code.is_set ? slot->e_code.config : 0, e_code, "  of its E cores");
	is_u64(pmu_callgrind_sum(slot), conditional ? 1u << PMU_CALLGRIND_BC : 0,
	       "  and of a simulation");
}

/* Columns: core, vendor, family, model, stepping, code, e_code, counts. */
static void check_row(char *const *column)
{
	struct pmu_catalog catalog = catalog_of(column[1], hex(column[2]), hex(column[3]),
						hex(column[4]));
	bool conditional = !strncmp(column[7], "conditional", 11), there = strcmp(column[5], "0");
	const char *name = conditional ? PMU_CONDITIONAL_BRANCHES : PMU_TAKEN_BRANCHES;
	struct pmu_event event;
	int rc = pmu_event_parse(name, &catalog, &event);

	if (there && ok(!rc, "%s has it", column[0])) {
		is_str(event.name, name, "  by this name");
		look(&event, column, conditional);
	} else if (conditional) {
		ok(!rc && event.slot.kind == PMU_SLOT_SIMULATED, "%s: simulated alone", column[0]);
	} else {
		is_int(rc, -EINVAL, column[0]);
		has(pmu_error_text(), "known to count them to the last", "  says that it has none");
	}
	pmu_catalog_close(&catalog);
}

static void each_core_has_its_own(void)
{
	FILE *in = fopen(TEST_SRCDIR "/tests/data/exact-branches.csv", "re");
	char line[256], *column[8], *rest;
	unsigned int n = 0;

	while (in && fgets(line, sizeof(line), in)) {
		rest = line;
		for (int i = 0; i < 8; i++)
			column[i] = strsep(&rest, ",");
		if (column[7] && n++)
			check_row(column);
	}
	if (in)
		fclose(in);
	ok(n > 60, "%u cores", n - 1);
}

static void levels_are_told_apart(void)
{
	struct pmu_catalog catalog = catalog_of("GenuineIntel", 6, 0x5e, 0);
	struct pmu_event event;

	is_int(pmu_event_parse("conditional-branches:k", &catalog, &event), 0, "the kernel's");
	ok(!event.slot.user && event.slot.kernel, "are its own");
	is_u64(pmu_callgrind_sum(&event.slot), 0, "which no simulation counts");
	pmu_catalog_close(&catalog);
}

static void nehalem_has_a_note(void)
{
	struct pmu_catalog nehalem = catalog_of("GenuineIntel", 6, 0x2e, 0);
	struct pmu_catalog westmere = catalog_of("GenuineIntel", 6, 0x2f, 0);
	struct pmu_group group;

	is_int(pmu_group_from_events("conditional-branches", &nehalem, &group), 0, "Nehalem");
	has(group.note, "floating-point operations in them", "  what its event counts beside");
	is_int(pmu_group_from_events("instructions", &nehalem, &group), 0, "without the event");
	is_str(group.note, "", "  no note");
	is_int(pmu_group_from_events("conditional-branches", &westmere, &group), 0, "Westmere");
	is_str(group.note, "", "  has none");
	pmu_catalog_close(&nehalem);
	pmu_catalog_close(&westmere);
}

UNIT_PART(branches)
{
	each_core_has_its_own();
	levels_are_told_apart();
	nehalem_has_a_note();
	return done_testing();
}
