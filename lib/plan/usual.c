/* SPDX-License-Identifier: BSD-3-Clause */
/* What the files CORE.group and TIME.group say, for processes that load no reader of files. */
#include "plan/usual.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"

/*
 * Generic events that a CPU has and not every kernel knows of there: by the CPU's own code, which
 * is what later kernels count.
 *
 * Source: AMD PPR family 19H model 11H, PMCx120; Linux 6.9, arch/x86/events/amd/core.c,
 * amd_zen4_perfmon_event_map.
 */
static const struct {
	const char *name, *vendor;
	uint32_t family, model_first, model_last;
	uint64_t raw;
} own_codes[] = {
	/* Zen 4 */
	{ "ref-cycles", "AuthenticAMD", 0x19, 0x10, 0x1f, UINT64_C(0x100000120) },
	{ "ref-cycles", "AuthenticAMD", 0x19, 0x60, 0xaf, UINT64_C(0x100000120) },
	/* Zen 5 */
	{ "ref-cycles", "AuthenticAMD", 0x1a, 0x00, 0x2f, UINT64_C(0x100000120) },
	{ "ref-cycles", "AuthenticAMD", 0x1a, 0x40, 0x4f, UINT64_C(0x100000120) },
	{ "ref-cycles", "AuthenticAMD", 0x1a, 0x60, 0x7f, UINT64_C(0x100000120) },
};

void pmu_usual_own_code(const char *vendor, uint32_t family, uint32_t model, const char *name,
			struct pmu_slot *slot)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(own_codes); i++) {
		if (strcmp(own_codes[i].name, name) != 0 ||
		    strcmp(own_codes[i].vendor, vendor) != 0 || own_codes[i].family != family ||
		    model < own_codes[i].model_first || model > own_codes[i].model_last)
			continue;
		slot->type = PERF_TYPE_RAW;
		slot->config = own_codes[i].raw;
	}
}

/* --- the groups --- */

static const struct {
	const char *name;
	uint64_t code;
	bool optional;
} core_events[] = {
	{ "instructions", PERF_COUNT_HW_INSTRUCTIONS, false },
	{ "cycles", PERF_COUNT_HW_CPU_CYCLES, false },
	{ "branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, true },
	{ "branch-misses", PERF_COUNT_HW_BRANCH_MISSES, true },
	{ "cache-misses", PERF_COUNT_HW_CACHE_MISSES, true },
	{ "cache-references", PERF_COUNT_HW_CACHE_REFERENCES, true },
	{ "ref-cycles", PERF_COUNT_HW_REF_CPU_CYCLES, true },
};

static const struct pmu_metric_text core_metrics[] = {
	{ "IPC", "", "instructions / cycles" },
	{ "cycle rate", "GHz", "cycles / time / 1000000000" },
	{ "branch miss rate", "%", "100 * \"branch-misses\" / branches" },
	{ "branch misses per 1000 instructions", "", "1000 * \"branch-misses\" / instructions" },
	{ "cache miss rate", "%", "100 * \"cache-misses\" / \"cache-references\"" },
};

/* Without the table of processors, which would have to be loaded. */
static void use_catalog_code(const struct pmu_catalog *catalog, const char *name,
			     struct pmu_slot *slot)
{
	const struct pmu_cpu_model *model = catalog ? catalog->model : NULL;
	struct pmu_cpu_id id;

	if (model)
		pmu_usual_own_code(model->vendor, model->family, model->model_first, name, slot);
	else if (!pmu_cpu_identify(&id))
		pmu_usual_own_code(id.vendor, id.family, id.model, name, slot);
}

static void fill_usual_core(const struct pmu_catalog *catalog, struct pmu_group *group)
{
	strcpy(group->about,
	       "Instructions, cycles, branches and cache: the seven architectural events");
	for (size_t i = 0; i < PMU_ARRAY_LEN(core_events); i++) {
		struct pmu_event *event = &group->event[group->n_events++];

		strcpy(event->name, core_events[i].name);
		event->optional = core_events[i].optional;
		event->slot = (struct pmu_slot){ .type = PERF_TYPE_HARDWARE,
						 .config = core_events[i].code,
						 .user = true };
		if (!strcmp(event->name, "ref-cycles"))
			use_catalog_code(catalog, event->name, &event->slot);
	}
	group->n_metrics = PMU_ARRAY_LEN(core_metrics);
	memcpy(group->metric, core_metrics, sizeof(core_metrics));
}

/* A user's own file of the same name comes first, and may be in a folder for such files. */
static bool has_own_files(void)
{
	const char *path = secure_getenv("PMU_GROUP_PATH");
	const char *config = secure_getenv("XDG_CONFIG_HOME"), *home = secure_getenv("HOME");
	bool given = config && config[0] == '/';
	char folder[512];

	if (path && *path)
		return true;
	if (!given && (!home || home[0] != '/'))
		return false;
	if ((size_t)snprintf(folder, sizeof(folder),
			     given ? "%s/pmu/groups" : "%s/.config/pmu/groups",
			     given ? config : home) >= sizeof(folder))
		return true;
	return access(folder, F_OK) == 0;
}

bool pmu_usual_group(const char *name, const struct pmu_catalog *catalog, struct pmu_group *group)
{
	bool core = !strcmp(name, "CORE");

	if ((!core && strcmp(name, "TIME") != 0) || has_own_files())
		return false;
	memset(group, 0, sizeof(*group));
	strcpy(group->name, name);
	if (core)
		fill_usual_core(catalog, group);
	else
		strcpy(group->about, "Time only");
	return true;
}
