/* SPDX-License-Identifier: BSD-3-Clause */
/* Any text as a group's file, for several CPUs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "group/file/file.h"
#include "tests/fuzz/check_group.h"
#include "tests/fuzz/fuzz.h"

static void parse(const char *text, size_t size, const struct pmu_cpu_model *model)
{
	struct pmu_catalog catalog = { .model = model, .sysfs = "" };
	static struct pmu_group group;
	int rc;

	pmu_error_clear();
	rc = pmu_group_file_parse(text, size, "x.group", "x", &catalog, &group);
	if ((rc && rc != -EINVAL && rc != -ENOTSUP) || (rc && !pmu_error_text()[0]) ||
	    (rc && group.n_events))
		abort();
	if (!rc)
		check_group(&group, "calls");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct {
		const char *vendor;
		uint32_t family, model;
	} cpus[] = { { "GenuineIntel", 6, 0x2a },
		     { "GenuineIntel", 6, 0x97 },
		     { "AuthenticAMD", 0x19, 0x01 },
		     { "ARM", 0x41, 0xd0c } };
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	/* no terminator: the text's end is its length */
	if (size)
		memcpy(text, data, size);
	for (size_t i = 0; i < sizeof(cpus) / sizeof(cpus[0]); i++) {
		struct pmu_cpu_id id = { .family = cpus[i].family, .model = cpus[i].model };

		memcpy(id.vendor, cpus[i].vendor, strlen(cpus[i].vendor) + 1);
		text = realloc(text, size ? size : 1);
		if (!text)
			abort();
		parse(text, size, pmu_cpu_model_find(&id));
	}
	free(text);
	return 0;
}
