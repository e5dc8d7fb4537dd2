/* SPDX-License-Identifier: BSD-3-Clause */
/* What is where: the processors this process may use, from hwloc. */
#include "machine/topology.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/environ.h"
#include "base/error.h"
#include "machine/hwloc.h"
#include "machine/mask.h"
#include "machine/pinned.h"

/* What we keep: hwloc's own topology is gone once this is filled. */
struct pmu_topology {
	struct pmu_pu *machine; /* everything the cgroup allows, in hwloc's order */
	size_t n_machine;
	struct pmu_pu *pu;              /* those of them that the process's mask allows */
	struct pmu_pu_details *details; /* [n_pus]; NULL: not asked for */
	size_t n_pus;
	unsigned int n_cores;
	unsigned int n_packages;
	bool other;
};

/*
 * The environment that hwloc reads.
 *
 * The first hwloc_topology_init() of a process loads every plugin it finds (GL, OpenCL,
 * libxml2 and all that these need: 5 to 30 ms and 40 MB of address space) unless
 * HWLOC_PLUGINS_PATH says otherwise, and it can only be told by getenv().
 *
 * hwloc forgets the plugins (and that there were none) when its last topology is
 * destroyed, so we keep none: a program that uses hwloc itself gets all of its plugins.
 *
 * In a setuid program hwloc would load plugins and files that the caller names: there
 * none of its variables is visible until the topology is loaded.
 */
static char no_plugins[] = "HWLOC_PLUGINS_PATH=";

/* Beside packages and cores. */
enum caches { NO_CACHES, L3_CACHES, ALL_CACHES };

static int keep_caches(hwloc_topology_t hw, enum caches caches)
{
	static const hwloc_obj_type_t type[] = { HWLOC_OBJ_L3CACHE,  HWLOC_OBJ_L1CACHE,
						 HWLOC_OBJ_L1ICACHE, HWLOC_OBJ_L2CACHE,
						 HWLOC_OBJ_L4CACHE,  HWLOC_OBJ_L5CACHE };
	static const size_t n[] = { 0, 1, PMU_ARRAY_LEN(type) };

	for (size_t i = 0; i < n[caches]; i++)
		if (pmu_hwloc.topology_set_type_filter(hw, type[i], HWLOC_TYPE_FILTER_KEEP_ALL) < 0)
			return -1;
	return 0;
}

/* PUs and NUMA nodes are always there. */
static int set_filters(hwloc_topology_t hw, enum caches caches)
{
	/* fails where there is no such component to begin with: on other architectures */
	pmu_hwloc.topology_set_components(hw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
	return pmu_hwloc.topology_set_all_types_filter(hw, HWLOC_TYPE_FILTER_KEEP_NONE) < 0 ||
	       pmu_hwloc.topology_set_type_filter(hw, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL) <
		       0 ||
	       pmu_hwloc.topology_set_type_filter(hw, HWLOC_OBJ_PACKAGE,
						  HWLOC_TYPE_FILTER_KEEP_ALL) < 0 ||
	       keep_caches(hw, caches) < 0;
}

static int cannot_load(const char *xml)
{
	int error = errno;

	if (xml)
		return pmu_fail(error,
				"hwloc cannot read the topology '%s': %s; it takes what "
				"'lstopo --of xml' of hwloc 2 writes",
				xml, strerror(error));
	return pmu_fail(error, "hwloc cannot read this machine%s: %s; try PMU_PIN=none",
			getenv("HWLOC_XMLFILE") ? " (HWLOC_XMLFILE is set)" : "", strerror(error));
}

static int load_hwloc(hwloc_topology_t *hw, const char *xml, enum caches caches)
{
	bool secure = getauxval(AT_SECURE);
	struct pmu_environ *quiet = pmu_environ_enter(no_plugins, secure ? "HWLOC_" : NULL);
	int rc;

	rc = pmu_hwloc.topology_init(hw);
	if (!secure)
		pmu_environ_leave(quiet);
	if (rc < 0) {
		rc = pmu_fail(ENOMEM, "hwloc cannot create a topology");
	} else if ((xml && pmu_hwloc.topology_set_xml(*hw, xml) < 0) || set_filters(*hw, caches) ||
		   pmu_hwloc.topology_load(*hw) < 0) {
		rc = cannot_load(xml);
		pmu_hwloc.topology_destroy(*hw);
	}
	if (secure)
		pmu_environ_leave(quiet);
	return rc;
}

static int index_above(hwloc_obj_t pu, hwloc_obj_type_t type, int otherwise)
{
	hwloc_obj_t obj = pu->parent;

	while (obj && obj->type != type)
		obj = obj->parent;
	return obj ? (int)obj->logical_index : otherwise;
}

/* Rank of the last of n PUs among those of its core; they are neighbours in hwloc's
 * order, or few. */
static int smt_rank(const struct pmu_pu *pu, size_t n)
{
	int rank = 0;

	for (size_t i = n - 1; i-- > 0 && pu[i].core == pu[n - 1].core;)
		rank++;
	return rank;
}

/* Number of different values of a member that never falls along the array. */
static unsigned int count_runs(const struct pmu_pu *pu, size_t n, size_t member)
{
	unsigned int runs = 0;
	int value, last = -1;

	for (size_t i = 0; i < n; i++) {
		memcpy(&value, (const char *)&pu[i] + member, sizeof(value));
		runs += value != last;
		last = value;
	}
	return runs;
}

/*
 * hwloc names the type of a core where the kernel does; of two kinds that it orders by efficiency
 * the better are performance cores.  More kinds without a type may be the same cores at different
 * clocks.
 */
static int core_type_of_kind(hwloc_topology_t hw, int kind)
{
	struct hwloc_info_s *info = NULL;
	int efficiency = -1;
	unsigned int n = 0;

	if (kind < 0 || pmu_hwloc.cpukinds_get_info(hw, (unsigned int)kind, NULL, &efficiency, &n,
						    &info, 0) < 0)
		return 0;
	for (unsigned int i = 0; i < n; i++) {
		if (strcmp(info[i].name, "CoreType") != 0)
			continue;
		if (!strcmp(info[i].value, "IntelCore"))
			return 0x40;
		if (!strcmp(info[i].value, "IntelAtom"))
			return 0x20;
	}
	if (pmu_hwloc.cpukinds_get_nr(hw, 0) != 2 || efficiency < 0)
		return 0;
	return efficiency ? 0x40 : 0x20;
}

static void find_details(hwloc_topology_t hw, hwloc_obj_t pu, struct pmu_pu_details *details)
{
	details->l3 = index_above(pu, HWLOC_OBJ_L3CACHE, -1);
	details->kind = pmu_hwloc.cpukinds_get_by_cpuset(hw, pu->cpuset, 0);
	details->core_type = core_type_of_kind(hw, details->kind);
}

static int fill_topology(struct pmu_topology *topology, hwloc_topology_t hw, bool details)
{
	int depth = pmu_hwloc.get_type_depth(hw, HWLOC_OBJ_PU);
	size_t n = pmu_hwloc.get_nbobjs_by_depth(hw, depth);
	hwloc_const_cpuset_t allowed = pmu_hwloc.topology_get_allowed_cpuset(hw);
	bool here = pmu_hwloc.topology_is_thissystem(hw);
	struct pmu_mask mask;
	struct pmu_pu *pu;

	topology->machine = calloc(n + !n, sizeof(*topology->machine));
	topology->pu = calloc(n + !n, sizeof(*topology->pu));
	if (details)
		topology->details = calloc(n + !n, sizeof(*topology->details));
	if (!topology->machine || !topology->pu || (details && !topology->details))
		return pmu_fail(ENOMEM, "no memory for %zu processors", n);
	topology->other = !here;
	if (here && pmu_pinned_own_mask(&mask))
		here = false; /* a kernel that does not tell allows everything, too */
	for (hwloc_obj_t obj = pmu_hwloc.get_obj_by_depth(hw, depth, 0); obj;
	     obj = obj->next_cousin) {
		if (obj->os_index >= PMU_MASK_CPUS || topology->n_machine == n ||
		    (allowed && !pmu_hwloc.bitmap_isset(allowed, obj->os_index)))
			continue;
		pu = &topology->machine[topology->n_machine++];
		pu->cpu = (int)obj->os_index;
		/* kernels that know no cores: every PU is one */
		pu->core = index_above(obj, HWLOC_OBJ_CORE, (int)obj->logical_index);
		pu->package = index_above(obj, HWLOC_OBJ_PACKAGE, 0);
		pu->smt = smt_rank(topology->machine, topology->n_machine);
		if (here && !pmu_mask_has(&mask, pu->cpu))
			continue;
		if (details)
			find_details(hw, obj, &topology->details[topology->n_pus]);
		topology->pu[topology->n_pus++] = *pu;
	}
	topology->n_cores = count_runs(topology->pu, topology->n_pus,
				       offsetof(struct pmu_pu, core));
	topology->n_packages = count_runs(topology->pu, topology->n_pus,
					  offsetof(struct pmu_pu, package));
	return topology->n_pus ? 0 : pmu_fail(ENODEV, "hwloc finds no processor to use");
}

static int load_topology(const char *xml, bool details, struct pmu_topology **topology)
{
	struct pmu_topology *made;
	hwloc_topology_t hw;
	int rc;

	*topology = NULL;
	made = calloc(1, sizeof(*made));
	if (!made)
		return pmu_fail(ENOMEM, "no memory for the topology");
	rc = pmu_hwloc_load();
	if (!rc)
		rc = load_hwloc(&hw, xml, details ? L3_CACHES : NO_CACHES);
	if (rc)
		goto free_made;
	rc = fill_topology(made, hw, details);
	pmu_hwloc.topology_destroy(hw);
	if (rc)
		goto free_made;
	*topology = made;
	return 0;
free_made:
	pmu_topology_free(made);
	return rc;
}

/* The first PU that the process may use, else the first one. */
static hwloc_obj_t find_own_pu(hwloc_topology_t hw)
{
	hwloc_obj_t first = pmu_hwloc.get_obj_by_depth(
		hw, pmu_hwloc.get_type_depth(hw, HWLOC_OBJ_PU), 0);
	struct pmu_mask mask;

	if (!pmu_hwloc.topology_is_thissystem(hw) || pmu_pinned_own_mask(&mask))
		return first;
	for (hwloc_obj_t pu = first; pu; pu = pu->next_cousin)
		if (pu->os_index < PMU_MASK_CPUS && pmu_mask_has(&mask, (int)pu->os_index))
			return pu;
	return first;
}

static void take_cache(struct pmu_cache *cache, const struct hwloc_cache_attr_s *from)
{
	*cache = (struct pmu_cache){ .size = 0 };
	if (!from->size || !from->linesize || !from->associativity ||
	    from->size / from->linesize > UINT_MAX)
		return;
	cache->size = from->size;
	cache->line = from->linesize;
	cache->ways = from->associativity < 0 ? (unsigned int)(from->size / from->linesize)
					      : (unsigned int)from->associativity;
}

/* From the PU outwards: the last one of data is the last level. */
static void find_caches(hwloc_topology_t hw, struct pmu_cache cache[PMU_CACHES])
{
	for (hwloc_obj_t obj = find_own_pu(hw); obj; obj = obj->parent) {
		const struct hwloc_cache_attr_s *attr = obj->attr ? &obj->attr->cache : NULL;

		if (attr && obj->type == HWLOC_OBJ_L1ICACHE)
			take_cache(&cache[PMU_CACHE_I1], attr);
		if (attr && obj->type == HWLOC_OBJ_L1CACHE)
			take_cache(&cache[PMU_CACHE_D1], attr);
		if (attr && obj->type >= HWLOC_OBJ_L2CACHE && obj->type <= HWLOC_OBJ_L5CACHE)
			take_cache(&cache[PMU_CACHE_LL], attr);
	}
}

int pmu_topology_caches(struct pmu_cache cache[PMU_CACHES])
{
	hwloc_topology_t hw;
	int rc = pmu_hwloc_load();

	memset(cache, 0, PMU_CACHES * sizeof(*cache));
	if (!rc)
		rc = load_hwloc(&hw, NULL, ALL_CACHES);
	if (rc)
		return rc;
	find_caches(hw, cache);
	pmu_hwloc.topology_destroy(hw);
	return 0;
}

bool pmu_topology_is_given(void)
{
	return secure_getenv("HWLOC_XMLFILE") || secure_getenv("HWLOC_SYNTHETIC") ||
	       secure_getenv("HWLOC_FSROOT");
}

int pmu_topology_load(struct pmu_topology **topology)
{
	return load_topology(NULL, false, topology);
}

int pmu_topology_load_details(const char *xml, struct pmu_topology **topology)
{
	return load_topology(xml, true, topology);
}

void pmu_topology_free(struct pmu_topology *topology)
{
	if (!topology)
		return;
	free(topology->machine);
	free(topology->pu);
	free(topology->details);
	free(topology);
}

const struct pmu_pu_details *pmu_topology_details(const struct pmu_topology *topology)
{
	return topology->details;
}

bool pmu_topology_is_other(const struct pmu_topology *topology)
{
	return topology->other;
}

size_t pmu_topology_pus(const struct pmu_topology *topology, const struct pmu_pu **pu)
{
	*pu = topology->pu;
	return topology->n_pus;
}

size_t pmu_topology_machine(const struct pmu_topology *topology, const struct pmu_pu **pu)
{
	*pu = topology->machine;
	return topology->n_machine;
}

unsigned int pmu_topology_n_cores(const struct pmu_topology *topology)
{
	return topology->n_cores;
}

unsigned int pmu_topology_n_packages(const struct pmu_topology *topology)
{
	return topology->n_packages;
}

/* A PU's turn: siblings last, then by how late its core comes in its package, then by
 * package. */
struct turn {
	int smt;
	unsigned int core;
	int package;
	int cpu;
};

static int by_turn(const void *a, const void *b)
{
	const struct turn *s = a, *t = b;

	if (s->smt != t->smt)
		return s->smt < t->smt ? -1 : 1;
	if (s->core != t->core)
		return s->core < t->core ? -1 : 1;
	return (s->package > t->package) - (s->package < t->package);
}

static unsigned int reverse_bits(unsigned int value, unsigned int n_bits)
{
	unsigned int out = 0;

	for (unsigned int i = 0; i < n_bits; i++)
		out |= (value >> i & 1) << (n_bits - 1 - i);
	return out;
}

/*
 * Give each of n cores in a row the time at which it is visited, so that each visit is
 * far from those before: the ends of halves, then of quarters, ...: for 8 cores 0, 4, 2,
 * 6, 1, 5, 3, 7.
 */
static void visit(unsigned int n, unsigned int *time)
{
	unsigned int bits = 0, now = 0;
	size_t core;

	while (1u << bits < n)
		bits++;
	for (unsigned int i = 0; i < n; i++)
		time[i] = n;
	for (unsigned int i = 0; i < 1u << bits; i++) {
		core = ((size_t)reverse_bits(i, bits) * n) >> bits;
		if (time[core] == n)
			time[core] = now++;
	}
}

/* The turns of one package, with the PUs pu[0..n-1]; @time has room for n. */
static void take_turns(const struct pmu_pu *pu, size_t n, struct turn *turn, unsigned int *time)
{
	unsigned int core = 0;

	visit(count_runs(pu, n, offsetof(struct pmu_pu, core)), time);
	for (size_t i = 0; i < n; i++) {
		bool same = i && pu[i].core == pu[i - 1].core;

		core += i && !same;
		turn[i].smt = same ? turn[i - 1].smt + 1 : 0;
		turn[i].core = time[core];
		turn[i].package = pu[i].package;
		turn[i].cpu = pu[i].cpu;
	}
}

int pmu_topology_distribute(const struct pmu_topology *topology, unsigned int n, int *cpu)
{
	const struct pmu_pu *pu = topology->pu;
	size_t n_pus = topology->n_pus, end;
	struct turn *turn = calloc(n_pus + 1, sizeof(*turn));
	unsigned int *time = calloc(n_pus + 1, sizeof(*time));
	int rc = 0;

	if (!turn || !time) {
		rc = pmu_fail(ENOMEM, "no memory to place %u threads", n);
		goto out;
	}
	for (size_t i = 0; i < n_pus; i = end) {
		for (end = i + 1; end < n_pus && pu[end].package == pu[i].package;)
			end++;
		take_turns(pu + i, end - i, turn + i, time);
	}
	qsort(turn, n_pus, sizeof(*turn), by_turn);
	for (unsigned int i = 0; i < n; i++)
		cpu[i] = turn[i % n_pus].cpu;
out:
	free(turn);
	free(time);
	return rc;
}
