/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds kinds of core, and counts a thread on all of them. */
#include "counters/perf/hybrid.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/sysfile.h"
#include "counters/perf/system.h"

/* PERF_PMU_TYPE_SHIFT of the kernel's headers from 5.13 on */
#define TYPE_SHIFT 32
/*
 * More time than this, and more than one part in SMALL_SHARE of all, on a core that no group counts
 * is a hole.  What the kernel's clocks may be apart when it moves a thread is far below.
 */
#define SMALL_NS    100000
#define SMALL_SHARE 1024

static const struct {
	const char *pmu;
	uint8_t core_type;
} pmus[] = {
	{ "cpu_core", PMU_SLOT_P },
	{ "cpu_atom", PMU_SLOT_E },
	{ "cpu_lowpower", PMU_SLOT_E },
};
_Static_assert(PMU_ARRAY_LEN(pmus) <= PMU_PERF_KINDS, "there is room for each");

/* --- kinds --- */

static bool read_kind(const char *devices, const char *pmu, struct pmu_perf_kind *kind)
{
	char path[512], text[4096];
	uint64_t type;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s/type", devices, pmu) >= sizeof(path) ||
	    pmu_sysfile_u64(path, &type) || type >= UINT32_MAX)
		return false;
	kind->type = (uint32_t)type;
	if ((size_t)snprintf(path, sizeof(path), "%s/%s/cpus", devices, pmu) >= sizeof(path) ||
	    pmu_sysfile_read(path, text, sizeof(text)) <= 0)
		return false;
	return !pmu_mask_parse(text, &kind->cpus);
}

static void add_pmu_kind(const char *devices, const char *pmu, uint8_t core_type,
			 struct pmu_perf_hybrid *hybrid)
{
	struct pmu_perf_kind *kind = &hybrid->kind[hybrid->n];

	if (!read_kind(devices, pmu, kind))
		return;
	kind->core_type = core_type;
	hybrid->n++;
}

#if defined(__aarch64__)

/* How arm64's PMUs of cores are called, each with what kind of core it is of. */
static const char *const arm_begins[] = { "armv8_", "armv9_", "apple_" };

static bool is_arm_core(const char *pmu)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(arm_begins); i++)
		if (!strncmp(pmu, arm_begins[i], strlen(arm_begins[i])))
			return true;
	return false;
}

static int by_type(const void *a, const void *b)
{
	const struct pmu_perf_kind *one = a, *other = b;

	return one->type < other->type ? -1 : one->type > other->type;
}

/* More of them than there is room for are none: some cores would not be counted. */
static void find_arm(const char *devices, struct pmu_perf_hybrid *hybrid)
{
	DIR *folder = opendir(devices);
	struct dirent *entry;
	bool all = true;

	while (folder && (entry = readdir(folder))) {
		if (!is_arm_core(entry->d_name))
			continue;
		all &= hybrid->n < PMU_PERF_KINDS;
		if (all)
			add_pmu_kind(devices, entry->d_name, PMU_PERF_OTHER, hybrid);
	}
	if (folder)
		closedir(folder);
	if (!all)
		hybrid->n = 0;
	qsort(hybrid->kind, hybrid->n, sizeof(hybrid->kind[0]), by_type);
}

#else

static void find_arm(const char *devices, struct pmu_perf_hybrid *hybrid)
{
	(void)devices;
	(void)hybrid;
}

#endif

void pmu_perf_hybrid_find(const char *devices, struct pmu_perf_hybrid *hybrid)
{
	hybrid->n = 0;
	for (size_t i = 0; i < PMU_ARRAY_LEN(pmus); i++)
		add_pmu_kind(devices, pmus[i].pmu, pmus[i].core_type, hybrid);
	if (!hybrid->n)
		find_arm(devices, hybrid);
	if (hybrid->n < 2)
		hybrid->n = 0;
}

int pmu_perf_hybrid_kind(const struct pmu_perf_hybrid *hybrid, int cpu)
{
	for (unsigned int i = 0; i < hybrid->n; i++)
		if (pmu_mask_has(&hybrid->kind[i].cpus, cpu))
			return (int)i;
	return -1;
}

/* --- plans --- */

static bool is_generic(const struct pmu_slot *slot)
{
	return slot->type == PERF_TYPE_HARDWARE || slot->type == PERF_TYPE_HW_CACHE;
}

static bool is_cores(const struct pmu_perf_hybrid *hybrid, const struct pmu_slot *slot)
{
	if (slot->kind != PMU_SLOT_CORE)
		return false;
	for (unsigned int i = 0; i < hybrid->n; i++)
		if (slot->type == hybrid->kind[i].type)
			return true;
	return !slot->pmu[0] &&
	       (is_generic(slot) || slot->type == PERF_TYPE_RAW || slot->core_types);
}

uint32_t pmu_perf_hybrid_cores(const struct pmu_perf_hybrid *hybrid, const struct pmu_plan *plan)
{
	uint32_t slots = 0;

	for (unsigned int i = 0; i < plan->n_slots; i++)
		if (!(plan->absent >> i & 1) && is_cores(hybrid, &plan->slot[i]))
			slots |= 1u << i;
	return slots;
}

/*
 * One PMU's own type names that kind of core alone.  PERF_TYPE_RAW is all kinds', unlike the types
 * that the kernel gives out: cpu_core's is PERF_TYPE_RAW, and a slot for it alone says so in
 * core_types.
 */
static bool exists_on(const struct pmu_slot *slot, const struct pmu_perf_kind *kind)
{
	if (slot->core_types && !(slot->core_types & kind->core_type))
		return false;
	return is_generic(slot) || slot->type == PERF_TYPE_RAW || slot->type == kind->type;
}

static void direct(struct pmu_slot *slot, const struct pmu_perf_kind *kind)
{
	if (kind->core_type == PMU_SLOT_E)
		pmu_slot_use_e_code(slot);
	if (is_generic(slot))
		slot->config |= (uint64_t)kind->type << TYPE_SHIFT;
	else
		slot->type = kind->type;
}

void pmu_perf_hybrid_plan(const struct pmu_perf_hybrid *hybrid, unsigned int kind, bool rest,
			  const struct pmu_plan *plan, struct pmu_plan *out)
{
	*out = *plan;
	for (unsigned int i = 0; i < plan->n_slots; i++) {
		if (plan->absent >> i & 1)
			continue;
		if (!is_cores(hybrid, &plan->slot[i]))
			out->absent |= rest ? 0 : 1u << i;
		else if (exists_on(&plan->slot[i], &hybrid->kind[kind]))
			direct(&out->slot[i], &hybrid->kind[kind]);
		else
			out->absent |= 1u << i;
	}
}

void pmu_perf_hybrid_of_plan(const struct pmu_plan *plan, struct pmu_perf_hybrid *hybrid)
{
	bool core = false;

	for (unsigned int i = 0; i < plan->n_slots; i++)
		core |= plan->slot[i].kind == PMU_SLOT_CORE && !(plan->absent >> i & 1);
	hybrid->n = 0;
	if (core)
		pmu_perf_hybrid_find(pmu_perf_system->devices, hybrid);
	if (hybrid->n && !pmu_perf_hybrid_cores(hybrid, plan))
		hybrid->n = 0;
}

/* --- groups --- */

static int open_kind_part(struct pmu_perf_parts *parts, const struct pmu_plan *plan,
			  uint8_t core_type, const struct pmu_perf_where *where)
{
	struct pmu_perf_group *group = &parts->group[parts->n];
	unsigned int failed;
	int rc = pmu_perf_group_open(group, plan, where, &failed);

	if (rc || !group->n)
		return rc;
	parts->core_type[parts->n++] = core_type;
	return 0;
}

/* Kinds first: the first one's time is that in which all of them should have counted. */
static enum pmu_source_lost read_all_kinds(const struct pmu_perf_parts *parts, uint64_t *value,
					   uint32_t *core_types, uint64_t *enabled_ns,
					   int64_t *hole_ns)
{
	uint64_t running_ns = 0;

	*core_types = 0;
	for (unsigned int i = 0; i < parts->n; i++) {
		const struct pmu_perf_group *group = &parts->group[i];
		struct pmu_perf_values got;
		enum pmu_source_lost lost = pmu_perf_group_read(group, &got);

		if (lost)
			return lost;
		if (!parts->core_type[i] && got.enabled_ns != got.running_ns)
			return PMU_SOURCE_TAKEN;
		if (i == 0)
			*enabled_ns = got.enabled_ns;
		if (parts->core_type[i]) {
			running_ns += got.running_ns;
			*core_types |= got.running_ns ? parts->core_type[i] : 0;
		}
		for (uint32_t k = 0; k < group->n; k++)
			value[group->slot[k]] += got.value[k];
	}
	*hole_ns = parts->whole ? (int64_t)(*enabled_ns - running_ns) : 0;
	return PMU_SOURCE_HOLDS;
}

enum pmu_source_lost pmu_perf_parts_read(const struct pmu_perf_parts *parts, uint64_t *value,
					 uint32_t *core_types)
{
	uint64_t enabled_ns = 0, sum[PMU_MAX_SLOTS] = { 0 };
	enum pmu_source_lost lost;
	int64_t hole_ns = 0;

	lost = read_all_kinds(parts, sum, core_types, &enabled_ns, &hole_ns);
	if (lost)
		return lost;
	hole_ns -= parts->hole_ns;
	if (hole_ns > SMALL_NS && (uint64_t)hole_ns > enabled_ns / SMALL_SHARE)
		return PMU_SOURCE_TAKEN;
	for (uint32_t left = pmu_perf_parts_slots(parts); left; left &= left - 1)
		value[__builtin_ctz(left)] = sum[__builtin_ctz(left)];
	return PMU_SOURCE_HOLDS;
}

uint32_t pmu_perf_parts_slots(const struct pmu_perf_parts *parts)
{
	uint32_t slots = 0;

	for (unsigned int i = 0; i < parts->n; i++)
		for (uint32_t k = 0; k < parts->group[i].n; k++)
			slots |= 1u << parts->group[i].slot[k];
	return slots;
}

/*
 * What no core's counters count has a group of its own: in one of a kind it would stand still on
 * the others.
 */
static int open_all_kinds(struct pmu_perf_parts *parts, const struct pmu_perf_hybrid *hybrid,
			  const struct pmu_plan *plan, const struct pmu_perf_where *where)
{
	struct pmu_plan one;
	int rc = 0;

	for (unsigned int i = 0; i < hybrid->n && !rc; i++) {
		pmu_perf_hybrid_plan(hybrid, i, false, plan, &one);
		rc = open_kind_part(parts, &one, hybrid->kind[i].core_type, where);
	}
	parts->whole = parts->n == hybrid->n;
	one = *plan;
	one.absent |= pmu_perf_hybrid_cores(hybrid, plan);
	return rc ? rc : open_kind_part(parts, &one, 0, where);
}

int pmu_perf_parts_open(struct pmu_perf_parts *parts, const struct pmu_perf_hybrid *hybrid,
			const struct pmu_plan *plan, const struct pmu_perf_where *where)
{
	int rc;

	memset(parts, 0, sizeof(*parts));
	rc = open_all_kinds(parts, hybrid, plan, where);
	if (rc)
		pmu_perf_parts_close(parts);
	return rc;
}

int pmu_perf_parts_start(struct pmu_perf_parts *parts)
{
	uint64_t enabled_ns = 0, value[PMU_MAX_SLOTS] = { 0 };
	uint32_t core_types;
	int rc = 0;

	for (unsigned int i = 0; i < parts->n && !rc; i++)
		rc = pmu_perf_group_enable(&parts->group[i]);
	if (!rc && read_all_kinds(parts, value, &core_types, &enabled_ns, &parts->hole_ns))
		rc = -ENOSPC;
	return rc;
}

void pmu_perf_parts_close(struct pmu_perf_parts *parts)
{
	while (parts->n)
		pmu_perf_group_close(&parts->group[--parts->n]);
}
