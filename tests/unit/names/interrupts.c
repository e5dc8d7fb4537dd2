/* SPDX-License-Identifier: BSD-3-Clause */
/* The event that counts interrupts, by processor, and its place in a group. */
#include "plan/interrupts.h"

#include <errno.h>
#include <linux/perf_event.h>

#include "base/error.h"
#include "machine/models.h"
#include "plan/catalog.h"
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

/* Codes and levels as their sources have them; 0: none. */
static void each_processor_has_its_own(void)
{
	static const struct {
		const char *vendor;
		uint32_t family, model, stepping;
		uint64_t code;
		bool kernel;
		const char *name;
	} cpus[] = {
		{ "GenuineIntel", 6, 0x0f, 0, 0x00c8, false, "Merom" },
		{ "GenuineIntel", 6, 0x17, 0, 0x00c8, true, "Penryn" },
		{ "GenuineIntel", 6, 0x1a, 0, 0x011d, false, "Nehalem" },
		{ "GenuineIntel", 6, 0x2c, 0, 0x011d, false, "Westmere" },
		{ "GenuineIntel", 6, 0x2d, 0, 0x01cb, false, "Sandy Bridge" },
		{ "GenuineIntel", 6, 0x3e, 0, 0x01cb, false, "Ivy Bridge" },
		{ "GenuineIntel", 6, 0x3c, 0, 0x01cb, false, "Haswell" },
		{ "GenuineIntel", 6, 0x4f, 0, 0x01cb, false, "Broadwell" },
		{ "GenuineIntel", 6, 0x5e, 0, 0x01cb, false, "Skylake client" },
		{ "GenuineIntel", 6, 0x55, 4, 0x01cb, false, "Skylake server" },
		{ "GenuineIntel", 6, 0x55, 7, 0x01cb, false, "Cascade Lake" },
		{ "GenuineIntel", 6, 0x8f, 0, 0x01cb, true, "Sapphire Rapids" },
		{ "GenuineIntel", 6, 0xcf, 0, 0x01cb, true, "Emerald Rapids" },
		{ "GenuineIntel", 6, 0x5c, 0, 0x01cb, true, "Goldmont" },
		{ "AuthenticAMD", 0x10, 2, 0, 0x00cf, false, "K10" },
		{ "AuthenticAMD", 0x17, 0x31, 0, 0x002c, true, "Zen 2" },
		{ "AuthenticAMD", 0x19, 0x01, 0, 0x002c, true, "Zen 3" },
		{ "AuthenticAMD", 0x1a, 0x02, 0, 0x002c, true, "Zen 5" },
		{ "GenuineIntel", 6, 0x6a, 0, 0, false, "Ice Lake server" },
		{ "GenuineIntel", 6, 0x97, 0, 0, false, "Alder Lake" },
		{ "GenuineIntel", 6, 0xd7, 0, 0, false, "Bartlett Lake" },
		{ "AuthenticAMD", 0x17, 0x01, 0, 0, false, "Zen" },
	};

	for (size_t i = 0; i < PMU_ARRAY_LEN(cpus); i++) {
		struct pmu_catalog catalog = catalog_of(cpus[i].vendor, cpus[i].family,
							cpus[i].model, cpus[i].stepping);
		struct pmu_event event;
		int rc = pmu_event_parse("interrupts", &catalog, &event);

		is_int(rc, cpus[i].code ? 0 : -EINVAL, cpus[i].name);
		if (rc < 0) {
			has(pmu_error_text(), "known to count them", "  which says so");
			continue;
		}
		is_u64(event.slot.config, cpus[i].code, "  its code");
		ok(event.slot.type == PERF_TYPE_RAW && event.slot.user &&
			   event.slot.kernel == cpus[i].kernel,
		   "  %s", cpus[i].kernel ? "at every level" : "at user level");
		is_str(event.name, "interrupts", "  by this name");
	}
}

/* --- recordings --- */

/* The machines of tests/data/counts.csv. */
static const struct recorded {
	const char *machine, *vendor;
	uint32_t family, model;
} recorded[] = {
	{ "atom", "GenuineIntel", 6, 0x1c },        { "core2", "GenuineIntel", 6, 0x0f },
	{ "nehalem", "GenuineIntel", 6, 0x1a },     { "nehalem-ex", "GenuineIntel", 6, 0x2e },
	{ "westmere-ex", "GenuineIntel", 6, 0x2f }, { "ivybridge", "GenuineIntel", 6, 0x3a },
	{ "haswell", "GenuineIntel", 6, 0x3c },     { "haswell-ep", "GenuineIntel", 6, 0x3f },
	{ "broadwell", "GenuineIntel", 6, 0x47 },   { "broadwell-ep", "GenuineIntel", 6, 0x4f },
	{ "skylake", "GenuineIntel", 6, 0x5e },     { "fam10h", "AuthenticAMD", 0x10, 0x08 },
	{ "fam14h", "AuthenticAMD", 0x14, 0x01 },   { "fam15h", "AuthenticAMD", 0x15, 0x02 },
	{ "fam16h", "AuthenticAMD", 0x16, 0x00 },   { "fam17h", "AuthenticAMD", 0x17, 0x01 },
};

#define RUNS 10

static void take_runs(const char *text, uint64_t *value)
{
	char *at = (char *)(uintptr_t)text;

	for (int i = 0; i < RUNS; i++)
		value[i] = strtoull(at, &at, 10);
}

static uint64_t spread(const uint64_t *value)
{
	uint64_t least = UINT64_MAX, most = 0;

	for (int i = 0; i < RUNS; i++) {
		least = value[i] < least ? value[i] : least;
		most = value[i] > most ? value[i] : most;
	}
	return most - least;
}

static const struct recorded *find_machine(const char *name)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(recorded); i++)
		if (!strcmp(recorded[i].machine, name))
			return &recorded[i];
	return NULL;
}

/* "r5301cb:u" */
static uint64_t code_of(const char *text)
{
	return strtoull(text + 1, NULL, 16) & 0xffff;
}

/* Columns: machine, event, program, code, interrupt_code, counts, interrupts. */
static void replay(char *const *column, unsigned int *n)
{
	const struct recorded *machine = find_machine(column[0]);
	uint64_t count[RUNS], interrupts[RUNS], less[RUNS];
	struct pmu_catalog catalog;
	struct pmu_event event;

	take_runs(column[5], count);
	if (!strcmp(column[1], "conditional") && column[0][0] != 'f' &&
	    strcmp(column[0], "core2")) {
		is_u64(spread(count), 0, column[0]);
		n[2]++;
	}
	if (!machine || strcmp(column[1], "instructions") != 0) {
		ok(machine != NULL, "%s is known", column[0]);
		return;
	}
	catalog = catalog_of(machine->vendor, machine->family, machine->model, 0);
	if (pmu_event_parse("interrupts", &catalog, &event))
		return;
	if (column[4][0] == 'r' && strcmp(column[4], "raw") != 0)
		is_u64(event.slot.config, code_of(column[4]), column[0]);
	take_runs(column[6], interrupts);
	for (int i = 0; i < RUNS; i++)
		less[i] = count[i] - interrupts[i];
	n[0]++;
	if (!pmu_interrupts_are_subtracted(catalog.model))
		return;
	n[1]++;
	ok(!event.slot.kernel, "  %s: counted at user level alone", column[0]);
	ok(spread(less) <= spread(count), "  %s: the spread falls from %llu to %llu", column[2],
	   (unsigned long long)spread(count), (unsigned long long)spread(less));
}

static void recordings_are_as_the_table_says(void)
{
	char path[512], line[1024], *column[7], *rest;
	unsigned int n[3] = { 0 };
	FILE *in;

	snprintf(path, sizeof(path), "%s/tests/data/counts.csv", TEST_SRCDIR);
	in = fopen(path, "r");
	while (in && fgets(line, sizeof(line), in)) {
		rest = line;
		for (int i = 0; i < 7; i++)
			column[i] = strsep(&rest, ",");
		if (column[6] && strcmp(column[0], "machine") != 0)
			replay(column, n);
	}
	if (in)
		fclose(in);
	is_u64(n[0], 15 * 4, "all machines that have such an event");
	is_u64(n[1], 7 * 4, "where it is subtracted");
	is_u64(n[2], 9 * 4, "conditional branches, all the same in ten runs");
}

static void levels_are_not_told_apart(void)
{
	struct pmu_catalog catalog = catalog_of("GenuineIntel", 6, 0x5e, 0);
	struct pmu_event event;

	is_int(pmu_event_parse("interrupts:u", &catalog, &event), -EINVAL, "user level alone");
	has(pmu_error_text(), "does not tell user level from kernel", "  and why not");
}

static void names_are(const struct pmu_group *group, const char *want, const char *name)
{
	char got[256] = "";

	for (unsigned int i = 0; i < group->n_events; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s", i ? "," : "",
			 group->event[i].name);
	is_str(got, want, name);
}

static bool has_difference(const struct pmu_group *group)
{
	for (unsigned int i = 0; i < group->n_metrics; i++)
		if (!strcmp(group->metric[i].name, PMU_LESS_INTERRUPTS))
			return !strcmp(group->metric[i].formula, "instructions - interrupts");
	return false;
}

static void they_stand_behind_the_instructions(void)
{
	struct pmu_catalog skylake = catalog_of("GenuineIntel", 6, 0x5e, 0),
			   westmere = catalog_of("GenuineIntel", 6, 0x2c, 0),
			   ice_lake = catalog_of("GenuineIntel", 6, 0x6a, 0);
	struct pmu_group group;

	pmu_group_from_events("cycles,instructions,branches", &skylake, &group);
	is_int(pmu_group_add_interrupts(&group, &skylake), 0, "added");
	names_are(&group, "cycles,instructions,interrupts,branches", "behind the instructions");
	ok(group.event[2].optional && !group.event[3].optional, "as the one that can be given up");
	is_int(pmu_group_add_interrupts(&group, &skylake), 0, "once more");
	is_int((int)group.n_events, 4, "they are there once");
	pmu_group_from_events("cycles,instructions:k", &skylake, &group);
	is_int(pmu_group_add_interrupts(&group, &skylake), 0, "instructions of the kernel");
	names_are(&group, "cycles,instructions:k", "are left alone");
	ok(!has_difference(&group), "there they are a bound");
	pmu_group_from_events("instructions,cycles", &westmere, &group);
	is_int(pmu_group_add_interrupts(&group, &westmere), 0, "where they may be taken off");
	ok(has_difference(&group), "a metric does so");
	pmu_group_from_events("instructions", &ice_lake, &group);
	is_int(pmu_group_add_interrupts(&group, &ice_lake), -ENOENT,
	       "a processor without such an event");
	has(pmu_error_text(), "Sunny Cove", "is named");
	names_are(&group, "instructions", "and the group is as it was");
}

static void a_full_group_stays_as_it_is(void)
{
	struct pmu_catalog skylake = catalog_of("GenuineIntel", 6, 0x5e, 0);
	struct pmu_group group;

	pmu_group_from_events("instructions,r1,r2,r3,r4,r5,r6,r7,r8,r9,ra,rb,rc,rd,re,rf", &skylake,
			      &group);
	is_int((int)group.n_events, PMU_MAX_SLOTS, "as many as there may be");
	is_int(pmu_group_add_interrupts(&group, &skylake), 0, "no more");
	is_int((int)group.n_events, PMU_MAX_SLOTS, "and no less");
}

UNIT_PART(interrupts)
{
	each_processor_has_its_own();
	recordings_are_as_the_table_says();
	levels_are_not_told_apart();
	they_stand_behind_the_instructions();
	a_full_group_stays_as_it_is();
	return done_testing();
}
