/* SPDX-License-Identifier: BSD-3-Clause */
/* What of a plan the source perf can count here: it is tried. */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "base/compiler.h"
#include "counters/backend.h"
#include "counters/perf.h"
#include "counters/perf_why.h"

int pmu_perf_check_counts(struct pmu_perf_reader *reader)
{
	uint64_t value[PMU_MAX_SLOTS];

	pmu_perf_reader_read(reader, value);
	return reader->source.lost ? -ENOSPC : 0;
}

/* On a kind of core where the thread is not now, a group has its counters and stands still. */
static int check_group(const struct pmu_perf_group *group, const struct pmu_plan *plan, bool may_stand)
{
	struct pmu_perf_reader reader;
	struct pmu_perf_values got;

	if (!group->n)
		return 0;
	if (may_stand)
		return pmu_perf_group_read(group, &got) ? -ENOSPC : 0;
	pmu_perf_reader_init(&reader, group, plan);
	return pmu_perf_check_counts(&reader);
}

static int try_where(const struct pmu_plan *plan, const struct pmu_perf_where *where, bool may_stand)
{
	struct pmu_perf_group group;
	unsigned int failed;
	int rc = pmu_perf_group_open(&group, plan, where, &failed);

	if (rc)
		return pmu_perf_same_refusal(rc);
	rc = pmu_perf_group_enable(&group);
	if (!rc)
		rc = check_group(&group, plan, may_stand);
	pmu_perf_group_close(&group);
	return rc;
}

int pmu_perf_try(const struct pmu_plan *plan)
{
	struct pmu_perf_where where = {.pid = 0, .cpu = -1};

	if (plan->scope == PMU_COUNT_CPU) {
		if (!plan->n_cpus)
			return -EINVAL;
		where = (struct pmu_perf_where){.pid = -1, .cpu = plan->cpu[0]};
	}
	return try_where(plan, &where, false);
}

/* What counts threads goes everywhere, what counts CPUs to the first one of the kind; false: there is none. */
static bool find_where(const struct pmu_perf_hybrid *hybrid, unsigned int kind, const struct pmu_plan *plan,
		       struct pmu_perf_where *where)
{
	*where = (struct pmu_perf_where){.pid = 0, .cpu = -1};
	if (plan->scope != PMU_COUNT_CPU)
		return true;
	for (unsigned int i = 0; i < plan->n_cpus; i++) {
		if (pmu_perf_hybrid_kind(hybrid, plan->cpu[i]) != (int)kind)
			continue;
		*where = (struct pmu_perf_where){.pid = -1, .cpu = plan->cpu[i]};
		return true;
	}
	return false;
}

static int try_plan(const struct pmu_perf_hybrid *hybrid, const struct pmu_plan *plan)
{
	struct pmu_perf_where where;
	struct pmu_plan one;
	int rc = 0;

	if (!hybrid->n)
		return pmu_perf_try(plan);
	for (unsigned int i = 0; i < hybrid->n && !rc; i++) {
		if (!find_where(hybrid, i, plan, &where))
			continue;
		pmu_perf_hybrid_plan(hybrid, i, true, plan, &one);
		rc = try_where(&one, &where, where.cpu < 0);
	}
	return rc;
}

static int try_alone(const struct pmu_perf_hybrid *hybrid, const struct pmu_plan *plan, unsigned int slot)
{
	struct pmu_plan one = *plan;

	one.absent = pmu_plan_mask(plan) & ~(1u << slot);
	return try_plan(hybrid, &one);
}

/* Any processor with a PMU has one of these two. */
static bool has_pmu(const struct pmu_plan *plan)
{
	static const uint64_t codes[] = {PERF_COUNT_HW_CPU_CYCLES,
					 PERF_COUNT_HW_INSTRUCTIONS};
	struct pmu_plan one = *plan;

	one.n_slots = 1;
	one.absent = 0;
	for (size_t i = 0; i < PMU_ARRAY_LEN(codes); i++) {
		one.slot[0] = (struct pmu_slot){.kind = PMU_SLOT_CORE,
						.type = PERF_TYPE_HARDWARE,
						.config = codes[i],
						.user = true};
		if (pmu_perf_try(&one) != -ENOENT)
			return true;
	}
	return false;
}

/*
 * Each slot beside those before it that count.  The kernel has one code for an event it
 * does not know and for one that the group has no counter for: the event alone tells them
 * apart.
 */
static int probe_slots(const struct pmu_perf_hybrid *hybrid, const struct pmu_plan *plan,
		       struct pmu_probe *probe, unsigned int *first)
{
	struct pmu_plan fits = *plan;
	int rc, refused = 0;

	fits.absent = pmu_plan_mask(plan);
	for (unsigned int i = 0; i < plan->n_slots; i++) {
		if (plan->absent >> i & 1)
			continue;
		fits.absent &= ~(1u << i);
		rc = try_plan(hybrid, &fits);
		if (!rc)
			continue;
		fits.absent |= 1u << i;
		if (rc == -EINVAL && try_alone(hybrid, plan, i) == 0)
			rc = -ENOSPC;
		probe->error[i] = rc;
		if (!refused || !pmu_perf_refuses_slot(rc)) {
			refused = rc;
			*first = i;
		}
		if (!pmu_perf_refuses_slot(rc))
			break;
	}
	return refused;
}

/* Where there is no PMU no event exists, and giving them up one by one would hide the
 * reason. */
static int without_pmu(const struct pmu_plan *plan, struct pmu_probe *probe)
{
	for (unsigned int i = 0; i < plan->n_slots; i++) {
		if (plan->slot[i].kind == PMU_SLOT_CORE && !(plan->absent >> i & 1))
			probe->error[i] = -ENODEV;
	}
	return -ENODEV;
}

static int probe_own(const struct pmu_plan *plan, struct pmu_probe *probe)
{
	struct pmu_perf_hybrid hybrid;
	unsigned int first = 0;
	int rc;

	pmu_perf_hybrid_of_plan(plan, &hybrid);
	rc = try_plan(&hybrid, plan);
	if (rc)
		rc = probe_slots(&hybrid, plan, probe, &first);
	if (rc == -ENOENT && plan->slot[first].kind == PMU_SLOT_CORE && !has_pmu(plan))
		rc = without_pmu(plan, probe);
	if (rc)
		pmu_perf_explain(plan, rc, first, probe);
	return rc;
}

/* Where sockets are refused as a whole, the rest can be counted without them. */
int pmu_perf_probe(const struct pmu_plan *plan, struct pmu_probe *probe)
{
	struct pmu_plan own = pmu_perf_own_plan(plan);
	struct pmu_fd_limit limit;
	bool alone = pmu_perf_counts_nothing(&own) && !pmu_perf_counts_nothing(plan);
	int rc = 0;

	memset(probe, 0, sizeof(*probe));
	pmu_fd_raise(&limit);
	if (!alone)
		rc = probe_own(&own, probe);
	if (!rc) {
		rc = pmu_perf_sockets_probe(plan, probe);
		if (!alone && !pmu_perf_refuses_slot(rc))
			rc = 0;
	}
	pmu_fd_lower(&limit);
	return rc;
}
