/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Machines that are larger than the recorded ones: the same processors, in a topology of the same
 * shape.
 */
#include <hwloc.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/growth/scale.h"

#define CPUS_PER_SOCKET 64

const struct machine machine_westmere = { "westmere", "Westmere-EP", "cpuid/westmere-ep-x5667.txt",
					  "l3:1 core:32 pu:2(indexes=core)" };
const struct machine machine_zen = { "zen", "Zen 3", "cpuid/zen3-5950x.txt",
				     "l3:4 core:8 pu:2(indexes=core)" };

static const struct machine *const machines[] = { &machine_westmere, &machine_zen };

const struct sizes machine_sizes = { "processors", 4, { 64, 128, 256, 512 } };

void data_path(char *path, size_t size, const char *name)
{
	const char *source = getenv("TEST_SRCDIR");

	snprintf(path, size, "%s/tests/data/%s", source && *source ? source : TEST_SRCDIR, name);
}

int machine_topology(const struct machine *machine, unsigned int n_cpus, const char *path,
		     char *why, size_t size)
{
	static const char *const no_plugins[] = { "HWLOC_PLUGINS_PATH=", NULL };
	char n[16];
	struct child child = { .settings = no_plugins,
			       .argument = { "topology", machine->name, n, path } };
	int rc;

	snprintf(n, sizeof(n), "%u", n_cpus);
	rc = child_run(&child);
	if (rc < 0)
		snprintf(why, size, "no topology: %s", child.why);
	child_free(&child);
	return rc;
}

/* --- in the child --- */

static int export_shape(const char *shape, const char *path)
{
	hwloc_topology_t hw;
	int rc = -1;

	if (hwloc_topology_init(&hw) < 0)
		return -1;
	if (hwloc_topology_set_synthetic(hw, shape) == 0 && hwloc_topology_load(hw) == 0)
		rc = hwloc_topology_export_xml(hw, path, 0);
	hwloc_topology_destroy(hw);
	return rc;
}

/* Which machine, how many processors, where the XML goes. */
int child_topology(char **argument)
{
	char shape[128];

	for (size_t i = 0; i < sizeof(machines) / sizeof(*machines); i++) {
		if (strcmp(machines[i]->name, argument[0]) != 0)
			continue;
		snprintf(shape, sizeof(shape), "pack:%lu %s",
			 strtoul(argument[1], NULL, 10) / CPUS_PER_SOCKET, machines[i]->shape);
		if (export_shape(shape, argument[2]) == 0)
			return puts("done") < 0;
		fprintf(stderr, "hwloc makes no topology of '%s'\n", shape);
	}
	return 1;
}

void part_begin(struct sizes *sizes, char *folder)
{
	char why[200];

	*sizes = machine_sizes;
	if (quick)
		sizes->n = 2;
	if (run_folder(folder, FOLDER_MAX, why, sizeof(why)) < 0)
		fprintf(stderr, "scale: %s\n", why);
}
