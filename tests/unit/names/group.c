/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups by name, and lists of events as groups. */
#include "plan/group.h"

#include <errno.h>

#include "base/error.h"
#include "plan/formula.h"
#include "unit/part.h"

static struct pmu_group group;

static const char *metric_names(void)
{
	static char text[512];

	text[0] = '\0';
	for (unsigned int i = 0; i < group.n_metrics; i++) {
		strcat(text, i ? ", " : "");
		strcat(text, group.metric[i].name);
	}
	return text;
}

static void core_is_the_seven_architectural_events(void)
{
	static const char *const names[] = { "instructions",  "cycles",       "branches",
					     "branch-misses", "cache-misses", "cache-references",
					     "ref-cycles" };

	is_int(pmu_group_find("CORE", NULL, &group), 0, "CORE exists");
	is_int(group.n_events, 7, "  with seven events");
	for (unsigned int i = 0; i < group.n_events && i < 7; i++) {
		is_str(group.event[i].name, names[i], "  in order");
		ok(group.event[i].optional == (i >= 2), "  optional from the third");
	}
	is_str(metric_names(),
	       "IPC, cycle rate, branch miss rate, branch misses per 1000 instructions, "
	       "cache miss rate",
	       "  its metrics");
}

static void software_needs_no_pmu(void)
{
	is_int(pmu_group_find("software", NULL, &group), 0, "case does not count");
	is_str(group.name, "SOFTWARE", "  the name is the group's");
	for (unsigned int i = 0; i < group.n_events; i++)
		is_int(group.event[i].slot.kind, PMU_SLOT_SOFTWARE, group.event[i].name);
	is_str(metric_names(), "CPU share", "  its metric");
}

static void time_has_no_events(void)
{
	struct pmu_plan plan;

	is_int(pmu_group_find("TIME", NULL, &group), 0, "TIME exists");
	is_int(group.n_events + group.n_metrics, 0, "  and is empty");
	pmu_group_plan(&group, &plan);
	is_int(plan.n_slots, 0, "  like its plan");
}

static void unknown_groups_name_the_nearest(void)
{
	is_int(pmu_group_find("COER", NULL, &group), -EINVAL, "COER");
	is_int(pmu_group_find("SOFTWAR", NULL, &group), -EINVAL, "SOFTWAR");
	has(pmu_error_text(), "did you mean SOFTWARE?", "  is nearly SOFTWARE");
	is_int(pmu_group_find("CORE MEM", NULL, &group), -EINVAL, "two groups and no comma");
	has(pmu_error_text(), "groups are written with commas between them",
	    "  and how it is written");
	is_int(pmu_group_find("./MINE.group", NULL, &group), -EINVAL, "a file instead of a name");
	has(pmu_error_text(), "a folder of PMU_GROUP_PATH", "  and how it is found");
	is_int(pmu_group_find("", NULL, &group), -EINVAL, "nothing");
	has(pmu_error_text(), "there are BRANCH, CACHE, CORE, CYCLES, DATA, ENERGY,",
	    "  gets the list");
	is_int(pmu_group_find("../data/CORE", NULL, &group), -EINVAL, "no folder is in a name");
	is_int(pmu_group_find(".CORE", NULL, &group), -EINVAL, "  and nothing hidden is found");
	is_int(pmu_group_find("a-name-that-is-longer-than-any-group-is-called", NULL, &group),
	       -EINVAL, "  nor a name that is too long");
}

static void lists_get_the_metrics_they_can_have(void)
{
	is_int(pmu_group_from_events("cycles,instructions", NULL, &group), 0, "two events");
	is_str(group.name, "EVENTS", "  are a group");
	is_str(metric_names(), "IPC, cycle rate", "  with the metrics made of them");
	ok(!group.event[0].optional, "  what was asked for is not optional");
	is_int(pmu_group_from_events("cache-misses", NULL, &group), 0, "one of a pair");
	is_str(metric_names(), "", "  makes no ratio");
	is_int(pmu_group_from_events("instructions,cycles:k", NULL, &group), 0, "two levels");
	is_str(metric_names(), "", "  make no ratio");
	is_int(pmu_group_from_events("task-clock", NULL, &group), 0, "a clock");
	is_str(metric_names(), "CPU share", "  gives the share");
	is_int(pmu_group_from_events("nonsense", NULL, &group), -EINVAL, "an unknown event");
}

static void plans_hold_the_slots(void)
{
	struct pmu_plan plan;

	pmu_group_from_events("page-faults,r10e:k", NULL, &group);
	pmu_group_plan(&group, &plan);
	is_int(plan.n_slots, 2, "two slots");
	is_int(plan.slot[0].kind, PMU_SLOT_SOFTWARE, "  the first is the kernel's");
	is_u64(plan.slot[1].config, 0x10e, "  the second a code");
	ok(plan.slot[1].kernel && !plan.slot[1].user, "  at kernel level");
	is_int((int)plan.absent, 0, "  none is absent");
}

static int any_name(void *arg, const char *name, double *value)
{
	const struct pmu_group *of = arg;

	*value = 2;
	for (unsigned int i = 0; i < of->n_events; i++) {
		if (!strcmp(of->event[i].name, name))
			return 0;
	}
	return strcmp(name, "time") && strcmp(name, "tsc_hz") ? -1 : 0;
}

static void every_formula_evaluates(void)
{
	static const char *const names[] = { "CORE", "CYCLES", "SOFTWARE", "ENERGY" };

	for (int g = 0; g < 4; g++) {
		is_int(pmu_group_find(names[g], NULL, &group), 0, names[g]);
		for (unsigned int i = 0; i < group.n_metrics; i++) {
			double value = 0;

			is_int(pmu_metric_eval(group.metric[i].formula, any_name, &group, &value),
			       0, group.metric[i].name);
			ok(value > 0, "  to a number");
		}
	}
}

UNIT_PART(group)
{
	core_is_the_seven_architectural_events();
	software_needs_no_pmu();
	time_has_no_events();
	unknown_groups_name_the_nearest();
	lists_get_the_metrics_they_can_have();
	plans_hold_the_slots();
	every_formula_evaluates();
	return done_testing();
}
