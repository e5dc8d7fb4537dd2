/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keeps events that this machine's kernel has no PMU for, so that they can be missing in a report.
 */
#include "names/absent.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "names/sysfs/names.h"
#include "names/sysfs/sysfs.h"

/*
 * Source of both: Linux, arch/x86/events and drivers/perf: what their drivers call PMUs that have a
 * cpumask.
 */
static const char *const begins[] = {
	"uncore_", "amd_df",  "amd_l3",  "amd_umc",    "cstate_",
	"power_",  "arm_cmn", "arm_dsu", "arm_smmuv3",
};

/* No slip of the pen for another PMU, however alike. */
static const char *const known[] = {
	"uncore_imc",  "uncore_imc_free_running",
	"uncore_cha",  "uncore_cbox",
	"uncore_arb",  "uncore_ha",
	"uncore_m2m",  "uncore_iio",
	"uncore_irp",  "uncore_upi",
	"uncore_qpi",  "uncore_pcu",
	"uncore_ubox", "amd_df",
	"amd_l3",      "amd_umc",
	"cstate_core", "cstate_pkg",
};

static bool is_known_pmu(const char *name)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(known); i++)
		if (!strcasecmp(name, known[i]))
			return true;
	return false;
}

static bool is_of_sockets(const char *name)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(begins); i++)
		if (!strncasecmp(name, begins[i], strlen(begins[i])))
			return true;
	return false;
}

static bool is_like_another(const char *name, const char *devices)
{
	struct pmu_sysfs_names pmus = { 0 };
	bool like;

	pmu_sysfs_pmus(devices, &pmus);
	like = pmu_sysfs_names_nearest(&pmus, NULL, name) != NULL;
	pmu_sysfs_names_free(&pmus);
	return like;
}

static bool is_absent_pmu(const char *name, const char *devices)
{
	return strlen(name) < sizeof(((struct pmu_slot *)NULL)->pmu) && is_of_sockets(name) &&
	       !pmu_sysfs_has(devices, name) &&
	       (is_known_pmu(name) || !is_like_another(name, devices));
}

int pmu_absent_event(char *text, const char *devices, struct pmu_event *event, char **rest)
{
	char *terms = strchr(text, '/'), *end = terms ? strchr(terms + 1, '/') : NULL;
	struct pmu_slot *slot = &event->slot;

	if (!end)
		return -ENOENT;
	*terms = '\0';
	if (!is_absent_pmu(text, devices)) {
		*terms = '/';
		return -ENOENT;
	}
	*terms++ = '\0';
	*end = '\0';
	*rest = end + 1;
	memset(event, 0, sizeof(*event));
	snprintf(event->name, sizeof(event->name), "%s/%.*s/", text,
		 (int)(sizeof(event->name) - strlen(text) - 3), terms);
	/* what tells one of them from another */
	*slot = (struct pmu_slot){ .kind = PMU_SLOT_UNCORE,
				   .type = PMU_TYPE_ABSENT,
				   .config = pmu_hash_text(terms, strlen(terms)),
				   .unit = PMU_UNIT_NONE };
	snprintf(slot->pmu, sizeof(slot->pmu), "%s", text);
	return 0;
}
