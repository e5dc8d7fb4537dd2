/* SPDX-License-Identifier: BSD-3-Clause */
/* Two groups as one. */
#include <errno.h>

#include "plan/fold.h"
#include "unit/part.h"

static void add_event(struct pmu_group *group, const char *name, uint64_t config, bool optional)
{
	struct pmu_event *event = &group->event[group->n_events++];

	snprintf(event->name, sizeof(event->name), "%s", name);
	event->optional = optional;
	event->slot.config = config;
}

static void add_metric(struct pmu_group *group, const char *name, const char *formula)
{
	struct pmu_metric_text *metric = &group->metric[group->n_metrics++];

	snprintf(metric->name, sizeof(metric->name), "%s", name);
	snprintf(metric->formula, sizeof(metric->formula), "%s", formula);
}

static struct pmu_group *named(const char *name)
{
	struct pmu_group *group = calloc(1, sizeof(*group));

	if (!group)
		abort();
	snprintf(group->name, sizeof(group->name), "%s", name);
	return group;
}

static void what_both_have_is_there_once(void)
{
	struct pmu_group *a = named("A"), *b = named("B");

	add_event(a, "instructions", 1, true);
	add_event(a, "branches", 2, true);
	add_metric(a, "rate", "branches / instructions");
	add_metric(a, "much", "branches");
	add_event(b, "instructions", 1, false);
	add_event(b, "misses", 3, true);
	add_metric(b, "rate", "branches / instructions");
	add_metric(b, "much", "misses");
	is_int(pmu_group_fold(a, b), 0, "two groups become one");
	is_str(a->name, "A+B", "with both names");
	is_int(a->n_events, 3, "an event of both is there once");
	ok(!a->event[0].optional && a->event[1].optional, "and needed if either needs it");
	is_int(a->n_metrics, 3, "so is a metric");
	is_str(a->metric[2].name, "much (B)",
	       "one of the same name by another formula says of whom");
	is_str(a->metric[2].formula, "misses", "and has its own");
	free(a);
	free(b);
}

static void what_does_not_fit_stays_apart(void)
{
	struct pmu_group *a = named("A"), *b = named("B"), *c = named("C");
	char name[16];

	for (unsigned int i = 0; i < PMU_MAX_SLOTS - 1; i++) {
		snprintf(name, sizeof(name), "e%u", i);
		add_event(a, name, i, true);
	}
	add_event(b, "more", 100, true);
	add_event(b, "too many", 101, true);
	is_int(pmu_group_fold(a, b), -E2BIG, "more events than there is room for");
	is_int(a->n_events, PMU_MAX_SLOTS - 1, "leave it as it was");
	is_str(a->name, "A", "with its name");
	add_event(c, "e0", 77, true);
	is_int(pmu_group_fold(a, c), -E2BIG, "one name of two events");
	b->n_events = 1;
	is_int(pmu_group_fold(a, b), 0, "the last place is one");
	free(a);
	free(b);
	free(c);
}

UNIT_PART(fold)
{
	what_both_have_is_there_once();
	what_does_not_fit_stays_apart();
	return done_testing();
}
