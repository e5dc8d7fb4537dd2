/* SPDX-License-Identifier: BSD-3-Clause */
/* A report becomes a run of a series. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "bindings/command/series/parts.h"
#include "report/model/finish.h"

/* --- the head --- */

static void add_series_texts(struct pmu_series *series, const struct pmu_model *model)
{
	const char *const text[PMU_SERIES_TEXTS] = {
		[PMU_SERIES_PROGRAM] = model->program,
		[PMU_SERIES_COMMAND] = model->command,
		[PMU_SERIES_HOST] = model->host,
		[PMU_SERIES_MACHINE] = model->machine,
		[PMU_SERIES_CPU] = model->cpu,
		[PMU_SERIES_SOURCE] = model->source,
		[PMU_SERIES_SOURCE_DETAIL] = model->source_detail,
		[PMU_SERIES_CLOCK] = model->clock,
		[PMU_SERIES_PINNING] = model->pinning,
		[PMU_SERIES_VERSION] = model->version,
	};

	for (int i = 0; i < PMU_SERIES_TEXTS; i++) {
		const char *now = text[i] ? text[i] : "";

		if (series->n_runs == 1)
			series->text[i] = pmu_series_keep(series, now);
		else if (strcmp(series->text[i], now) != 0)
			series->differs |= 1u << i;
	}
	if (series->n_runs == 1)
		series->clock_hz = model->clock_hz;
}

static int add_refusals(struct pmu_series *series, const struct pmu_model *model)
{
	if (!model->n_refusals)
		return 0;
	series->refusal = pmu_block_array(&series->blocks, model->n_refusals,
					  sizeof(*series->refusal));
	if (!series->refusal)
		return -ENOMEM;
	for (unsigned int i = 0; i < model->n_refusals; i++)
		series->refusal[i] = (struct pmu_model_refusal){
			.source = pmu_series_keep(series, model->refusal[i].source),
			.why = pmu_series_keep(series, model->refusal[i].why),
			.mend = pmu_series_keep(series, model->refusal[i].mend),
		};
	series->n_refusals = model->n_refusals;
	return 0;
}

static int add_model_remarks(struct pmu_series *series, const struct pmu_model *model)
{
	int rc = model->died ? pmu_series_remark(series, model->died, "", true, 1) : 0;

	for (unsigned int i = 0; !rc && i < model->n_notes; i++)
		rc = pmu_series_remark(series, model->note[i], "", false, 1);
	for (unsigned int i = 0; !rc && i < model->n_doubts; i++)
		rc = pmu_series_remark(series, model->doubt[i].text, model->doubt[i].region, true,
				       1);
	return rc;
}

/* --- values --- */

/* Where a section's columns and rows are in the group. */
struct places {
	struct pmu_series_group *group;
	const struct pmu_model_section *section;
	const char *program;
	struct pmu_series_values *values;
	unsigned int *count, *metric, *region;
};

static bool time_known(const struct pmu_model_row *row)
{
	return row->team ? row->team->time_known : pmu_model_time_known(row);
}

static uint64_t time_of_row(const struct pmu_model_row *row)
{
	return row->team ? row->team->all.time_ns : row->time_ns;
}

static bool count_known(const struct pmu_model_row *row, unsigned int i)
{
	uint32_t missing = row->team ? row->team->all.missing : row->missing;

	return time_known(row) && !(missing >> i & 1);
}

static uint64_t count_of(const struct pmu_model_row *row, unsigned int i)
{
	return row->team ? row->team->all.net[i] : row->net[i];
}

static void put_all(uint64_t *place, bool known, uint64_t value)
{
	place[PMU_SERIES_ALL] = known ? value : PMU_SERIES_MISSING;
}

static void put_row_values(const struct places *places, unsigned int r)
{
	const struct pmu_model_section *section = places->section;
	const struct pmu_model_row *row = &section->row[r];
	const double *metric = row->team ? row->team->all.metric : row->metric;
	unsigned int region = places->region[r];
	bool has_self = !row->team && pmu_model_self_known(row);
	uint64_t *at;

	put_all(pmu_series_at(places->values, region, 0), true, row->calls);
	at = pmu_series_at(places->values, region, 1);
	put_all(at, time_known(row) && pmu_model_is_timed(row), time_of_row(row));
	if (has_self && pmu_model_is_timed(row))
		at[PMU_SERIES_OWN] = row->self_ns;
	for (unsigned int i = 0; i < section->n_counts; i++) {
		at = pmu_series_at(places->values, region, places->count[i]);
		put_all(at, count_known(row, i), count_of(row, i));
		if (has_self && !(row->self_missing >> i & 1))
			at[PMU_SERIES_OWN] = row->self[i];
	}
	for (unsigned int i = 0; i < section->n_metrics; i++) {
		at = pmu_series_at(places->values, region, places->metric[i]);
		if (!isnan(metric[i]))
			memcpy(at, &metric[i], sizeof(*at));
	}
}

/* Takes what a nested region has off what is left of the one around it. */
static void take_nested(const struct places *places, unsigned int outer, unsigned int nested,
			unsigned int measure)
{
	uint64_t *own = &pmu_series_at(places->values, outer, measure)[PMU_SERIES_OWN];
	uint64_t whole = pmu_series_at(places->values, nested, measure)[PMU_SERIES_ALL];

	if (*own == PMU_SERIES_MISSING || whole == PMU_SERIES_MISSING || whole > *own)
		*own = PMU_SERIES_MISSING;
	else
		*own -= whole;
}

/*
 * Where threads worked for others' regions, a region's own work is the whole of it less the whole of
 * what is nested in it.  Once something of that is not known, nor is it.
 */
static void put_own_of_team(const struct places *places, unsigned int measure)
{
	const struct pmu_model_row *row = places->section->row;
	unsigned int n = places->section->n_rows;

	for (unsigned int r = 0; r < n; r++) {
		uint64_t *at = pmu_series_at(places->values, places->region[r], measure);

		if (row[r].team && pmu_model_self_known(&row[r]))
			at[PMU_SERIES_OWN] = at[PMU_SERIES_ALL];
	}
	for (unsigned int r = 0; r < n; r++)
		if (row[r].parent >= 0 && row[row[r].parent].team)
			take_nested(places, places->region[row[r].parent], places->region[r],
				    measure);
}

static int find_columns(struct pmu_series *series, struct places *places)
{
	const struct pmu_model_section *section = places->section;
	int at = 0;

	for (unsigned int i = 0; at >= 0 && i < section->n_counts; i++) {
		at = pmu_series_measure(series, places->group, section->count[i].name,
					section->count[i].unit, PMU_SERIES_COUNT);
		places->count[i] = (unsigned int)at;
	}
	for (unsigned int i = 0; at >= 0 && i < section->n_metrics; i++) {
		at = pmu_series_measure(series, places->group, section->metric[i].name,
					section->metric[i].unit, PMU_SERIES_METRIC);
		places->metric[i] = (unsigned int)at;
	}
	return at < 0 ? pmu_fail(ENOMEM, "no memory for the columns of %s", section->group) : 0;
}

static int find_regions(struct pmu_series *series, struct places *places)
{
	const struct pmu_model_section *section = places->section;

	for (unsigned int r = 0; r < section->n_rows; r++) {
		const struct pmu_model_row *row = &section->row[r];
		int parent = row->parent < 0 ? -1 : (int)places->region[row->parent];
		int at = pmu_series_region(series, places->group, row->path,
					   row->flags & PMU_ROW_FLAT, row->name, parent);

		if (at < 0)
			return pmu_fail(ENOMEM, "no memory for %u regions", section->n_rows);
		places->region[r] = (unsigned int)at;
	}
	return 0;
}

static int put_section_values(struct pmu_series *series, struct places *places)
{
	int rc = find_columns(series, places);

	if (!rc)
		rc = find_regions(series, places);
	if (!rc)
		rc = pmu_series_values(places->group, places->values);
	if (rc)
		return rc;
	for (unsigned int r = 0; r < places->section->n_rows; r++)
		put_row_values(places, r);
	for (unsigned int r = 0; !rc && r < places->section->n_rows; r++)
		rc = pmu_series_take_samples(series, places->values, places->region[r],
					     places->section->row[r].samples, places->program);
	if (rc)
		return pmu_fail(ENOMEM, "no memory for the samples of %u regions",
				places->section->n_rows);
	for (unsigned int m = 1; m < places->group->n_measures; m++)
		if (places->group->measure[m].kind != PMU_SERIES_METRIC)
			put_own_of_team(places, m);
	return 0;
}

static int add_series_section(struct pmu_series *series, const struct pmu_model_section *section,
			      const char *program)
{
	size_t n = (size_t)section->n_counts + section->n_metrics + section->n_rows;
	struct places places = {
		.group = pmu_series_group(series, section->group),
		.section = section,
		.program = program ? program : "",
		.count = calloc(n ? n : 1, sizeof(*places.count)),
	};
	int rc;

	if (!places.group || !places.count) {
		rc = pmu_fail(ENOMEM, "no memory for group %s", section->group);
	} else {
		places.metric = places.count + section->n_counts;
		places.region = places.metric + section->n_metrics;
		places.values = &places.group->values[series->n_runs - 1];
		rc = places.values->value ? pmu_fail(EINVAL, "two parts of the report are group %s",
						     section->group)
					  : put_section_values(series, &places);
	}
	free(places.count);
	return rc;
}

int pmu_series_add(struct pmu_series *series, const struct pmu_model *model)
{
	int rc = pmu_series_new_run(series);
	struct pmu_series_run *run;

	if (rc)
		return rc;
	run = &series->run[series->n_runs - 1];
	run->start_unix_ns = model->start_unix_ns;
	run->duration_ns = model->duration_ns;
	run->has_end = model->run != NULL;
	if (model->run)
		run->end = *model->run;
	add_series_texts(series, model);
	rc = add_model_remarks(series, model);
	if (!rc && series->n_runs == 1)
		rc = add_refusals(series, model);
	if (rc)
		return pmu_fail(ENOMEM, "no memory for a run's notes");
	for (unsigned int i = 0; !rc && i < model->n_sections; i++)
		rc = add_series_section(series, &model->section[i], model->program);
	return rc;
}
