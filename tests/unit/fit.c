/* SPDX-License-Identifier: BSD-3-Clause */
/* What of a group is given up until a source can count the rest. */
#include "group/fit.h"

#include <errno.h>

#include "tests/tap.h"

/* A source with so many counters of cores and of a socket's unit, for the events that it knows. */
struct source {
	unsigned int cores, sockets;
	uint32_t unknown; /* slots */
	int whole;        /* refuses all there is */
};

static int probe(void *arg, const struct pmu_plan *plan, struct pmu_probe *result)
{
	const struct source *source = arg;
	unsigned int left[2] = { source->cores, source->sockets };
	int rc = source->whole;

	snprintf(result->why, sizeof(result->why), "no more");
	for (unsigned int i = 0; i < plan->n_slots; i++) {
		bool socket = pmu_slot_is_socket(&plan->slot[i]);

		if (plan->absent >> i & 1)
			continue;
		if (source->unknown >> i & 1)
			result->error[i] = -ENOENT;
		else if (left[socket])
			left[socket]--;
		else
			result->error[i] = -ENOSPC;
		rc = rc ? rc : result->error[i];
	}
	return rc;
}

/* "cCsS": events of cores and of a socket, capitals optional. */
static struct pmu_group group_of(const char *events)
{
	struct pmu_group group = { .n_events = (unsigned int)strlen(events) };

	for (unsigned int i = 0; i < group.n_events; i++) {
		struct pmu_event *event = &group.event[i];

		snprintf(event->name, sizeof(event->name), "%c%u", events[i], i);
		event->optional = events[i] == 'C' || events[i] == 'S';
		if (events[i] == 's' || events[i] == 'S') {
			event->slot.kind = PMU_SLOT_UNCORE;
			snprintf(event->slot.pmu, sizeof(event->slot.pmu), "uncore_imc");
		}
	}
	return group;
}

static int fit_into(const struct source *source, const char *events, bool asked,
		    struct pmu_fit *fit)
{
	struct pmu_group group = group_of(events);

	*fit = (struct pmu_fit){ .why = NULL };
	pmu_group_plan(&group, &fit->plan);
	return pmu_fit(&group, asked, false, probe, (void *)(uintptr_t)source, fit);
}

static void keeps_what_fits(void)
{
	static const struct source two = { .cores = 2 };
	struct pmu_fit fit;

	is_int(fit_into(&two, "cc", false, &fit), 0, "two of two");
	is_int((int)fit.plan.absent, 0, "  nothing is given up");
	is_int(fit_into(&two, "ccc", false, &fit), -ENOSPC, "three that are all needed");
	is_int(fit_into(&two, "ccc", true, &fit), 0, "three that were asked for");
	is_int((int)fit.plan.absent, 4, "  the last one is missing");
	is_int(fit_into(&two, "cCC", false, &fit), 0, "two of them optional");
	is_int((int)fit.gone, 4, "  the last one needs no column");
}

static void unknown_events_go_first(void)
{
	static const struct source two = { .cores = 2, .unknown = 1 };
	struct pmu_fit fit;

	is_int(fit_into(&two, "Ccc", false, &fit), 0, "an unknown one is optional");
	is_int((int)fit.gone, 1, "  it alone is given up");
	is_int(fit_into(&two, "ccc", false, &fit), -ENOENT, "an unknown one is needed");
}

/* Dropping an event of the socket makes no room for one of the cores, nor the other way round. */
static void who_is_not_in_the_way_stays(void)
{
	static const struct source few = { .cores = 2, .sockets = 1 };
	struct pmu_fit fit;

	is_int(fit_into(&few, "cccs", true, &fit), 0, "three of cores and one of the socket");
	is_int((int)fit.plan.absent, 4, "  the third of the cores goes");
	is_int(fit_into(&few, "ssc", true, &fit), 0, "two of the socket and one of cores");
	is_int((int)fit.plan.absent, 2, "  the second of the socket goes");
	is_int(fit_into(&few, "cccss", true, &fit), 0, "too many of both");
	is_int((int)fit.plan.absent, 4 | 16, "  the last one of each");
}

static void who_refuses_everything_is_asked_no_more(void)
{
	static const struct source none = { .cores = 9, .whole = -EACCES };
	struct pmu_fit fit;

	is_int(fit_into(&none, "cC", true, &fit), -EACCES, "no rights");
	is_int((int)fit.plan.absent, 0, "  nothing was given up for it");
	has(fit.first.why, "no more", "  the first refusal is kept");
}

int main(void)
{
	keeps_what_fits();
	unknown_events_go_first();
	who_is_not_in_the_way_stays();
	who_refuses_everything_is_asked_no_more();
	return done_testing();
}
