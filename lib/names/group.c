/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups by name, and lists of events as a group. */
#include "plan/group.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "names/branches.h"
#include "names/file/parts.h"
#include "names/likwid/likwid.h"
#include "names/vendor/metric.h"

/* A group's name is a file's: no folder, nothing hidden. */
static bool is_group_name(const char *name)
{
	size_t len = strlen(name);

	if (!len || len >= PMU_GROUP_NAME_MAX || name[0] == '.')
		return false;
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)name[i] <= ' ' || name[i] == '/' || name[i] == 0x7f)
			return false;
	return true;
}

/* All names, for the sentence about one that is none. */
struct names {
	size_t n;
	const char *name[64];
	struct pmu_strbuf text;
};

static void add_listed_name(void *arg, const char *name)
{
	struct names *names = arg;
	char *copy = names->n + 1 < PMU_ARRAY_LEN(names->name) ? strdup(name) : NULL;

	if (copy)
		names->name[names->n++] = copy;
}

static int no_group(const char *name)
{
	struct names names = { .n = 0 };
	const char *closest;
	int rc;

	pmu_group_file_names(add_listed_name, &names);
	closest = pmu_closest(name, names.name);
	for (size_t i = 0; i < names.n; i++)
		pmu_strbuf_addf(&names.text, "%s%s",
				!i                ? ""
				: i + 1 < names.n ? ", "
						  : " and ",
				names.name[i]);
	if (closest && !strcmp(closest, name)) /* there is a file, and is_group_name() says no */
		rc = pmu_fail(
			EINVAL,
			"\"%.60s\" is no name for a group: it has a blank or is too long; rename its file",
			name);
	else if (closest)
		rc = pmu_fail(EINVAL, "there is no group \"%.60s\"; did you mean %s?", name,
			      closest);
	else if (strchr(name, '/'))
		rc = pmu_fail(
			EINVAL,
			"there is no group \"%.60s\": NAME.group in a folder of PMU_GROUP_PATH is named NAME",
			name);
	else if (strpbrk(name, " \t;"))
		rc = pmu_fail(
			EINVAL,
			"there is no group \"%.60s\"; groups are written with commas between them",
			name);
	else
		rc = pmu_fail(EINVAL, "there is no group \"%.60s\"; there are %s", name,
			      pmu_strbuf_text(&names.text));
	pmu_strbuf_free(&names.text);
	for (size_t i = 0; i < names.n; i++)
		free((void *)(uintptr_t)names.name[i]);
	return rc;
}

int pmu_group_find(const char *name, struct pmu_catalog *catalog, struct pmu_group *group)
{
	int rc;

	if (!strncasecmp(name, "intel:", 6))
		return pmu_intel_metric_find(catalog, name + 6, group);
	if (!strncasecmp(name, PMU_LIKWID_PREFIX, strlen(PMU_LIKWID_PREFIX)))
		return pmu_likwid_find(name + strlen(PMU_LIKWID_PREFIX), catalog, group);
	rc = is_group_name(name) ? pmu_group_file_find(name, catalog, group) : -ENOENT;

	return rc == -ENOENT ? no_group(name) : rc;
}

/* --- metrics of a list --- */

static bool has_event(const struct pmu_group *group, const char *name, size_t len)
{
	for (unsigned int i = 0; i < group->n_events; i++) {
		if (strlen(group->event[i].name) == len && !memcmp(group->event[i].name, name, len))
			return true;
	}
	return false;
}

/* Only what the list counts, and something of it. */
static bool can_evaluate(const struct pmu_group *group, const char *formula)
{
	struct pmu_group_span name;
	bool any = false;

	while (pmu_group_name_next(formula, &name)) {
		if (!pmu_group_name_is_ours(name)) {
			if (!has_event(group, name.at, name.len))
				return false;
			any = true;
		}
		formula = name.at + name.len + (name.at[name.len] == '"');
	}
	return any;
}

static void add_metrics_of(const struct pmu_group *shipped, struct pmu_group *group)
{
	for (unsigned int i = 0; i < shipped->n_metrics && group->n_metrics < PMU_GROUP_MAX_METRICS;
	     i++)
		if (can_evaluate(group, shipped->metric[i].formula))
			group->metric[group->n_metrics++] = shipped->metric[i];
}

/* The metrics that mean the same on every CPU. */
static int add_metrics(struct pmu_catalog *catalog, struct pmu_group *group)
{
	static const char *const from[] = { "CORE", "SOFTWARE" };
	struct pmu_group *shipped = malloc(sizeof(*shipped));

	if (!shipped)
		return pmu_fail(ENOMEM, "no memory for the metrics of a list of events");
	for (size_t i = 0; i < PMU_ARRAY_LEN(from); i++)
		if (!pmu_group_shipped_find(from[i], catalog, shipped))
			add_metrics_of(shipped, group);
	free(shipped);
	return 0;
}

int pmu_group_from_events(const char *events, struct pmu_catalog *catalog, struct pmu_group *group)
{
	int n;

	memset(group, 0, sizeof(*group));
	n = pmu_event_list_parse(events, catalog, group->event);
	if (n < 0)
		return n;
	snprintf(group->name, sizeof(group->name), "EVENTS");
	snprintf(group->about, sizeof(group->about), "The events that were asked for");
	group->n_events = (unsigned int)n;
	pmu_branches_note(catalog, group);
	return add_metrics(catalog, group);
}
