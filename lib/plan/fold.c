/* SPDX-License-Identifier: BSD-3-Clause */
/* Two groups as one. */
#include "plan/fold.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static struct pmu_event *find_folded_event(struct pmu_group *group, const char *name)
{
	for (unsigned int i = 0; i < group->n_events; i++)
		if (!strcmp(group->event[i].name, name))
			return &group->event[i];
	return NULL;
}

static const struct pmu_metric_text *find_metric(const struct pmu_group *group, const char *name)
{
	for (unsigned int i = 0; i < group->n_metrics; i++)
		if (!strcmp(group->metric[i].name, name))
			return &group->metric[i];
	return NULL;
}

/* What tells slots of one name apart, where a simulation counts them. */
static bool is_same_slot(const struct pmu_slot *a, const struct pmu_slot *b)
{
	return a->kind == b->kind && a->type == b->type && a->config == b->config &&
	       a->config1 == b->config1 && a->config2 == b->config2 && a->user == b->user &&
	       a->kernel == b->kernel && !strcmp(a->pmu, b->pmu);
}

/* Of an event that one of them needs the other one does without. */
static int fold_event(struct pmu_group *to, const struct pmu_event *event)
{
	struct pmu_event *same = find_folded_event(to, event->name);

	if (same && !is_same_slot(&same->slot, &event->slot))
		return -E2BIG;
	if (same)
		same->optional &= event->optional;
	else if (to->n_events == PMU_MAX_SLOTS)
		return -E2BIG;
	else
		to->event[to->n_events++] = *event;
	return 0;
}

static int fold_metric(struct pmu_group *to, const struct pmu_metric_text *metric,
		       const char *group)
{
	const struct pmu_metric_text *same = find_metric(to, metric->name);
	struct pmu_metric_text *added;

	if (same && !strcmp(same->formula, metric->formula))
		return 0;
	if (to->n_metrics == PMU_GROUP_MAX_METRICS)
		return -E2BIG;
	added = &to->metric[to->n_metrics++];
	*added = *metric;
	if (same && (size_t)snprintf(added->name, sizeof(added->name), "%s (%s)", metric->name,
				     group) >= sizeof(added->name))
		return -E2BIG;
	return 0;
}

/* The first of many names is the one that is kept. */
static void join_names(char *to, size_t size, const char *between, const char *more)
{
	size_t len = strlen(to);

	if (len + strlen(between) + strlen(more) < size)
		snprintf(to + len, size - len, "%s%s", len ? between : "", more);
}

int pmu_group_fold(struct pmu_group *to, const struct pmu_group *more)
{
	struct pmu_group both = *to;

	for (unsigned int i = 0; i < more->n_events; i++)
		if (fold_event(&both, &more->event[i]))
			return -E2BIG;
	for (unsigned int i = 0; i < more->n_metrics; i++)
		if (fold_metric(&both, &more->metric[i], more->name))
			return -E2BIG;
	join_names(both.name, sizeof(both.name), "+", more->name);
	if (more->note[0])
		join_names(both.note, sizeof(both.note), "; ", more->note);
	both.whole &= more->whole;
	both.is_folded = true;
	*to = both;
	return 0;
}
