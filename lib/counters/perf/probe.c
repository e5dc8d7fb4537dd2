/* SPDX-License-Identifier: BSD-3-Clause */
/* What of a plan the source perf can count here: it is tried. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "counters/backend.h"
#include "counters/perf/perf.h"
#include "counters/perf/why.h"
#include "counters/valgrind/valgrind.h"

int pmu_perf_check_counts(struct pmu_perf_reader *reader)
{
	uint64_t value[PMU_MAX_SLOTS];

	pmu_perf_reader_read(reader, value);
	return reader->source.lost ? -ENOSPC : 0;
}

/* On a kind of core where the thread is not now, a group has its counters and stands still. */
static int check_group(const struct pmu_perf_group *group, const struct pmu_plan *plan,
		       bool may_stand)
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

static int try_where(const struct pmu_plan *plan, const struct pmu_perf_where *where,
		     bool may_stand)
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
	struct pmu_perf_where where = { .pid = 0, .cpu = -1 };

	if (plan->scope == PMU_COUNT_PROCESS)
		return pmu_perf_process_try(plan);
	if (plan->scope == PMU_COUNT_CPU) {
		if (!plan->n_cpus)
			return -EINVAL;
		where = (struct pmu_perf_where){ .pid = -1, .cpu = plan->cpu[0] };
	}
	return try_where(plan, &where, false);
}

/*
 * What counts threads goes everywhere, what counts CPUs to the first one of the kind; false: there
 * is none.
 */
static bool find_where(const struct pmu_perf_hybrid *hybrid, unsigned int kind,
		       const struct pmu_plan *plan, struct pmu_perf_where *where)
{
	*where = (struct pmu_perf_where){ .pid = 0, .cpu = -1 };
	if (plan->scope != PMU_COUNT_CPU)
		return true;
	for (unsigned int i = 0; i < plan->n_cpus; i++) {
		if (pmu_perf_hybrid_kind(hybrid, plan->cpu[i]) != (int)kind)
			continue;
		*where = (struct pmu_perf_where){ .pid = -1, .cpu = plan->cpu[i] };
		return true;
	}
	return false;
}

/* Copies of a plan, 2 KB each: not on the stack, which may be a small one of the program's. */
struct attempt {
	struct pmu_perf_hybrid hybrid;
	struct pmu_plan own;  /* without the slots of sockets */
	struct pmu_plan fits; /* what has been found to fit so far */
	struct pmu_plan one;  /* one slot alone */
	struct pmu_plan part; /* of one kind of core */
};

static int try_plan(struct attempt *attempt, const struct pmu_plan *plan)
{
	const struct pmu_perf_hybrid *hybrid = &attempt->hybrid;
	struct pmu_perf_where where;
	int rc = 0;

	if (!hybrid->n || plan->scope == PMU_COUNT_PROCESS)
		return pmu_perf_try(plan);
	for (unsigned int i = 0; i < hybrid->n && !rc; i++) {
		if (!find_where(hybrid, i, plan, &where))
			continue;
		pmu_perf_hybrid_plan(hybrid, i, true, plan, &attempt->part);
		rc = try_where(&attempt->part, &where, where.cpu < 0);
	}
	return rc;
}

static int try_alone(struct attempt *attempt, unsigned int slot)
{
	attempt->one = attempt->own;
	attempt->one.absent = pmu_plan_mask(&attempt->own) & ~(1u << slot);
	return try_plan(attempt, &attempt->one);
}

/* Any processor with a PMU has one of these two. */
static bool has_pmu(struct attempt *attempt)
{
	static const uint64_t codes[] = { PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS };
	struct pmu_plan *one = &attempt->one;

	*one = attempt->own;
	one->n_slots = 1;
	one->absent = 0;
	for (size_t i = 0; i < PMU_ARRAY_LEN(codes); i++) {
		one->slot[0] = (struct pmu_slot){ .kind = PMU_SLOT_CORE,
						  .type = PERF_TYPE_HARDWARE,
						  .config = codes[i],
						  .user = true };
		if (pmu_perf_try(one) != -ENOENT)
			return true;
	}
	return false;
}

/*
 * Each slot beside those before it that count.  The kernel has one code for an event it
 * does not know and for one that the group has no counter for: the event alone tells them
 * apart.
 */
static int probe_slots(struct attempt *attempt, struct pmu_probe *probe, unsigned int *first)
{
	const struct pmu_plan *plan = &attempt->own;
	struct pmu_plan *fits = &attempt->fits;
	int rc, refused = 0;

	*fits = *plan;
	fits->absent = pmu_plan_mask(plan);
	for (unsigned int i = 0; i < plan->n_slots; i++) {
		if (plan->absent >> i & 1)
			continue;
		fits->absent &= ~(1u << i);
		rc = try_plan(attempt, fits);
		if (!rc)
			continue;
		fits->absent |= 1u << i;
		if (rc == -EINVAL && try_alone(attempt, i) == 0)
			rc = -ENOSPC;
		probe->error[i] = rc;
		if (!refused || refused == -ENOSPC || !pmu_perf_refuses_slot(rc)) {
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

static bool counts_cores_alone(const struct pmu_plan *plan)
{
	for (unsigned int i = 0; i < plan->n_slots; i++)
		if (plan->slot[i].kind != PMU_SLOT_CORE && !(plan->absent >> i & 1))
			return false;
	return true;
}

static int probe_own(struct attempt *attempt, struct pmu_probe *probe)
{
	const struct pmu_plan *plan = &attempt->own;
	unsigned int first = 0;
	bool none;
	int rc;

	pmu_perf_hybrid_of_plan(plan, &attempt->hybrid);
	rc = try_plan(attempt, plan);
	/* without a PMU, trying slot by slot would find no more */
	none = rc == -ENOENT && counts_cores_alone(plan) && !has_pmu(attempt);
	if (rc && !none)
		rc = probe_slots(attempt, probe, &first);
	if (none || (rc == -ENOENT && plan->slot[first].kind == PMU_SLOT_CORE && !has_pmu(attempt)))
		rc = without_pmu(plan, probe);
	if (rc)
		pmu_perf_explain(plan, rc, first, probe);
	return rc;
}

/* Beside what can be counted they are missing. */
static int refuse_sockets(const struct pmu_plan *plan, bool alone, struct pmu_probe *probe)
{
	for (unsigned int i = 0; i < plan->n_slots; i++)
		if (pmu_plan_sockets(plan) >> i & 1 && !(plan->absent >> i & 1)) {
			probe->error[i] = -ENOTSUP;
			snprintf(probe->why, sizeof(probe->why),
				 "what belongs to a socket is no process's (PMU_COUNT=process)");
		}
	return alone ? -ENOTSUP : 0;
}

static int probe_sockets(const struct pmu_plan *plan, bool alone, struct pmu_probe *probe)
{
	int rc;

	if (plan->scope == PMU_COUNT_PROCESS)
		return refuse_sockets(plan, alone, probe);
	/* Where sockets are refused as a whole, the rest can be counted without them. */
	rc = pmu_perf_sockets_probe(plan, probe);
	return alone || pmu_perf_refuses_slot(rc) ? rc : 0;
}

static int probe_with(struct attempt *attempt, const struct pmu_plan *plan, struct pmu_probe *probe)
{
	bool alone = pmu_perf_counts_nothing(&attempt->own) && !pmu_perf_counts_nothing(plan);
	struct pmu_fd_limit limit;
	int rc = 0;

	pmu_fd_begin(&limit);
	if (!alone)
		rc = probe_own(attempt, probe);
	if (!rc)
		rc = probe_sockets(plan, alone, probe);
	pmu_fd_end();
	return rc;
}

int pmu_perf_probe(const struct pmu_plan *plan, struct pmu_probe *probe)
{
	struct attempt *attempt;
	int rc;

	memset(probe, 0, sizeof(*probe));
	rc = pmu_valgrind_refuse(plan, probe);
	if (rc)
		return rc;
	attempt = calloc(1, sizeof(*attempt));
	if (!attempt) {
		snprintf(probe->why, sizeof(probe->why), "no memory to try its counters");
		return -ENOMEM;
	}
	attempt->own = pmu_perf_own_plan(plan);
	rc = probe_with(attempt, plan, probe);
	free(attempt);
	return rc;
}
