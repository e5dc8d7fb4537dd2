/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters without regions: pmu_counters_open() and what follows it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/room.h"
#include "counters/backend.h"
#include "machine/mask.h"
#include "plan/resolve.h"
#include "pmu.h"
#include "region/call.h"
#include "session/session.h"

struct pmu_counters {
	const struct pmu_by_hand *source;
	void *counters; /* the source's */
	struct pmu_plan plan;
	int *cpu; /* the plan's, PMU_SCOPE_CPU */
};

/* --- where --- */

static int list_allowed_cpus(struct pmu_plan *plan, int **list)
{
	struct pmu_mask mask;
	unsigned int n = 0;

	if (pmu_mask_allowed(&mask) < 0)
		return pmu_fail(ENODEV, "cannot find out which CPUs this thread may run on");
	*list = calloc(pmu_mask_count(&mask), sizeof(**list));
	if (!*list)
		return pmu_fail(ENOMEM, "no memory for a list of CPUs");
	for (int cpu = pmu_mask_next(&mask, 0); cpu >= 0; cpu = pmu_mask_next(&mask, cpu + 1))
		(*list)[n++] = cpu;
	plan->cpu = *list;
	plan->n_cpus = n;
	return 0;
}

/* --- opening --- */

static int make_plan(const char *events, struct pmu_plan *plan)
{
	struct pmu_event event[PMU_MAX_SLOTS];
	int n = pmu_resolve_event_list(events, NULL, event);

	memset(plan, 0, sizeof(*plan));
	if (n < 0)
		return n;
	plan->n_slots = (unsigned int)n;
	for (int i = 0; i < n; i++)
		plan->slot[i] = event[i].slot;
	return 0;
}

/* The best source that can be used by hand. */
static const struct pmu_backend *find_source(void)
{
	int i = 0;

	while (!pmu_backends[i]->by_hand)
		i++;
	return pmu_backends[i];
}

/* Refuses with the source's own words what cannot be counted, before anything is kept open. */
static int check_plan(const struct pmu_backend *source, const char *events,
		      const struct pmu_plan *plan)
{
	struct pmu_probe probe;
	int rc;

	if (pmu_plan_sockets(plan))
		return pmu_fail(
			EINVAL,
			"cannot count %.120s: what belongs to a socket is counted for regions alone",
			events);
	rc = source->probe(plan, &probe);
	if (rc)
		return pmu_fail(rc, "cannot count %.120s: %s%s%s", events, probe.why,
				probe.mend[0] ? "; " : "", probe.mend);
	return 0;
}

static int build_counters(const char *events, const struct pmu_plan *plan, int *cpu,
			  struct pmu_counters **result)
{
	const struct pmu_backend *source = find_source();
	struct pmu_counters *counters;
	int rc;

	/* both move the limit of descriptors, which is the process's */
	rc = pmu_call_enter();
	if (rc)
		return rc;
	rc = check_plan(source, events, plan);
	counters = rc ? NULL : calloc(1, sizeof(*counters));
	if (!rc && !counters)
		rc = pmu_fail(ENOMEM, "no memory for counters");
	if (!rc) {
		*counters = (struct pmu_counters){ .source = source->by_hand,
						   .plan = *plan,
						   .cpu = cpu };
		rc = source->by_hand->open(&counters->counters, &counters->plan);
	}
	pmu_call_leave();
	if (rc)
		free(counters);
	else
		*result = counters;
	return rc;
}

struct wanted {
	const char *events;
	enum pmu_scope scope;
	struct pmu_counters **result;
};

static int open_counters(void *wanted)
{
	const char *events = ((struct wanted *)wanted)->events;
	enum pmu_scope scope = ((struct wanted *)wanted)->scope;
	struct pmu_counters **result = ((struct wanted *)wanted)->result;
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
		rc = list_allowed_cpus(&plan, &cpu);
	}
	if (!rc)
		rc = build_counters(events, &plan, cpu, result);
	if (rc)
		free(cpu);
	return rc;
}

static int open_in_room(void *wanted)
{
	return pmu_with_room(open_counters, wanted);
}

PMU_API int pmu_counters_open(const char *events, enum pmu_scope scope,
			      struct pmu_counters **counters)
{
	return pmu_call_aside(open_in_room, &(struct wanted){ events, scope, counters });
}

static int close_counters(void *closed)
{
	struct pmu_counters *counters = closed;

	counters->source->close(counters->counters);
	free(counters->cpu);
	free(counters);
	return 0;
}

PMU_API void pmu_counters_close(struct pmu_counters *counters)
{
	int saved = errno;

	if (counters && pmu_call_aside(close_counters, counters) < 0)
		close_counters(counters); /* in a handler that interrupted this library */
	errno = saved;
}

/* --- using --- */

static int done(int rc, const char *what, int saved)
{
	if (rc)
		pmu_fail(rc, "cannot %s the counters: %s", what, strerror(-rc));
	errno = saved;
	return rc;
}

static int refuse_null(const char *what)
{
	return pmu_fail(EINVAL, "cannot %s counters that are NULL", what);
}

PMU_API int pmu_counters_start(struct pmu_counters *counters)
{
	int saved = errno;

	if (!counters)
		return refuse_null("start");
	return done(counters->source->start(counters->counters), "start", saved);
}

PMU_API int pmu_counters_stop(struct pmu_counters *counters)
{
	int saved = errno;

	if (!counters)
		return refuse_null("stop");
	return done(counters->source->stop(counters->counters), "stop", saved);
}

struct to_reset {
	struct pmu_counters *counters;
	int rc;
};

static int reset_counters(void *to_reset)
{
	struct to_reset *reset = to_reset;
	struct pmu_counters *counters = reset->counters;

	reset->rc = counters ? done(counters->source->reset(counters->counters), "reset", errno)
			     : refuse_null("reset");
	return 0;
}

PMU_API int pmu_counters_reset(struct pmu_counters *counters)
{
	struct to_reset reset = { counters, 0 };
	int saved = errno;

	if (pmu_call_aside(reset_counters, &reset) < 0)
		reset_counters(&reset);
	errno = saved;
	return reset.rc;
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
	unread = counters->source->read(counters->counters, sum);
	for (unsigned int slot = 0; slot < counters->plan.n_slots; slot++) {
		if (!(unread >> slot & 1))
			value[slot] = sum[slot];
	}
	if (missing)
		*missing = unread;
	return (int)counters->plan.n_slots;
}
