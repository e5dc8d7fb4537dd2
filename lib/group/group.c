/* SPDX-License-Identifier: BSD-3-Clause */
/* The groups that are built in, and lists of events as a group. */
#include "group/group.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/strbuf.h"

struct builtin {
	const char *name;
	const char *about;
	const char *events[PMU_MAX_SLOTS + 1]; /* '?' behind one that may be given up */
	struct pmu_metric_text metric[PMU_GROUP_MAX_METRICS];
};

static const struct builtin builtins[] = {
	{
		.name = "CORE",
		.about = "Instructions, cycles, branches and cache: the seven "
			 "architectural events",
		.events = {"instructions", "cycles", "branches?", "branch-misses?",
			   "cache-misses?", "cache-references?", "ref-cycles?"},
		.metric = {{"IPC", "", "instructions / cycles"},
			   {"cycle rate", "GHz", "cycles / time / 1000000000"},
			   {"branch miss rate", "%",
			    "100 * \"branch-misses\" / branches"},
			   {"branch misses per 1000 instructions", "",
			    "1000 * \"branch-misses\" / instructions"},
			   {"cache miss rate", "%",
			    "100 * \"cache-misses\" / \"cache-references\""}},
	},
	{
		.name = "SOFTWARE",
		.about = "What the kernel did for the thread: time on a CPU, faults, "
			 "switches",
		.events = {"task-clock", "page-faults", "major-faults",
			   "context-switches", "cpu-migrations?"},
		.metric = {{"CPU share", "%",
			    "100 * \"task-clock\" / (time * 1000000000)"}},
	},
	{
		.name = "TIME",
		.about = "Time only",
	},
};

const char *const pmu_group_names[] = {"CORE", "SOFTWARE", "TIME", NULL};
_Static_assert(PMU_ARRAY_LEN(pmu_group_names) == PMU_ARRAY_LEN(builtins) + 1,
	       "every group is listed");

static int add_event(struct pmu_group *group, struct pmu_catalog *catalog, const char *text)
{
	struct pmu_event *event = &group->event[group->n_events];
	char name[PMU_EVENT_NAME_MAX];
	size_t len = strcspn(text, "?");
	int rc;

	snprintf(name, sizeof(name), "%.*s", (int)len, text);
	rc = pmu_event_parse(name, catalog, event);
	if (rc)
		return rc;
	event->optional = text[len] == '?';
	group->n_events++;
	return 0;
}

static int build(const struct builtin *builtin, struct pmu_catalog *catalog, struct pmu_group *group)
{
	int rc = 0;

	memset(group, 0, sizeof(*group));
	snprintf(group->name, sizeof(group->name), "%s", builtin->name);
	snprintf(group->about, sizeof(group->about), "%s", builtin->about);
	for (int i = 0; builtin->events[i] && !rc; i++)
		rc = add_event(group, catalog, builtin->events[i]);
	while (group->n_metrics < PMU_GROUP_MAX_METRICS &&
	       builtin->metric[group->n_metrics].name[0]) {
		group->metric[group->n_metrics] = builtin->metric[group->n_metrics];
		group->n_metrics++;
	}
	return rc;
}

int pmu_group_find(const char *name, struct pmu_catalog *catalog, struct pmu_group *group)
{
	const char *closest;

	for (size_t i = 0; i < PMU_ARRAY_LEN(builtins); i++) {
		if (!strcasecmp(builtins[i].name, name))
			return build(&builtins[i], catalog, group);
	}
	closest = pmu_closest(name, pmu_group_names);
	if (closest)
		return pmu_fail(EINVAL, "there is no group \"%.60s\"; did you mean %s?",
				name, closest);
	return pmu_fail(EINVAL,
			"there is no group \"%.60s\"; there are CORE, SOFTWARE and TIME",
			name);
}

/* --- metrics of a list --- */

static bool has_event(const struct pmu_group *group, const char *name, size_t len)
{
	for (unsigned int i = 0; i < group->n_events; i++) {
		if (strlen(group->event[i].name) == len &&
		    !memcmp(group->event[i].name, name, len))
			return true;
	}
	return false;
}

static bool is_builtin_name(const char *name, size_t len)
{
	static const char *const names[] = {"time", "calls", "tsc_hz", "min", "max"};

	for (size_t i = 0; i < PMU_ARRAY_LEN(names); i++) {
		if (strlen(names[i]) == len && !memcmp(names[i], name, len))
			return true;
	}
	return false;
}

/* The next name in a formula of ours, or NULL. */
static const char *next_name(const char *formula, size_t *len)
{
	for (; *formula; formula++) {
		if (*formula == '"') {
			*len = strcspn(formula + 1, "\"");
			return formula + 1;
		}
		if (isalpha((unsigned char)*formula) || *formula == '_') {
			*len = 0;
			while (isalnum((unsigned char)formula[*len]) ||
			       formula[*len] == '_' || formula[*len] == '.')
				++*len;
			return formula;
		}
	}
	return NULL;
}

static bool can_evaluate(const struct pmu_group *group, const char *formula)
{
	bool any = false;
	size_t len = 0;
	const char *name = formula;

	while ((name = next_name(name, &len))) {
		if (!is_builtin_name(name, len)) {
			if (!has_event(group, name, len))
				return false;
			any = true;
		}
		name += len + (name[len] == '"');
	}
	return any;
}

static void add_metrics(struct pmu_group *group)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(builtins); i++) {
		const struct pmu_metric_text *metric = builtins[i].metric;

		for (;
		     metric < builtins[i].metric + PMU_GROUP_MAX_METRICS && metric->name[0];
		     metric++) {
			if (group->n_metrics < PMU_GROUP_MAX_METRICS &&
			    can_evaluate(group, metric->formula))
				group->metric[group->n_metrics++] = *metric;
		}
	}
}

int pmu_group_from_events(const char *events, struct pmu_catalog *catalog,
			  struct pmu_group *group)
{
	int n;

	memset(group, 0, sizeof(*group));
	n = pmu_event_list_parse(events, catalog, group->event);
	if (n < 0)
		return n;
	snprintf(group->name, sizeof(group->name), "EVENTS");
	snprintf(group->about, sizeof(group->about), "The events that were asked for");
	group->n_events = (unsigned int)n;
	add_metrics(group);
	return 0;
}

void pmu_group_plan(const struct pmu_group *group, struct pmu_plan *plan)
{
	memset(plan, 0, sizeof(*plan));
	plan->n_slots = group->n_events;
	for (unsigned int i = 0; i < group->n_events; i++)
		plan->slot[i] = group->event[i].slot;
}
