/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The report as CSV: one header line, then for every region the sum over its threads
 * ("all") and one line for each thread, and for each socket ("socket 0", "unknown socket")
 * where some counts are the sockets', or "process" where they are all threads' together.
 *
 * "part" and "rank" say which of several processes a line's thread or socket is of: by its number
 * in the order of the JSON report's "parts", and its MPI rank; "all" and blank in a sum's line.  Of
 * one process the part is 0.
 *
 * Where threads worked for regions that others had open, a region has a line more for all that they
 * and its openers did together ("team"), and one for each of them ("team 3"); what these say is in no
 * other thread's line.  team_threads, imbalance and efficiency are there for the team, and
 * team_depth says how many regions of the path, from the outermost, are those of others for a line's
 * thread: one may have several lines of the same path, which differ in it.
 *
 * Of several MPI ranks with a process each, a region has three lines more: "least of ranks", "mean of
 * ranks" and "most of ranks" of its calls, time, self time and net counts, each number for itself;
 * the rank is that of the time.
 *
 * cpu_ns, blocked_ns and runnable_ns are parts of time_ns: on a processor, waiting for anything else,
 * waiting for one; self_cpu_ns is that of self_ns on a processor.  own_ns is how much of time_ns was about the library's own work.  p50_ns and so on are there where
 * lengths of calls were counted (PMU_HISTOGRAM=1), least:NAME where the least that a call counted
 * was kept (PMU_EXACT=1).
 *
 * Quoted as RFC 4180 says, lines end in a line feed.  A blank cell is unknown, never 0.
 * Bytes that are not UTF-8 stand as \xNN, as in JSON.  With several groups every count
 * and metric of any of them has its columns, blank for regions that another group
 * counted.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/encode.h"
#include "report/model/fields.h"
#include "report/model/histogram.h"
#include "report/model/least.h"
#include "report/model/rows.h"
#include "report/report.h"
#include "report/several.h"

/* Behind so many columns of numbers stand those that only some reports have. */
#define PERCENTILES_AFTER 7
#define MOST_NUMBERS      16

/* One count or metric; the same name and unit in several groups is one. */
struct column {
	const char *name;
	const char *unit;
};

struct csv {
	struct pmu_strbuf *out;
	const struct pmu_model *model;
	struct column *count;
	unsigned int n_counts;
	struct column *metric;
	unsigned int n_metrics;
	bool percentiles;                             /* lengths of calls were counted */
	bool leasts;                                  /* the least that a call counted was kept */
	bool teams;                                   /* threads worked for others' regions */
	const struct pmu_field *number[MOST_NUMBERS]; /* [n_numbers] by their place */
	unsigned int n_numbers;
	/* of the section at hand: index of a column in it, or -1 */
	int *count_at;
	int *metric_at;
};

static bool same_title(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

static int find_column(const struct column *column, unsigned int n, const char *name,
		       const char *unit)
{
	for (unsigned int i = 0; i < n; i++)
		if (same_title(column[i].name, name) && same_title(column[i].unit, unit))
			return (int)i;
	return -1;
}

static void collect_columns(struct csv *csv)
{
	for (unsigned int i = 0; i < csv->model->n_sections; i++) {
		const struct pmu_model_section *s = &csv->model->section[i];

		for (unsigned int k = 0; k < s->n_counts; k++)
			if (find_column(csv->count, csv->n_counts, s->count[k].name,
					s->count[k].unit) < 0)
				csv->count[csv->n_counts++] = (struct column){ s->count[k].name,
									       s->count[k].unit };
		for (unsigned int k = 0; k < s->n_metrics; k++)
			if (find_column(csv->metric, csv->n_metrics, s->metric[k].name,
					s->metric[k].unit) < 0)
				csv->metric[csv->n_metrics++] =
					(struct column){ s->metric[k].name, s->metric[k].unit };
	}
}

static int open_columns(struct csv *csv)
{
	size_t n_counts = 1, n_metrics = 1;

	for (size_t i = 0; i < pmu_n_fields; i++)
		if (pmu_fields[i].place && pmu_fields[i].place <= MOST_NUMBERS) {
			csv->number[pmu_fields[i].place - 1] = &pmu_fields[i];
			csv->n_numbers++;
		}
	for (unsigned int i = 0; i < csv->model->n_sections; i++) {
		n_counts += csv->model->section[i].n_counts;
		n_metrics += csv->model->section[i].n_metrics;
	}
	csv->count = calloc(n_counts, sizeof(*csv->count));
	csv->metric = calloc(n_metrics, sizeof(*csv->metric));
	csv->count_at = calloc(n_counts, sizeof(*csv->count_at));
	csv->metric_at = calloc(n_metrics, sizeof(*csv->metric_at));
	if (!csv->count || !csv->metric || !csv->count_at || !csv->metric_at)
		return -1;
	collect_columns(csv);
	return 0;
}

static void close_columns(struct csv *csv)
{
	free(csv->count);
	free(csv->metric);
	free(csv->count_at);
	free(csv->metric_at);
}

static void use_section(struct csv *csv, const struct pmu_model_section *s)
{
	for (unsigned int i = 0; i < csv->n_counts; i++)
		csv->count_at[i] = -1;
	for (unsigned int i = 0; i < csv->n_metrics; i++)
		csv->metric_at[i] = -1;
	for (unsigned int i = 0; i < s->n_counts; i++)
		csv->count_at[find_column(csv->count, csv->n_counts, s->count[i].name,
					  s->count[i].unit)] = (int)i;
	for (unsigned int i = 0; i < s->n_metrics; i++)
		csv->metric_at[find_column(csv->metric, csv->n_metrics, s->metric[i].name,
					   s->metric[i].unit)] = (int)i;
}

static void put_csv_title(struct csv *csv, const char *kind, const struct column *column)
{
	struct pmu_strbuf title = { 0 };

	pmu_strbuf_add(&title, kind);
	pmu_strbuf_add(&title, column->name ? column->name : "");
	if (column->unit && column->unit[0])
		pmu_strbuf_addf(&title, " [%s]", column->unit);
	pmu_strbuf_add(csv->out, ",");
	pmu_encode_csv(csv->out, pmu_strbuf_text(&title));
	csv->out->failed |= title.failed;
	pmu_strbuf_free(&title);
}

/* Are they in front of the number at @at? */
static bool has_percentiles(const struct csv *csv, unsigned int at)
{
	return csv->percentiles && at == PERCENTILES_AFTER;
}

static void put_header(struct csv *csv)
{
	pmu_strbuf_add(csv->out, "group,path,name,depth,thread");
	for (unsigned int k = 0; k < csv->n_numbers; k++) {
		for (unsigned int i = 0; has_percentiles(csv, k) && i < PMU_PERCENTILES; i++)
			pmu_strbuf_addf(csv->out, ",%s_ns", pmu_percentiles[i].title);
		pmu_strbuf_addf(csv->out, ",%s", csv->number[k]->column);
	}
	pmu_strbuf_add(csv->out, ",part,rank");
	if (csv->teams)
		pmu_strbuf_add(csv->out, ",team_threads,imbalance,efficiency,team_depth");
	for (unsigned int i = 0; i < csv->n_counts; i++)
		put_csv_title(csv, "raw:", &csv->count[i]);
	for (unsigned int i = 0; i < csv->n_counts; i++)
		put_csv_title(csv, "net:", &csv->count[i]);
	for (unsigned int i = 0; csv->leasts && i < csv->n_counts; i++)
		put_csv_title(csv, "least:", &csv->count[i]);
	for (unsigned int i = 0; i < csv->n_metrics; i++)
		put_csv_title(csv, "", &csv->metric[i]);
	pmu_strbuf_add(csv->out, "\n");
}

static void put_csv_u64(struct csv *csv, bool known, uint64_t value)
{
	pmu_strbuf_add(csv->out, ",");
	if (known)
		pmu_encode_u64(csv->out, value);
}

static void put_csv_double(struct csv *csv, double value)
{
	pmu_strbuf_add(csv->out, ",");
	pmu_encode_double(csv->out, value);
}

static void put_csv_counts(struct csv *csv, const uint64_t *value, uint32_t missing)
{
	for (unsigned int i = 0; i < csv->n_counts; i++) {
		int at = csv->count_at[i];
		bool known = at >= 0 && !(missing >> at & 1);

		put_csv_u64(csv, known, known ? value[at] : 0);
	}
}

static void put_csv_socket(struct csv *csv, int number)
{
	if (number == PMU_MODEL_PROCESS)
		pmu_strbuf_add(csv->out, ",process");
	else if (number < 0)
		pmu_strbuf_add(csv->out, ",unknown socket");
	else
		pmu_strbuf_addf(csv->out, ",socket %d", number);
}

static void put_csv_part(struct csv *csv, const struct pmu_model_row *row)
{
	const struct pmu_model *model = csv->model;
	unsigned int part;
	int rank;

	if (row->thread < 0) {
		pmu_strbuf_add(csv->out, ",all,");
		return;
	}
	part = model->n_parts ? model->thread[row->thread].part : 0;
	rank = model->n_parts ? model->part[part].rank : model->rank;
	put_csv_u64(csv, true, part);
	put_csv_u64(csv, rank >= 0, (uint64_t)rank);
}

static void put_blanks(struct csv *csv, unsigned int n)
{
	while (n--)
		pmu_strbuf_add(csv->out, ",");
}

static void put_csv_metrics(struct csv *csv, const double *metric)
{
	for (unsigned int i = 0; i < csv->n_metrics; i++) {
		int at = csv->metric_at[i];

		put_csv_double(csv, at >= 0 && metric ? metric[at] : NAN);
	}
}

static void put_csv_place(struct csv *csv, const struct pmu_model_section *s,
			  const struct pmu_model_row *row)
{
	pmu_encode_csv(csv->out, s->group);
	pmu_strbuf_add(csv->out, ",");
	pmu_encode_csv(csv->out, row->path);
	pmu_strbuf_add(csv->out, ",");
	pmu_encode_csv(csv->out, row->name);
	/* that of its path */
	put_csv_u64(csv, true, (uint64_t)(row->sum < 0 ? row : &s->row[row->sum])->depth);
}

/* @row: NULL: nothing is known of it */
static void put_percentiles(struct csv *csv, const struct pmu_model_row *row)
{
	for (unsigned int i = 0; i < PMU_PERCENTILES; i++) {
		uint64_t ns = 0;
		bool known = row && pmu_row_percentile(row, pmu_percentiles[i].per_mille, &ns);

		put_csv_u64(csv, known, ns);
	}
}

/* @of: those that are of that kind; others are blank */
static void put_numbers(struct csv *csv, const struct pmu_model_row *row, unsigned int of,
			bool known)
{
	for (unsigned int k = 0; k < csv->n_numbers; k++) {
		struct pmu_number number = pmu_field_get(csv->number[k], row);

		if (has_percentiles(csv, k))
			put_percentiles(csv, of == PMU_OF_ROW ? row : NULL);
		number.is_known &= known && csv->number[k]->of & of;
		if (number.is_double)
			put_csv_double(csv, number.is_known ? number.real : NAN);
		else
			put_csv_u64(csv, number.is_known, number.integer);
	}
}

static void put_csv_team(struct csv *csv, const struct pmu_model_section *s,
			 const struct pmu_model_row *row)
{
	const struct pmu_model_team *team = row->team;

	put_csv_place(csv, s, row);
	pmu_strbuf_add(csv->out, ",team");
	put_numbers(csv, &team->all, PMU_OF_TEAM, team->time_known);
	put_csv_part(csv, row);
	put_csv_u64(csv, team->n_threads, team->n_threads);
	put_csv_double(csv, team->imbalance);
	put_csv_double(csv, team->efficiency);
	put_blanks(csv, 1);
	put_csv_counts(csv, team->all.raw, team->all.missing);
	put_csv_counts(csv, team->all.net, team->all.missing);
	put_blanks(csv, csv->leasts ? csv->n_counts : 0);
	put_csv_metrics(csv, team->all.metric);
	pmu_strbuf_add(csv->out, "\n");
}

static void put_csv_row(struct csv *csv, const struct pmu_model_section *s,
			const struct pmu_model_row *row)
{
	int thread = pmu_model_thread_number(csv->model, row);

	put_csv_place(csv, s, row);
	if (pmu_model_is_socket(csv->model, row))
		put_csv_socket(csv, pmu_model_socket_number(csv->model, row));
	else if (thread < 0)
		pmu_strbuf_add(csv->out, row->thread < 0 ? ",all" : ",");
	else if (row->flags & PMU_ROW_TEAM)
		pmu_strbuf_addf(csv->out, ",team %d", thread);
	else
		put_csv_u64(csv, true, (uint64_t)thread);
	put_numbers(csv, row, PMU_OF_ROW, true);
	put_csv_part(csv, row);
	if (csv->teams) {
		put_blanks(csv, 3);
		put_csv_u64(csv, row->thread >= 0, (uint64_t)row->team_depth);
	}
	put_csv_counts(csv, row->raw, row->missing);
	put_csv_counts(csv, row->net, row->missing);
	if (csv->leasts)
		put_csv_counts(csv, row->least ? row->least->count : NULL,
			       row->least ? ~row->least->known : UINT32_MAX);
	put_csv_metrics(csv, row->metric);
	pmu_strbuf_add(csv->out, "\n");
}

/* What each rank has of a region: the least, the mean, the most; each number for itself. */
static void put_csv_over(struct csv *csv, const struct pmu_model_section *s,
			 const struct pmu_several_rows *parts, unsigned int sum)
{
	static const char *const picks[] = { "least of ranks", "mean of ranks", "most of ranks" };
	const struct pmu_several *several = csv->model->several;
	int64_t rank, none;

	for (unsigned int i = 0; i < PMU_ARRAY_LEN(picks); i++) {
		enum pmu_pick pick = (enum pmu_pick)i;
		double time = several->pick(parts, sum, PMU_OVER_TIME_NS, pick, &rank);

		if (isnan(time))
			return;
		put_csv_place(csv, s, &s->row[sum]);
		pmu_strbuf_addf(csv->out, ",%s", picks[i]);
		put_csv_double(csv, several->pick(parts, sum, PMU_OVER_CALLS, pick, &none));
		put_csv_double(csv, time);
		put_csv_double(csv, several->pick(parts, sum, PMU_OVER_SELF_NS, pick, &none));
		put_blanks(csv, csv->n_numbers - 3 + (csv->percentiles ? PMU_PERCENTILES : 0));
		pmu_strbuf_add(csv->out, ",all");
		put_csv_u64(csv, rank >= 0, (uint64_t)rank);
		put_blanks(csv, (csv->teams ? 4 : 0) + csv->n_counts);
		for (unsigned int k = 0; k < csv->n_counts; k++)
			put_csv_double(
				csv, csv->count_at[k] < 0
					     ? NAN
					     : several->pick(parts, sum,
							     PMU_OVER_COUNT +
								     (unsigned int)csv->count_at[k],
							     pick, &none));
		put_blanks(csv, (csv->leasts ? csv->n_counts : 0) + csv->n_metrics);
		pmu_strbuf_add(csv->out, "\n");
	}
}

static void put_csv_section(struct csv *csv, const struct pmu_model_section *s)
{
	/* the rows of one that ranks have made together are the sums again */
	bool each = !csv->model->ranks || csv->model->n_parts;
	const struct pmu_several *several = csv->model->several;
	struct pmu_several_rows *parts = NULL;
	struct pmu_rows_by_sum index;

	if (pmu_rows_by_sum(&index, s) < 0) {
		csv->out->failed = 1;
		return;
	}
	csv->out->failed |= several && several->open(&parts, csv->model, s) < 0;
	use_section(csv, s);
	for (unsigned int i = 0; i < s->n_rows; i++) {
		put_csv_row(csv, s, &s->row[i]);
		if (s->row[i].team)
			put_csv_team(csv, s, &s->row[i]);
		if (parts)
			put_csv_over(csv, s, parts, i);
		for (unsigned int k = index.start[i]; each && k < index.start[i + 1]; k++)
			put_csv_row(csv, s, &s->thread_row[index.row[k]]);
	}
	if (parts)
		several->close(parts);
	pmu_rows_by_sum_free(&index);
}

void pmu_write_csv(struct pmu_strbuf *out, const struct pmu_model *model)
{
	struct csv csv = { .out = out,
			   .model = model,
			   .percentiles = pmu_model_has_histograms(model),
			   .leasts = pmu_model_has_leasts(model),
			   .teams = pmu_model_has_teams(model) };

	if (open_columns(&csv) < 0) {
		out->failed = 1;
	} else {
		put_header(&csv);
		for (unsigned int i = 0; i < model->n_sections; i++)
			put_csv_section(&csv, &model->section[i]);
	}
	close_columns(&csv);
}
