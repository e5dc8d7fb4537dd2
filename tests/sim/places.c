/* SPDX-License-Identifier: BSD-3-Clause */
/* The simulated machine's processors, from an hwloc XML file. */
#include <errno.h>
#include <hwloc.h>
#include <stdlib.h>

#include "server.h"

static int logical(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_obj_t pu, int otherwise)
{
	hwloc_obj_t obj = hwloc_get_ancestor_obj_by_type(topology, type, pu);

	return obj ? (int)obj->logical_index : otherwise;
}

/* hwloc orders kinds by efficiency, least power first. */
static bool is_efficient(hwloc_topology_t topology, hwloc_obj_t pu)
{
	return hwloc_cpukinds_get_nr(topology, 0) > 1 &&
	       hwloc_cpukinds_get_by_cpuset(topology, pu->cpuset, 0) == 0;
}

static int fill(hwloc_topology_t topology, struct sim_place **place, size_t *n)
{
	int n_pus = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU);

	*place = n_pus > 0 ? calloc((size_t)n_pus, sizeof(**place)) : NULL;
	if (!*place)
		return n_pus > 0 ? -ENOMEM : -ENODEV;
	*n = (size_t)n_pus;
	for (size_t i = 0; i < *n; i++) {
		hwloc_obj_t pu = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, (unsigned int)i);
		struct sim_place *p = &(*place)[i];

		p->cpu = (int)pu->os_index;
		p->package = logical(topology, HWLOC_OBJ_PACKAGE, pu, 0);
		p->core = logical(topology, HWLOC_OBJ_CORE, pu, (int)i);
		p->thread = i && (*place)[i - 1].core == p->core ? (*place)[i - 1].thread + 1 : 0;
		/* Without an L3 the package's place stands for one. */
		p->l3 = logical(topology, HWLOC_OBJ_L3CACHE, pu, 1000000 + p->package);
		p->efficient = is_efficient(topology, pu);
	}
	return 0;
}

int sim_places_load(const char *xml, struct sim_place **place, size_t *n)
{
	hwloc_topology_t topology;
	int rc;

	unsetenv("HWLOC_XMLFILE");
	if (hwloc_topology_init(&topology))
		return -ENOMEM;
	if (hwloc_topology_set_xml(topology, xml) || hwloc_topology_load(topology)) {
		rc = errno ? -errno : -EINVAL;
		fprintf(stderr, "sim-machine: hwloc cannot read %s\n", xml);
	} else {
		rc = fill(topology, place, n);
	}
	hwloc_topology_destroy(topology);
	return rc;
}
