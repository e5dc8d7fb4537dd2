/* SPDX-License-Identifier: BSD-3-Clause */
/* A comparison as text: what differs, most of it first. */
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bindings/command/command.h"
#include "bindings/command/diff/diff.h"
#include "report/encode.h"
#include "report/text/table.h"
#include "report/text/terminal.h"

#define COLUMNS_DEFAULT 100u

struct text {
	struct pmu_strbuf *out;
	const struct pmu_diff *diff;
	const struct pmu_text_options *options;
	unsigned int columns;
	struct pmu_model_block *blocks;
	bool failed, any_inclusive, any_unknown, any_functions;
};

/* A line of the table: one measure of a region, below one that names it. */
struct line {
	const struct pmu_diff_row *row;
	const struct pmu_diff_measure *measure; /* NULL: the name */
	const struct pmu_diff_value *value;
	const struct pmu_diff_function *function; /* or its share, or, */
	bool is_pace;                             /* below it, its time */
};

/* What is not shown of a group's regions, and of the functions of those that are. */
struct left {
	unsigned int regions;
	size_t functions;
};

enum { A, B, CHANGE, LOW, HIGH, VERDICT, N_COLUMNS };
static const char *const titles[N_COLUMNS] = { "A", "B", "change", "from", "to", "verdict" };

static void side(struct text *t, const char *name, const struct pmu_series *series)
{
	pmu_strbuf_addf(t->out, "  %s  %zu run%s of ", name, series->n_runs,
			series->n_runs == 1 ? "" : "s");
	pmu_encode_line(t->out, series->text[PMU_SERIES_COMMAND][0]
					? series->text[PMU_SERIES_COMMAND]
					: series->text[PMU_SERIES_PROGRAM]);
	pmu_strbuf_add(t->out, "\n");
}

static void diff_head(struct text *t)
{
	struct pmu_strbuf line = { 0 };

	pmu_strbuf_add(t->out, "pmu: ");
	pmu_diff_summary(t->diff, t->out);
	pmu_strbuf_add(t->out, "\n");
	side(t, "A", t->diff->a);
	side(t, "B", t->diff->b);
	if (t->diff->n_pairs)
		pmu_strbuf_add(
			t->out,
			"     in turns: each run of B is compared with the run of A beside it\n");
	for (unsigned int i = 0; i < t->diff->n_notes; i++) {
		line.len = 0;
		pmu_encode_line(&line, t->diff->note[i] ? t->diff->note[i] : "");
		pmu_strbuf_add(t->out, "  note  ");
		pmu_command_wrap(t->out, 8, t->columns, pmu_strbuf_text(&line));
		pmu_strbuf_add(t->out, "\n");
	}
	t->failed |= line.failed;
	pmu_strbuf_free(&line);
}

/* --- cells --- */

/* With its sign, as a share of A where A has any. */
static void put_change_cell(struct pmu_cell *cell, const struct line *line, double change)
{
	char text[32];

	pmu_diff_percent(line->value, change, text, sizeof(text));
	if (isnan(change))
		pmu_cell_none(cell);
	else if (text[0])
		pmu_cell_text(cell, text);
	else
		pmu_diff_number(cell, line->measure, change);
}

/* Of a few events more or less it is their number that tells. */
static void put_difference(struct pmu_cell *cell, const struct line *line)
{
	const struct pmu_diff_value *value = line->value;
	bool countable = line->measure->kind == PMU_SERIES_CALLS ||
			 (line->measure->kind == PMU_SERIES_COUNT && !line->measure->unit[0]);
	char text[32];

	if (countable && fabs(value->change) < 1e6 && value->change != 0 &&
	    fabs(value->change) < 0.001 * value->a.median) {
		snprintf(text, sizeof(text), "%+.0f", value->change);
		pmu_cell_text(cell, text);
		return;
	}
	put_change_cell(cell, line, value->change);
}

static const char *verdict(struct text *t, const struct line *line)
{
	if (line->value->verdict == PMU_DIFF_UNKNOWN)
		t->any_unknown = true;
	if (!line->measure->compared)
		return "";
	return pmu_diff_verdict_name(line->value->verdict);
}

static void put_function_line(struct pmu_table_column *column, unsigned int i,
			      const struct line *line)
{
	struct pmu_cell cell[N_COLUMNS];

	if (line->is_pace)
		pmu_diff_pace_cells(&line->function->time, cell);
	else
		pmu_diff_function_cells(line->function, cell);
	for (int c = 0; c < N_COLUMNS; c++)
		column[c].cell[i] = cell[c];
}

static void put_diff_line(struct text *t, struct pmu_table *table, unsigned int i,
			  const struct line *line)
{
	struct pmu_table_column *column = table->column;
	const struct pmu_diff_value *value = line->value;

	table->mark[i] = "";
	if (line->function)
		put_function_line(column, i, line);
	if (!line->measure)
		return;
	pmu_diff_number(&column[A].cell[i], line->measure, value->a.median);
	pmu_diff_number(&column[B].cell[i], line->measure, value->b.median);
	put_difference(&column[CHANGE].cell[i], line);
	put_change_cell(&column[LOW].cell[i], line, value->low);
	put_change_cell(&column[HIGH].cell[i], line, value->high);
	pmu_cell_text(&column[VERDICT].cell[i], verdict(t, line));
	if (line->row->path[0] && !value->is_own && line->measure->kind != PMU_SERIES_CALLS &&
	    line->measure->kind != PMU_SERIES_METRIC) {
		table->mark[i] = "n";
		t->any_inclusive = true;
	}
}

/* --- rows --- */

static const char *diff_label(struct text *t, const struct line *line)
{
	const char *name = line->is_pace    ? "CPU time per call"
			   : line->function ? line->function->name
			   : line->measure  ? line->measure->name
					    : line->row->path;
	struct pmu_strbuf text = { 0 };
	const char *kept;

	if (!name[0])
		return "(all of it)";
	pmu_encode_line(&text, name);
	if (line->function && !line->is_pace && line->function->object[0]) {
		pmu_strbuf_add(&text, "  ");
		pmu_encode_line(&text, line->function->object);
	}
	kept = text.failed ? NULL : pmu_block_text(&t->blocks, text.text, text.len);
	pmu_strbuf_free(&text);
	return kept;
}

static bool make_diff_table(struct text *t, struct pmu_table *table, const struct line *line,
			    unsigned int n)
{
	table->n_rows = n;
	table->n_columns = N_COLUMNS;
	table->color = t->options->color;
	table->label = pmu_block_array(&t->blocks, n + 1, sizeof(*table->label));
	table->mark = pmu_block_array(&t->blocks, n + 1, sizeof(*table->mark));
	table->column = pmu_block_array(&t->blocks, N_COLUMNS, sizeof(*table->column));
	if (!table->label || !table->mark || !table->column)
		return false;
	for (int c = 0; c < N_COLUMNS; c++) {
		table->column[c].title = titles[c];
		table->column[c].kind = "region";
		table->column[c].cell = pmu_block_array(&t->blocks, n + 1, sizeof(struct pmu_cell));
		if (!table->column[c].cell)
			return false;
	}
	for (unsigned int i = 0; i < n; i++) {
		table->label[i].depth = line[i].is_pace ? 2 : line[i].measure || line[i].function;
		table->label[i].name = diff_label(t, &line[i]);
		if (!table->label[i].name)
			return false;
		put_diff_line(t, table, i, &line[i]);
		t->any_functions |= line[i].function != NULL;
	}
	return true;
}

static bool matches_diff_row(const struct text *t, const struct pmu_diff_row *row)
{
	const char *filter = t->options->filter;

	return !filter || !row->path[0] || !fnmatch(filter, row->name, 0) ||
	       !fnmatch(filter, row->path, 0);
}

/* @line: the next of those that there is room for */
static unsigned int add_function_lines(const struct text *t, const struct pmu_diff_row *row,
				       struct line *line)
{
	size_t shown = pmu_diff_functions_shown(row, t->options->all);
	unsigned int n = 0;

	for (size_t i = 0; i < shown; i++) {
		const struct pmu_diff_function *function = &row->function[i];

		line[n++] = (struct line){ .row = row, .function = function };
		if (!isnan(function->time.change))
			line[n++] =
				(struct line){ .row = row, .function = function, .is_pace = true };
	}
	return n;
}

/* Return: as above; 0: nothing is to be told of the region. */
static unsigned int add_row_lines(const struct text *t, const struct pmu_diff_group *group,
				  const struct pmu_diff_row *row, struct line *line)
{
	unsigned int n = 1;

	line[0] = (struct line){ .row = row };
	for (unsigned int m = 0; m < group->n_measures; m++)
		if (pmu_diff_shown(group, row, m, t->options->all))
			line[n++] = (struct line){ .row = row,
						   .measure = &group->measure[m],
						   .value = &row->value[m] };
	n += add_function_lines(t, row, line + n);
	return n > 1 ? n : 0;
}

/* Return: most lines that there can be. */
static size_t count_diff_lines(const struct text *t, const struct pmu_diff_group *group)
{
	size_t n = 0;

	for (unsigned int r = 0; r < group->n_rows; r++)
		n += 1 + group->n_measures +
		     2 * pmu_diff_functions_shown(&group->row[r], t->options->all);
	return n;
}

/* @line: [count_diff_lines()] */
static unsigned int choose_diff_lines(const struct text *t, const struct pmu_diff_group *group,
				      struct line *line, struct left *left)
{
	unsigned int n = 0, shown = 0;
	unsigned int most = t->options->top   ? t->options->top
			    : t->options->all ? UINT32_MAX
					      : PMU_TEXT_ROWS;

	for (unsigned int r = 0; r < group->n_rows; r++) {
		unsigned int more = 0;

		if (matches_diff_row(t, &group->row[r]))
			more = add_row_lines(t, group, &group->row[r], line + n);
		if (shown == most) {
			left->regions += more > 0;
			continue;
		}
		if (more && !t->options->all)
			left->functions += group->row[r].n_functions_differ -
					   pmu_diff_functions_shown(&group->row[r], false);
		n += more;
		shown += more > 0;
	}
	return n;
}

static void print_diff_group(struct text *t, const struct pmu_diff_group *group)
{
	struct line *line = pmu_block_array(&t->blocks, count_diff_lines(t, group) + 1,
					    sizeof(*line));
	struct pmu_table table = { .n_rows = 0 };
	struct left left = { 0, 0 };
	unsigned int n;

	if (!line) {
		t->failed = true;
		return;
	}
	n = choose_diff_lines(t, group, line, &left);
	if (!n)
		return;
	if (!make_diff_table(t, &table, line, n)) {
		t->failed = true;
		return;
	}
	pmu_strbuf_add(t->out, "\n  ");
	pmu_encode_line(t->out, group->name);
	pmu_strbuf_add(t->out, "\n");
	t->failed |= pmu_table_print(t->out, &table, t->columns, &t->blocks) != 0;
	if (left.regions)
		pmu_strbuf_addf(t->out, "  and %u more regions; --all shows all of them\n",
				left.regions);
	if (left.functions)
		pmu_strbuf_addf(t->out, "  and %zu more functions that differ; --all shows them\n",
				left.functions);
}

/* Column at which what the legend says begins. */
#define LEGEND 11

static void event_legend(struct text *t)
{
	struct pmu_strbuf text = { 0 };

	pmu_strbuf_add(&text, "a function's share of the samples of the region's own ");
	pmu_encode_line(&text, t->diff->sampled);
	pmu_strbuf_addf(&text,
			", its change in points: estimated; %.0f in 100 comparisons without any "
			"difference name a function",
			100 * PMU_DIFF_ALPHA);
	pmu_command_item(t->out, LEGEND, t->columns, "%", pmu_strbuf_text(&text));
	t->failed |= text.failed;
	pmu_strbuf_free(&text);
}

static void function_legend(struct text *t)
{
	bool single = t->diff->a->n_runs == 1 && t->diff->b->n_runs == 1;

	if (t->diff->sampled[0]) {
		event_legend(t);
		return;
	}
	pmu_strbuf_addf(
		t->out,
		"  %%        a function's share of the samples of the region's own time, its change in\n"
		"           points, CPU time by samples: estimated; %.0f in 100 comparisons without any\n"
		"           difference name a function%s\n",
		100 * PMU_DIFF_ALPHA,
		single ? ", but that a run differs from the next, which takes\n"
			 "           more runs to be told, is not in it"
		       : "");
}

static void diff_legend(struct text *t)
{
	pmu_strbuf_add(
		t->out,
		"\n  A, B     medians of a region's own work, without what is nested in it\n");
	if (t->diff->n_pairs)
		pmu_strbuf_add(
			t->out,
			"  change   median of the changes from a run to the one beside it\n");
	pmu_strbuf_add(t->out, "  from to  where the change is in 95 of 100 cases, of A\n");
	if (t->diff->n_compared)
		pmu_strbuf_addf(
			t->out,
			"  differs  more than noise: of comparisons without any difference, "
			"%.0f in 100 say so of any value\n",
			100 * PMU_DIFF_ALPHA);
	if (t->any_unknown)
		pmu_strbuf_add(t->out, "  unknown  too few runs to tell it from noise\n");
	if (t->any_functions)
		function_legend(t);
	if (t->any_inclusive)
		pmu_strbuf_add(t->out, "  n        with nested regions: its own is not known\n");
}

int pmu_diff_write_text(struct pmu_strbuf *out, const struct pmu_diff *diff,
			const struct pmu_text_options *options)
{
	struct text t = {
		.out = out,
		.diff = diff,
		.options = options,
		.columns = options->columns ? options->columns : COLUMNS_DEFAULT,
	};
	size_t start = out->len, tables;

	diff_head(&t);
	tables = out->len;
	for (unsigned int g = 0; g < diff->n_groups; g++)
		print_diff_group(&t, &diff->group[g]);
	if (out->len > tables && !options->brief)
		diff_legend(&t);
	if (options->color)
		pmu_style_apply(out, start);
	pmu_block_free(&t.blocks);
	return t.failed || out->failed ? -ENOMEM : 0;
}
