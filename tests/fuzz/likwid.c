/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any text as a group of LIKWID's, for several CPUs: a group whose formulas our language has, or a
 * reason.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "group/formula.h"
#include "group/likwid/likwid.h"
#include "tests/fuzz/fuzz.h"

/* A column, or what every formula knows. */
static int look_up(void *arg, const char *name, double *value)
{
	const struct pmu_group *group = arg;

	*value = 3;
	for (unsigned int i = 0; i < group->n_events; i++)
		if (!strcmp(group->event[i].name, name))
			return 0;
	return strcmp(name, "time") && strcmp(name, "tsc_hz") ? -1 : 0;
}

static void check(struct pmu_group *group)
{
	double value;

	if (!group->n_events || group->n_events > PMU_MAX_SLOTS ||
	    group->n_metrics > PMU_GROUP_MAX_METRICS ||
	    !memchr(group->note, '\0', sizeof(group->note)))
		abort();
	for (unsigned int i = 0; i < group->n_events; i++)
		if (!group->event[i].name[0] ||
		    !memchr(group->event[i].name, '\0', sizeof(group->event[i].name)))
			abort();
	for (unsigned int i = 0; i < group->n_metrics; i++) {
		const struct pmu_metric_text *metric = &group->metric[i];

		if (!metric->name[0] || !memchr(metric->unit, '\0', sizeof(metric->unit)) ||
		    pmu_metric_eval(metric->formula, look_up, group, &value) || isinf(value))
			abort();
	}
}

static void parse(const char *text, size_t size, const struct pmu_cpu_id *id)
{
	static struct pmu_group group;
	struct pmu_catalog catalog = { .id = *id,
				       .model = pmu_cpu_model_find(id),
				       .sysfs = TEST_SRCDIR "/tests/data/sysfs/skylake-server" };
	int rc;

	pmu_error_clear();
	rc = pmu_likwid_parse(text, size, "x.txt", "x", &catalog, &group);
	if ((rc && rc != -EINVAL && rc != -ENOTSUP) || (rc && !pmu_error_text()[0]) ||
	    (rc && group.n_events))
		abort();
	if (!rc)
		check(&group);
	pmu_catalog_close(&catalog);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct pmu_cpu_id cpus[] = {
		{ .vendor = "GenuineIntel", .family = 6, .model = 0x55, .stepping = 4 },
		{ .vendor = "AuthenticAMD", .family = 0x19, .model = 0x01 },
	};
	char *text = malloc(size ? size : 1);

	if (!text)
		return 0;
	/* no terminator: the text's end is its length */
	if (size)
		memcpy(text, data, size);
	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++)
		parse(text, size, &cpus[i]);
	free(text);
	return 0;
}
