/* SPDX-License-Identifier: BSD-3-Clause */
/* A file of LIKWID's as a group of one CPU. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "machine/boxes.h"
#include "names/file/file.h"
#include "names/likwid/parts.h"
#include "plan/formula.h"

#define SHOWN_PATH 60

/* --- what is left out --- */

void pmu_likwid_leave_out(struct pmu_likwid_reading *r, unsigned int line,
			  struct pmu_likwid_span what)
{
	size_t len = strlen(r->scan.origin);
	char why[PMU_ERROR_MAX];

	if (!r->why[0]) {
		snprintf(why, sizeof(why), "%s", pmu_error_text());
		/* the file's own name is the end of a long path */
		snprintf(r->why, sizeof(r->why), "%s:%u: %.*s",
			 r->scan.origin + (len > SHOWN_PATH ? len - SHOWN_PATH : 0), line,
			 (int)(sizeof(r->why) - SHOWN_PATH - 16), why);
	}
	pmu_strbuf_addf(&r->left_out, "%s%.*s", r->left_out.len ? ", " : "", PMU_LIKWID_SHOW(what));
	pmu_error_clear();
}

/* --- lines --- */

static int take_counter(struct pmu_likwid_reading *r, const struct pmu_likwid_line *line)
{
	struct pmu_likwid_counter *c = &r->counter[r->n_counters];
	const char *colon = memchr(line->first.at, ':', line->first.len);

	if (r->n_counters == PMU_LIKWID_MAX_COUNTERS)
		return pmu_likwid_wrong(&r->scan, r->scan.number, "more than %d counters",
					PMU_LIKWID_MAX_COUNTERS);
	*c = (struct pmu_likwid_counter){ .spelled = line->first,
					  .plain = line->first,
					  .event = line->last,
					  .line = r->scan.number,
					  .family = r->n_counters,
					  .slot = -1 };
	if (colon)
		c->plain.len = (size_t)(colon - line->first.at);
	for (int i = 0; i < r->n_counters; i++)
		if (pmu_likwid_is_same(r->counter[i].plain, c->plain))
			return pmu_likwid_wrong(&r->scan, c->line,
						"%.*s stands there twice, first on line %u",
						PMU_LIKWID_SHOW(c->plain), r->counter[i].line);
	r->n_counters++;
	return 0;
}

static int take_likwid_metric(struct pmu_likwid_reading *r, const struct pmu_likwid_line *line)
{
	if (r->n_metrics == PMU_LIKWID_MAX_METRICS)
		return pmu_likwid_wrong(&r->scan, r->scan.number, "more than %d metrics",
					PMU_LIKWID_MAX_METRICS);
	r->metric[r->n_metrics++] = (struct pmu_likwid_metric){ .name = line->first,
								.formula = line->last,
								.line = r->scan.number };
	return 0;
}

static int take_lines(struct pmu_likwid_reading *r)
{
	struct pmu_likwid_line line;
	int rc;

	while ((rc = pmu_likwid_scan_line(&r->scan, &line)) > 0) {
		if (line.section == PMU_LIKWID_SHORT)
			snprintf(r->group->about, sizeof(r->group->about), "%.*s",
				 PMU_LIKWID_SHOW(line.first));
		else if (line.section == PMU_LIKWID_NO_HT)
			r->no_ht = true;
		else if (line.section == PMU_LIKWID_EVENTSET)
			rc = take_counter(r, &line);
		else
			rc = take_likwid_metric(r, &line);
		if (rc < 0)
			break;
	}
	if (rc)
		return rc;
	return r->n_counters
		       ? 0
		       : pmu_likwid_wrong(&r->scan, r->scan.number, "no EVENTSET with a counter");
}

/* --- counters --- */

/* -ENOMEM; what cannot be counted is left out. */
static int resolve_counter(struct pmu_likwid_reading *r, struct pmu_likwid_counter *c)
{
	struct pmu_likwid_span options = { c->plain.at + c->plain.len,
					   c->spelled.len - c->plain.len };
	int rc = 0;

	if (!pmu_likwid_name(c->plain, &c->name))
		rc = pmu_fail(EINVAL, "no counter is called \"%.*s\"", PMU_LIKWID_SHOW(c->plain));
	if (!rc)
		rc = pmu_likwid_options(options, &c->options);
	if (!rc)
		rc = pmu_likwid_event(r, c);
	c->counted = !rc && !c->nothing;
	if (!rc || rc == -ENOMEM)
		return rc;
	/* the same in each box is told once */
	for (const struct pmu_likwid_counter *other = r->counter; other < c; other++)
		if (!other->counted && other->name.unit == c->name.unit &&
		    pmu_likwid_is_same(other->event, c->event))
			return 0;
	pmu_likwid_leave_out(r, c->line, c->event);
	return 0;
}

/* The first before it that counts the same in another box of the unit. */
static void join_family(struct pmu_likwid_reading *r, int i)
{
	struct pmu_likwid_counter *c = &r->counter[i];

	for (int k = 0; k < i && c->counted && c->name.box >= 0; k++) {
		const struct pmu_likwid_counter *other = &r->counter[k];

		if (other->counted && other->name.box >= 0 && other->family == k &&
		    other->name.unit == c->name.unit && other->name.number == c->name.number &&
		    pmu_event_same_slot(&other->counts.slot, &c->counts.slot)) {
			c->family = k;
			return;
		}
	}
}

/* Does the file leave out a box of the unit's, so that its sum is not the unit's count? */
static bool leaves_out_boxes(const struct pmu_likwid_reading *r, int family)
{
	const char *devices = pmu_catalog_devices(r->catalog);
	size_t named = 0, there = 0, all = 0;

	for (int i = family; i < r->n_counters; i++) {
		if (!r->counter[i].counted || r->counter[i].family != family)
			continue;
		all++;
		named += !r->counter[i].no_box;
	}
	if (devices)
		there = pmu_boxes_find(devices, r->counter[family].counts.slot.pmu, NULL, 0);
	/* of a machine that is not known, one box is not all of them */
	return there ? named < there : all < 2;
}

static int resolve_counters(struct pmu_likwid_reading *r)
{
	for (int i = 0; i < r->n_counters; i++) {
		int rc = resolve_counter(r, &r->counter[i]);

		if (rc)
			return rc;
		join_family(r, i);
	}
	for (int i = 0; i < r->n_counters; i++)
		if (r->counter[i].counted && r->counter[i].name.box >= 0 &&
		    r->counter[i].family == i)
			r->apart[i] = leaves_out_boxes(r, i);
	return 0;
}

/* --- metrics --- */

/* "Memory bandwidth [MBytes/s]"; runs of blanks become one */
static int split_name(const struct pmu_likwid_reading *r, const struct pmu_likwid_metric *metric,
		      struct pmu_metric_text *into)
{
	const char *at = metric->name.at, *end = at + metric->name.len, *open = end;
	size_t len = 0;

	if (end[-1] == ']')
		for (open = end - 1; open > at && *open != '[';)
			open--;
	if (open == at)
		open = end;
	else if (open < end && (size_t)(end - open) - 2 < sizeof(into->unit))
		snprintf(into->unit, sizeof(into->unit), "%.*s", (int)(end - open) - 2, open + 1);
	else
		open = end;
	for (; at < open; at++) {
		if (*at == ' ' && (!len || at + 1 == open || at[1] == ' '))
			continue;
		if (len + 1 == sizeof(into->name))
			return pmu_likwid_wrong(&r->scan, metric->line,
						"a metric's name of more than %zu bytes",
						sizeof(into->name) - 1);
		into->name[len++] = *at;
	}
	return len ? 0 : pmu_likwid_wrong(&r->scan, metric->line, "a metric without a name");
}

static int likwid_index_of(void *arg, const char *name)
{
	const struct pmu_group *group = arg;

	for (unsigned int i = 0; i < group->n_events; i++)
		if (!strcmp(group->event[i].name, name))
			return (int)i;
	return strcmp(name, "time") && strcmp(name, "tsc_hz") ? -1 : PMU_MAX_SLOTS;
}

/* What our own parser would refuse at the report is refused here. */
static int keep_likwid_formula(struct pmu_likwid_reading *r, const char *text,
			       struct pmu_metric_text *into)
{
	struct pmu_formula *parsed;
	int rc;

	if (strlen(text) >= sizeof(into->formula))
		return pmu_fail(ENOTSUP,
				"a formula of more than %zu bytes with the names of its events",
				sizeof(into->formula) - 1);
	parsed = malloc(sizeof(*parsed));
	if (!parsed)
		return pmu_fail(ENOMEM, "no memory for a formula");
	rc = pmu_formula_parse(text, likwid_index_of, r->group, parsed);
	free(parsed);
	strcpy(into->formula, text);
	return rc ? rc : 1;
}

/* 1: it is taken */
static int write_formula(struct pmu_likwid_reading *r, const struct pmu_likwid_metric *metric,
			 struct pmu_metric_text *into)
{
	struct pmu_strbuf out = { 0 };
	int rc = pmu_likwid_formula(r, metric, &out);

	if (out.failed)
		rc = pmu_fail(ENOMEM, "no memory for a formula");
	else if (!rc)
		pmu_fail(ENOTSUP, "a counter of it is not counted");
	else if (rc > 0)
		rc = keep_likwid_formula(r, pmu_strbuf_text(&out), into);
	pmu_strbuf_free(&out);
	return rc;
}

static int add_likwid_metric(struct pmu_likwid_reading *r, const struct pmu_likwid_metric *metric)
{
	struct pmu_group *group = r->group;
	struct pmu_metric_text into = { .name = "" };
	int rc;

	if (metric->left_out)
		return 0;
	rc = split_name(r, metric, &into);
	if (!rc)
		rc = write_formula(r, metric, &into);
	if (rc == -ENOMEM)
		return rc;
	if (rc != 1) {
		pmu_likwid_leave_out(r, metric->line, metric->name);
		return 0;
	}
	if (group->n_metrics == PMU_GROUP_MAX_METRICS)
		return pmu_likwid_wrong(&r->scan, metric->line, "more than %d metrics in one group",
					PMU_GROUP_MAX_METRICS);
	group->metric[group->n_metrics++] = into;
	return 0;
}

static bool tells_boxes_apart(const struct pmu_likwid_reading *r)
{
	for (int i = 0; i < r->n_counters; i++)
		if (r->counter[i].name.box >= 0 && r->apart[i] && !r->apart_anyway[i])
			return true;
	return false;
}

/* Which boxes have to be told apart, and for which formulas. */
static int look_at_metrics(struct pmu_likwid_reading *r)
{
	bool all[PMU_LIKWID_MAX_COUNTERS];
	int rc = 0;

	memcpy(r->apart_anyway, r->apart, sizeof(r->apart));
	memcpy(all, r->apart, sizeof(all));
	for (int i = 0; i < r->n_metrics && rc != -ENOMEM; i++) {
		rc = pmu_likwid_formula(r, &r->metric[i], NULL);
		r->metric[i].apart = tells_boxes_apart(r);
		for (int k = 0; k < r->n_counters; k++)
			all[k] |= r->apart[k];
		memcpy(r->apart, r->apart_anyway, sizeof(r->apart));
	}
	memcpy(r->apart, all, sizeof(all));
	return rc == -ENOMEM ? rc : 0;
}

/* --- the file --- */

static int check_likwid_rest(struct pmu_likwid_reading *r)
{
	struct pmu_group *group = r->group;

	if (r->left_out.failed)
		return pmu_fail(ENOMEM, "no memory for the group %s", group->name);
	if (r->left_out.len)
		snprintf(group->note, sizeof(group->note), "%s without %.100s%s: %s", group->name,
			 pmu_strbuf_text(&r->left_out), r->left_out.len > 100 ? "..." : "", r->why);
	return 0;
}

/* REQUIRE_NOHT */
static int check_threads(const struct pmu_likwid_reading *r)
{
	unsigned int n = pmu_catalog_threads_per_core(r->catalog);

	if (!r->no_ht || n < 2)
		return 0;
	return pmu_fail(ENOTSUP,
			"group %s is for cores with one thread (REQUIRE_NOHT), here are %u",
			r->group->name, n);
}

static int parse_likwid_group(struct pmu_likwid_reading *r)
{
	int rc = take_lines(r);

	if (!rc)
		rc = check_threads(r);
	if (!rc)
		rc = resolve_counters(r);
	if (!rc)
		rc = look_at_metrics(r);
	if (!rc)
		rc = pmu_likwid_slots(r);
	for (int i = 0; i < r->n_metrics && !rc; i++)
		rc = add_likwid_metric(r, &r->metric[i]);
	return rc ? rc : check_likwid_rest(r);
}

/* All of its names are looked up in the same tables. */
static int parse_by(struct pmu_likwid_reading *r, struct pmu_catalog *catalog)
{
	bool kept = catalog->keep_tables;
	int rc;

	catalog->keep_tables = true;
	r->catalog = catalog;
	rc = parse_likwid_group(r);
	catalog->keep_tables = kept;
	if (!kept)
		pmu_catalog_forget_tables(catalog);
	return rc;
}

int pmu_likwid_parse(const char *text, size_t len, const char *origin, const char *name,
		     struct pmu_catalog *catalog, struct pmu_group *group)
{
	struct pmu_catalog here = { .model = NULL };
	struct pmu_likwid_reading *r;
	int rc;

	memset(group, 0, sizeof(*group));
	snprintf(group->name, sizeof(group->name), PMU_LIKWID_PREFIX "%.23s", name);
	group->whole = true;
	if (len > PMU_GROUP_FILE_MAX)
		return pmu_fail(EINVAL, "%s: more than %d bytes", origin, PMU_GROUP_FILE_MAX);
	/* not on the stack: a program's thread may have a small one */
	r = calloc(1, sizeof(*r));
	if (!r)
		return pmu_fail(ENOMEM, "no memory for reading %s", origin);
	r->scan = (struct pmu_likwid_scan){ .text = text, .len = len, .origin = origin };
	r->group = group;
	rc = parse_by(r, catalog ? catalog : &here);
	if (rc)
		group->n_events = group->n_metrics = 0;
	pmu_strbuf_free(&r->left_out);
	free(r);
	return rc;
}
