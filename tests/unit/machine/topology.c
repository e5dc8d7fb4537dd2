/* SPDX-License-Identifier: BSD-3-Clause */
/* Recorded machines and this one as hwloc tells us of them. */
#include "machine/topology.h"

#include <unistd.h>

#include "base/error.h"
#include "machine/mask.h"
#include "unit/machine/recorded.h"
#include "unit/part.h"

/* "cpu/core/package/smt" of the first PUs */
static void is_start(const struct pmu_topology *topology, size_t n, const char *want,
		     const char *name)
{
	const struct pmu_pu *pu;
	char text[256] = "";
	size_t len = 0;

	if (pmu_topology_pus(topology, &pu) < n)
		n = 0;
	for (size_t i = 0; i < n; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%d/%d/%d/%d",
					i ? " " : "", pu[i].cpu, pu[i].core, pu[i].package,
					pu[i].smt);
	is_str(text, want, name);
}

static void is_spread(const struct pmu_topology *topology, unsigned int n, const char *want,
		      const char *name)
{
	char text[256] = "";
	size_t len = 0;
	int cpu[64];

	is_int(pmu_topology_distribute(topology, n, cpu), 0, "can be spread");
	for (unsigned int i = 0; i < n; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%d", i ? " " : "",
					cpu[i]);
	is_str(text, want, name);
}

static void knows_siblings_and_sockets(void)
{
	struct pmu_topology *topology = load_recorded("westmere-ep-2s6c2t");
	const struct pmu_pu *pu;
	size_t n = pmu_topology_pus(topology, &pu);

	is_u64(n, 24, "24 PUs");
	is_u64(pmu_topology_n_cores(topology), 12, "12 cores");
	is_u64(pmu_topology_n_packages(topology), 2, "2 packages");
	is_start(topology, 4, "0/0/0/0 12/0/0/1 1/1/0/0 13/1/0/1", "siblings are neighbours");
	ok(pu[12].package == 1 && pu[12].core == 6 && pu[12].smt == 0,
	   "the second package starts half way");
	is_spread(topology, 4, "0 6 3 9", "packages in turn, far cores first");
	is_spread(topology, 13, "0 6 3 9 1 7 4 10 2 8 5 11 12", "siblings last");
	is_spread(topology, 26, "0 6 3 9 1 7 4 10 2 8 5 11 12 18 15 21 13 19 16 22 14 20 17 23 0 6",
		  "then from the start");
	pmu_topology_free(topology);
}

static void knows_cores_of_two_kinds(void)
{
	struct pmu_topology *topology = load_recorded("raptorlake-hybrid-6p2t-8e");
	const struct pmu_pu *pu;

	is_u64(pmu_topology_pus(topology, &pu), 20, "20 PUs");
	is_u64(pmu_topology_n_cores(topology), 14, "14 cores");
	is_u64(pmu_topology_n_packages(topology), 1, "1 package");
	ok(pu[11].smt == 1 && pu[12].smt == 0 && pu[19].core == 13, "E-cores have one PU");
	is_spread(topology, 2, "0 13", "two threads are half the machine apart");
	pmu_topology_free(topology);
}

static void knows_machines_without_cpu_0(void)
{
	struct pmu_topology *topology = load_recorded("haswell-ep-cpu0-offline");

	is_u64(pmu_topology_n_cores(topology), 17, "17 cores");
	is_start(topology, 2, "4/0/0/0 6/1/0/0", "starts with CPU 4");
	pmu_topology_free(topology);
}

static void knows_this_machine(void)
{
	struct pmu_topology *topology;
	const struct pmu_pu *pu, *all;
	struct pmu_mask mask;
	size_t n, allowed = 0;
	int cpu[3];

	if (pmu_topology_load(&topology)) {
		ok(false, "this machine: %s", pmu_error_text());
		return;
	}
	pmu_mask_of_thread(0, &mask);
	n = pmu_topology_pus(topology, &pu);
	for (size_t i = 0; i < n; i++)
		allowed += pmu_mask_has(&mask, pu[i].cpu);
	is_u64(allowed, n, "every PU is allowed");
	is_u64(n, pmu_mask_count(&mask), "every allowed CPU is there");
	ok(pmu_topology_machine(topology, &all) >= n, "the machine has no fewer");
	ok(pmu_topology_n_cores(topology) >= 1 && pmu_topology_n_cores(topology) <= n, "cores");
	is_int(pmu_topology_distribute(topology, 3, cpu), 0, "three threads");
	pmu_topology_free(topology);
}

static void respects_the_mask(void)
{
	struct pmu_mask before, one = { { 0 } };
	struct pmu_topology *topology;
	const struct pmu_pu *pu;
	int cpu, repeated[3];

	pmu_mask_of_thread(0, &before);
	if (pmu_mask_count(&before) < 2) {
		skip("a narrower mask", "only one CPU is allowed here");
		return;
	}
	cpu = pmu_mask_next(&before, pmu_mask_next(&before, 0) + 1);
	pmu_mask_set(&one, cpu);
	pmu_mask_apply(&one);
	is_int(pmu_topology_load(&topology), 0, "loads on one CPU");
	pmu_mask_apply(&before);
	if (!topology)
		return;
	is_u64(pmu_topology_pus(topology, &pu), 1, "one PU");
	is_int(pu[0].cpu, cpu, "the right one");
	is_u64(pmu_topology_n_cores(topology), 1, "one core");
	ok(pmu_topology_machine(topology, &pu) >= 2, "the others are known all the same");
	pmu_topology_distribute(topology, 3, repeated);
	ok(repeated[0] == cpu && repeated[1] == cpu && repeated[2] == cpu,
	   "three threads share it");
	pmu_topology_free(topology);
}

static unsigned int count_plugins(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned int n = 0;
	char line[1024];

	while (maps && fgets(line, sizeof(line), maps))
		n += strstr(line, "/hwloc/hwloc_") != NULL;
	if (maps)
		fclose(maps);
	return n;
}

static void leaves_no_trace(void)
{
	struct pmu_topology *topology;
	char **before, *first;

	unsetenv("HWLOC_PLUGINS_PATH");
	before = environ;
	first = environ[0];
	is_int(pmu_topology_load(&topology), 0, "loads");
	ok(environ == before && environ[0] == first, "the environment is the same array");
	ok(!getenv("HWLOC_PLUGINS_PATH"), "without our variable");
	is_u64(count_plugins(), 0, "no plugin of hwloc is there");
	pmu_topology_free(topology);
}

static void survives_an_empty_environment(void)
{
	struct pmu_topology *topology;
	char **before = environ;

	environ = NULL;
	is_int(pmu_topology_load(&topology), 0, "loads without an environment");
	ok(!environ, "and leaves it so");
	environ = before;
	pmu_topology_free(topology);
}

static void says_why_not(void)
{
	char path[] = "/tmp/pmu-topology-XXXXXX";
	struct pmu_topology *topology = (struct pmu_topology *)path;
	int fd = mkstemp(path);

	ok(fd >= 0 && write(fd, "<topology>", 10) == 10, "a file that is no topology");
	close(fd);
	setenv("HWLOC_XMLFILE", path, 1);
	ok(pmu_topology_load(&topology) < 0, "is refused");
	ok(!topology, "without a result");
	has(pmu_error_text(), "HWLOC_XMLFILE is set", "the sentence names the variable");
	has(pmu_error_text(), "PMU_PIN=none", "and the way out");
	unsetenv("HWLOC_XMLFILE");
	unlink(path);
	pmu_topology_free(NULL);
}

UNIT_PART(topology)
{
	/* what the tester has set is not what is tested */
	unsetenv("HWLOC_XMLFILE");
	unsetenv("HWLOC_SYNTHETIC");
	unsetenv("HWLOC_COMPONENTS");
	leaves_no_trace();
	knows_this_machine();
	respects_the_mask();
	knows_siblings_and_sockets();
	knows_cores_of_two_kinds();
	knows_machines_without_cpu_0();
	survives_an_empty_environment();
	says_why_not();
	return done_testing();
}
