/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any text as a file of Intel's metrics: each becomes a group with a formula in our language, or
 * there is a reason.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "names/vendor/metric_parts.h"
#include "plan/formula.h"
#include "tests/fuzz/fuzz.h"

/* One without and one with shares in PERF_METRICS; each keeps its tables from input to input. */
static struct pmu_catalog catalogs[2], *catalog;

static int index_of(void *arg, const char *name)
{
	const struct pmu_group *group = arg;

	for (unsigned int i = 0; i < group->n_events; i++)
		if (!strcmp(group->event[i].name, name))
			return (int)i;
	return strcmp(name, "time") && strcmp(name, "tsc_hz") ? -1 : 0;
}

static void check_group(const struct pmu_group *group)
{
	struct pmu_formula formula;

	if (!group->n_events || group->n_events > PMU_MAX_SLOTS || group->n_metrics != 1 ||
	    !group->metric[0].name[0])
		abort();
	for (unsigned int i = 0; i < group->n_events; i++)
		if (!group->event[i].name[0] ||
		    !memchr(group->event[i].name, 0, sizeof(group->event[i].name)))
			abort();
	if (pmu_formula_parse(group->metric[0].formula, index_of, (void *)group, &formula))
		abort();
}

static int one(void *arg, struct pmu_intel_metric *metric)
{
	static struct pmu_group group;
	unsigned int *n = arg;
	int rc;

	if (!metric->name[0])
		abort();
	pmu_error_clear();
	rc = pmu_intel_metric_group(metric, (uint8_t)(*n % 3), catalog, &group);
	if (rc && (rc != -ENOTSUP || !pmu_error_text()[0]))
		abort();
	if (!rc)
		check_group(&group);
	return ++*n == 64;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pmu_intel_metric room;
	unsigned int n = 0;
	int rc;

	catalog = &catalogs[size % 2];
	if (!catalog->model) {
		catalog->id = (struct pmu_cpu_id){ .vendor = "GenuineIntel",
						   .family = 6,
						   .model = size % 2 ? 0x8f : 0x55,
						   .stepping = 4 };
		catalog->model = pmu_cpu_model_find(&catalog->id);
		catalog->keep_tables = true;
		catalog->threads_per_core = 2;
		catalog->cores_per_socket = 28;
	}
	pmu_error_clear();
	rc = pmu_intel_metrics_read("m.json", (const char *)data, size, &room, one, &n);
	if (rc < 0 && (rc != -EINVAL || !pmu_error_text()[0]))
		abort();
	return 0;
}
