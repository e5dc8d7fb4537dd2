/* SPDX-License-Identifier: BSD-3-Clause */
/* Which rows are shown, and in which order. */
#include "bindings/command/top/order.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/samples.h"

/* A function with less than one of so many samples is not shown. */
#define LEAST_PART 50u

/* --- numbers --- */

static double value_of_span(const struct pmu_top_program *program, const struct pmu_top_span *span,
			    const struct pmu_top_value *value)
{
	for (unsigned int i = 0; i < program->n_values; i++)
		if (!strcmp(program->value[i].name, value->name) &&
		    (!value->unit || (program->value[i].is_count == value->is_count &&
				      !strcmp(program->value[i].unit, value->unit))))
			return span->value[i];
	return NAN;
}

static double of_span(const struct pmu_top_program *program, const struct pmu_top_span *span,
		      const struct pmu_top_field *field)
{
	const double seconds = field->start ? 1 : program->last_ns * 1e-9;

	if (!span->is_known)
		return NAN;
	switch (field->what) {
	case PMU_TOP_CALLS:
		return (double)span->calls / seconds;
	case PMU_TOP_SHARE:
		return span->share;
	case PMU_TOP_SELF:
		return span->self;
	case PMU_TOP_MEAN:
		return span->calls ? span->time_ns / (double)span->calls : NAN;
	case PMU_TOP_VALUE:
		return value_of_span(program, span, &field->value) /
		       (field->value.is_count ? seconds : 1);
	default:
		return NAN;
	}
}

double pmu_top_number(const struct pmu_top_program *program, const struct pmu_top_row *row,
		      const struct pmu_top_field *field)
{
	if (field->what == PMU_TOP_THREADS)
		return row->n_threads;
	if (field->what == PMU_TOP_OPEN)
		return row->n_in ? row->in_ns + row->in_most_ns : NAN;
	return of_span(program, field->start ? &row->start : &row->last, field);
}

/* --- what is asked for --- */

static bool is_pattern(const char *text)
{
	return strpbrk(text, "*?[") != NULL;
}

static bool matches_filter(const struct pmu_top_row *row, const char *filter)
{
	if (!filter || !*filter)
		return true;
	if (is_pattern(filter))
		return !fnmatch(filter, row->name, 0) || !fnmatch(filter, row->path, 0);
	return strstr(row->name, filter) || strstr(row->path, filter);
}

/* --- the order --- */

/** A row on its way. */
struct item {
	const struct pmu_top_program *program;
	int row;
	double number;
	bool is_shown, is_match;
};

static const char *name_of(const struct item *item, bool flat)
{
	const struct pmu_top_row *row = &item->program->row[item->row];

	return flat ? row->path : row->name;
}

/* What is unknown comes last, either way. */
static int compare_by_order(const struct item *a, const struct item *b,
			    const struct pmu_top_order *order)
{
	int by = 0;

	if (order->by.what == PMU_TOP_NAME)
		by = strcmp(name_of(a, order->flat), name_of(b, order->flat));
	else if (isnan(a->number) || isnan(b->number))
		return isnan(a->number) && isnan(b->number) ? a->row - b->row
		       : isnan(a->number)                   ? 1
							    : -1;
	else if (a->number != b->number)
		by = a->number > b->number ? -1 : 1;
	if (by)
		return order->reverse ? -by : by;
	if (a->program != b->program)
		return a->program->pid < b->program->pid ? -1 : 1;
	return a->row - b->row;
}

static int compare_items(const void *a, const void *b, void *order)
{
	return compare_by_order(a, b, order);
}

/* What is nested in one row stands together. */
static int compare_nested(const void *a, const void *b, void *order)
{
	const struct item *x = a, *y = b;
	const int in = x->program->row[x->row].parent, of = y->program->row[y->row].parent;

	return in != of ? in - of : compare_by_order(x, y, order);
}

static size_t take_items(const struct pmu_top_program *program, const struct pmu_top_order *order,
			 struct item *item)
{
	for (unsigned int i = 0; i < program->n_rows; i++) {
		const bool match = matches_filter(&program->row[i], order->filter);

		item[i] = (struct item){ program, (int)i, 0, match, match };
		if (order->by.what != PMU_TOP_NAME)
			item[i].number = pmu_top_number(program, &program->row[i], &order->by);
	}
	return program->n_rows;
}

/* --- as a tree --- */

/* With what is around them. */
static void show_parents(const struct pmu_top_program *program, struct item *item)
{
	for (unsigned int i = program->n_rows; i-- > 0;)
		if (item[i].is_shown && program->row[i].parent >= 0)
			item[program->row[i].parent].is_shown = true;
}

/*
 * Depth first, without recursion: a store may say that its regions are as deep as it likes.
 * @item: of the program, sorted by parent
 * @next: [n_rows + 2]; of row i, or of none at 0, the item that comes next
 */
static size_t walk_tree(const struct pmu_top_program *program, const struct item *item,
			unsigned int *next, struct pmu_top_line *line)
{
	const struct pmu_top_row *row = program->row;
	size_t n = 0;
	int at = -1;

	for (unsigned int i = program->n_rows; i-- > 0;)
		next[row[item[i].row].parent + 1] = i;
	for (;;) {
		const struct item *nested = &item[next[at + 1]];

		if (next[at + 1] < program->n_rows && row[nested->row].parent == at) {
			next[at + 1]++;
			at = nested->row;
			if (nested->is_shown)
				line[n++] = (struct pmu_top_line){ program, at, nested->is_match,
								   NULL };
		} else if (at < 0) {
			return n;
		} else {
			at = row[at].parent;
		}
	}
}

static size_t add_tree(const struct pmu_top_program *program, const struct pmu_top_order *order,
		       struct item *item, unsigned int *next, struct pmu_top_line *line)
{
	for (unsigned int i = 0; i <= program->n_rows; i++)
		next[i] = program->n_rows;
	take_items(program, order, item);
	show_parents(program, item);
	qsort_r(item, program->n_rows, sizeof(*item), compare_nested, (void *)order);
	line[0] = (struct pmu_top_line){ program, -1, true, NULL };
	return 1 + walk_tree(program, item, next, line + 1);
}

/* --- as a list --- */

static size_t add_list(const struct pmu_top_program *const *program, size_t n,
		       const struct pmu_top_order *order, struct item *item,
		       struct pmu_top_line *line)
{
	size_t n_items = 0, n_lines = 0;

	for (size_t i = 0; i < n; i++) {
		line[n_lines++] = (struct pmu_top_line){ program[i], -1, true, NULL };
		n_items += take_items(program[i], order, item + n_items);
	}
	qsort_r(item, n_items, sizeof(*item), compare_items, (void *)order);
	for (size_t i = 0; i < n_items; i++)
		if (item[i].is_shown)
			line[n_lines++] = (struct pmu_top_line){ item[i].program, item[i].row, true,
								 NULL };
	return n_lines;
}

/* --- functions --- */

const struct pmu_top_samples *pmu_top_shown_samples(const struct pmu_top_program *program,
						    const struct pmu_top_row *row)
{
	return program->last_ns > 0 ? &row->last.samples : &row->start.samples;
}

static unsigned int count_shown_functions(const struct pmu_top_line *line)
{
	const struct pmu_top_samples *samples;
	unsigned int n = 0;

	if (line->row < 0 || !line->is_match)
		return 0;
	samples = pmu_top_shown_samples(line->program, &line->program->row[line->row]);
	if (samples->n < PMU_SAMPLES_FEW)
		return 0;
	while (n < samples->n_functions && n < PMU_TOP_FUNCTIONS_SHOWN &&
	       samples->function[n].n_samples * LEAST_PART >= samples->n)
		n++;
	return n;
}

/* Return: @line with the functions, which takes its place; NULL without memory. */
static struct pmu_top_line *add_functions_below(struct pmu_top_line *line, size_t *n_lines)
{
	struct pmu_top_line *all, *to;
	size_t n = *n_lines;

	for (size_t i = 0; i < *n_lines; i++)
		n += count_shown_functions(&line[i]);
	all = to = calloc(n + 1, sizeof(*all));
	for (size_t i = 0; all && i < *n_lines; i++) {
		unsigned int shown = count_shown_functions(&line[i]);
		const struct pmu_top_row *row = line[i].row < 0
							? NULL
							: &line[i].program->row[line[i].row];

		*to++ = line[i];
		for (unsigned int k = 0; k < shown; k++) {
			*to = line[i];
			to++->function = &pmu_top_shown_samples(line[i].program, row)->function[k];
		}
	}
	free(line);
	*n_lines = all ? n : 0;
	return all;
}

struct pmu_top_line *pmu_top_lines(const struct pmu_top_program *const *program, size_t n,
				   const struct pmu_top_order *order, size_t *n_lines)
{
	size_t n_rows = 0;
	struct pmu_top_line *line;
	struct item *item;
	unsigned int *next;

	for (size_t i = 0; i < n; i++)
		n_rows += program[i]->n_rows;
	line = calloc(n_rows + n + 1, sizeof(*line));
	item = calloc(n_rows + 1, sizeof(*item));
	next = calloc(n_rows + 2, sizeof(*next));
	*n_lines = 0;
	if (line && item && next && order->flat)
		*n_lines = add_list(program, n, order, item, line);
	for (size_t i = 0; line && item && next && !order->flat && i < n; i++)
		*n_lines += add_tree(program[i], order, item, next, line + *n_lines);
	if (!item || !next) {
		free(line);
		line = NULL;
	}
	free(item);
	free(next);
	return line && order->functions ? add_functions_below(line, n_lines) : line;
}
