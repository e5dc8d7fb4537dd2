/* SPDX-License-Identifier: BSD-3-Clause */
/* How the times of single calls are spread, what was waited, and the library's own part in what was measured. */
#include <math.h>

#include "report/encode.h"
#include "report/model/fields.h"
#include "report/model/histogram.h"
#include "report/name.h"
#include "report/text/detail.h"

/* A part of so many of the time is waiting that is worth a sentence. */
#define WORTH_SAYING 10u
/* Of a region that a sentence names. */
#define MOST_OF_NAME 60u

#define TIME_COLUMNS (4 + PMU_PERCENTILES)

/* --- the times of single calls --- */

static bool has_histogram(const struct pmu_model_row *row, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (row[i].histogram)
			return true;
	return false;
}

/* A single call has no spread. */
static bool has_spread(const struct pmu_model_row *row)
{
	return row->calls > 1 && !(row->flags & PMU_ROW_PROGRAM);
}

static bool any_spread(const struct pmu_model_row *row, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (has_spread(&row[i]))
			return true;
	return false;
}

static bool wants_times(const struct pmu_text *t, const struct pmu_model_row *row, unsigned int n)
{
	if (!n || !any_spread(row, n) || row->flags & PMU_ROW_UNTIMED)
		return false;
	return t->all || has_histogram(row, n) || (t->threads && row->thread < 0);
}

/* A row that was only re-entered has no outermost call that has ended. */
static double known_time(const struct pmu_model_row *row, uint64_t ns)
{
	return row->max_ns || !row->time_ns ? (double)ns : NAN;
}

enum { MEAN, DEVIATION, SHORTEST, FIRST_PERCENTILE, LONGEST = FIRST_PERCENTILE + PMU_PERCENTILES };

static double time_in_column(const struct pmu_model_row *row, unsigned int column)
{
	uint64_t ns;

	switch (column) {
	case MEAN:
		return (double)row->time_ns / (double)row->calls;
	case DEVIATION:
		return row->sd_ns;
	case SHORTEST:
		return known_time(row, row->min_ns);
	case LONGEST:
		return known_time(row, row->max_ns);
	}
	return pmu_row_percentile(row, pmu_percentiles[column - FIRST_PERCENTILE].per_mille, &ns)
		       ? (double)ns
		       : NAN;
}

static const char *title_of(unsigned int column)
{
	switch (column) {
	case MEAN:
		return "mean";
	case DEVIATION:
		return "deviation";
	case SHORTEST:
		return "min";
	case LONGEST:
		return "max";
	}
	return pmu_percentiles[column - FIRST_PERCENTILE].title;
}

static void fill_cell(struct pmu_text *t, struct pmu_cell *cell, const struct pmu_model_row *row,
		      unsigned int column)
{
	double ns;

	if (!row->calls || row->flags & PMU_ROW_PROGRAM || (column != MEAN && !has_spread(row)))
		return;
	ns = time_in_column(row, column);
	pmu_cell_time(cell, ns);
	if (isnan(ns))
		t->legend |= PMU_LEGEND_UNKNOWN;
}

static void add_times_column(struct pmu_text *t, struct pmu_table *table,
			     const struct pmu_model_row *row, unsigned int column)
{
	struct pmu_cell *cell = pmu_text_detail_column(t, table, title_of(column), "time per call");

	for (unsigned int i = 0; cell && i < table->n_rows; i++)
		fill_cell(t, &cell[i], &row[i], column);
}

static bool is_column_shown(unsigned int column, bool percentiles)
{
	return percentiles || column < FIRST_PERCENTILE || column == LONGEST;
}

void pmu_text_times(struct pmu_text *t, const struct pmu_model_row *row, unsigned int n)
{
	bool percentiles = has_histogram(row, n);
	struct pmu_table table;

	if (t->failed || !wants_times(t, row, n) ||
	    !pmu_text_detail_begin(t, &table, row, n, TIME_COLUMNS))
		return;
	for (unsigned int c = 0; c < TIME_COLUMNS && !t->failed; c++)
		if (is_column_shown(c, percentiles))
			add_times_column(t, &table, row, c);
	pmu_text_detail_end(t, &table);
}

/* --- waiting --- */

/*
 * Of a program with one thread: what it waited for.  Where there are several, each has its own reasons to
 * wait.
 */
void pmu_text_waited(struct pmu_text *t, const struct pmu_model_section *s)
{
	uint64_t time = 0, blocked = 0, queued = 0;
	struct pmu_cell share, first, second;

	if (t->model->n_threads != 1 || t->model->n_parts > 1 || t->model->ranks ||
	    s != t->model->section)
		return;
	for (unsigned int i = 0; i < s->n_rows; i++) {
		const struct pmu_model_row *row = &s->row[i];

		if (row->parent >= 0 || !pmu_model_cpu_known(row) ||
		    row->blocked_ns > row->time_ns || row->queued_ns > row->time_ns)
			continue;
		time = pmu_add_capped(time, row->time_ns);
		blocked = pmu_add_capped(blocked, row->blocked_ns);
		queued = pmu_add_capped(queued, row->queued_ns);
	}
	if (!time || pmu_add_capped(blocked, queued) < time / WORTH_SAYING)
		return;
	pmu_cell_share(&share, ((double)blocked + (double)queued) / (double)time);
	pmu_cell_time(&first, (double)blocked);
	pmu_cell_time(&second, (double)queued);
	pmu_strbuf_addf(t->out, "  waited %s%s of the time: blocked %s%s, for a processor %s%s\n",
			share.number, share.unit, first.number, first.unit, second.number,
			second.unit);
}

/* --- the library itself --- */

/* Of the time, or of a count. */
struct own {
	double part, all;    /* in all outermost regions together */
	double worst;        /* share in one region */
	const char *region;  /* that one */
	const char *program; /* its program, where there are several; else NULL */
};

/* Regions of several programs may have one name. */
static const char *program_of(const struct pmu_model_section *s, const struct pmu_model_row *row)
{
	while (row->parent >= 0)
		row = &s->row[row->parent];
	return row->flags & PMU_ROW_PROGRAM ? row->name : NULL;
}

static void add_own_share(struct own *own, const struct pmu_model_section *s, unsigned int i,
			  uint64_t part, uint64_t all)
{
	const struct pmu_model_row *row = &s->row[i];
	double share = all ? (double)part / (double)all : 0;

	if (share > own->worst && !(row->flags & PMU_ROW_PROGRAM)) {
		own->worst = share;
		own->region = row->name;
		own->program = program_of(s, row);
	}
	/* flat rows are part of outermost ones already */
	if (row->parent >= 0 || row->flags & PMU_ROW_FLAT)
		return;
	own->part += (double)part;
	own->all += (double)all;
}

static void find_in_time(const struct pmu_model *model, struct own *own)
{
	for (unsigned int i = 0; i < model->n_sections; i++) {
		const struct pmu_model_section *s = &model->section[i];

		for (unsigned int k = 0; k < s->n_rows; k++) {
			const struct pmu_model_row *row = &s->row[k];

			if (row->team)
				add_own_share(own, s, k, row->team->all.cost_ns,
					      row->team->all.time_ns);
			else
				add_own_share(own, s, k, row->cost_ns, row->time_ns);
		}
	}
}

static void find_in_count(const struct pmu_model_section *s, unsigned int c, struct own *own)
{
	for (unsigned int i = 0; i < s->n_rows; i++) {
		const struct pmu_model_row *row = &s->row[i];
		const struct pmu_model_team *team = row->team;

		if (team && !(team->all.missing >> c & 1))
			add_own_share(own, s, i, team->all.raw[c] - team->all.net[c],
				      team->all.raw[c]);
		else if (!(row->missing >> c & 1))
			add_own_share(own, s, i, row->cost[c], row->raw[c]);
	}
}

/*
 * The first count that has some of it, as the groups have their counts in the order of what they
 * say.  NULL: none.
 */
static const char *find_in_counts(const struct pmu_model *model, struct own *own)
{
	for (unsigned int i = 0; i < model->n_sections; i++) {
		const struct pmu_model_section *s = &model->section[i];

		for (unsigned int c = 0; c < s->n_counts; c++) {
			*own = (struct own){ 0 };
			find_in_count(s, c, own);
			if (own->worst > 0)
				return s->count[c].name;
		}
	}
	return NULL;
}

/* A region's name in a sentence. */
static void add_region(struct pmu_strbuf *text, const char *name)
{
	struct pmu_strbuf shorter = { 0 };

	pmu_name_fit(&shorter, name, MOST_OF_NAME);
	pmu_encode_line(text, pmu_strbuf_text(&shorter));
	text->failed |= shorter.failed;
	pmu_strbuf_free(&shorter);
}

static void add_share(struct pmu_strbuf *text, const struct own *own, const char *what)
{
	double share = own->all > 0 ? own->part / own->all : 0;
	struct pmu_cell cell;

	pmu_cell_share(&cell, share);
	pmu_strbuf_addf(text, "%s%s of ", cell.number, cell.unit);
	pmu_encode_line(text, what);
	if (own->worst <= 2 * share || own->worst < 0.01)
		return;
	pmu_cell_share(&cell, own->worst);
	pmu_strbuf_addf(text, " (%s%s in ", cell.number, cell.unit);
	add_region(text, own->region);
	if (own->program) {
		pmu_strbuf_add(text, " of ");
		pmu_encode_line(text, own->program);
	}
	pmu_strbuf_add(text, ")");
}

/* The library's own part of the time is told unless it is next to nothing. */
void pmu_text_own(struct pmu_text *t)
{
	struct own of_time = { 0 }, of_count;
	struct pmu_strbuf text = { 0 };
	const char *count;

	if (!pmu_model_is_simulated(t->model))
		find_in_time(t->model, &of_time);
	count = find_in_counts(t->model, &of_count);
	if (of_time.part > 0.001 * of_time.all || of_time.worst > 0.01) {
		pmu_strbuf_add(&text, "the library's own work is about ");
		add_share(&text, &of_time, "the time");
	}
	if (count) {
		pmu_strbuf_add(&text,
			       text.len ? ", and is taken out of the counts: "
					: "the library's own work is taken out of the counts: ");
		add_share(&text, &of_count, count);
	}
	if (text.len) {
		pmu_strbuf_add(t->out, "  ");
		pmu_text_wrap(t, pmu_strbuf_text(&text), 2);
	}
	t->failed |= text.failed;
	pmu_strbuf_free(&text);
}
