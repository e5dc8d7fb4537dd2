/* SPDX-License-Identifier: BSD-3-Clause */
/* An event that samples are taken by: as this machine has it, or why it has not. */
#include "session/sample_event.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "counters/backend.h"
#include "counters/perf/hybrid.h"
#include "store/samples.h"

static struct pmu_plan plan_of(const struct pmu_sample_event *event)
{
	return (struct pmu_plan){ .n_slots = 1, .slot = { event->slot } };
}

/*
 * A processor with several kinds of core has a PMU for each, and an event is of one of them: samples of all would be
 * of two events.  Return: 0; -ENOENT with @why.
 */
static int choose_cores(struct pmu_sample_event *event, char *why)
{
	struct pmu_plan plan = plan_of(event), on;
	struct pmu_perf_hybrid hybrid;

	pmu_perf_hybrid_of_plan(&plan, &hybrid);
	if (!hybrid.n)
		return 0;
	for (unsigned int i = 0; i < hybrid.n; i++) {
		pmu_perf_hybrid_plan(&hybrid, i, false, &plan, &on);
		if (!event->slot.core_types ||
		    !(event->slot.core_types & hybrid.kind[i].core_type) || on.absent)
			continue;
		event->slot = on.slot[0];
		return 0;
	}
	snprintf(
		why, PMU_SAMPLE_WHY_MAX,
		"no samples of %s are taken: this processor has several kinds of core, and samples are of "
		"one: say which, as cpu_core/%s/; --sample=RATE is of time, on all of them",
		event->unit.event, event->unit.event);
	return -ENOENT;
}

/* What cannot be counted either is explained as for counts. */
static void explain_refusal(const struct pmu_sample_event *event, int error, char *why)
{
	struct pmu_plan plan = plan_of(event);
	struct pmu_probe probe = { .why = "" };

	if (pmu_backend_probe(&pmu_backend_perf, &plan, &probe) && probe.why[0])
		snprintf(why, PMU_SAMPLE_WHY_MAX,
			 "no samples of %s are taken: %s%s%s; --sample=RATE is of time",
			 event->unit.event, probe.why, probe.mend[0] ? "; try: " : "", probe.mend);
	else
		snprintf(
			why, PMU_SAMPLE_WHY_MAX,
			"no samples of %s are taken: it is counted here, but nothing says when it has "
			"come so far (%s); --sample=RATE is of time",
			event->unit.event, strerror(error));
}

int pmu_sample_event_open(int32_t tid, struct pmu_sample_event *event, bool callers, char *why)
{
	int rc = choose_cores(event, why), fd;

	if (rc)
		return rc;
	fd = pmu_samples_open(tid, event, callers);
	if (fd >= 0)
		return fd;
	rc = -errno;
	explain_refusal(event, -rc, why);
	return rc;
}

int pmu_sample_event_check(struct pmu_sample_event *event, char *why)
{
	int fd = pmu_sample_event_open(0, event, false, why);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}
