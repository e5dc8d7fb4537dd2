/* SPDX-License-Identifier: BSD-3-Clause */
/* Which event counts hardware interrupts on which processor. */
#include "group/interrupts.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"

static const struct {
	const char *vendor;
	const char *name; /* microarchitecture or code name */
	uint32_t code;    /* umask << 8 | event */
} events[] = {
	{ "GenuineIntel", "Core (Merom)", 0x00c8 },
	{ "GenuineIntel", "Core (Penryn)", 0x00c8 },
	{ "GenuineIntel", "Bonnell", 0x00c8 },
	{ "GenuineIntel", "Saltwell", 0x00c8 },
	{ "GenuineIntel", "Skylake", 0x01cb },
	{ "GenuineIntel", "Kaby Lake", 0x01cb },
	{ "GenuineIntel", "Coffee Lake", 0x01cb },
	{ "GenuineIntel", "Comet Lake", 0x01cb },
	{ "GenuineIntel", "Cascade Lake", 0x01cb },
	/* of the same cores in clients it is not documented */
	{ "GenuineIntel", "Sapphire Rapids", 0x01cb },
	{ "GenuineIntel", "Emerald Rapids", 0x01cb },
	{ "GenuineIntel", "Granite Rapids", 0x01cb },
	{ "GenuineIntel", "Granite Rapids-D", 0x01cb },
	{ "GenuineIntel", "Goldmont", 0x01cb },
	{ "GenuineIntel", "Goldmont Plus", 0x01cb },
	{ "GenuineIntel", "Tremont", 0x01cb },
	{ "AuthenticAMD", "K8", 0x00cf },
	{ "AuthenticAMD", "K10", 0x00cf },
	{ "AuthenticAMD", "Bobcat", 0x00cf },
	{ "AuthenticAMD", "Bulldozer", 0x00cf },
	{ "AuthenticAMD", "Piledriver", 0x00cf },
	{ "AuthenticAMD", "Steamroller", 0x00cf },
	{ "AuthenticAMD", "Excavator", 0x00cf },
	{ "AuthenticAMD", "Jaguar", 0x00cf },
	{ "AuthenticAMD", "Puma", 0x00cf },
	{ "AuthenticAMD", "Zen 2", 0x002c },
	{ "AuthenticAMD", "Zen 3", 0x002c },
	{ "AuthenticAMD", "Zen 3+", 0x002c },
	{ "AuthenticAMD", "Zen 4", 0x002c },
	{ "AuthenticAMD", "Zen 4c", 0x002c },
	{ "AuthenticAMD", "Zen 5", 0x002c },
	{ "AuthenticAMD", "Zen 5c", 0x002c },
};

int pmu_interrupts_encode(const struct pmu_cpu_model *model, struct pmu_slot *slot)
{
	for (size_t i = 0; model && i < PMU_ARRAY_LEN(events); i++) {
		if (strcmp(model->vendor, events[i].vendor) ||
		    (strcmp(model->microarchitecture, events[i].name) &&
		     strcmp(model->codename, events[i].name)))
			continue;
		slot->type = PERF_TYPE_RAW;
		slot->config = events[i].code;
		return 0;
	}
	return pmu_fail(
		ENOENT,
		PMU_INTERRUPTS
		" are not counted here: no event of this processor%s%s%s is known to count them",
		model ? " (" : "", model ? model->microarchitecture : "", model ? ")" : "");
}

static int find_event(const struct pmu_group *group, const char *name)
{
	for (unsigned int i = 0; i < group->n_events; i++)
		if (!strcmp(group->event[i].name, name))
			return (int)i;
	return -1;
}

int pmu_group_add_interrupts(struct pmu_group *group, struct pmu_catalog *catalog)
{
	int instructions = find_event(group, "instructions");
	unsigned int at = (unsigned int)instructions + 1;
	struct pmu_event event;
	int rc;

	if (instructions < 0 || find_event(group, PMU_INTERRUPTS) >= 0 ||
	    group->n_events == PMU_MAX_SLOTS)
		return 0;
	rc = pmu_event_parse(PMU_INTERRUPTS, catalog, &event);
	if (rc < 0)
		return rc == -EINVAL ? -ENOENT : rc;
	event.optional = true;
	memmove(&group->event[at + 1], &group->event[at], (group->n_events - at) * sizeof(event));
	group->event[at] = event;
	group->n_events++;
	return 0;
}
