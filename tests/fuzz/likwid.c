/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any text as a group of LIKWID's, for several CPUs: a group with formulas in our language, or a
 * reason.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "names/likwid/likwid.h"
#include "tests/fuzz/check_group.h"
#include "tests/fuzz/fuzz.h"

static void parse(const char *text, size_t size, struct pmu_catalog *catalog)
{
	static struct pmu_group group;
	int rc;

	pmu_error_clear();
	rc = pmu_likwid_parse(text, size, "x.txt", "x", catalog, &group);
	if ((rc && rc != -EINVAL && rc != -ENOTSUP) || (rc && !pmu_error_text()[0]) ||
	    (rc && group.n_events))
		abort();
	if (!rc && !group.n_events)
		abort();
	if (!rc)
		check_group(&group, "");
}

#define N_CPUS 3

/* Each keeps its tables from input to input. */
static struct pmu_catalog *catalogs(void)
{
	static const struct pmu_cpu_id cpus[N_CPUS] = {
		{ .vendor = "GenuineIntel", .family = 6, .model = 0x55, .stepping = 4 },
		{ .vendor = "AuthenticAMD", .family = 0x19, .model = 0x01 },
		/* with counts that stand for one of LIKWID's: Granite Rapids */
		{ .vendor = "GenuineIntel", .family = 6, .model = 0xad },
	};
	static struct pmu_catalog catalog[N_CPUS];

	for (size_t i = 0; i < N_CPUS && !catalog[i].model; i++)
		catalog[i] = (struct pmu_catalog){ .id = cpus[i],
						   .model = pmu_cpu_model_find(&cpus[i]),
						   .sysfs = TEST_SRCDIR
						   "/tests/data/sysfs/skylake-server",
						   .keep_tables = true };
	return catalog;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size ? size : 1);

	if (!text)
		return 0;
	/* no terminator: the text's end is its length */
	if (size)
		memcpy(text, data, size);
	for (size_t i = 0; i < N_CPUS; i++)
		parse(text, size, &catalogs()[i]);
	free(text);
	return 0;
}
