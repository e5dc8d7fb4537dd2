/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The regions of a report for its page: by columns, because a browser has to read all of them before it
 * shows any, and of 10,000 regions on 16 threads the JSON report is eight times as long.
 *
 *   sections      [{group, rows, threads, over}]: one for each of "groups"
 *     rows        the sums, in tree order: [n] each of name, path, parent (an index, null),
 *                 n_threads, calls, all_calls (null: as calls), time_ns, self_ns, self_cpu_ns, own_ns,
 *                 min_ns, max_ns,
 *                 sd_ns, share, open, flags; net, self: [count][n]; metrics: [metric][n]; and where there are
 *                 any: percentiles [4][n], histogram [n] of [[ns, calls]], least [count][n],
 *                 estimates [n] of [[value, margin]] for each count, samples [n]
 *     team        only with teams: [n] of null or {others, time_ns, n_threads, imbalance, efficiency,
 *                 share, net, metrics}
 *     threads     what threads and sockets have of these: start: those of sum i are start[i] to
 *                 start[i + 1] - 1; thread: index into the threads, and behind these the sockets;
 *                 calls, time_ns, self_ns, flags, net, metrics (to six digits)
 *     over        how regions are spread over processes: [{row, over_parts, over_ranks}]
 *
 * Everything else is as in the JSON report (lib/report/json.c), which also tells what the names mean.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bindings/command/page/data.h"
#include "report/json.h"
#include "report/json_put.h"
#include "report/model/histogram.h"
#include "report/model/rows.h"
#include "report/model/samples.h"
#include "report/several.h"

/* Some rows of a section, in any order. */
struct rows {
	struct pmu_strbuf *out;
	const struct pmu_model_section *section;
	const struct pmu_model_row *row;
	const unsigned int *order; /* [n] indexes of them; NULL: as they stand */
	unsigned int n;
};

static const struct pmu_model_row *row_at(const struct rows *rows, unsigned int i)
{
	return &rows->row[rows->order ? rows->order[i] : i];
}

static void put_number_or_null(struct pmu_strbuf *out, double value)
{
	if (pmu_encode_double(out, value) < 0)
		pmu_strbuf_add(out, "null");
}

static void put_count(struct pmu_strbuf *out, bool known, uint64_t value)
{
	if (known)
		pmu_encode_u64(out, value);
	else
		pmu_strbuf_add(out, "null");
}

/* --- columns that a row has once --- */

typedef void put_cell(struct pmu_strbuf *out, const struct pmu_model_row *row);

static void put_row_name(struct pmu_strbuf *out, const struct pmu_model_row *row)
{
	pmu_encode_json(out, row->name);
}

static void put_row_path(struct pmu_strbuf *out, const struct pmu_model_row *row)
{
	pmu_encode_json(out, row->path);
}

static void put_parent(struct pmu_strbuf *out, const struct pmu_model_row *row)
{
	put_count(out, row->parent >= 0, (uint64_t)row->parent);
}

static void put_flags(struct pmu_strbuf *out, const struct pmu_model_row *row)
{
	pmu_json_flags(out, row->flags);
}

static void put_histogram(struct pmu_strbuf *out, const struct pmu_model_row *row)
{
	if (row->histogram)
		pmu_json_histogram(out, row);
	else
		pmu_strbuf_add(out, "null");
}

static void put_column(const struct rows *rows, const char *name, put_cell *put)
{
	key(rows->out, ",\n    ", name);
	pmu_strbuf_add(rows->out, "[");
	for (unsigned int i = 0; i < rows->n; i++) {
		if (i)
			pmu_strbuf_add_n(rows->out, ",", 1);
		put(rows->out, row_at(rows, i));
	}
	pmu_strbuf_add(rows->out, "]");
}

typedef void put_nth(struct pmu_strbuf *out, const struct pmu_model_row *row, unsigned int i);

static void put_nth_column(const struct rows *rows, unsigned int k, put_nth *put)
{
	pmu_strbuf_add(rows->out, "[");
	for (unsigned int i = 0; i < rows->n; i++) {
		if (i)
			pmu_strbuf_add_n(rows->out, ",", 1);
		put(rows->out, row_at(rows, i), k);
	}
	pmu_strbuf_add(rows->out, "]");
}

static void put_field(struct pmu_strbuf *out, const struct pmu_model_row *row, unsigned int i)
{
	struct pmu_number number = pmu_field_get(&pmu_fields[i], row);

	if (number.is_double)
		put_number_or_null(out, number.real);
	else
		put_count(out, number.is_known, number.integer);
}

/* @of: enum pmu_field_of: the numbers that are of that kind, then flags */
static void put_numbers(const struct rows *rows, unsigned int of)
{
	for (size_t k = 0; k < pmu_n_fields; k++) {
		const struct pmu_field *field = &pmu_fields[k];

		if (!(field->of & of))
			continue;
		key(rows->out, ",\n    ", field->column ? field->column : field->key);
		put_nth_column(rows, (unsigned int)k, put_field);
	}
	put_column(rows, "flags", put_flags);
}

/* --- columns of which there is one for each count or metric --- */

static void put_net(struct pmu_strbuf *out, const struct pmu_model_row *row, unsigned int i)
{
	put_count(out, !(row->missing >> i & 1), row->net[i]);
}

static void put_self_count(struct pmu_strbuf *out, const struct pmu_model_row *row, unsigned int i)
{
	put_count(out, !((row->missing | row->self_missing) >> i & 1), row->self[i]);
}

static void put_least(struct pmu_strbuf *out, const struct pmu_model_row *row, unsigned int i)
{
	bool known = row->least && row->least->known >> i & 1;

	put_count(out, known, known ? row->least->count[i] : 0);
}

static void put_metric(struct pmu_strbuf *out, const struct pmu_model_row *row, unsigned int i)
{
	put_number_or_null(out, row->metric ? row->metric[i] : NAN);
}

/* Six digits are enough, as there are very many of them. */
static void put_metric_short(struct pmu_strbuf *out, const struct pmu_model_row *row,
			     unsigned int i)
{
	double value = row->metric ? row->metric[i] : NAN;
	char digits[32];

	if (isfinite(value)) {
		snprintf(digits, sizeof(digits), "%.5e", value);
		value = strtod(digits, NULL);
	}
	put_number_or_null(out, value);
}

static void put_percentile(struct pmu_strbuf *out, const struct pmu_model_row *row, unsigned int i)
{
	uint64_t ns = 0;
	bool known = row->histogram && pmu_row_percentile(row, pmu_percentiles[i].per_mille, &ns);

	put_count(out, known, ns);
}

static void put_matrix(const struct rows *rows, const char *name, unsigned int n, put_nth *put)
{
	key(rows->out, ",\n    ", name);
	pmu_strbuf_add(rows->out, "[");
	for (unsigned int k = 0; k < n; k++) {
		pmu_strbuf_add(rows->out, k ? ",\n     " : "");
		put_nth_column(rows, k, put);
	}
	pmu_strbuf_add(rows->out, "]");
}

/* --- what only some reports have --- */

static bool any_row(const struct rows *rows, bool (*has)(const struct pmu_model_row *row))
{
	for (unsigned int i = 0; i < rows->n; i++)
		if (has(row_at(rows, i)))
			return true;
	return false;
}

static bool has_histogram(const struct pmu_model_row *row)
{
	return row->histogram != NULL;
}

static bool has_least(const struct pmu_model_row *row)
{
	return row->least != NULL;
}

static bool has_estimate(const struct pmu_model_row *row)
{
	return row->estimate != NULL;
}

static bool has_samples(const struct pmu_model_row *row)
{
	return row->samples && row->samples->n;
}

static bool has_team(const struct pmu_model_row *row)
{
	return row->team != NULL;
}

static void put_estimate(struct pmu_strbuf *out, const struct pmu_model_estimate *estimate)
{
	pmu_strbuf_add(out, "[");
	put_number_or_null(out, estimate->value);
	pmu_strbuf_add(out, ",");
	put_number_or_null(out, estimate->margin);
	pmu_strbuf_add(out, "]");
}

static void put_page_samples(struct pmu_strbuf *out, const struct pmu_model_row *row)
{
	if (row->samples && row->samples->n)
		pmu_json_samples(out, row->samples, false);
	else
		pmu_strbuf_add(out, "null");
}

/* @n: counts */
static void put_estimates(struct pmu_strbuf *out, const struct pmu_model_row *row, unsigned int n)
{
	pmu_strbuf_add(out, row->estimate ? "[" : "null");
	for (unsigned int k = 0; row->estimate && k < n; k++) {
		pmu_strbuf_add(out, k ? "," : "");
		put_estimate(out, &row->estimate[k]);
	}
	pmu_strbuf_add(out, row->estimate ? "]" : "");
}

static void put_team(const struct rows *rows, const struct pmu_model_team *team)
{
	struct pmu_strbuf *out = rows->out;

	put_bool(out, "{", "others", team->has_others);
	put_known(out, ",", "time_ns", team->time_known && pmu_model_is_timed(&team->all),
		  team->all.time_ns);
	put_known(out, ",", "n_threads", team->n_threads, team->n_threads);
	put_double(out, ",", "imbalance", team->imbalance);
	put_double(out, ",", "efficiency", team->efficiency);
	put_double(out, ",", "share", team->all.share);
	key(out, ",", "net");
	pmu_strbuf_add(out, "[");
	for (unsigned int k = 0; k < rows->section->n_counts; k++) {
		pmu_strbuf_add(out, k ? "," : "");
		put_count(out, !(team->all.missing >> k & 1), team->all.net[k]);
	}
	key(out, "],", "metrics");
	pmu_strbuf_add(out, "[");
	for (unsigned int k = 0; k < rows->section->n_metrics; k++) {
		pmu_strbuf_add(out, k ? "," : "");
		put_number_or_null(out, team->all.metric ? team->all.metric[k] : NAN);
	}
	pmu_strbuf_add(out, "]}");
}

static void put_teams(const struct rows *rows)
{
	key(rows->out, ",\n    ", "team");
	for (unsigned int i = 0; i < rows->n; i++) {
		pmu_strbuf_add(rows->out, i ? "," : "[");
		if (row_at(rows, i)->team)
			put_team(rows, row_at(rows, i)->team);
		else
			pmu_strbuf_add(rows->out, "null");
	}
	pmu_strbuf_add(rows->out, "]");
}

/* --- a section --- */

static void put_sums(const struct rows *rows)
{
	const struct pmu_model_section *s = rows->section;

	put_u64(rows->out, ",\n   \"rows\": {", "n", rows->n);
	put_column(rows, "name", put_row_name);
	put_column(rows, "path", put_row_path);
	put_column(rows, "parent", put_parent);
	put_numbers(rows, PMU_OF_PAGE);
	put_matrix(rows, "net", s->n_counts, put_net);
	put_matrix(rows, "self", s->n_counts, put_self_count);
	put_matrix(rows, "metrics", s->n_metrics, put_metric);
	if (any_row(rows, has_histogram)) {
		put_matrix(rows, "percentiles", PMU_PERCENTILES, put_percentile);
		put_column(rows, "histogram", put_histogram);
	}
	if (any_row(rows, has_least))
		put_matrix(rows, "least", s->n_counts, put_least);
	if (any_row(rows, has_estimate)) {
		key(rows->out, ",\n    ", "estimates");
		put_nth_column(rows, s->n_counts, put_estimates);
	}
	if (any_row(rows, has_samples))
		put_column(rows, "samples", put_page_samples);
	if (any_row(rows, has_team))
		put_teams(rows);
	pmu_strbuf_add(rows->out, "}");
}

static void put_indexes(struct pmu_strbuf *out, const char *before, const char *name,
			const unsigned int *index, unsigned int n)
{
	key(out, before, name);
	pmu_strbuf_add(out, "[");
	for (unsigned int i = 0; i < n; i++) {
		if (i)
			pmu_strbuf_add_n(out, ",", 1);
		pmu_encode_u64(out, index[i]);
	}
	pmu_strbuf_add(out, "]");
}

static void put_row_thread(struct pmu_strbuf *out, const struct pmu_model_row *row)
{
	put_count(out, row->thread >= 0, (uint64_t)row->thread);
}

static void put_thread_rows(struct pmu_strbuf *out, const struct pmu_model_section *s)
{
	struct pmu_rows_by_sum index;
	struct rows rows = { .out = out, .section = s, .row = s->thread_row };

	if (pmu_rows_by_sum(&index, s) < 0) {
		out->failed = 1;
		return;
	}
	rows.order = index.row;
	rows.n = index.start[s->n_rows];
	put_indexes(out, ",\n   \"threads\": {", "start", index.start, s->n_rows + 1);
	put_column(&rows, "thread", put_row_thread);
	put_numbers(&rows, PMU_OF_PAGE_ROWS);
	put_matrix(&rows, "net", s->n_counts, put_net);
	put_matrix(&rows, "metrics", s->n_metrics, put_metric_short);
	pmu_strbuf_add(out, "}");
	pmu_rows_by_sum_free(&index);
}

static void put_over(struct pmu_strbuf *out, const struct pmu_model *model,
		     const struct pmu_model_section *s)
{
	struct pmu_several_rows *parts = NULL;

	out->failed |= model->several && model->several->open(&parts, model, s) < 0;
	if (!parts)
		return;
	key(out, ",\n   ", "over");
	pmu_strbuf_add(out, "[");
	for (unsigned int i = 0; i < s->n_rows && !out->failed; i++) {
		put_u64(out, i ? ",\n    {" : "\n    {", "row", i);
		model->several->put_json(out, parts, i);
		pmu_strbuf_add(out, "}");
	}
	pmu_strbuf_add(out, "]");
	model->several->close(parts);
}

void pmu_page_sections(struct pmu_strbuf *out, const struct pmu_model *model)
{
	key(out, ",\n ", "sections");
	pmu_strbuf_add(out, "[");
	for (unsigned int i = 0; i < model->n_sections; i++) {
		const struct pmu_model_section *s = &model->section[i];
		const struct rows rows = {
			.out = out, .section = s, .row = s->row, .n = s->n_rows
		};

		put_text(out, i ? ",\n  {" : "\n  {", "group", s->group);
		put_sums(&rows);
		put_thread_rows(out, s);
		put_over(out, model, s);
		pmu_strbuf_add(out, "}");
	}
	pmu_strbuf_add(out, "]");
}
