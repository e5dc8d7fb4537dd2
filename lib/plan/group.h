/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups: events that are counted together, and the metrics made of them. */
#ifndef PMU_PLAN_GROUP_H
#define PMU_PLAN_GROUP_H

#include "plan/event.h"

#define PMU_GROUP_NAME_MAX    32
#define PMU_GROUP_MAX_METRICS 40
#define PMU_GROUP_LIST_MAX    192 /* bytes of the names that a group stands for */

/** One metric: a name, a unit and a formula over the names of events. */
struct pmu_metric_text {
	char name[64]; /* "branch miss rate" */
	char unit[16]; /* "%", "" */
	/* "100 * \"branch-misses\" / branches", see metric.h: names of columns */
	char formula[512];
};

struct pmu_group {
	char name[PMU_GROUP_NAME_MAX]; /* "CORE"; "EVENTS" for a list of events */
	char about[128];
	char note[384]; /* what of it does not exist here, and why; "" */
	/* its author marked nothing optional: PMU_REQUIRE=1 means each of its events */
	bool whole;
	/* of a file that has events of some CPUs and others of all the rest: these */
	bool of_the_rest;
	bool is_folded; /* several groups that are counted as one: plan/fold.h */
	unsigned int n_events;
	struct pmu_event event[PMU_MAX_SLOTS];
	unsigned int n_metrics;
	struct pmu_metric_text metric[PMU_GROUP_MAX_METRICS];
	/*
	 * "A, B": it stands for these groups, in this order, and has neither events nor metrics;
	 * settings/config.c replaces it by them.  "": it has its own
	 */
	char groups[PMU_GROUP_LIST_MAX];
};

/**
 * pmu_group_find() - a group by name
 * @name: see names/file/file.h: a shipped group or the user's own; "intel:NAME": see
 *        names/vendor/metric.h; case does not count
 *
 * Return: 0; -EINVAL with a sentence: there is none (which names the nearest), or its file is
 * wrong; -ENOTSUP with a sentence: it cannot be counted on this CPU, and @group then has its name
 * alone.
 */
int pmu_group_find(const char *name, struct pmu_catalog *catalog, struct pmu_group *group);

/**
 * pmu_group_from_events() - a list of events as a group named EVENTS
 * @catalog: as for pmu_event_parse()
 *
 * It gets those metrics of the shipped groups CORE and SOFTWARE for which it has all events.
 * Return: as pmu_event_list_parse(), 0 for success.
 */
int pmu_group_from_events(const char *events, struct pmu_catalog *catalog, struct pmu_group *group);

/** pmu_group_plan() - the group's slots as a plan; scope, cpus and absent are the caller's. */
void pmu_group_plan(const struct pmu_group *group, struct pmu_plan *plan);

#endif
