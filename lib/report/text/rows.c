/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables of the text report: one group's regions. */
#include <math.h>
#include <string.h>

#include "report/encode.h"
#include "report/model/block.h"
#include "report/model/measure.h"
#include "report/several.h"
#include "report/text/samples.h"
#include "report/text/table.h"
#include "report/text/text.h"

#define BASE_COLUMNS 13u

/* Some rows of a section that stand in one table. */
struct rows {
	struct pmu_text *t;
	const struct pmu_model_section *s;
	const struct pmu_model_row *row;
	unsigned int n;
	const unsigned int *at; /* [n] of sums: index in the section; NULL: the same as here */
	uint32_t others;        /* counts of sockets in a thread's rows, and the other way round */
	bool is_ranked;         /* the count in the place of time has its column */
	struct pmu_text_choice choice;
	struct pmu_table table;
};

/* A new column to be filled; NULL out of memory. */
static struct pmu_cell *column(struct rows *r, const char *title, const char *kind)
{
	struct pmu_cell *cell = pmu_block_array(&r->t->scratch, r->n, sizeof(struct pmu_cell));

	if (!cell) {
		r->t->failed = true;
		return NULL;
	}
	r->table.column[r->table.n_columns++] =
		(struct pmu_table_column){ .title = title, .kind = kind, .cell = cell };
	return cell;
}

/* The columns that every table has. */

enum base_column { CALLS, TIME, CPU, WAITING, BLOCKED, RUNNABLE, SHARE, PER_CALL, SELF, N_BASE };
static const char *const base_titles[N_BASE] = {
	[CALLS] = "calls",       [TIME] = "time",       [CPU] = "CPU",
	[WAITING] = "waiting",   [BLOCKED] = "blocked", [RUNNABLE] = "runnable",
	[PER_CALL] = "per call", [SELF] = "self"
};

/* What rows are ordered by stands in the place of time, and what shares are of above them. */
static const char *base_title(const struct rows *r, unsigned int i)
{
	const enum pmu_model_measure measure = pmu_measure_by(r->s, r->row);

	if (i == TIME && measure == PMU_BY_COUNT)
		return pmu_text_shown(r->t, pmu_measure_words(r->s));
	if (i == SHARE)
		return pmu_measure_share_title(r->s, measure);
	return i == SELF && measure == PMU_BY_CPU ? "self CPU" : base_titles[i];
}

static double time_of_row(const struct pmu_model_row *row)
{
	return pmu_model_is_timed(row) ? (double)row->time_ns : NAN;
}

/* Which of these columns there are: of one thread also what it waited for. */
static uint32_t waits_of(const struct rows *r)
{
	bool known = false, split = r->row->thread >= 0;

	for (unsigned int i = 0; i < r->n; i++) {
		known |= pmu_model_cpu_known(&r->row[i]);
		split &= !pmu_model_time_known(&r->row[i]) || r->row[i].queued_ns != PMU_NOT_KNOWN;
	}
	if (!known)
		return 0;
	return 1u << CPU | (split ? 1u << BLOCKED | 1u << RUNNABLE : 1u << WAITING);
}

static double known_ns(uint64_t ns)
{
	return ns != PMU_NOT_KNOWN ? (double)ns : NAN;
}

static void wait_cells(struct pmu_cell *const cell[N_BASE], unsigned int i,
		       const struct pmu_model_row *row)
{
	const bool known = pmu_model_cpu_known(row);
	const double ns[N_BASE] = {
		[CPU] = known ? (double)row->cpu_ns : NAN,
		[WAITING] = known ? (double)(row->time_ns - row->cpu_ns) : NAN,
		[BLOCKED] = known ? known_ns(row->blocked_ns) : NAN,
		[RUNNABLE] = known ? known_ns(row->queued_ns) : NAN,
	};

	for (unsigned int c = CPU; c <= RUNNABLE; c++)
		if (cell[c])
			pmu_cell_time(&cell[c][i], ns[c]);
}

static double per_call(const struct pmu_model_row *row)
{
	return row->calls ? time_of_row(row) / (double)row->calls : NAN;
}

static uint64_t most_calls(const struct rows *r)
{
	uint64_t most = 0;

	for (unsigned int i = 0; i < r->n; i++)
		if (r->row[i].calls > most)
			most = r->row[i].calls;
	return most;
}

/* A team's row that only stands there for one in it: there is nothing to be known. */
static bool is_on_the_way(const struct pmu_model_row *row)
{
	return row->flags & PMU_ROW_TEAM && !row->calls && !row->n_open;
}

/* All that is known of calls; a thread's row says nothing of other groups. */
static uint64_t all_calls(const struct pmu_model_row *row)
{
	return row->thread < 0 ? row->all_calls : row->calls;
}

/* Where other groups have counted calls of the same regions, too: these are a part of so many. */
static void all_calls_column(struct rows *r)
{
	struct pmu_cell *cell;
	bool differs = false;

	for (unsigned int i = 0; i < r->n; i++)
		differs |= all_calls(&r->row[i]) > r->row[i].calls;
	if (!differs)
		return;
	cell = column(r, "of", "region");
	for (unsigned int i = 0; cell && i < r->n; i++)
		pmu_cell_exact(&cell[i], all_calls(&r->row[i]));
}

static uint64_t largest_count(const struct rows *r, unsigned int c)
{
	uint64_t largest = 0;

	for (unsigned int i = 0; i < r->n; i++)
		if (!(r->row[i].missing >> c & 1) && r->row[i].net[c] > largest)
			largest = r->row[i].net[c];
	return largest;
}

static bool has_base_column(const struct rows *r, unsigned int i, uint32_t waits)
{
	if (i >= CPU && i <= RUNNABLE)
		return waits >> i & 1;
	/* a simulation that counted nothing */
	return i == CALLS || r->s->ranked || !pmu_model_is_simulated(r->t->model);
}

/* Of the count in the place of time. */
static void ranked_cells(const struct rows *r, struct pmu_cell *const cell[N_BASE], unsigned int i,
			 uint64_t largest)
{
	const struct pmu_model_row *row = &r->row[i];
	const unsigned int c = r->s->ranked - 1;
	const bool known = !(row->missing >> c & 1);
	const uint64_t self = pmu_measure_self(r->s, row, PMU_BY_COUNT);

	pmu_cell_none(&cell[TIME][i]);
	pmu_cell_none(&cell[PER_CALL][i]);
	pmu_cell_none(&cell[SELF][i]);
	if (known)
		pmu_cell_count(&cell[TIME][i], row->net[c], largest);
	if (known && row->calls)
		pmu_cell_count(&cell[PER_CALL][i], (row->net[c] + row->calls / 2) / row->calls,
			       largest);
	if (self != PMU_NOT_KNOWN)
		pmu_cell_count(&cell[SELF][i], self, largest);
}

static void timed_cells(const struct rows *r, struct pmu_cell *const cell[N_BASE], unsigned int i)
{
	const struct pmu_model_row *row = &r->row[i];

	pmu_cell_time(&cell[TIME][i], time_of_row(row));
	wait_cells(cell, i, row);
	pmu_cell_time(&cell[PER_CALL][i], per_call(row));
	pmu_cell_time(&cell[SELF][i],
		      known_ns(pmu_measure_self(r->s, row, pmu_measure_by(r->s, row))));
}

static void base_columns(struct rows *r)
{
	const uint64_t most = most_calls(r),
		       largest = r->s->ranked ? largest_count(r, r->s->ranked - 1) : 0;
	const uint32_t waits = waits_of(r);
	struct pmu_cell *cell[N_BASE] = { NULL };

	for (unsigned int i = 0; i < N_BASE; i++) {
		if (!has_base_column(r, i, waits))
			continue;
		cell[i] = column(r, base_title(r, i), "region");
		if (!cell[i])
			return;
		if (i == CALLS)
			all_calls_column(r);
	}
	for (unsigned int i = 0; i < r->n; i++) {
		const struct pmu_model_row *row = &r->row[i];

		pmu_cell_count(&cell[CALLS][i], row->calls, most);
		if (r->s->ranked)
			ranked_cells(r, cell, i, largest);
		else if (cell[TIME])
			timed_cells(r, cell, i);
		if (cell[SHARE])
			pmu_cell_share(&cell[SHARE][i], row->share);
		/* nothing there could be known */
		if (row->flags & PMU_ROW_PROGRAM && cell[SELF])
			pmu_cell_text(&cell[SELF][i], "");
		for (unsigned int c = 0; is_on_the_way(row) && c < N_BASE; c++)
			if (cell[c])
				pmu_cell_text(&cell[c][i], "");
	}
}

/* Of all that worked for it; 0: not known. */
static uint32_t threads_of(const struct pmu_model_row *row)
{
	return row->team ? row->team->n_threads : row->n_threads;
}

/* How many threads were in a region: only where that differs. */
static void threads_column(struct rows *r)
{
	struct pmu_cell *cell;
	bool differs = false;

	/* how many ranks says the same */
	if (r->t->model->ranks && r->t->model->n_threads == 1 &&
	    r->t->model->thread->n_merged == (uint32_t)r->t->model->n_ranks)
		return;
	if (r->t->model->n_parts > 1 && r->t->model->n_parts == r->t->model->n_threads)
		return;
	for (unsigned int i = 0; i < r->n; i++)
		differs |= r->row[i].thread < 0 && threads_of(&r->row[i]) != r->t->model->n_threads;
	if (!differs)
		return;
	cell = column(r, "threads", "region");
	for (unsigned int i = 0; cell && i < r->n; i++) {
		if (threads_of(&r->row[i]))
			pmu_cell_exact(&cell[i], threads_of(&r->row[i]));
		else
			pmu_cell_none(&cell[i]);
	}
}

/* Teams: what all threads have done for a region, those of others, too. */

/* Where it has less than two to compare there is nothing that is not known. */
static bool has_imbalance(const struct pmu_model_team *team)
{
	return team && (!isnan(team->imbalance) || !team->n_threads || !team->time_known);
}

static void team_cell(const struct rows *r, struct pmu_cell *cell,
		      const struct pmu_model_team *team, enum pmu_model_measure measure)
{
	if (team->time_known)
		pmu_cell_time(cell, (double)pmu_measure_of(r->s, &team->all, measure));
	else
		pmu_cell_none(cell);
}

/* Only where some threads have worked for others. */
static void team_work_columns(struct rows *r)
{
	const bool by_cpu = r->s->measure == PMU_BY_CPU;
	struct pmu_cell *all = column(r, by_cpu ? "team CPU" : "team time", "team of");
	struct pmu_cell *efficiency = column(r, "efficiency", "team of");

	for (unsigned int i = 0; all && efficiency && i < r->n; i++) {
		const struct pmu_model_team *team = r->row[i].team;

		if (!team || !team->has_others)
			continue;
		team_cell(r, &all[i], team, r->s->measure);
		pmu_cell_share(&efficiency[i], team->efficiency);
	}
}

static void team_columns(struct rows *r)
{
	bool any = false, others = false;
	struct pmu_cell *cell;

	/* how well threads were used is told by times */
	if (pmu_model_is_simulated(r->t->model))
		return;
	for (unsigned int i = 0; i < r->n; i++) {
		any |= has_imbalance(r->row[i].team);
		others |= r->row[i].team && r->row[i].team->has_others;
	}
	if (others)
		team_work_columns(r);
	cell = any ? column(r, "imbalance", "team of") : NULL;
	for (unsigned int i = 0; cell && i < r->n; i++)
		if (has_imbalance(r->row[i].team))
			pmu_cell_share(&cell[i], r->row[i].team->imbalance);
}

/* Counts and metrics; what no row has gets no column. */

static bool any_counted(const struct rows *r, unsigned int c)
{
	for (unsigned int i = 0; i < r->n; i++)
		if (!(r->row[i].missing >> c & 1))
			return true;
	return false;
}

static bool any_metric(const struct rows *r, unsigned int m)
{
	for (unsigned int i = 0; i < r->n; i++)
		if (r->row[i].metric && !isnan(r->row[i].metric[m]))
			return true;
	return false;
}

/* "name [unit]" */
static const char *with_unit(struct pmu_text *t, const char *name, const char *unit)
{
	struct pmu_strbuf title = { 0 };
	const char *shown;

	pmu_strbuf_add(&title, name ? name : "");
	if (unit && unit[0])
		pmu_strbuf_addf(&title, " [%s]", unit);
	shown = pmu_text_shown(t, pmu_strbuf_text(&title));
	t->failed |= title.failed;
	pmu_strbuf_free(&title);
	return shown;
}

static double metric_of(const struct rows *r, unsigned int i, unsigned int m)
{
	return r->row[i].metric ? r->row[i].metric[m] : NAN;
}

static double largest_metric(const struct rows *r, unsigned int m)
{
	double largest = 0;

	for (unsigned int i = 0; i < r->n; i++) {
		double size = fabs(metric_of(r, i, m));

		if (size > largest) /* not where it is missing */
			largest = size;
	}
	return largest;
}

static void metric_column(struct rows *r, unsigned int m)
{
	const struct pmu_model_metric *metric = &r->s->metric[m];
	bool percent = metric->unit && !strcmp(metric->unit, "%");
	const char *title = with_unit(r->t, metric->name, percent ? "" : metric->unit);
	struct pmu_cell *cell = column(r, title, "metrics");
	const double largest = largest_metric(r, m);

	for (unsigned int i = 0; cell && i < r->n; i++) {
		double value = metric_of(r, i, m);

		if (is_on_the_way(&r->row[i]))
			continue;
		pmu_cell_value(&cell[i], value, largest);
		if (percent && !isnan(value) && !cell[i].unit[0])
			strcpy(cell[i].unit, "%");
	}
}

static void count_column(struct rows *r, unsigned int c)
{
	const struct pmu_model_count *count = &r->s->count[c];
	bool time = count->unit && !strcmp(count->unit, "ns");
	bool energy = count->unit && !strcmp(count->unit, "uJ");
	const char *title = with_unit(r->t, count->name, time || energy ? "" : count->unit);
	struct pmu_cell *cell = column(r, title, "counts");
	const uint64_t largest = largest_count(r, c);

	for (unsigned int i = 0; cell && i < r->n; i++) {
		if (is_on_the_way(&r->row[i]))
			continue;
		if (r->row[i].missing >> c & 1)
			pmu_cell_none(&cell[i]);
		else if (time)
			pmu_cell_time(&cell[i], (double)r->row[i].net[c]);
		else if (energy)
			pmu_cell_energy(&cell[i], r->row[i].net[c]);
		else
			pmu_cell_count(&cell[i], r->row[i].net[c], largest);
	}
}

/* "not counted: a, b" below the tables */
static void put_not_counted(struct rows *r)
{
	struct pmu_strbuf text = { 0 };

	for (unsigned int c = 0; c < r->s->n_counts; c++) {
		if (any_counted(r, c) || r->others >> c & 1)
			continue;
		pmu_strbuf_add(&text, text.len ? ", " : "not counted: ");
		pmu_encode_line(&text, r->s->count[c].name);
	}
	if (text.len) {
		pmu_strbuf_add(r->t->out, "  ");
		pmu_text_wrap(r->t, pmu_strbuf_text(&text), 2);
	}
	r->t->failed |= text.failed;
	pmu_strbuf_free(&text);
}

/* A process that began this program anew is one. */
static uint64_t n_processes_of(struct pmu_text *t, const struct pmu_model_row *row)
{
	const struct pmu_model *model = t->model;
	unsigned int *at = pmu_block_array(&t->scratch, model->n_parts, sizeof(*at));
	uint64_t n_processes;
	unsigned int n = 0;

	t->failed |= !at;
	for (unsigned int i = 0; at && i < model->n_parts; i++)
		if (!strcmp(model->part[i].program, row->name))
			at[n++] = i;
	n_processes = model->several ? model->several->n_processes(model->part, at, at ? n : 0) : 0;
	return n_processes && n_processes < row->calls ? n_processes : row->calls;
}

const char *pmu_text_row_name(struct pmu_text *t, const struct pmu_model_row *row)
{
	struct pmu_strbuf name = { 0 };
	uint64_t n_processes = row->flags & PMU_ROW_PROGRAM && row->calls > 1
				       ? n_processes_of(t, row)
				       : 1;
	struct pmu_cell n;
	const char *shown;

	/* in a list it is the path that tells where it stands */
	pmu_strbuf_add(&name, t->sort ? row->path : row->name);
	pmu_cell_exact(&n, n_processes);
	if (n_processes > 1)
		pmu_strbuf_addf(&name, " (%s processes)", n.number);
	shown = pmu_text_shown(t, pmu_strbuf_text(&name));
	t->failed |= name.failed;
	pmu_strbuf_free(&name);
	return shown;
}

static void fill_labels(struct rows *r)
{
	for (unsigned int i = 0; i < r->n; i++) {
		r->table.label[i].name = pmu_text_row_name(r->t, &r->row[i]);
		r->table.label[i].depth = (unsigned int)r->row[i].depth;
		r->table.mark[i] = pmu_text_marks(r->t, r->s, &r->row[i], r->at ? r->at[i] : i);
	}
}

static void find_unknown(struct rows *r)
{
	for (unsigned int c = 0; c < r->table.n_columns; c++)
		for (unsigned int i = 0; i < r->n; i++)
			/* without calls there is no time per call: nothing is unknown */
			if ((r->table.column[c].title != base_titles[PER_CALL] ||
			     all_calls(&r->row[i])) &&
			    !strcmp(r->table.column[c].cell[i].number, "-"))
				r->t->legend |= PMU_LEGEND_UNKNOWN;
}

/* Of very many regions only those with the most time: a region's parent has at least as much. */
static void choose_rows(struct rows *r)
{
	struct pmu_text_choice *choice = &r->choice;

	if (r->n <= r->t->rows && !r->t->filter && !r->t->sort)
		return;
	pmu_text_choose(r->t, r->s, r->row, r->n, choice);
	r->row = choice->row;
	r->at = choice->at;
	r->n = choice->n;
}

/* "and 4 more regions of at most 12 us", where that many were not asked for with how to see them */
static void put_left_out(struct rows *r)
{
	const struct pmu_text_choice *choice = &r->choice;
	const char *what = choice->n_left == 1 ? "region" : "regions";
	struct pmu_cell n;

	if (choice->n_left && choice->is_usual && !r->t->top) {
		pmu_text_left_out(r->t, choice->n_left, what, choice->most_left, "", "all");
	} else if (choice->n_left) {
		pmu_cell_exact(&n, choice->n_left);
		pmu_strbuf_addf(r->t->out, "  and %s more %s\n", n.number, what);
	}
	if (!choice->n_unmatched)
		return;
	pmu_cell_exact(&n, choice->n_unmatched);
	pmu_strbuf_addf(r->t->out, "  without %s %s not match %s\n", n.number,
			choice->n_unmatched == 1 ? "region that does" : "regions that do",
			pmu_text_shown(r->t, r->t->filter));
}

/* What was asked for and is not there. */
static void put_unsorted(struct rows *r)
{
	struct pmu_text *t = r->t;

	if (pmu_text_sorts(t, r->s))
		return;
	pmu_strbuf_addf(t->out, "  sorted by %s: there is no %s'%s' here\n",
			r->s->ranked ? pmu_measure_words(r->s) : "time",
			strcmp(t->sort, "time") ? "count " : "", pmu_text_shown(t, t->sort));
}

static void open_table(struct rows *r)
{
	struct pmu_text *t = r->t;
	size_t n_columns = (size_t)BASE_COLUMNS + r->s->n_counts + r->s->n_metrics;

	r->table.n_rows = r->n;
	r->table.label = pmu_block_array(&t->scratch, r->n, sizeof(*r->table.label));
	r->table.mark = pmu_block_array(&t->scratch, r->n, sizeof(*r->table.mark));
	r->table.column = pmu_block_array(&t->scratch, n_columns, sizeof(*r->table.column));
	t->failed |= !r->table.label || !r->table.mark || !r->table.column;
}

static void print_table(struct rows *r)
{
	struct pmu_text *t = r->t;

	for (unsigned int m = 0; m < r->s->n_metrics; m++)
		if (any_metric(r, m))
			metric_column(r, m);
	for (unsigned int c = 0; c < r->s->n_counts; c++)
		if (any_counted(r, c) && !(r->is_ranked && c + 1 == r->s->ranked))
			count_column(r, c);
	if (t->failed)
		return;
	find_unknown(r);
	t->failed |= pmu_table_print(t->out, &r->table, t->columns, &t->scratch) < 0;
	if (r->table.too_deep)
		t->legend |= PMU_LEGEND_DEEP;
}

static void print_rows(struct rows *r)
{
	struct pmu_text *t = r->t;

	choose_rows(r);
	if (!r->n && !t->failed) {
		put_left_out(r);
		return;
	}
	open_table(r);
	if (t->failed)
		return;
	fill_labels(r);
	pmu_text_samples(t, &r->table, r->row, r->n);
	base_columns(r);
	r->is_ranked = true;
	threads_column(r);
	team_columns(r);
	print_table(r);
	if (t->failed)
		return;
	put_left_out(r);
	if (r->row->thread < 0)
		pmu_text_waited(t, r->s);
	put_unsorted(r);
	put_not_counted(r);
	pmu_text_estimates(t, r->s, r->row, r->n);
	pmu_text_times(t, r->row, r->n);
	pmu_text_least(t, r->s, r->row, r->n);
}

/* Counts of teams: rows of the same regions with other numbers. */

static void team_time_column(struct rows *r)
{
	struct pmu_cell *cell = column(r, "time", "team of");

	for (unsigned int i = 0; cell && i < r->n; i++) {
		const struct pmu_model_team *team = r->row[i].team;

		if (team)
			team_cell(r, &cell[i], team, PMU_BY_TIME);
		else /* a program */
			pmu_cell_time(&cell[i], time_of_row(&r->row[i]));
	}
}

static struct pmu_model_row as_row(const struct pmu_model_row *sum)
{
	struct pmu_model_row row = *sum;

	if (sum->team) {
		row.flags = sum->team->all.flags;
		row.missing = sum->team->all.missing;
		row.net = sum->team->all.net;
		row.metric = sum->team->all.metric;
	}
	return row;
}

/* A program has all that its threads did: it is here for what is in it. */
static bool is_empty_program(const struct rows *r)
{
	return r->n && r->row[r->n - 1].flags & PMU_ROW_PROGRAM;
}

/* Of the rows that are shown those with a team, as rows of what it did. */
static bool take_teams(const struct rows *shown, struct rows *r)
{
	struct pmu_model_row *row = pmu_block_array(&r->t->scratch, shown->n, sizeof(*row));
	unsigned int *at = pmu_block_array(&r->t->scratch, shown->n, sizeof(*at));

	r->row = row;
	r->at = at;
	r->t->failed |= !row || !at;
	for (unsigned int i = 0; row && at && i < shown->n; i++) {
		bool program = shown->row[i].flags & PMU_ROW_PROGRAM;

		if (!program && !shown->row[i].team)
			continue;
		if (program && is_empty_program(r))
			r->n--;
		row[r->n] = as_row(&shown->row[i]);
		at[r->n++] = shown->at ? shown->at[i] : i;
	}
	if (is_empty_program(r))
		r->n--;
	return r->n && !r->t->failed;
}

static void put_teams(const struct rows *shown)
{
	struct pmu_text *t = shown->t;
	struct rows r = { .t = t, .s = shown->s, .table.color = t->color };

	if (t->failed || !shown->s->n_counts || !take_teams(shown, &r))
		return;
	open_table(&r);
	if (t->failed)
		return;
	pmu_strbuf_add(t->out, "\n  ");
	pmu_encode_line(t->out, r.s->group);
	pmu_strbuf_add(t->out, ", teams: a region with all that other threads did for it\n");
	fill_labels(&r);
	if (!pmu_model_is_simulated(t->model))
		team_time_column(&r);
	print_table(&r);
}

/* What the numbers of the next table are of; nothing where that goes without saying. */
static void section_title(struct pmu_text *t, const struct pmu_model_section *s)
{
	bool named = s->n_counts || t->model->n_sections > 1;
	bool several = t->model->n_parts > 1 || t->model->ranks;
	bool summed = t->model->n_threads > 1 || several;
	struct pmu_cell read;

	/* there is something above it */
	if (t->out->len > t->start)
		pmu_strbuf_add(t->out, "\n");
	if (!named && !summed)
		return;
	pmu_strbuf_add(t->out, "  ");
	if (named)
		pmu_encode_line(t->out, s->group);
	pmu_strbuf_add(t->out, named && summed ? ", " : "");
	if (summed)
		pmu_strbuf_addf(t->out, "all %s together, by %s",
				several ? t->model->several->word(t) : "threads",
				pmu_text_shown(t, pmu_measure_words(s)));
	if (s->read_ns > 0 && !pmu_model_is_simulated(t->model)) {
		pmu_cell_time(&read, s->read_ns);
		pmu_strbuf_addf(t->out, "%sa begin or end reads the counters in %s%s",
				named || summed ? "; " : "", read.number, read.unit);
	}
	if (s->process)
		pmu_strbuf_addf(t->out, "%scounts are the whole process's",
				named || summed || s->read_ns > 0 ? "; " : "");
	pmu_strbuf_add(t->out, "\n");
}

/* Of a thread's rows, or of a socket's. */
static void thread_title(struct pmu_text *t, const struct pmu_model_section *s,
			 const struct pmu_model_thread *thread)
{
	struct pmu_cell cell;

	pmu_strbuf_add(t->out, "\n  ");
	if (s->n_counts || t->model->n_sections > 1) {
		pmu_encode_line(t->out, s->group);
		pmu_strbuf_add(t->out, ", ");
	}
	if (t->model->n_parts) {
		pmu_encode_line(t->out, t->model->part[thread->part].label);
		pmu_strbuf_add(t->out, ", ");
	}
	if (thread >= t->model->thread + t->model->n_threads) {
		pmu_encode_line(t->out, thread->name);
		pmu_strbuf_add(t->out, "\n");
		return;
	}
	pmu_strbuf_addf(t->out, "thread %d", thread->number);
	pmu_cell_exact(&cell, thread->n_merged);
	if (thread->n_merged)
		pmu_strbuf_addf(t->out, ": %s finished threads together", cell.number);
	if (thread->name && thread->name[0] && !thread->n_merged) {
		pmu_strbuf_add(t->out, " (");
		pmu_encode_line(t->out, thread->name);
		pmu_strbuf_add(t->out, ")");
	}
	if (thread->cpu >= 0)
		pmu_strbuf_addf(t->out, " on CPU %d", thread->cpu);
	pmu_strbuf_add(t->out, "\n");
}

static void each_thread(struct pmu_text *t, const struct pmu_model_section *s)
{
	unsigned int end;

	for (unsigned int i = 0; i < s->n_thread_rows && !t->failed; i = end) {
		int thread = s->thread_row[i].thread;
		struct rows r = { .t = t, .s = s, .row = &s->thread_row[i] };

		for (end = i + 1; end < s->n_thread_rows; end++)
			if (s->thread_row[end].thread != thread)
				break;
		r.n = end - i;
		if (thread < 0 ||
		    (unsigned int)thread >= t->model->n_threads + t->model->n_sockets ||
		    !pmu_text_any_match(t, r.row, r.n))
			continue;
		r.table.color = t->color;
		r.others = pmu_model_is_socket(t->model, r.row) ? ~s->sockets : s->sockets;
		thread_title(t, s, &t->model->thread[thread]);
		print_rows(&r);
	}
}

void pmu_text_section(struct pmu_text *t, const struct pmu_model_section *section)
{
	struct rows r = { .t = t,
			  .s = section,
			  .row = section->row,
			  .n = section->n_rows,
			  .table.color = t->color };

	section_title(t, section);
	print_rows(&r);
	put_teams(&r);
	if ((t->model->n_parts > 1 || t->model->ranks) && !t->failed && r.n)
		t->model->several->put_over(t, section, r.at, r.n);
	if (t->threads)
		each_thread(t, section);
}
