/* SPDX-License-Identifier: BSD-3-Clause */
/* The event that counts interrupts, by processor, and its place in a group. */
#include "group/interrupts.h"

#include <errno.h>
#include <linux/perf_event.h>

#include "base/error.h"
#include "group/catalog.h"
#include "machine/models.h"
#include "tests/tap.h"

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

/* Codes as the vendors' event files have them; 0: none. */
static void each_processor_has_its_own(void)
{
	static const struct {
		const char *vendor;
		uint32_t family, model, stepping;
		uint64_t code;
		const char *name;
	} cpus[] = {
		{ "GenuineIntel", 6, 0x17, 0, 0x00c8, "Penryn" },
		{ "GenuineIntel", 6, 0x5e, 0, 0x01cb, "Skylake client" },
		{ "GenuineIntel", 6, 0x55, 4, 0x01cb, "Skylake server" },
		{ "GenuineIntel", 6, 0x55, 7, 0x01cb, "Cascade Lake" },
		{ "GenuineIntel", 6, 0x8f, 0, 0x01cb, "Sapphire Rapids" },
		{ "GenuineIntel", 6, 0xcf, 0, 0x01cb, "Emerald Rapids" },
		{ "GenuineIntel", 6, 0x5c, 0, 0x01cb, "Goldmont" },
		{ "AuthenticAMD", 0x10, 2, 0, 0x00cf, "K10" },
		{ "AuthenticAMD", 0x17, 0x31, 0, 0x002c, "Zen 2" },
		{ "AuthenticAMD", 0x19, 0x01, 0, 0x002c, "Zen 3" },
		{ "AuthenticAMD", 0x1a, 0x02, 0, 0x002c, "Zen 5" },
		{ "GenuineIntel", 6, 0x3c, 0, 0, "Haswell" },
		{ "GenuineIntel", 6, 0x6a, 0, 0, "Ice Lake server" },
		{ "GenuineIntel", 6, 0x97, 0, 0, "Alder Lake" },
		{ "GenuineIntel", 6, 0xd7, 0, 0, "Bartlett Lake" },
		{ "AuthenticAMD", 0x17, 0x01, 0, 0, "Zen" },
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
		ok(event.slot.type == PERF_TYPE_RAW && event.slot.user && event.slot.kernel,
		   "  at every level");
		is_str(event.name, "interrupts", "  by this name");
	}
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

static void they_stand_behind_the_instructions(void)
{
	struct pmu_catalog skylake = catalog_of("GenuineIntel", 6, 0x5e, 0),
			   haswell = catalog_of("GenuineIntel", 6, 0x3c, 0);
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
	pmu_group_from_events("instructions", &haswell, &group);
	is_int(pmu_group_add_interrupts(&group, &haswell), -ENOENT,
	       "a processor without such an event");
	has(pmu_error_text(), "Haswell", "is named");
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

int main(void)
{
	each_processor_has_its_own();
	levels_are_not_told_apart();
	they_stand_behind_the_instructions();
	a_full_group_stays_as_it_is();
	return done_testing();
}
