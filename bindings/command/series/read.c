/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a series that was written as JSON (the schema stands in json.c). */
#include "bindings/command/series/read.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bindings/command/json/reader.h"
#include "bindings/command/series/parts.h"
#include "report/encode.h"

#define SCHEMA 1

/* What is being read. */
struct reading {
	struct pmu_json_reader json; /* its errors; it has no model */
	struct pmu_series *series;
	size_t n_runs;
};

bool pmu_series_is(const struct pmu_value *root)
{
	return pmu_value_member(root, "pmu_series");
}

/* --- texts --- */

static const char *keep_text_copy(struct reading *r, const char *text)
{
	char *copy = strdup(text);
	const char *kept;

	if (!copy) {
		pmu_json_no_memory(&r->json);
		return "";
	}
	pmu_decode(copy);
	kept = pmu_series_keep(r->series, copy);
	free(copy);
	return kept;
}

static const char *read_member_text(struct reading *r, const struct pmu_value *object,
				    const char *name)
{
	const struct pmu_value *member = pmu_json_get(&r->json, object, name);

	if (pmu_value_is(member, PMU_VALUE_TEXT))
		return keep_text_copy(r, pmu_value_text(member));
	pmu_json_complain(&r->json, "\"%s\" is not a text", name);
	return "";
}

/* --- the head --- */

static void read_differs(struct reading *r, const struct pmu_value *root)
{
	const struct pmu_value *list = pmu_json_list(&r->json, root, "differs");

	for (size_t i = 0; i < pmu_value_size(list); i++) {
		const char *name = pmu_value_text(pmu_value_at(list, i));

		for (int t = 0; name && t < PMU_SERIES_TEXTS; t++)
			if (!strcmp(name, pmu_series_text_name((enum pmu_series_text)t)))
				r->series->differs |= 1u << t;
	}
}

static void read_refused(struct reading *r, const struct pmu_value *root)
{
	const struct pmu_value *list = pmu_json_list(&r->json, root, "refused");
	size_t n = pmu_value_size(list);
	struct pmu_model_refusal *refusal = pmu_block_array(&r->series->blocks, n + 1,
							    sizeof(*refusal));

	if (!refusal) {
		pmu_json_no_memory(&r->json);
		return;
	}
	r->series->refusal = refusal;
	for (size_t i = 0; i < n && !r->json.rc; i++) {
		const struct pmu_value *item = pmu_json_element(&r->json, list, i, "refused");

		refusal[i].source = read_member_text(r, item, "source");
		refusal[i].why = read_member_text(r, item, "why");
		refusal[i].mend = read_member_text(r, item, "mend");
		r->series->n_refusals = (unsigned int)i + 1;
	}
}

static enum pmu_noise_severity severity(struct reading *r, const struct pmu_value *item)
{
	const char *word = read_member_text(r, item, "severity");

	for (int s = PMU_NOISE_QUIET; s <= PMU_NOISE_DISTURBS; s++)
		if (!strcmp(word, pmu_noise_severity_name((enum pmu_noise_severity)s)))
			return (enum pmu_noise_severity)s;
	pmu_json_complain(&r->json, "\"severity\" is none");
	return PMU_NOISE_QUIET;
}

static void read_noise(struct reading *r, const struct pmu_value *root)
{
	const struct pmu_value *list = pmu_json_list(&r->json, root, "noise");
	struct pmu_noise_findings *noise = &r->series->noise;

	if (pmu_value_size(list) > PMU_NOISE_FINDINGS)
		pmu_json_complain(&r->json, "\"noise\" has more than %d", PMU_NOISE_FINDINGS);
	for (size_t i = 0; i < pmu_value_size(list) && !r->json.rc; i++) {
		const struct pmu_value *item = pmu_json_element(&r->json, list, i, "noise");
		const char *mend = read_member_text(r, item, "mend");
		struct pmu_noise_finding *finding = &noise->finding[noise->n++];

		finding->severity = severity(r, item);
		finding->name = read_member_text(r, item, "name");
		finding->text = strdup(read_member_text(r, item, "text"));
		finding->mend = mend[0] ? strdup(mend) : NULL;
		if (!finding->text || (mend[0] && !finding->mend))
			pmu_json_no_memory(&r->json);
	}
}

static void read_remarks(struct reading *r, const struct pmu_value *root, const char *name,
			 bool doubts)
{
	const struct pmu_value *list = pmu_json_list(&r->json, root, name);

	for (size_t i = 0; i < pmu_value_size(list) && !r->json.rc; i++) {
		const struct pmu_value *item = pmu_json_element(&r->json, list, i, name);
		const char *words = read_member_text(r, item, "text");
		const char *region = doubts ? read_member_text(r, item, "region") : "";
		unsigned int runs = (unsigned int)pmu_json_int(&r->json, item, "runs",
							       (int64_t)r->n_runs);

		if (!r->json.rc && pmu_series_remark(r->series, words, region, doubts, runs))
			pmu_json_no_memory(&r->json);
	}
	r->json.where[0] = '\0';
}

static void read_series_head(struct reading *r, const struct pmu_value *root)
{
	for (int i = 0; i < PMU_SERIES_TEXTS; i++)
		r->series->text[i] = read_member_text(
			r, root, pmu_series_text_name((enum pmu_series_text)i));
	read_differs(r, root);
	r->series->clock_hz = pmu_json_double(&r->json, root, "clock_hz");
	r->series->n_warmup = (unsigned int)pmu_json_int(&r->json, root, "warmup",
							 PMU_SERIES_MAX_RUNS);
	r->series->settings = read_member_text(r, root, "settings");
	read_refused(r, root);
	read_noise(r, root);
	r->json.where[0] = '\0';
}

/* --- runs --- */

static void read_end(struct reading *r, const struct pmu_value *item, struct pmu_series_run *run)
{
	const struct pmu_value *end;

	if (pmu_json_is_null(item, "end"))
		return;
	end = pmu_json_object(&r->json, item, "end");
	run->has_end = true;
	pmu_json_read_end(&r->json, end, &run->end);
}

static void read_runs(struct reading *r, const struct pmu_value *root)
{
	const struct pmu_value *list = pmu_json_list(&r->json, root, "runs");

	r->n_runs = pmu_value_size(list);
	if (!r->n_runs)
		pmu_json_complain(&r->json, "\"runs\" is empty");
	for (size_t i = 0; i < r->n_runs && !r->json.rc; i++) {
		const struct pmu_value *item = pmu_json_element(&r->json, list, i, "runs");
		int rc = pmu_series_new_run(r->series);

		if (rc) {
			r->json.rc = rc;
			return;
		}
		r->series->run[i].start_unix_ns = pmu_json_u64(&r->json, item, "start_unix_ns");
		r->series->run[i].duration_ns = pmu_json_u64(&r->json, item, "duration_ns");
		read_end(r, item, &r->series->run[i]);
	}
	r->json.where[0] = '\0';
}

/* --- groups --- */

static void read_measures(struct reading *r, const struct pmu_value *item,
			  struct pmu_series_group *group)
{
	const struct pmu_value *list = pmu_json_list(&r->json, item, "measures");
	size_t n = pmu_value_size(list);

	for (size_t i = 0; i < n && !r->json.rc; i++) {
		const struct pmu_value *measure = pmu_json_element(&r->json, list, i, "measures");
		const char *kind = read_member_text(r, measure, "kind");
		unsigned int k = 0;
		int at;

		while (k <= PMU_SERIES_METRIC &&
		       strcmp(pmu_series_kind_name((enum pmu_series_kind)k), kind) != 0)
			k++;
		if (k > PMU_SERIES_METRIC) {
			pmu_json_complain(&r->json, "\"kind\" is none");
			return;
		}
		at = pmu_series_measure(r->series, group, read_member_text(r, measure, "name"),
					read_member_text(r, measure, "unit"),
					(enum pmu_series_kind)k);
		if (at < 0)
			pmu_json_no_memory(&r->json);
		else if ((size_t)at != i || (k < 2) != (i < 2))
			pmu_json_complain(&r->json,
					  "it is there twice, or calls and time are not first");
	}
	if (n < 2)
		pmu_json_complain(&r->json, "\"measures\" has no calls and time");
}

static bool is_true(const struct pmu_value *object, const char *name)
{
	return pmu_value_is(pmu_value_member(object, name), PMU_VALUE_TRUE);
}

static void read_series_region(struct reading *r, const struct pmu_value *item,
			       struct pmu_series_group *group)
{
	bool is_flat = is_true(item, "flat");
	unsigned int n = group->n_regions;
	int parent = -1;

	if (!pmu_json_is_null(item, "parent")) {
		parent = pmu_series_find(group, read_member_text(r, item, "parent"), false);
		if (parent < 0)
			pmu_json_complain(&r->json, "\"parent\" does not stand before it");
	}
	if (r->json.rc)
		return;
	if (pmu_series_region(r->series, group, read_member_text(r, item, "path"), is_flat,
			      read_member_text(r, item, "name"), parent) < 0)
		pmu_json_no_memory(&r->json);
	else if (group->n_regions == n)
		pmu_json_complain(&r->json, "its path is another one's, too");
}

/* The runs of a measure; NULL after a complaint. */
static const struct pmu_value *runs_of_share(struct reading *r, const struct pmu_value *share)
{
	const struct pmu_value *runs = pmu_json_list(&r->json, share, "runs");

	if (pmu_value_size(runs) != r->n_runs)
		pmu_json_complain(&r->json, "\"runs\" are %zu and not %zu", pmu_value_size(runs),
				  r->n_runs);
	return r->json.rc ? NULL : runs;
}

/* What is allocated for them is no more than a few times as much as the text is. */
static void check_sizes(struct reading *r, const struct pmu_value *regions, unsigned int n_measures)
{
	for (size_t i = 0; i < pmu_value_size(regions) && !r->json.rc; i++) {
		const struct pmu_value *item = pmu_json_element(&r->json, regions, i, "regions");
		const struct pmu_value *values = pmu_json_list(&r->json, item, "values");

		if (pmu_value_size(values) != n_measures)
			pmu_json_complain(&r->json, "\"values\" are not one for each measure");
		for (size_t m = 0; m < pmu_value_size(values) && !r->json.rc; m++)
			runs_of_share(r, pmu_value_at(values, m));
	}
}

static uint64_t bits_of_value(struct reading *r, const struct pmu_value *value, bool is_metric)
{
	double number = pmu_value_number(value);
	uint64_t bits;

	if (pmu_value_is(value, PMU_VALUE_NULL))
		return PMU_SERIES_MISSING;
	memcpy(&bits, &number, sizeof(bits));
	if (is_metric && isfinite(number) &&
	    (pmu_value_is(value, PMU_VALUE_REAL) || pmu_value_is(value, PMU_VALUE_INTEGER)))
		return bits;
	if (!is_metric && pmu_value_is(value, PMU_VALUE_INTEGER) && pmu_value_integer(value) >= 0)
		return (uint64_t)pmu_value_integer(value);
	pmu_json_complain(&r->json, "\"runs\" has something else than counts and null");
	return PMU_SERIES_MISSING;
}

static void read_share(struct reading *r, const struct pmu_value *share,
		       const struct pmu_series_group *group, unsigned int region,
		       unsigned int measure, enum pmu_series_share which)
{
	const struct pmu_value *runs = runs_of_share(r, share);
	bool is_metric = group->measure[measure].kind == PMU_SERIES_METRIC;

	for (size_t run = 0; runs && run < r->n_runs; run++)
		pmu_series_at(&group->values[run], region, measure)[which] = bits_of_value(
			r, pmu_value_at(runs, run), is_metric);
}

static void read_region_values(struct reading *r, const struct pmu_value *regions,
			       const struct pmu_series_group *group)
{
	for (size_t run = 0; run < r->n_runs && !r->json.rc; run++)
		r->json.rc = pmu_series_values(group, &group->values[run]);
	for (unsigned int i = 0; i < group->n_regions && !r->json.rc; i++) {
		const struct pmu_value *item = pmu_json_element(&r->json, regions, i, "regions");
		const struct pmu_value *values = pmu_value_member(item, "values");

		for (unsigned int m = 0; m < group->n_measures; m++) {
			const struct pmu_value *value = pmu_value_at(values, m);
			const struct pmu_value *own = pmu_value_member(value, "self");

			read_share(r, value, group, i, m, PMU_SERIES_ALL);
			if (own)
				read_share(r, own, group, i, m, PMU_SERIES_OWN);
		}
	}
}

static void read_group(struct reading *r, const struct pmu_value *item)
{
	const char *name = read_member_text(r, item, "name");
	unsigned int n = r->series->n_groups;
	struct pmu_series_group *group = r->json.rc ? NULL : pmu_series_group(r->series, name);
	const struct pmu_value *regions;

	if (!group) {
		pmu_json_no_memory(&r->json);
		return;
	}
	if (r->series->n_groups == n)
		pmu_json_complain(&r->json, "group %s is there twice", name);
	read_measures(r, item, group);
	regions = pmu_json_list(&r->json, item, "regions");
	check_sizes(r, regions, group->n_measures);
	for (size_t i = 0; i < pmu_value_size(regions) && !r->json.rc; i++)
		read_series_region(r, pmu_json_element(&r->json, regions, i, "regions"), group);
	if (!r->json.rc)
		read_region_values(r, regions, group);
}

/* --- all of it --- */

static void check_series_schema(struct reading *r, const struct pmu_value *root)
{
	const struct pmu_value *schema = pmu_value_member(root, "pmu_series");

	if (!pmu_value_is(schema, PMU_VALUE_INTEGER) || pmu_value_integer(schema) < 1)
		pmu_json_complain(&r->json, "\"pmu_series\" is missing");
	else if (pmu_value_integer(schema) > SCHEMA)
		r->json.rc = pmu_fail(ENOTSUP,
				      "the report of repeated runs has schema %" PRId64
				      " and this version reads up to %d; use a newer pmu command",
				      pmu_value_integer(schema), SCHEMA);
}

int pmu_series_read(const struct pmu_value *root, struct pmu_series *series)
{
	struct reading r = { .series = series };
	const struct pmu_value *groups;

	check_series_schema(&r, root);
	if (r.json.rc)
		return r.json.rc;
	read_runs(&r, root);
	if (!r.json.rc)
		read_series_head(&r, root);
	if (!r.json.rc) {
		read_remarks(&r, root, "notes", false);
		read_remarks(&r, root, "doubts", true);
	}
	groups = pmu_json_list(&r.json, root, "groups");
	for (size_t i = 0; i < pmu_value_size(groups) && !r.json.rc; i++)
		read_group(&r, pmu_json_element(&r.json, groups, i, "groups"));
	if (!r.json.rc && pmu_series_finish(series))
		pmu_json_no_memory(&r.json);
	if (r.json.rc)
		pmu_series_free(series);
	return r.json.rc;
}
