/* SPDX-License-Identifier: BSD-3-Clause */
/* Which event counts hardware interrupts on which processor. */
#include "plan/interrupts.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "names/pfm/pfm.h"
#include "plan/catalog.h"

/*
 * At user level, where recordings have it so: what comes while the kernel works adds nothing to a
 * program's instructions.  "All": what has no recording, and Bonnell's, which is 0 at user level.
 * Subtracted is what takes the spread away in recordings of programs with a known count; else it is
 * a bound.
 *
 * Sources:
 *   [e] Intel's event files, HW_INTERRUPTS.RECEIVED, HW_INT_RCV; of the same cores in clients it is
 *       not documented
 *   [a] AMD PPRs and BKDGs: LsIntTaken (2CH) from Zen 2 on, before Zen InterruptsTaken (CFH)
 *   [r] rr 5.6, src/PerfCounters.cc: 1DH/01H on Nehalem and Westmere, CBH/01H from Sandy Bridge to
 *       Comet Lake; none from Ice Lake on
 *   [d] recordings of github deater/deterministic, static/results: tests/data/counts.csv
 */
enum levels { ALL, USER };
enum use { BOUND, SUBTRACTED };

static const struct {
	const char *vendor;
	const char *name; /* microarchitecture or code name */
	uint32_t code;    /* umask << 8 | event */
	enum levels levels;
	enum use use;
} events[] = {
	{ "GenuineIntel", "Core (Merom)", 0x00c8, USER, SUBTRACTED }, /* [d] */
	{ "GenuineIntel", "Core (Penryn)", 0x00c8, ALL, BOUND },      /* [e] */
	{ "GenuineIntel", "Bonnell", 0x00c8, ALL, BOUND },            /* [e] [d] */
	{ "GenuineIntel", "Saltwell", 0x00c8, ALL, BOUND },           /* [e] */
	{ "GenuineIntel", "Nehalem", 0x011d, USER, SUBTRACTED },      /* [r] [d] */
	{ "GenuineIntel", "Westmere", 0x011d, USER, SUBTRACTED },     /* [r] [d] */
	{ "GenuineIntel", "Sandy Bridge", 0x01cb, USER, BOUND },      /* [r] */
	{ "GenuineIntel", "Ivy Bridge", 0x01cb, USER, BOUND },        /* [r] [d] */
	{ "GenuineIntel", "Haswell", 0x01cb, USER, BOUND },           /* [r] [d] */
	{ "GenuineIntel", "Broadwell", 0x01cb, USER, BOUND },         /* [r] [d] */
	{ "GenuineIntel", "Skylake", 0x01cb, USER, BOUND },           /* [e] [r] [d] */
	{ "GenuineIntel", "Kaby Lake", 0x01cb, USER, BOUND },         /* [e] [r] */
	{ "GenuineIntel", "Coffee Lake", 0x01cb, USER, BOUND },       /* [e], of the core [r] [d] */
	{ "GenuineIntel", "Comet Lake", 0x01cb, USER, BOUND },        /* [e] [r] */
	{ "GenuineIntel", "Cascade Lake", 0x01cb, USER, BOUND },      /* [e], of the core [r] [d] */
	{ "GenuineIntel", "Sapphire Rapids", 0x01cb, ALL, BOUND },    /* [e], as those below */
	{ "GenuineIntel", "Emerald Rapids", 0x01cb, ALL, BOUND },
	{ "GenuineIntel", "Granite Rapids", 0x01cb, ALL, BOUND },
	{ "GenuineIntel", "Granite Rapids-D", 0x01cb, ALL, BOUND },
	{ "GenuineIntel", "Goldmont", 0x01cb, ALL, BOUND },
	{ "GenuineIntel", "Goldmont Plus", 0x01cb, ALL, BOUND },
	{ "GenuineIntel", "Tremont", 0x01cb, ALL, BOUND },
	{ "AuthenticAMD", "K8", 0x00cf, ALL, BOUND },           /* [a] */
	{ "AuthenticAMD", "K10", 0x00cf, USER, SUBTRACTED },    /* [a] [d] */
	{ "AuthenticAMD", "Bobcat", 0x00cf, USER, SUBTRACTED }, /* [a] [d] */
	{ "AuthenticAMD", "Bulldozer", 0x00cf, USER, BOUND },   /* [a] [d], as those below */
	{ "AuthenticAMD", "Piledriver", 0x00cf, USER, BOUND },
	{ "AuthenticAMD", "Steamroller", 0x00cf, USER, BOUND },
	{ "AuthenticAMD", "Excavator", 0x00cf, USER, BOUND },
	{ "AuthenticAMD", "Jaguar", 0x00cf, USER, SUBTRACTED }, /* [a] [d] */
	{ "AuthenticAMD", "Puma", 0x00cf, USER, SUBTRACTED },   /* likewise, the same family */
	{ "AuthenticAMD", "Zen 2", 0x002c, ALL, BOUND },        /* [a], as those below */
	{ "AuthenticAMD", "Zen 3", 0x002c, ALL, BOUND },
	{ "AuthenticAMD", "Zen 3+", 0x002c, ALL, BOUND },
	{ "AuthenticAMD", "Zen 4", 0x002c, ALL, BOUND },
	{ "AuthenticAMD", "Zen 4c", 0x002c, ALL, BOUND },
	{ "AuthenticAMD", "Zen 5", 0x002c, ALL, BOUND },
	{ "AuthenticAMD", "Zen 5c", 0x002c, ALL, BOUND },
};

static int find_interrupts_row(const struct pmu_cpu_model *model)
{
	for (size_t i = 0; model && i < PMU_ARRAY_LEN(events); i++)
		if (!strcmp(model->vendor, events[i].vendor) &&
		    (!strcmp(model->microarchitecture, events[i].name) ||
		     !strcmp(model->codename, events[i].name)))
			return (int)i;
	return -1;
}

int pmu_interrupts_encode(const struct pmu_cpu_model *model, struct pmu_slot *slot,
			  enum pmu_event_level *level)
{
	int row = find_interrupts_row(model);

	if (row < 0)
		return pmu_fail(ENOENT,
				PMU_INTERRUPTS
				" are not counted here: no event of this processor%s%s%s is known "
				"to count them",
				model ? " (" : "", model ? model->microarchitecture : "",
				model ? ")" : "");
	slot->type = PERF_TYPE_RAW;
	slot->config = events[row].code;
	*level = events[row].levels == USER ? PMU_LEVEL_NONE : PMU_LEVEL_ALL;
	return 0;
}

bool pmu_interrupts_are_subtracted(const struct pmu_cpu_model *model)
{
	int row = find_interrupts_row(model);

	return row >= 0 && events[row].use == SUBTRACTED;
}

static int find_event_index(const struct pmu_group *group, const char *name)
{
	for (unsigned int i = 0; i < group->n_events; i++)
		if (!strcmp(group->event[i].name, name))
			return (int)i;
	return -1;
}

static void add_difference(struct pmu_group *group, const struct pmu_catalog *catalog)
{
	const struct pmu_cpu_model *model = catalog && catalog->model ? catalog->model
								      : pmu_pfm_own_model();
	struct pmu_metric_text *metric = &group->metric[group->n_metrics];

	if (group->n_metrics == PMU_GROUP_MAX_METRICS || !pmu_interrupts_are_subtracted(model))
		return;
	*metric = (struct pmu_metric_text){ .name = PMU_LESS_INTERRUPTS,
					    .formula = "instructions - " PMU_INTERRUPTS };
	group->n_metrics++;
}

int pmu_group_add_interrupts(struct pmu_group *group, struct pmu_catalog *catalog)
{
	int instructions = find_event_index(group, "instructions");
	unsigned int at = (unsigned int)instructions + 1;
	struct pmu_event event;
	int rc;

	if (instructions < 0 || find_event_index(group, PMU_INTERRUPTS) >= 0 ||
	    group->n_events == PMU_MAX_SLOTS)
		return 0;
	rc = pmu_event_parse(PMU_INTERRUPTS, catalog, &event);
	if (rc < 0)
		return rc == -EINVAL ? -ENOENT : rc;
	event.optional = true;
	memmove(&group->event[at + 1], &group->event[at], (group->n_events - at) * sizeof(event));
	group->event[at] = event;
	group->n_events++;
	add_difference(group, catalog);
	return 0;
}
