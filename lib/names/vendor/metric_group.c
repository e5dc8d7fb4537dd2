/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes a group of one of Intel's metrics. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "names/vendor/metric_parts.h"
#include "plan/formula.h"

#define TERMS_MAX (PMU_INTEL_METRIC_EVENTS + PMU_INTEL_METRIC_CONSTANTS + 8)

/* --- texts --- */

/* "..." where it had to be cut, at no byte in the middle of a character */
static void copy_cut(char *into, size_t size, const char *text)
{
	size_t len = strlen(text);

	if (len >= size) {
		len = size - 4;
		while (len && ((unsigned char)text[len] & 0xc0) == 0x80)
			len--;
	}
	snprintf(into, size, "%.*s%s", (int)len, text, text[len] ? "..." : "");
}

static const struct {
	const char *theirs, *ours;
	bool rate; /* time is in it, or should be */
} units[] = {
	{ "percent", "%", false }, { "MB/sec", "MB/s", true }, { "GB/sec", "GB/s", true },
	{ "GHz", "GHz", true },    { "ns", "ns", true },       { "NanoSeconds", "ns", true },
	{ "Seconds", "s", true },
};

/*
 * Where no unit is given the domain may be one; others ("Clocks", "Slots") are none.  Return: is it
 * a rate?
 */
static bool take_unit(const struct pmu_intel_metric *metric, char *unit, size_t size)
{
	const char *theirs = metric->unit[0] ? metric->unit : metric->domain;

	for (size_t i = 0; i < PMU_ARRAY_LEN(units); i++) {
		if (!strcmp(units[i].theirs, theirs)) {
			snprintf(unit, size, "%s", units[i].ours);
			return units[i].rate;
		}
	}
	copy_cut(unit, size, metric->unit);
	return false;
}

/* --- one metric as a group --- */

/* A metric on its way to a group. */
struct build {
	const struct pmu_intel_metric *metric;
	struct pmu_catalog *catalog;
	uint8_t core_type; /* of the file: PMU_SLOT_P, PMU_SLOT_E; 0 any */
	bool by_general;   /* in place of PERF_METRICS */
	size_t n_terms;
	struct pmu_intel_term term[TERMS_MAX]; /* the metric's events first */
	char column[PMU_MAX_SLOTS][PMU_EVENT_NAME_MAX + 2];
	struct pmu_group *group;
};

static struct pmu_intel_term *add_alias(struct build *b, const char *alias)
{
	struct pmu_intel_term *term = &b->term[b->n_terms++];

	*term = (struct pmu_intel_term){ .alias = alias };
	return term;
}

/* Events stand for themselves until it is known which of them are needed. */
static void fill_terms(struct build *b)
{
	const struct pmu_intel_metric *metric = b->metric;

	b->n_terms = 0;
	for (unsigned int i = 0; i < metric->n_events; i++) {
		struct pmu_intel_term *term = add_alias(b, metric->event[i].alias);

		term->text = pmu_intel_is_time(metric->event[i].name) ? "(time * tsc_hz)"
								      : term->alias;
	}
	for (unsigned int i = 0; i < metric->n_constants; i++)
		pmu_intel_constant(metric, metric->constant[i].name, b->catalog,
				   add_alias(b, metric->constant[i].alias));
	for (size_t i = 0; pmu_intel_constants[i]; i++)
		pmu_intel_constant(metric, pmu_intel_constants[i], b->catalog,
				   add_alias(b, pmu_intel_constants[i]));
}

static bool is_counted_term(const struct build *b, size_t i)
{
	return i < b->metric->n_events && b->term[i].used &&
	       !pmu_intel_is_time(b->metric->event[i].name);
}

static bool is_plain_alias(const char *name)
{
	if ((name[0] < 'a' || name[0] > 'z') && (name[0] < 'A' || name[0] > 'Z'))
		return false;
	return strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") ==
	       strlen(name);
}

/*
 * Metrics of one kind of core are about that kind, though the other may have events of the same
 * name.
 */
static int check_core_type(const struct build *b, struct pmu_event *event)
{
	if (!b->core_type || event->slot.kind != PMU_SLOT_CORE)
		return 0;
	if (event->slot.core_types && !(event->slot.core_types & b->core_type))
		return pmu_fail(ENOTSUP, "its event %s is one of the other kind of core",
				event->name);
	pmu_slot_narrow(&event->slot, b->core_type);
	return 0;
}

/*
 * Two names may be one event, and two events one name, as far as a column has room.  Return: index;
 * -ENOTSUP.
 */
static int add_metric_event(struct pmu_group *group, const struct pmu_event *event)
{
	for (unsigned int i = 0; i < group->n_events; i++) {
		if (strcmp(group->event[i].name, event->name) != 0)
			continue;
		if (pmu_event_same_slot(&group->event[i].slot, &event->slot))
			return (int)i;
		return pmu_fail(ENOTSUP,
				"two of its events are called %s as far as a column has room",
				event->name);
	}
	group->event[group->n_events] = *event;
	return (int)group->n_events++;
}

static int resolve_events(struct build *b)
{
	unsigned int n = 0;

	for (size_t i = 0; i < b->n_terms; i++)
		n += is_counted_term(b, i);
	if (n > PMU_MAX_SLOTS)
		return pmu_fail(ENOTSUP, "it counts %u events, and a group has at most %d", n,
				PMU_MAX_SLOTS);
	if (!n)
		return pmu_fail(ENOTSUP, "it counts nothing");
	for (size_t i = 0; i < b->metric->n_events; i++) {
		struct pmu_event event;
		int rc, k;

		if (!is_counted_term(b, i))
			continue;
		rc = pmu_intel_metric_event(b->metric, b->metric->event[i].name, b->catalog,
					    &event);
		if (!rc)
			rc = check_core_type(b, &event);
		if (rc)
			return rc;
		k = add_metric_event(b->group, &event);
		if (k < 0)
			return k;
		snprintf(b->column[k], sizeof(b->column[k]),
			 is_plain_alias(event.name) ? "%s" : "\"%s\"", event.name);
		b->term[i].text = b->column[k];
	}
	return 0;
}

static bool has_time(const struct build *b)
{
	for (size_t i = 0; i < b->n_terms; i++)
		if (b->term[i].used && b->term[i].text && !is_counted_term(b, i))
			return true;
	return false;
}

static int metric_index_of(void *arg, const char *name)
{
	const struct pmu_group *group = arg;
	int i;

	for (i = 0; i < (int)group->n_events; i++)
		if (!strcmp(group->event[i].name, name))
			return i;
	return strcmp(name, "time") != 0 && strcmp(name, "tsc_hz") != 0 ? -1 : i;
}

/* Into the group; what our own parser would refuse is refused here. */
static int keep_metric_formula(struct build *b, const char *text)
{
	struct pmu_metric_text *into = &b->group->metric[0];
	struct pmu_formula *parsed;
	int rc;

	if (strlen(text) >= sizeof(into->formula))
		return pmu_fail(
			ENOTSUP,
			"its formula is longer than %zu characters, with the names of its events",
			sizeof(into->formula) - 1);
	parsed = malloc(sizeof(*parsed));
	if (!parsed)
		return pmu_fail(ENOMEM, "no memory for a formula");
	rc = pmu_formula_parse(text, metric_index_of, b->group, parsed);
	free(parsed);
	if (rc)
		return rc;
	strcpy(into->formula, text);
	b->group->n_metrics = 1;
	return 0;
}

static int make_formula(struct build *b, struct pmu_strbuf *out)
{
	int rc;

	fill_terms(b);
	rc = pmu_intel_formula(b->metric->formula, b->term, b->n_terms, out);
	if (!rc)
		rc = resolve_events(b);
	if (rc)
		return rc;
	out->len = 0;
	return pmu_intel_formula(b->metric->formula, b->term, b->n_terms, out);
}

static int build_metric_group(struct build *b)
{
	const struct pmu_intel_metric *metric = b->metric;
	struct pmu_metric_text *into = &b->group->metric[0];
	char name[sizeof(metric->name) + 8];
	struct pmu_strbuf out = { 0 };
	bool rate;
	int rc;

	memset(b->group, 0, sizeof(*b->group));
	snprintf(name, sizeof(name), "intel:%s", metric->name);
	copy_cut(b->group->name, sizeof(b->group->name), name);
	copy_cut(b->group->about, sizeof(b->group->about), metric->about);
	copy_cut(into->name, sizeof(into->name), metric->name);
	rate = take_unit(metric, into->unit, sizeof(into->unit));
	if (metric->why_not)
		return pmu_fail(ENOTSUP, "%s", metric->why_not);
	rc = make_formula(b, &out);
	if (!rc && rate && !has_time(b))
		rc = pmu_fail(ENOTSUP, "it is in %s, and there is no time in its formula",
			      into->unit);
	if (!rc)
		rc = keep_metric_formula(b, pmu_strbuf_text(&out));
	pmu_strbuf_free(&out);
	return rc;
}

/* Return: 0; -ENOMEM. */
static int without_shares(struct build *b, struct pmu_intel_metric **copy)
{
	*copy = malloc(sizeof(**copy));
	if (!*copy)
		return pmu_fail(ENOMEM, "no memory for a metric");
	**copy = *b->metric;
	b->by_general = pmu_intel_replace_shares(*copy, b->catalog);
	b->metric = *copy;
	return 0;
}

int pmu_intel_metric_group(const struct pmu_intel_metric *metric, uint8_t core_type,
			   struct pmu_catalog *catalog, struct pmu_group *group)
{
	struct build *b = calloc(1, sizeof(*b));
	struct pmu_intel_metric *copy = NULL;
	int rc = 0;

	if (!b)
		return pmu_fail(ENOMEM, "no memory for a metric");
	b->metric = metric;
	b->core_type = core_type;
	b->catalog = catalog;
	b->group = group;
	if (pmu_intel_has_shares(metric))
		rc = without_shares(b, &copy);
	if (!rc)
		rc = build_metric_group(b);
	if (!rc && b->by_general)
		snprintf(group->note, sizeof(group->note), "%s: %s", group->name,
			 PMU_INTEL_BY_GENERAL);
	free(copy);
	free(b);
	return rc;
}
