/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads Intel's metric files. */
#include <errno.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "names/json.h"
#include "names/vendor/metric_parts.h"

static bool is_key(const struct pmu_json *json, const char *key)
{
	return json->key && json->key_len == strlen(key) && !memcmp(json->key, key, json->key_len);
}

static void skip_value(struct pmu_json *json, enum pmu_json_kind kind)
{
	if (kind == PMU_JSON_OBJECT || kind == PMU_JSON_ARRAY)
		pmu_json_skip(json);
}

/* Where a text has its place, and what to say where it is too long for it; NULL: it may be cut. */
struct place {
	const char *key;
	size_t offset, size;
	const char *too_long;
};

#define PLACE(of, key, member, too_long)                                                        \
	{                                                                                       \
		key, offsetof(struct of, member), sizeof(((struct of *)NULL)->member), too_long \
	}

/* false: no place for it */
static bool take_member_text(const struct pmu_json *json, const struct place *place, size_t n,
			     void *into, const char **why)
{
	for (size_t i = 0; i < n; i++) {
		if (!is_key(json, place[i].key))
			continue;
		if (!pmu_json_string(json, (char *)into + place[i].offset, place[i].size) &&
		    place[i].too_long && !*why)
			*why = place[i].too_long;
		return true;
	}
	return false;
}

static void read_named(struct pmu_json *json, struct pmu_intel_named *named, const char **why)
{
	static const struct place places[] = {
		PLACE(pmu_intel_named, "Name", name, "the name of one of its events is too long"),
		PLACE(pmu_intel_named, "Alias", alias, "an alias in it is too long"),
	};
	enum pmu_json_kind kind;

	memset(named, 0, sizeof(*named));
	while ((kind = pmu_json_next(json)) != PMU_JSON_OBJECT_END && kind != PMU_JSON_END) {
		if (kind == PMU_JSON_STRING)
			take_member_text(json, places, PMU_ARRAY_LEN(places), named, why);
		else
			skip_value(json, kind);
	}
}

/* "Events": [{"Name": ..., "Alias": ...}, ...] */
static void read_list(struct pmu_json *json, struct pmu_intel_named *list, size_t room,
		      unsigned int *n, const char **why)
{
	struct pmu_intel_named beyond;
	enum pmu_json_kind kind;

	while ((kind = pmu_json_next(json)) != PMU_JSON_ARRAY_END && kind != PMU_JSON_END) {
		if (kind != PMU_JSON_OBJECT) {
			skip_value(json, kind);
			continue;
		}
		if (*n == room && !*why)
			*why = "it has more events or constants than could be counted at once";
		read_named(json, *n < room ? &list[*n] : &beyond, why);
		*n += *n < room;
	}
}

static void read_intel_metric(struct pmu_json *json, struct pmu_intel_metric *metric)
{
	static const struct place places[] = {
		PLACE(pmu_intel_metric, "MetricName", name, "its name is too long"),
		PLACE(pmu_intel_metric, "LegacyName", legacy, NULL),
		PLACE(pmu_intel_metric, "BriefDescription", about, NULL),
		PLACE(pmu_intel_metric, "UnitOfMeasure", unit, NULL),
		PLACE(pmu_intel_metric, "CountDomain", domain, NULL),
		PLACE(pmu_intel_metric, "Formula", formula, "its formula is too long"),
	};
	enum pmu_json_kind kind;

	memset(metric, 0, sizeof(*metric));
	while ((kind = pmu_json_next(json)) != PMU_JSON_OBJECT_END && kind != PMU_JSON_END) {
		if (is_key(json, "BaseFormula"))
			metric->top_down = true;
		if (kind == PMU_JSON_STRING)
			take_member_text(json, places, PMU_ARRAY_LEN(places), metric,
					 &metric->why_not);
		else if (kind == PMU_JSON_ARRAY && is_key(json, "Events"))
			read_list(json, metric->event, PMU_ARRAY_LEN(metric->event),
				  &metric->n_events, &metric->why_not);
		else if (kind == PMU_JSON_ARRAY && is_key(json, "Constants"))
			read_list(json, metric->constant, PMU_ARRAY_LEN(metric->constant),
				  &metric->n_constants, &metric->why_not);
		else
			skip_value(json, kind);
	}
}

static int read_metrics(struct pmu_json *json, struct pmu_intel_metric *room,
			int (*each)(void *arg, struct pmu_intel_metric *metric), void *arg)
{
	enum pmu_json_kind kind;
	int rc = 0;

	while (!rc && (kind = pmu_json_next(json)) != PMU_JSON_ARRAY_END && kind != PMU_JSON_END) {
		if (kind != PMU_JSON_OBJECT) {
			skip_value(json, kind);
			continue;
		}
		read_intel_metric(json, room);
		/* of one that ends in the middle the rest is not known */
		if (!json->error && room->name[0])
			rc = each(arg, room);
	}
	return rc;
}

int pmu_intel_metrics_read(const char *name, const char *text, size_t len,
			   struct pmu_intel_metric *room,
			   int (*metric)(void *arg, struct pmu_intel_metric *metric), void *arg)
{
	enum pmu_json_kind kind;
	struct pmu_json json;
	bool found = false;
	int rc = 0;

	pmu_json_start(&json, text, len);
	if (pmu_json_next(&json) != PMU_JSON_OBJECT && !json.error)
		return pmu_fail(EINVAL, "%s: no file of metrics", name);
	while (!rc && (kind = pmu_json_next(&json)) != PMU_JSON_END) {
		if (kind == PMU_JSON_ARRAY && is_key(&json, "Metrics")) {
			found = true;
			rc = read_metrics(&json, room, metric, arg);
		} else {
			skip_value(&json, kind);
		}
	}
	if (!rc && json.error)
		return pmu_fail(EINVAL, "%s:%u: %s", name, pmu_json_line(&json), json.error);
	if (!rc && !found)
		return pmu_fail(EINVAL, "%s: no \"Metrics\" in it", name);
	return rc;
}
