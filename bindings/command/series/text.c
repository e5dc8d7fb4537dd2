/* SPDX-License-Identifier: BSD-3-Clause */
/* A series as text: medians, how far they can be trusted, and what disturbed the runs. */
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/command/command.h"
#include "bindings/command/series/parts.h"
#include "report/cell.h"
#include "report/encode.h"
#include "report/text/longest.h"
#include "report/text/table.h"
#include "report/text/terminal.h"

#define COLUMNS_DEFAULT 100u
#define LABEL           12u
#define LABEL_WIDE      18u /* where something is told of several sources */
#define REMARKS_SHOWN   12u
/* calls, time and self with what belongs to them */
#define BASE_COLUMNS 6u

/* One text that is made. */
struct text {
	struct pmu_strbuf *out;
	const struct pmu_series *series;
	const struct pmu_text_options *options;
	unsigned int columns;
	unsigned int label; /* column behind the labels */
	double *scratch;    /* [runs] */
	struct pmu_model_block *blocks;
	bool failed;
	bool any_equal, any_few, any_flat; /* for the legend */
};

/* --- the head --- */

static void series_item(struct text *t, const char *label, const char *words)
{
	struct pmu_strbuf name = { 0 }, line = { 0 };

	if (!words[0])
		return;
	pmu_encode_line(&name, label);
	pmu_encode_line(&line, words);
	pmu_command_item(t->out, t->label, t->columns, pmu_strbuf_text(&name),
			 pmu_strbuf_text(&line));
	t->failed |= name.failed | line.failed;
	pmu_strbuf_free(&name);
	pmu_strbuf_free(&line);
}

static void add_cell(struct pmu_strbuf *out, const struct pmu_cell *cell)
{
	pmu_strbuf_addf(out, "%s%s", cell->number, cell->unit);
}

/* How far the interval reaches from the median, as a share of it. */
static double reach(const struct pmu_series_summary *s)
{
	double most = fmax(s->high - s->median, s->median - s->low);

	return s->median > 0 ? most / s->median : NAN;
}

static void series_title(struct text *t)
{
	const struct pmu_series *series = t->series;
	struct pmu_series_summary elapsed = pmu_series_elapsed(series, t->scratch);
	struct pmu_cell cell;

	pmu_strbuf_add(t->out, "pmu: ");
	pmu_encode_line(t->out, series->text[PMU_SERIES_PROGRAM]);
	pmu_strbuf_addf(t->out, ", %zu run%s", series->n_runs, series->n_runs == 1 ? "" : "s");
	if (elapsed.n && !pmu_series_is_simulated(series)) {
		pmu_cell_time(&cell, elapsed.median);
		pmu_strbuf_add(t->out, series->n_runs == 1 ? " of " : " of about ");
		add_cell(t->out, &cell);
		pmu_cell_share(&cell, reach(&elapsed));
		if (!isnan(reach(&elapsed))) {
			pmu_strbuf_add(t->out, " (+- ");
			add_cell(t->out, &cell);
			pmu_strbuf_add(t->out, ")");
		}
	}
	if (series->n_warmup)
		pmu_strbuf_addf(t->out, ", after %u to warm up", series->n_warmup);
	pmu_strbuf_add(t->out, "\n");
}

/* "perf: user level; times: time stamp counter" */
static void source(struct text *t)
{
	struct pmu_strbuf line = { 0 };

	pmu_strbuf_addf(&line, "%s: %s", t->series->text[PMU_SERIES_SOURCE],
			t->series->text[PMU_SERIES_SOURCE_DETAIL]);
	if (!pmu_series_is_simulated(t->series))
		pmu_strbuf_addf(&line, "; times: %s", t->series->text[PMU_SERIES_CLOCK]);
	series_item(t, "source", pmu_strbuf_text(&line));
	t->failed |= line.failed;
	pmu_strbuf_free(&line);
}

static bool same_refusal(const struct pmu_model_refusal *a, const struct pmu_model_refusal *b)
{
	return !strcmp(a->why, b->why) && !strcmp(a->mend, b->mend);
}

/* All that were refused for the same reason are told of with the first of them. */
static void refusal(struct text *t, unsigned int nth)
{
	const struct pmu_model_refusal *refusal = t->series->refusal;
	struct pmu_strbuf label = { 0 }, line = { 0 };

	pmu_strbuf_addf(&label, "not %s", refusal[nth].source);
	for (unsigned int i = nth + 1; i < t->series->n_refusals; i++)
		if (same_refusal(&refusal[i], &refusal[nth]))
			pmu_strbuf_addf(&label, ", %s", refusal[i].source);
	pmu_strbuf_addf(&line, "%s%s%s", refusal[nth].why, refusal[nth].mend[0] ? "; " : "",
			refusal[nth].mend);
	series_item(t, pmu_strbuf_text(&label), pmu_strbuf_text(&line));
	t->failed |= label.failed | line.failed;
	pmu_strbuf_free(&label);
	pmu_strbuf_free(&line);
}

static void refusals(struct text *t)
{
	for (unsigned int i = 0; i < t->series->n_refusals; i++) {
		unsigned int first = 0;

		while (!same_refusal(&t->series->refusal[first], &t->series->refusal[i]))
			first++;
		if (first == i)
			refusal(t, i);
	}
}

static void differences(struct text *t)
{
	struct pmu_strbuf line = { 0 };

	for (int i = 0; i < PMU_SERIES_TEXTS; i++)
		if (t->series->differs >> i & 1)
			pmu_strbuf_addf(&line, "%s%s", line.len ? ", " : "",
					pmu_series_text_name((enum pmu_series_text)i));
	if (line.len)
		pmu_strbuf_add(&line, ": not the same in all runs; here it is the first one's");
	series_item(t, "differs", pmu_strbuf_text(&line));
	t->failed |= line.failed;
	pmu_strbuf_free(&line);
}

static void noise(struct text *t)
{
	static const char *const labels[] = {
		[PMU_NOISE_QUIET] = "quiet",
		[PMU_NOISE_KNOW] = "know",
		[PMU_NOISE_DISTURBS] = "disturbed",
	};

	series_item(t, "settings", t->series->settings);
	for (size_t i = 0; i < t->series->noise.n; i++) {
		const struct pmu_noise_finding *finding = &t->series->noise.finding[i];
		struct pmu_strbuf line = { 0 };

		if (finding->severity == PMU_NOISE_QUIET)
			continue;
		pmu_strbuf_add(&line, finding->text);
		if (finding->mend)
			pmu_strbuf_addf(&line, "; to stop it: %s", finding->mend);
		series_item(t, labels[finding->severity], pmu_strbuf_text(&line));
		t->failed |= line.failed;
		pmu_strbuf_free(&line);
	}
}

static void remarks(struct text *t, bool doubts)
{
	const struct pmu_series *series = t->series;
	unsigned int n = 0;

	for (unsigned int i = 0; i < series->n_remarks; i++) {
		const struct pmu_series_remark *remark = &series->remark[i];
		struct pmu_strbuf line = { 0 };

		if (remark->is_doubt != doubts || ++n > REMARKS_SHOWN)
			continue;
		if (remark->region[0])
			pmu_strbuf_addf(&line, "%s: ", remark->region);
		pmu_strbuf_add(&line, remark->text);
		if (remark->n_runs < series->n_runs)
			pmu_strbuf_addf(&line, " (in %u of %zu runs)", remark->n_runs,
					series->n_runs);
		series_item(t, doubts ? "doubt" : "note", pmu_strbuf_text(&line));
		t->failed |= line.failed;
		pmu_strbuf_free(&line);
	}
	if (n > REMARKS_SHOWN)
		pmu_strbuf_addf(t->out, "  and %u more; JSON has all of them\n", n - REMARKS_SHOWN);
}

/* Of a simulation, which took that long, and not the program. */
static void took(struct text *t)
{
	struct pmu_series_summary elapsed = pmu_series_elapsed(t->series, t->scratch);
	struct pmu_strbuf line = { 0 };
	struct pmu_cell cell;

	if (!elapsed.n || !pmu_series_is_simulated(t->series))
		return;
	pmu_cell_time(&cell, elapsed.median);
	if (t->series->n_runs > 1)
		pmu_strbuf_add(&line, "about ");
	add_cell(&line, &cell);
	pmu_strbuf_add(&line, " under valgrind, which is not the program's time");
	series_item(t, "took", pmu_strbuf_text(&line));
	t->failed |= line.failed;
	pmu_strbuf_free(&line);
}

static void series_head(struct text *t)
{
	series_title(t);
	series_item(t, "command", t->series->text[PMU_SERIES_COMMAND]);
	took(t);
	series_item(t, "machine", t->series->text[PMU_SERIES_MACHINE]);
	source(t);
	refusals(t);
	series_item(t, "pinning", t->series->text[PMU_SERIES_PINNING]);
	noise(t);
	differences(t);
	remarks(t, false);
}

/* --- tables --- */

struct rows {
	struct text *t;
	const struct pmu_series_group *group;
	unsigned int n;
	const unsigned int *at; /* [n] regions */
	struct pmu_table table;
};

static struct pmu_series_summary summary_of(const struct rows *r, unsigned int row,
					    unsigned int measure, enum pmu_series_share share)
{
	return pmu_series_summarize(r->t->series, r->group, r->at[row], measure, share,
				    r->t->scratch);
}

static struct pmu_cell *column(struct rows *r, const char *name, const char *kind)
{
	struct pmu_cell *cell = pmu_block_array(&r->t->blocks, r->n, sizeof(*cell));

	if (cell)
		r->table.column[r->table.n_columns++] =
			(struct pmu_table_column){ .title = name, .kind = kind, .cell = cell };
	r->t->failed |= !cell;
	return cell;
}

/* How far the value can be trusted: "=" where it was the same each time. */
static void put_reach(struct rows *r, struct pmu_cell *cell, const struct pmu_series_summary *s)
{
	if (!s->n) {
		pmu_cell_none(cell);
	} else if (s->n > 1 && s->least == s->most) {
		pmu_cell_text(cell, "=");
		r->t->any_equal = true;
	} else {
		pmu_cell_share(cell, reach(s));
		r->t->any_few |= isnan(s->low);
	}
}

/* A number of events, or of calls, which half of them may exceed by a half. */
static uint64_t rounded(double value)
{
	return value > 0 ? (uint64_t)(value + 0.5) : 0;
}

static void put_measure_cell(struct pmu_cell *cell, const struct pmu_series_measure *measure,
			     double value, double largest)
{
	if (isnan(value))
		pmu_cell_none(cell);
	else if (!strcmp(measure->unit, "ns"))
		pmu_cell_time(cell, value);
	else if (!strcmp(measure->unit, "uJ"))
		pmu_cell_energy(cell, rounded(value));
	else if (measure->kind == PMU_SERIES_METRIC)
		pmu_cell_value(cell, value, largest);
	else
		pmu_cell_count(cell, rounded(value), rounded(largest));
	if (!isnan(value) && !strcmp(measure->unit, "%") && !cell->unit[0])
		strcpy(cell->unit, "%");
}

static bool any_known(const struct rows *r, unsigned int measure, double *largest)
{
	bool any = false;

	*largest = 0;
	for (unsigned int i = 0; i < r->n; i++) {
		double median = summary_of(r, i, measure, PMU_SERIES_ALL).median;

		any |= !isnan(median);
		*largest = fmax(*largest, fabs(median));
	}
	return any;
}

static const char *heading(struct rows *r, const struct pmu_series_measure *measure)
{
	bool in_cells = !measure->unit[0] || !strcmp(measure->unit, "ns") ||
			!strcmp(measure->unit, "uJ") || !strcmp(measure->unit, "%");
	struct pmu_strbuf line = { 0 };
	const char *kept;

	pmu_encode_line(&line, measure->name);
	if (!in_cells) {
		pmu_strbuf_add(&line, " [");
		pmu_encode_line(&line, measure->unit);
		pmu_strbuf_add(&line, "]");
	}
	kept = line.failed ? NULL
			   : pmu_block_text(&r->t->blocks, line.text ? line.text : "", line.len);
	r->t->failed |= !kept;
	pmu_strbuf_free(&line);
	return kept ? kept : "";
}

/* Of calls and what is made of counts it is worth a column only where runs differ. */
static bool wants_reach(const struct rows *r, unsigned int m)
{
	enum pmu_series_kind kind = r->group->measure[m].kind;
	bool differs = kind == PMU_SERIES_TIME || kind == PMU_SERIES_COUNT;

	for (unsigned int i = 0; i < r->n && !differs; i++) {
		struct pmu_series_summary s = summary_of(r, i, m, PMU_SERIES_ALL);

		differs = s.n > 1 && s.least < s.most;
	}
	return differs;
}

/* A measure and beside it how far it can be trusted. */
static void measure_columns(struct rows *r, unsigned int m, const char *kind)
{
	const struct pmu_series_measure *measure = &r->group->measure[m];
	struct pmu_cell *value, *sure;
	double largest;

	if (!any_known(r, m, &largest))
		return;
	value = column(r, heading(r, measure), kind);
	sure = value && wants_reach(r, m) ? column(r, "+-", kind) : NULL;
	for (unsigned int i = 0; value && i < r->n; i++) {
		struct pmu_series_summary s = summary_of(r, i, m, PMU_SERIES_ALL);

		put_measure_cell(&value[i], measure, s.median, largest);
		if (sure)
			put_reach(r, &sure[i], &s);
	}
}

/* @m: what regions are ordered by */
static void spread_and_self(struct rows *r, unsigned int m)
{
	struct pmu_cell *spread = column(r, "spread", "region");
	struct pmu_cell *self = spread ? column(r, "self", "region") : NULL;
	double largest;

	any_known(r, m, &largest);
	for (unsigned int i = 0; self && i < r->n; i++) {
		struct pmu_series_summary s = summary_of(r, i, m, PMU_SERIES_ALL);

		pmu_cell_share(&spread[i],
			       s.n > 1 && s.median > 0 ? (s.most - s.least) / s.median : NAN);
		put_measure_cell(&self[i], &r->group->measure[m],
				 summary_of(r, i, m, PMU_SERIES_OWN).median, largest);
	}
}

static void columns(struct rows *r)
{
	static const char *const kinds[] = {
		[PMU_SERIES_CALLS] = "region",
		[PMU_SERIES_TIME] = "region",
		[PMU_SERIES_COUNT] = "counts",
		[PMU_SERIES_METRIC] = "metrics",
	};

	const unsigned int rank = pmu_series_rank(r->t->series, r->group);

	for (unsigned int m = 0; m < r->group->n_measures; m++) {
		if (m == 1) {
			measure_columns(r, rank, "region");
			spread_and_self(r, rank);
		}
		if (m != rank)
			measure_columns(r, m, kinds[r->group->measure[m].kind]);
	}
}

static bool labels(struct rows *r)
{
	for (unsigned int i = 0; i < r->n; i++) {
		const struct pmu_series_region *region = &r->group->region[r->at[i]];
		struct pmu_strbuf line = { 0 };

		pmu_encode_line(&line, region->name);
		r->table.label[i].name = line.failed ? NULL
						     : pmu_block_text(&r->t->blocks,
								      line.text ? line.text : "",
								      line.len);
		r->table.mark[i] = region->is_flat ? "f" : "";
		r->t->any_flat |= region->is_flat;
		r->table.label[i].depth = r->t->options->filter ? 0 : region->depth;
		pmu_strbuf_free(&line);
		if (!r->table.label[i].name)
			return false;
	}
	return true;
}

static void print_rows(struct rows *r)
{
	size_t most = BASE_COLUMNS + 2 * (size_t)r->group->n_measures;

	r->table.n_rows = r->n;
	r->table.color = r->t->options->color;
	r->table.label = pmu_block_array(&r->t->blocks, r->n + 1, sizeof(*r->table.label));
	r->table.mark = pmu_block_array(&r->t->blocks, r->n + 1, sizeof(*r->table.mark));
	r->table.column = pmu_block_array(&r->t->blocks, most, sizeof(*r->table.column));
	if (!r->table.label || !r->table.mark || !r->table.column || !labels(r)) {
		r->t->failed = true;
		return;
	}
	columns(r);
	if (!r->t->failed)
		r->t->failed = pmu_table_print(r->t->out, &r->table, r->t->columns, &r->t->blocks);
}

static bool matches_region(const struct text *t, const struct pmu_series_region *region)
{
	const char *filter = t->options->filter;

	return !filter || !fnmatch(filter, region->name, 0) || !fnmatch(filter, region->path, 0);
}

/* The regions that are shown: those with the most time, or what they are ordered by, in the order of the tree. */
static void print_series_group(struct text *t, const struct pmu_series_group *group)
{
	unsigned int *at = pmu_block_array(&t->blocks, group->n_regions + 1, sizeof(*at));
	uint64_t *time = pmu_block_array(&t->blocks, group->n_regions + 1, sizeof(*time));
	struct rows rows = { .t = t, .group = group };
	struct pmu_longest longest = { 0 };
	unsigned int n = 0, most = t->options->top ? t->options->top : PMU_TEXT_ROWS;

	if (!at || !time) {
		t->failed = true;
		return;
	}
	for (unsigned int i = 0; i < group->n_regions; i++) {
		unsigned int region = group->order[i];
		double median;

		if (!matches_region(t, &group->region[region]))
			continue;
		median = pmu_series_summarize(t->series, group, region,
					      pmu_series_rank(t->series, group), PMU_SERIES_ALL,
					      t->scratch)
				 .median;
		time[n] = rounded(median);
		at[n++] = region;
	}
	if (t->options->all && !t->options->top)
		most = n;
	if (!n || pmu_longest(&longest, time, n, most, &t->blocks)) {
		t->failed |= n > 0;
		return;
	}
	for (unsigned int i = 0; i < longest.n; i++)
		at[i] = at[longest.at[i]];
	rows.n = longest.n;
	rows.at = at;
	pmu_strbuf_add(t->out, "\n  ");
	pmu_encode_line(t->out, group->name);
	pmu_strbuf_add(t->out, ", medians of all runs\n");
	print_rows(&rows);
	if (longest.n_left)
		pmu_strbuf_addf(t->out, "  and %u more regions; --all shows all of them\n",
				longest.n_left);
}

static void series_legend(struct text *t)
{
	pmu_strbuf_add(t->out, "\n");
	series_item(t, "+-", "so far the median may be off, in 95 of 100 cases");
	if (t->any_equal)
		series_item(t, "=", "the same in each run");
	if (t->any_few)
		series_item(t, "-", "unknown; +- needs six runs");
	if (t->any_flat)
		series_item(t, "f", "flat: kept by name, without what was around it");
	series_item(t, "spread", "between the shortest and the longest run");
}

int pmu_series_write_text(struct pmu_strbuf *out, const struct pmu_series *series,
			  const struct pmu_text_options *options)
{
	struct text t = {
		.out = out,
		.series = series,
		.options = options,
		.columns = options->columns ? options->columns : COLUMNS_DEFAULT,
		.label = series->n_refusals > 1 ? LABEL_WIDE : LABEL,
		.scratch = calloc(series->n_runs + 1, sizeof(double)),
	};
	size_t start = out->len;

	if (!t.scratch)
		return -ENOMEM;
	if (!options->brief)
		series_head(&t);
	for (unsigned int g = 0; g < series->n_groups; g++)
		print_series_group(&t, &series->group[g]);
	if (!options->brief) {
		series_legend(&t);
		remarks(&t, true);
	}
	if (options->color)
		pmu_style_apply(out, start);
	free(t.scratch);
	pmu_block_free(&t.blocks);
	return t.failed || out->failed ? -ENOMEM : 0;
}
