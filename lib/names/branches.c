/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Which event counts branches to the last: conditional ones on Intel's and AMD's processors, taken ones
 * on Arm's.
 *
 * Sources: that they repeat: recordings of github deater/deterministic, static/results (nine machines
 * from Nehalem to Skylake, tests/data/counts.csv), and what rr replays programs by, src/PerfCounters.cc,
 * pmu_configs (tests/data/exact-branches.csv has its rows).  Codes: Intel's by name from its event files;
 * AMD PPRs, PMCx0D1; Arm Architecture Reference Manual, BR_RETIRED (21H); Linux,
 * drivers/perf/apple_m1_cpu_pmu.c, 90H.
 */
#include "names/branches.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "names/native.h"
#include "names/vendor/vendor.h"

/* The first that a processor has: from Ice Lake on, before, and of small cores. */
static const char *const intel[] = { "BR_INST_RETIRED.COND", "BR_INST_RETIRED.CONDITIONAL",
				     "BR_INST_RETIRED.JCC" };

/*
 * Of Arm's cores those that rr relies on.  Others (Cortex-A55, A75, A520, Neoverse E1) count an ISB as a
 * branch, or are not known.  AMD's 15H takes interrupts for taken branches, and is none of them.
 */
static const struct {
	uint32_t implementer, part;
	uint64_t code;
} taken[] = {
	{ 0x41, 0xd0b, 0x21 }, /* Cortex-A76 */
	{ 0x41, 0xd0c, 0x21 }, /* Neoverse N1 */
	{ 0x41, 0xd0d, 0x21 }, /* Cortex-A77 */
	{ 0x41, 0xd40, 0x21 }, /* Neoverse V1 */
	{ 0x41, 0xd41, 0x21 }, /* Cortex-A78 */
	{ 0x41, 0xd44, 0x21 }, /* Cortex-X1 */
	{ 0x41, 0xd49, 0x21 }, /* Neoverse N2 */
	{ 0x41, 0xd4f, 0x21 }, /* Neoverse V2 */
	{ 0x41, 0xd81, 0x21 }, /* Cortex-A720 */
	{ 0x41, 0xd83, 0x21 }, /* Neoverse V3AE */
	{ 0x41, 0xd84, 0x21 }, /* Neoverse V3 */
	{ 0x41, 0xd8e, 0x21 }, /* Neoverse N3 */
	{ 0x51, 0x001, 0x21 }, /* Oryon */
	{ 0xc0, 0xac3, 0x21 }, /* AmpereOne */
	{ 0x61, 0x022, 0x90 }, /* Apple M1, E and P cores; Pro; Max and Ultra */
	{ 0x61, 0x023, 0x90 }, { 0x61, 0x024, 0x90 }, { 0x61, 0x025, 0x90 },
	{ 0x61, 0x028, 0x90 }, { 0x61, 0x029, 0x90 }, { 0x61, 0x032, 0x90 }, /* M2 */
	{ 0x61, 0x033, 0x90 }, { 0x61, 0x034, 0x90 }, { 0x61, 0x035, 0x90 },
	{ 0x61, 0x038, 0x90 }, { 0x61, 0x039, 0x90 },
};

static bool whose(const struct pmu_catalog *catalog, struct pmu_cpu_id *id)
{
	return catalog ? pmu_vendor_whose(catalog, id) : !pmu_cpu_identify(id);
}

static bool is_x86(const struct pmu_cpu_id *id)
{
	return !strcmp(id->vendor, "GenuineIntel") || !strcmp(id->vendor, "AuthenticAMD") ||
	       !strcmp(id->vendor, "HygonGenuine");
}

static int encode_intel(struct pmu_catalog *catalog, struct pmu_slot *slot)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(intel); i++) {
		struct pmu_event event = { .name = "" };

		/* one kind of core alone does not count what a thread does */
		if (pmu_native_encode(intel[i], catalog, &event) || event.slot.core_types)
			continue;
		*slot = event.slot;
		return 0;
	}
	pmu_error_clear();
	return -ENOENT;
}

static int encode_conditional(const struct pmu_cpu_id *id, struct pmu_catalog *catalog,
			      struct pmu_slot *slot)
{
	if (!strcmp(id->vendor, "GenuineIntel"))
		return encode_intel(catalog, slot);
	if (!is_x86(id) || id->family < 0x17)
		return -ENOENT;
	*slot = (struct pmu_slot){ .type = PERF_TYPE_RAW, .config = 0xd1 };
	return 0;
}

static int encode_taken(const struct pmu_cpu_id *id, struct pmu_slot *slot)
{
	for (size_t i = 0; !is_x86(id) && i < PMU_ARRAY_LEN(taken); i++) {
		if (id->family != taken[i].implementer || id->model != taken[i].part)
			continue;
		*slot = (struct pmu_slot){ .type = PERF_TYPE_RAW, .config = taken[i].code };
		return 0;
	}
	return pmu_fail(EINVAL,
			PMU_TAKEN_BRANCHES " are not counted here: no event of this processor is "
					   "known to count them to the last%s",
			is_x86(id) ? "; here these are " PMU_CONDITIONAL_BRANCHES : "");
}

int pmu_branches_encode(struct pmu_catalog *catalog, struct pmu_event *event,
			enum pmu_event_level *level)
{
	bool conditional = !strcmp(event->name, PMU_CONDITIONAL_BRANCHES);
	struct pmu_cpu_id id = { .vendor = "" };
	struct pmu_slot slot;
	int rc;

	if (!whose(catalog, &id))
		id.vendor[0] = '\0';
	rc = conditional ? encode_conditional(&id, catalog, &slot) : encode_taken(&id, &slot);
	if (rc)
		return conditional ? 0 : rc;
	slot.simulated = conditional ? (uint32_t)event->slot.config : 0;
	event->slot = slot;
	*level = PMU_LEVEL_EITHER;
	return 0;
}

void pmu_branches_note(const struct pmu_catalog *catalog, struct pmu_group *group)
{
	struct pmu_cpu_id id;

	if (!whose(catalog, &id) || strcmp(id.vendor, "GenuineIntel") != 0 || id.family != 6 ||
	    (id.model != 0x1a && id.model != 0x1e && id.model != 0x1f && id.model != 0x2e))
		return;
	for (unsigned int i = 0; i < group->n_events; i++)
		if (!strncmp(group->event[i].name, PMU_CONDITIONAL_BRANCHES,
			     strlen(PMU_CONDITIONAL_BRANCHES)))
			snprintf(
				group->note, sizeof(group->note),
				PMU_CONDITIONAL_BRANCHES
				" of Nehalem have floating-point operations in them, up to 31 for "
				"each branch in recordings; they repeat from run to run as elsewhere");
}
