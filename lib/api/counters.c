/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters without regions: pmu_counters_open() and what follows it. */
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "counters/backend.h"
#include "counters/perf/group.h"
#include "counters/perf/hybrid.h"
#include "group/event.h"
#include "pmu.h"
#include "session/session.h"

/* More CPUs than any Linux has. */
#define MAX_CPUS 65536

/* One group of descriptors: the thread's, or a CPU's. */
struct part {
	struct pmu_perf_group group;
	struct pmu_perf_reader reader;
};

struct pmu_counters {
	struct pmu_plan plan;
	int *cpu;                    /* the plan's, PMU_SCOPE_CPU */
	struct pmu_perf_parts kinds; /* of a thread on a hybrid, in place of a part */
	bool kinds_lost;
	unsigned int n_parts;
	struct part part[];
};

/* --- where --- */

/* The kernel wants a mask at least as long as its own: -EINVAL until it is. */
static cpu_set_t *allowed_cpus(size_t *size, int *n_cpus)
{
	for (int n = 1024; n <= MAX_CPUS; n *= 2) {
		cpu_set_t *set = CPU_ALLOC((size_t)n);

		if (!set)
			return NULL;
		*size = CPU_ALLOC_SIZE((size_t)n);
		*n_cpus = n;
		if (!sched_getaffinity(0, *size, set))
			return set;
		CPU_FREE(set);
		if (errno != EINVAL)
			return NULL;
	}
	return NULL;
}

static int list_cpus(struct pmu_plan *plan, int **list)
{
	unsigned int n = 0;
	cpu_set_t *set;
	size_t size;
	int n_cpus;

	set = allowed_cpus(&size, &n_cpus);
	if (!set)
		return pmu_fail(ENODEV, "cannot find out which CPUs this thread may run on");
	*list = calloc((size_t)CPU_COUNT_S(size, set), sizeof(**list));
	if (!*list) {
		CPU_FREE(set);
		return pmu_fail(ENOMEM, "no memory for a list of CPUs");
	}
	for (int cpu = 0; cpu < n_cpus; cpu++) {
		if (CPU_ISSET_S((size_t)cpu, size, set))
			(*list)[n++] = cpu;
	}
	CPU_FREE(set);
	plan->cpu = *list;
	plan->n_cpus = n;
	return 0;
}

/* --- opening --- */

static int make_plan(const char *events, struct pmu_plan *plan)
{
	struct pmu_event event[PMU_MAX_SLOTS];
	int n = pmu_event_list_parse(events, NULL, event);

	memset(plan, 0, sizeof(*plan));
	if (n < 0)
		return n;
	plan->n_slots = (unsigned int)n;
	for (int i = 0; i < n; i++)
		plan->slot[i] = event[i].slot;
	return 0;
}

/* Refuses with the source's own words what cannot be counted, before anything is kept
 * open. */
static int check_plan(const char *events, const struct pmu_plan *plan)
{
	struct pmu_probe probe;
	int rc;

	if (pmu_plan_sockets(plan))
		return pmu_fail(
			EINVAL,
			"cannot count %.120s: what belongs to a socket is counted for regions alone",
			events);
	rc = pmu_backend_perf.probe(plan, &probe);
	if (rc)
		return pmu_fail(rc, "cannot count %.120s: %s%s%s", events, probe.why,
				probe.mend[0] ? "; " : "", probe.mend);
	return 0;
}

static void close_parts(struct pmu_counters *counters, unsigned int n)
{
	const struct pmu_backend *source = find_source();
	struct pmu_counters *counters;
	int rc;

	/* both move the limit of descriptors, which is the process's */
	rc = pmu_session_enter();
	if (rc)
		return rc;
	rc = check_plan(events, plan);
	counters = rc ? NULL : calloc(1, sizeof(*counters) + n_parts * sizeof(counters->part[0]));
	if (!rc && !counters)
		rc = pmu_fail(ENOMEM, "no memory for the counters of %u CPUs", n_parts);
	if (!rc) {
		counters->plan = *plan;
		counters->cpu = cpu;
		counters->n_parts = n_parts;
		rc = open_parts(counters);
	}
	pmu_session_leave();
	if (rc)
		free(counters);
	else
		*result = counters;
	return rc;
}

static int open_counters(const char *events, enum pmu_scope scope, struct pmu_counters **result)
{
	struct pmu_plan plan;
	int *cpu = NULL;
	int rc;

	if (!events || !result)
		return pmu_fail(EINVAL, "pmu_counters_open: NULL for the events or the result");
	if (scope != PMU_SCOPE_THREAD && scope != PMU_SCOPE_CPU)
		return pmu_fail(EINVAL, "pmu_counters_open: there is no scope %d", (int)scope);
	rc = make_plan(events, &plan);
	if (!rc && scope == PMU_SCOPE_CPU) {
		plan.scope = PMU_COUNT_CPU;
		rc = list_cpus(&plan, &cpu);
	}
	if (!rc)
		rc = build(events, &plan, cpu, result);
	if (rc)
		free(cpu);
	return rc;
}

PMU_API int pmu_counters_open(const char *events, enum pmu_scope scope,
			      struct pmu_counters **counters)
{
	int saved = errno;
	int rc = open_counters(events, scope, counters);

	errno = saved;
	return rc;
}

PMU_API void pmu_counters_close(struct pmu_counters *counters)
{
	int saved = errno;

	if (counters) {
		close_parts(counters, counters->n_parts);
		free(counters->cpu);
		free(counters);
	}
	errno = saved;
}

/* --- using --- */

static int each_part(struct pmu_counters *counters, const char *what,
		     int (*act)(const struct pmu_perf_group *group))
{
	int saved = errno;
	int rc = 0;

	if (!counters)
		return pmu_fail(EINVAL, "cannot %s counters that are NULL", what);
	for (unsigned int i = 0; i < counters->n_parts + counters->kinds.n; i++) {
		int error = act(i < counters->n_parts
					? &counters->part[i].group
					: &counters->kinds.group[i - counters->n_parts]);

		if (error && !rc)
			rc = pmu_fail(error, "cannot %s the counters: %s", what, strerror(-error));
	}
	errno = saved;
	return rc;
}

PMU_API int pmu_counters_start(struct pmu_counters *counters)
{
	return each_part(counters, "start", pmu_perf_group_enable);
}

PMU_API int pmu_counters_stop(struct pmu_counters *counters)
{
	return each_part(counters, "stop", pmu_perf_group_disable);
}

PMU_API int pmu_counters_reset(struct pmu_counters *counters)
{
	return each_part(counters, "reset", pmu_perf_group_reset);
}

static uint32_t read_kinds(struct pmu_counters *counters, uint64_t *value)
{
	uint32_t all = pmu_plan_mask(&counters->plan), core_types;

	counters->kinds_lost = counters->kinds_lost ||
			       pmu_perf_parts_read(&counters->kinds, value, &core_types);
	return counters->kinds_lost ? all : all & ~pmu_perf_parts_slots(&counters->kinds);
}

/* A sum that lacks one CPU is no sum. */
static uint32_t read_parts(struct pmu_counters *counters, uint64_t *sum)
{
	uint64_t value[PMU_MAX_SLOTS] = { 0 };
	uint32_t missing = 0;

	memset(sum, 0, PMU_MAX_SLOTS * sizeof(*sum));
	if (counters->kinds.n)
		return read_kinds(counters, sum);
	for (unsigned int i = 0; i < counters->n_parts; i++) {
		missing |= pmu_perf_reader_read(&counters->part[i].reader, value);
		for (unsigned int slot = 0; slot < counters->plan.n_slots; slot++)
			sum[slot] += value[slot];
	}
	return missing;
}

PMU_API int pmu_counters_read(struct pmu_counters *counters, uint64_t *value, size_t n_values,
			      uint32_t *missing)
{
	uint64_t sum[PMU_MAX_SLOTS];
	uint32_t unread;

	if (!counters || !value)
		return pmu_fail(EINVAL, "pmu_counters_read: NULL for the counters or the values");
	if (n_values < counters->plan.n_slots)
		return pmu_fail(EINVAL, "pmu_counters_read: %zu values for %u events", n_values,
				counters->plan.n_slots);
	unread = read_parts(counters, sum);
	for (unsigned int slot = 0; slot < counters->plan.n_slots; slot++) {
		if (!(unread >> slot & 1))
			value[slot] = sum[slot];
	}
	if (missing)
		*missing = unread;
	return (int)counters->plan.n_slots;
}
