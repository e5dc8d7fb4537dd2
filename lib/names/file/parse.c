/* SPDX-License-Identifier: BSD-3-Clause */
/* A group's file as a group of one CPU: its keys. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "names/file/parts.h"

/* --- keys, taken --- */

/* "A, B": no name is empty. */
static int take_groups(struct pmu_group_reading *r, const char *value)
{
	const char *at = value;

	for (;;) {
		at += strspn(at, " \t");
		if (!*at || *at == ',')
			return pmu_group_scan_fail(&r->scan, "groups: names with commas between");
		at += strcspn(at, ",");
		if (!*at)
			break;
		at++;
	}
	/* a line is no longer than this */
	snprintf(r->group->groups, sizeof(r->group->groups), "%s", value);
	return 0;
}

static int take_about(struct pmu_group_reading *r, const char *key, const char *value)
{
	if (!strcasecmp(key, "groups"))
		return take_groups(r, value);
	if (strcasecmp(key, "about") != 0)
		return pmu_group_scan_fail(&r->scan, "[group] has no \"%s\", only about and groups",
					   key);
	if (strlen(value) >= sizeof(r->group->about))
		return pmu_group_scan_fail(&r->scan, "about: more than %zu bytes",
					   sizeof(r->group->about) - 1);
	strcpy(r->group->about, value);
	return 0;
}

/* r10e, cpu/event=0x0e/ */
static bool is_code(const char *text)
{
	size_t digits = (text[0] | 0x20) == 'r' ? strspn(text + 1, "0123456789abcdefABCDEF") : 0;

	return (strchr(text, '/') && strchr(text, '=')) ||
	       (digits && (!text[1 + digits] || text[1 + digits] == ':'));
}

/* "cpu/event=0xe/:k" becomes "ALIAS:k" */
static void name_by_alias(const char *alias, struct pmu_event *event)
{
	const char *colon = strrchr(event->name, ':');
	char level[4] = "";

	if (colon && strlen(colon) < sizeof(level))
		strcpy(level, colon);
	snprintf(event->name, sizeof(event->name), "%s%s", alias, level);
}

static bool is_shipped(const char *text)
{
	for (const struct pmu_group_shipped *file = pmu_group_shipped; file->name; file++)
		if (file->text == text)
			return true;
	return false;
}

/* An event that does not exist here. */
static int leave_out(struct pmu_group_reading *r, const char *text, bool optional)
{
	char why[PMU_ERROR_MAX];

	snprintf(why, sizeof(why), "%s", pmu_error_text());
	if (optional) {
		if (!r->left_out.len)
			snprintf(r->why, sizeof(r->why), "%.*s", (int)sizeof(r->why) - 1, why);
		pmu_strbuf_addf(&r->left_out, "%s%s", r->left_out.len ? ", " : "", text);
		return 0;
	}
	/* of a PMU that is not here, or of what is ours: no mistake in the file */
	if (strchr(text, '/') || is_shipped(r->scan.text))
		return pmu_fail(ENOTSUP, "group %s cannot be counted here: %s", r->group->name,
				why);
	return pmu_group_scan_fail(&r->scan, "%s", why);
}

/*
 * Event files that cannot be read do not stop a group: it uses libpfm4's names then, and says so.
 */
static int parse_event(struct pmu_group_reading *r, const char *text, struct pmu_event *event)
{
	const struct pmu_catalog *catalog = r->catalog;
	struct pmu_catalog without;
	char why[PMU_ERROR_MAX];
	int rc = pmu_event_parse(text, r->catalog, event);

	if (!rc || !catalog || !catalog->event_files || !catalog->files_error ||
	    catalog->files_error == -ENODEV)
		return rc;
	snprintf(why, sizeof(why), "%s", pmu_error_text());
	without = *catalog;
	without.event_files = NULL;
	without.keep_tables = catalog->tables;
	rc = pmu_event_parse(text, &without, event);
	if (!rc && !r->group->note[0])
		snprintf(r->group->note, sizeof(r->group->note), "%s: %.*s", r->group->name,
			 (int)(sizeof(r->group->note) - sizeof(r->group->name) - 3), why);
	return rc;
}

static int add_group_event(struct pmu_group_reading *r, const char *key, const char *text,
			   bool optional)
{
	struct pmu_group *group = r->group;
	struct pmu_event *event = &group->event[group->n_events];
	int rc;

	if (group->n_events == PMU_MAX_SLOTS)
		return pmu_group_scan_fail(&r->scan, "more than %d events in one group",
					   PMU_MAX_SLOTS);
	rc = parse_event(r, text, event);
	if (rc)
		return rc == -ENOMEM ? rc : leave_out(r, text, optional);
	if (is_code(text))
		name_by_alias(key, event);
	event->optional = optional;
	for (unsigned int i = 0; i < group->n_events; i++)
		if (!strcmp(group->event[i].name, event->name))
			return pmu_group_scan_fail(&r->scan, "%s is named twice", event->name);
	pmu_group_alias_find(&r->aliases, (struct pmu_group_span){ key, strlen(key) })->event =
		(int)group->n_events++;
	return 0;
}

/* "branch-misses ?" */
static int take_event(struct pmu_group_reading *r, const char *key, const char *value)
{
	char text[PMU_GROUP_LINE_MAX + 1];
	size_t len = strlen(value);
	bool optional = value[len - 1] == '?';

	if (len >= sizeof(text))
		return pmu_group_scan_fail(&r->scan, "an event with too long a name");
	len -= optional;
	while (len && isspace((unsigned char)value[len - 1]))
		len--;
	if (!len)
		return pmu_group_scan_fail(&r->scan, "an event without a name");
	memcpy(text, value, len);
	text[len] = '\0';
	return add_group_event(r, key, text, optional);
}

/* "branch miss rate [%]" */
static int split_unit(const struct pmu_group_reading *r, const char *key,
		      struct pmu_metric_text *metric)
{
	size_t len = strlen(key), before = strcspn(key, "[");
	size_t unit = before < len ? len - before - 2 : 0;

	if (before < len && (key[len - 1] != ']' || len - before < 2))
		return pmu_group_scan_fail(
			&r->scan, "\"%s\": a unit is written behind the name: NAME [UNIT]", key);
	if (unit >= sizeof(metric->unit))
		return pmu_group_scan_fail(&r->scan, "a unit of more than %zu bytes",
					   sizeof(metric->unit) - 1);
	if (before < len)
		memcpy(metric->unit, key + before + 1, unit);
	metric->unit[unit] = '\0';
	while (before && isspace((unsigned char)key[before - 1]))
		before--;
	if (!before)
		return pmu_group_scan_fail(&r->scan, "a metric without a name");
	memcpy(metric->name, key, before);
	metric->name[before] = '\0';
	return 0;
}

static int take_group_metric(struct pmu_group_reading *r, const char *key, const char *value)
{
	struct pmu_group *group = r->group;
	struct pmu_metric_text metric;
	char why[PMU_ERROR_MAX];
	int rc = split_unit(r, key, &metric);

	if (rc)
		return rc;
	rc = pmu_group_formula(value, &r->aliases, group, metric.formula, sizeof(metric.formula));
	if (rc < 0) {
		snprintf(why, sizeof(why), "%s", pmu_error_text());
		return rc == -ENOMEM ? rc : pmu_group_scan_fail(&r->scan, "%s", why);
	}
	if (!rc || r->current != r->chosen[PMU_GROUP_METRICS])
		return 0;
	if (group->n_metrics == PMU_GROUP_MAX_METRICS)
		return pmu_group_scan_fail(&r->scan, "more than %d metrics in one group",
					   PMU_GROUP_MAX_METRICS);
	group->metric[group->n_metrics++] = metric;
	return 0;
}

/* --- lines --- */

static int take_key(struct pmu_group_reading *r, const struct pmu_group_line *line)
{
	enum pmu_group_section_kind kind = r->section[r->current].kind;
	char key[PMU_GROUP_KEY_MAX + 1], value[PMU_GROUP_LINE_MAX + 1];

	snprintf(key, sizeof(key), "%.*s", PMU_GROUP_SHOW(line->key));
	snprintf(value, sizeof(value), "%.*s", PMU_GROUP_SHOW(line->value));
	if (kind == PMU_GROUP_METRICS)
		return take_group_metric(r, key, value);
	if (kind == PMU_GROUP_ABOUT)
		return take_about(r, key, value);
	return r->current == r->chosen[PMU_GROUP_EVENTS] ? take_event(r, key, value) : 0;
}

static int take_group_lines(struct pmu_group_reading *r)
{
	struct pmu_group_line line;
	int rc;

	r->scan.at = r->scan.number = 0;
	r->current = -1;
	while ((rc = pmu_group_scan_line(&r->scan, &line)) > 0) {
		if (line.kind == PMU_GROUP_LINE_SECTION)
			r->current++;
		else if (line.kind == PMU_GROUP_LINE_KEY)
			rc = take_key(r, &line);
		if (rc < 0)
			break;
	}
	return rc;
}

/* --- the file --- */

static bool has_section(const struct pmu_group_reading *r, enum pmu_group_section_kind kind)
{
	for (int i = 0; i < r->n_sections; i++)
		if (r->section[i].kind == kind)
			return true;
	return false;
}

static bool names_cpus(const struct pmu_group_reading *r, enum pmu_group_section_kind kind)
{
	for (int i = 0; i < r->n_sections; i++)
		if (r->section[i].kind == kind && r->section[i].names_cpu)
			return true;
	return false;
}

/* Of a CPU that no table has they are the architecture's, and that is said. */
static void look_at_rest(struct pmu_group_reading *r)
{
	int chosen = r->chosen[PMU_GROUP_EVENTS];
	struct pmu_group *group = r->group;

	group->of_the_rest = chosen >= 0 && !r->section[chosen].names_cpu &&
			     names_cpus(r, PMU_GROUP_EVENTS);
	if (group->of_the_rest && !group->note[0] && !pmu_group_reading_model(r))
		snprintf(group->note, sizeof(group->note),
			 "%s by the architecture's events: no table has this CPU", group->name);
}

static int check_group_rest(struct pmu_group_reading *r)
{
	struct pmu_group *group = r->group;

	look_at_rest(r);
	if (r->left_out.failed)
		return pmu_fail(ENOMEM, "no memory for the group %s", group->name);
	if (r->left_out.len)
		snprintf(group->note, sizeof(group->note), "%s without %.100s: %s", group->name,
			 pmu_strbuf_text(&r->left_out), r->why);
	if (r->left_out.len && !group->n_events)
		return pmu_fail(ENOTSUP, "group %s cannot be counted here: %s", group->name,
				r->why);
	return 0;
}

static int parse_group(struct pmu_group_reading *r)
{
	const struct pmu_cpu_model *model;
	int rc = pmu_group_look(r);

	if (rc)
		return rc;
	/* none at all is the clock alone */
	if (has_section(r, PMU_GROUP_METRICS) && !has_section(r, PMU_GROUP_EVENTS))
		return pmu_fail(EINVAL, "%s: [metrics], and no [events] that they could be of",
				r->scan.origin);
	if (has_section(r, PMU_GROUP_EVENTS) && r->chosen[PMU_GROUP_EVENTS] < 0) {
		model = pmu_group_reading_model(r);
		return pmu_fail(ENOTSUP, "group %s has no events of this CPU (%s)", r->group->name,
				model ? model->microarchitecture : "one that no table has");
	}
	rc = take_group_lines(r);
	if (!rc && r->group->groups[0] && has_section(r, PMU_GROUP_EVENTS))
		rc = pmu_fail(EINVAL, "%s: a group that stands for others has no [events]",
			      r->scan.origin);
	return rc ? rc : check_group_rest(r);
}

static struct pmu_group_reading *begin_reading(const char *text, size_t len, const char *origin)
{
	struct pmu_group_reading *r = calloc(1, sizeof(*r));

	if (!r) {
		pmu_fail(ENOMEM, "no memory for reading %s", origin);
		return NULL;
	}
	r->scan = (struct pmu_group_scan){ .text = text, .len = len, .origin = origin };
	r->current = -1;
	for (int i = 0; i < PMU_GROUP_SECTION_KINDS; i++)
		r->chosen[i] = -1;
	return r;
}

int pmu_group_file_parse(const char *text, size_t len, const char *origin, const char *name,
			 struct pmu_catalog *catalog, struct pmu_group *group)
{
	struct pmu_group_reading *r;
	int rc;

	memset(group, 0, sizeof(*group));
	snprintf(group->name, sizeof(group->name), "%s", name);
	if (len > PMU_GROUP_FILE_MAX)
		return pmu_fail(EINVAL, "%s: more than %d bytes", origin, PMU_GROUP_FILE_MAX);
	r = begin_reading(text, len, origin);
	if (!r)
		return -ENOMEM;
	r->catalog = catalog;
	r->group = group;
	rc = parse_group(r);
	if (rc)
		group->n_events = group->n_metrics = group->groups[0] = 0;
	pmu_strbuf_free(&r->left_out);
	free(r);
	return rc;
}

int pmu_group_file_about(const char *text, size_t len, const char *origin, char *about, size_t size)
{
	struct pmu_group_reading *r;
	int rc;

	about[0] = '\0';
	if (len > PMU_GROUP_FILE_MAX)
		return pmu_fail(EINVAL, "%s: more than %d bytes", origin, PMU_GROUP_FILE_MAX);
	r = begin_reading(text, len, origin);
	if (!r)
		return -ENOMEM;
	rc = pmu_group_look(r);
	if (!rc)
		snprintf(about, size, "%.*s", PMU_GROUP_SHOW(r->about));
	free(r);
	return rc;
}
