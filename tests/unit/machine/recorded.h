/* SPDX-License-Identifier: BSD-3-Clause */
/* Topologies that were recorded on other machines. */
#ifndef PMU_TESTS_UNIT_MACHINE_RECORDED_H
#define PMU_TESTS_UNIT_MACHINE_RECORDED_H

#include "base/error.h"
#include "machine/topology.h"
#include "tap.h"

#ifndef TEST_SRCDIR
#define TEST_SRCDIR "."
#endif

/* Of tests/data/topologies; without it nothing can be tested. */
static struct pmu_topology *load_recorded(const char *name)
{
	struct pmu_topology *topology;
	char path[1024];

	snprintf(path, sizeof(path), "%s/tests/data/topologies/%s.xml", TEST_SRCDIR, name);
	setenv("HWLOC_XMLFILE", path, 1);
	if (!ok(!pmu_topology_load(&topology), "%s loads", name))
		diag("%s", pmu_error_text());
	unsetenv("HWLOC_XMLFILE");
	if (!topology)
		exit(done_testing());
	return topology;
}

#endif
