/* SPDX-License-Identifier: BSD-3-Clause */
/* What of a group is given up until a source can count the rest. */
#include "session/fit.h"

#include <errno.h>

#include "unit/part.h"

/* A source with so many counters of cores and of a socket's unit, for the events that it knows. */
struct source {
	unsigned int cores, sockets;
	uint32_t unknown;   /* slots */
	uint32_t forbidden; /* slots */
	int whole;          /* refuses all there is */
	uint32_t fixed;     /* these slots have a counter of their own, one for each */
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
		else if (source->forbidden >> i & 1)
			result->error[i] = -EACCES;
		else if (source->fixed >> i & 1)
			continue;
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

/*
 * An event with a counter of its own takes none from others: it stays, wherever in the list it is.
 */
static void as_many_as_there_are_counters_for(void)
{
	static const struct source haswell = { .cores = 4, .fixed = 1u << 5 };
	struct pmu_fit fit;

	is_int(fit_into(&haswell, "cccccc", true, &fit), 0,
	       "five general events, and one with a fixed counter at the end");
	is_int((int)fit.plan.absent, 1 << 4, "  the fifth general one goes, nothing else");
	is_str(fit.lost[1].names, "c4", "  and is named");
	is_str(fit.lost[1].why, "no more", "  with the reason");
	is_str(fit.lost[0].names, "", "  none is unknown");
}

static void the_needed_one_gets_the_place_of_an_optional_one(void)
{
	static const struct source two = { .cores = 2, .fixed = 1u << 1 };
	static const struct source one = { .cores = 1 };
	static const struct source none = { .cores = 0, .fixed = 1u << 1 };
	struct pmu_fit fit;

	is_int(fit_into(&two, "CCCc", true, &fit), 0, "a needed one behind three optional ones");
	is_int((int)fit.plan.absent, 1 << 2, "  the last that is in its way goes");
	is_int(fit_into(&two, "CCcc", true, &fit), 0, "two needed ones behind two optional ones");
	is_int((int)fit.plan.absent, 1, "  the one that is in their way goes, not the last");
	is_int(fit_into(&one, "CCc", false, &fit), 0,
	       "one counter for two optional ones and a needed one");
	is_int((int)fit.plan.absent, 3, "  has the needed one");
	is_int(fit_into(&none, "cC", false, &fit), -ENOSPC, "a needed one without any counter");
	is_int((int)fit.plan.absent, 0, "  no optional one is given up for nothing");
}

static void each_reason_is_told_with_its_events(void)
{
	static const struct source two = { .cores = 2, .unknown = 1u << 3 | 1u << 4 };
	struct pmu_fit fit;
	char want[8] = "";

	is_int(fit_into(&two, "ccccc", true, &fit), 0,
	       "two unknown ones, and three for two counters");
	is_str(fit.lost[0].names, "c3, c4", "  those that do not exist");
	is_str(fit.lost[1].names, "c2", "  and the one that has no counter");
	for (unsigned int i = 0; i < fit.plan.n_slots; i++)
		strcat(want, fit.plan.absent >> i & 1 ? "-" : "c");
	is_str(want, "cc---", "  nothing else is lost");
}

static void names_are_whole_or_dots(void)
{
	static const struct source none = { .cores = 1 };
	struct pmu_group group = { .n_events = PMU_MAX_SLOTS };
	struct pmu_fit fit = { .why = NULL };
	const char *names = fit.lost[1].names;

	for (unsigned int i = 0; i < group.n_events; i++)
		snprintf(group.event[i].name, sizeof(group.event[i].name),
			 "UNC_SOMETHING_RATHER_LONG.OF_ITS_SORT_%02u", i);
	pmu_group_plan(&group, &fit.plan);
	is_int(pmu_fit(&group, true, false, probe, (void *)(uintptr_t)&none, &fit), 0,
	       "fifteen long names");
	is_int((int)strlen(names) % 42, 5 - 2, "  whole ones with commas between them, and dots");
	is_str(names + strlen(names) - 7, "05, ...", "  at the end");
}

static void unknown_events_go_first(void)
{
	static const struct source two = { .cores = 2, .unknown = 1 };
	struct pmu_fit fit;

	is_int(fit_into(&two, "Ccc", false, &fit), 0, "an unknown one is optional");
	is_int((int)fit.gone, 1, "  it alone is given up");
	is_int(fit_into(&two, "ccc", false, &fit), -ENOENT, "an unknown one is needed");
}

/* As those with the kernel level in them may be beside those at user level. */
static void optional_events_without_a_right_to_them_go(void)
{
	static const struct source second = { .cores = 9, .forbidden = 2 },
				   both = { .cores = 9, .forbidden = 3 };
	struct pmu_fit fit;

	is_int(fit_into(&second, "cCc", false, &fit), 0, "an optional one is forbidden");
	is_int((int)fit.gone, 2, "  it alone is given up");
	is_int(fit_into(&second, "ccC", true, &fit), -EACCES,
	       "one that was asked for is forbidden");
	is_int(fit_into(&both, "cCc", true, &fit), -EACCES, "so it is beside an optional one");
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

UNIT_PART(fit)
{
	keeps_what_fits();
	as_many_as_there_are_counters_for();
	the_needed_one_gets_the_place_of_an_optional_one();
	each_reason_is_told_with_its_events();
	names_are_whole_or_dots();
	unknown_events_go_first();
	optional_events_without_a_right_to_them_go();
	who_is_not_in_the_way_stays();
	who_refuses_everything_is_asked_no_more();
	return done_testing();
}
