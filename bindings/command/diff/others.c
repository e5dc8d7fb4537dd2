/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A comparison for programs and for pages.
 *
 * JSON, version 1 of the schema:
 *   pmu_diff      1
 *   summary       a sentence
 *   alpha         of comparisons without any difference, this share has a value that "differs"
 *   pairs         runs of A and B that were made in turns and are compared one with one; 0 none
 *   compared      how many values were tested, for which p is adjusted
 *   functions_compared  the same of functions, which are a family of their own
 *   a, b          {program, command, host, machine, source, runs}
 *   notes         [sentence]: what cannot be compared
 *   groups        [{name, measures: [{name, unit, kind, compared}], regions}]
 *     regions     those that changed most first: [{name, path, a, b, differs, values, samples}]; a, b: it
 *                 is there; path "" is the whole command
 *       values    one for each measure: [{verdict, own, a, b, all_a, all_b, change, low, high, p}];
 *                 medians of own work where own is true, all_*: with nested regions; the change is
 *                 b - a, and in 95 of 100 cases between low and high; null: not known
 *       samples   where both sides have enough of them, estimates: {a, b, functions}; a, b: how many;
 *                 event: that they are of, where not of time
 *         functions  that differ first: [{name, object, verdict, n_a, n_b, a, b, change, low, high, p,
 *                 time}]; n_*: samples; a, b: shares of the region's; object null: the program itself, or
 *                 not known; verdict new, gone: by more than noise there are none on one side; p: adjusted
 *                 for functions_compared, null: too few to be tested, and the verdict is unknown
 *           time  {a, b, change, low, high, verdict} of CPU nanoseconds for each call of the region, or
 *                 null: not known; the verdict is slower, faster or same
 *
 * CSV has a line for each of these values, and none of functions.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bindings/command/diff/diff.h"
#include "report/encode.h"
#include "report/json_put.h"

/* A page takes so many, and GitHub a megabyte. */
#define MARKDOWN_LINES 100u

/* --- JSON --- */

static void put_side(struct pmu_strbuf *out, const char *name, const struct pmu_series *series)
{
	key(out, ",\n  ", name);
	put_text(out, "{", "program", series->text[PMU_SERIES_PROGRAM]);
	put_text(out, ", ", "command", series->text[PMU_SERIES_COMMAND]);
	put_text(out, ", ", "host", series->text[PMU_SERIES_HOST]);
	put_text(out, ", ", "machine", series->text[PMU_SERIES_MACHINE]);
	put_text(out, ", ", "source", series->text[PMU_SERIES_SOURCE]);
	put_u64(out, ", ", "runs", series->n_runs);
	pmu_strbuf_add(out, "}");
}

static void put_diff_value(struct pmu_strbuf *out, const struct pmu_diff_value *value)
{
	put_text(out, "{", "verdict", pmu_diff_verdict_name(value->verdict));
	put_bool(out, ", ", "own", value->is_own);
	put_double(out, ", ", "a", value->a.median);
	put_double(out, ", ", "b", value->b.median);
	put_double(out, ", ", "all_a", value->all_a.median);
	put_double(out, ", ", "all_b", value->all_b.median);
	put_double(out, ", ", "change", value->change);
	put_double(out, ", ", "low", value->low);
	put_double(out, ", ", "high", value->high);
	put_double(out, ", ", "p", value->p);
	pmu_strbuf_add(out, "}");
}

static void put_pace(struct pmu_strbuf *out, const struct pmu_diff_pace *time)
{
	key(out, ", ", "time");
	if (isnan(time->change)) {
		pmu_strbuf_add(out, "null");
		return;
	}
	put_double(out, "{", "a", time->a);
	put_double(out, ", ", "b", time->b);
	put_double(out, ", ", "change", time->change);
	put_double(out, ", ", "low", time->low);
	put_double(out, ", ", "high", time->high);
	put_text(out, ", ", "verdict", pmu_diff_pace_name(time));
	pmu_strbuf_add(out, "}");
}

static void put_diff_function(struct pmu_strbuf *out, const struct pmu_diff_function *function)
{
	put_text(out, "{", "name", function->name);
	put_known_text(out, ", ", "object", function->object);
	put_text(out, ", ", "verdict", pmu_diff_verdict_name(function->verdict));
	put_double(out, ", ", "n_a", function->n[0]);
	put_double(out, ", ", "n_b", function->n[1]);
	put_double(out, ", ", "a", function->a);
	put_double(out, ", ", "b", function->b);
	put_double(out, ", ", "change", function->change);
	put_double(out, ", ", "low", function->low);
	put_double(out, ", ", "high", function->high);
	put_double(out, ", ", "p", function->p);
	put_pace(out, &function->time);
	pmu_strbuf_add(out, "}");
}

static void put_diff_samples(struct pmu_strbuf *out, const struct pmu_diff_row *row)
{
	if (!row->n_functions)
		return;
	key(out, ",\n         ", "samples");
	put_double(out, "{", "a", row->n_samples[0]);
	put_double(out, ", ", "b", row->n_samples[1]);
	if (row->sampled[0])
		put_text(out, ", ", "event", row->sampled);
	pmu_strbuf_add(out, ", \"functions\": [");
	for (size_t i = 0; i < row->n_functions; i++) {
		next_line(out, !i, "          ");
		put_diff_function(out, &row->function[i]);
	}
	pmu_strbuf_add(out, "]}");
}

static void put_diff_row(struct pmu_strbuf *out, const struct pmu_diff_group *group,
			 const struct pmu_diff_row *row)
{
	put_text(out, "{", "name", row->name);
	put_text(out, ", ", "path", row->path);
	put_bool(out, ", ", "a", row->a >= 0);
	put_bool(out, ", ", "b", row->b >= 0);
	put_bool(out, ", ", "differs", row->differs);
	pmu_strbuf_add(out, ", \"values\": [");
	for (unsigned int m = 0; m < group->n_measures; m++) {
		next_line(out, !m, "          ");
		put_diff_value(out, &row->value[m]);
	}
	pmu_strbuf_add(out, "]");
	put_diff_samples(out, row);
	pmu_strbuf_add(out, "}");
}

static void put_diff_group(struct pmu_strbuf *out, const struct pmu_diff_group *group)
{
	put_text(out, "{", "name", group->name);
	pmu_strbuf_add(out, ",\n     \"measures\": [");
	for (unsigned int m = 0; m < group->n_measures; m++) {
		next_line(out, !m, "       ");
		put_text(out, "{", "name", group->measure[m].name);
		put_text(out, ", ", "unit", group->measure[m].unit);
		put_text(out, ", ", "kind", pmu_series_kind_name(group->measure[m].kind));
		put_bool(out, ", ", "compared", group->measure[m].compared);
		pmu_strbuf_add(out, "}");
	}
	end_list(out, !group->n_measures, "     ");
	pmu_strbuf_add(out, ",\n     \"regions\": [");
	for (unsigned int r = 0; r < group->n_rows; r++) {
		next_line(out, !r, "       ");
		put_diff_row(out, group, &group->row[r]);
	}
	end_list(out, !group->n_rows, "     ");
	pmu_strbuf_add(out, "}");
}

int pmu_diff_write_json(struct pmu_strbuf *out, const struct pmu_diff *diff,
			const struct pmu_text_options *options)
{
	struct pmu_strbuf summary = { 0 };

	(void)options;
	pmu_diff_summary(diff, &summary);
	pmu_strbuf_add(out, "{\n  \"pmu_diff\": 1");
	put_text(out, ",\n  ", "summary", pmu_strbuf_text(&summary));
	put_double(out, ",\n  ", "alpha", PMU_DIFF_ALPHA);
	put_u64(out, ",\n  ", "pairs", diff->n_pairs);
	put_u64(out, ",\n  ", "compared", diff->n_compared);
	put_u64(out, ",\n  ", "functions_compared", diff->n_functions_compared);
	put_side(out, "a", diff->a);
	put_side(out, "b", diff->b);
	pmu_strbuf_add(out, ",\n  \"notes\": [");
	for (unsigned int i = 0; i < diff->n_notes; i++) {
		next_line(out, !i, "    ");
		pmu_encode_json(out, diff->note[i]);
	}
	end_list(out, !diff->n_notes, "  ");
	pmu_strbuf_add(out, ",\n  \"groups\": [");
	for (unsigned int g = 0; g < diff->n_groups; g++) {
		next_line(out, !g, "    ");
		put_diff_group(out, &diff->group[g]);
	}
	end_list(out, !diff->n_groups, "  ");
	pmu_strbuf_add(out, "\n}\n");
	out->failed |= summary.failed;
	pmu_strbuf_free(&summary);
	return out->failed ? -ENOMEM : 0;
}

/* --- CSV --- */

static void put_csv_number(struct pmu_strbuf *out, double value)
{
	pmu_strbuf_add(out, ",");
	pmu_encode_double(out, value);
}

int pmu_diff_write_csv(struct pmu_strbuf *out, const struct pmu_diff *diff,
		       const struct pmu_text_options *options)
{
	(void)options;
	pmu_strbuf_add(out, "group,path,measure,verdict,own,a,b,change,low,high,p\n");
	for (unsigned int g = 0; g < diff->n_groups; g++) {
		const struct pmu_diff_group *group = &diff->group[g];

		for (size_t i = 0; i < (size_t)group->n_rows * group->n_measures; i++) {
			const struct pmu_diff_row *row = &group->row[i / group->n_measures];
			const struct pmu_diff_value *value = &row->value[i % group->n_measures];

			pmu_encode_csv(out, group->name);
			pmu_strbuf_add(out, ",");
			pmu_encode_csv(out, row->path);
			pmu_strbuf_add(out, ",");
			pmu_encode_csv(out, group->measure[i % group->n_measures].name);
			pmu_strbuf_addf(out, ",%s,%d", pmu_diff_verdict_name(value->verdict),
					value->is_own);
			put_csv_number(out, value->a.median);
			put_csv_number(out, value->b.median);
			put_csv_number(out, value->change);
			put_csv_number(out, value->low);
			put_csv_number(out, value->high);
			put_csv_number(out, value->p);
			pmu_strbuf_add(out, "\n");
		}
	}
	return out->failed ? -ENOMEM : 0;
}

/* --- Markdown --- */

void pmu_diff_escape(struct pmu_strbuf *out, const char *line)
{
	for (; *line; line++)
		if (strchr("\\`*_{}[]<>()#+-.!|~&@:", *line))
			pmu_strbuf_addf(out, "&#%d;", *line);
		else
			pmu_strbuf_add_n(out, line, 1);
}

void pmu_diff_plain(struct pmu_strbuf *out, const char *text)
{
	struct pmu_strbuf line = { 0 };

	pmu_encode_line(&line, text);
	pmu_diff_escape(out, pmu_strbuf_text(&line));
	out->failed |= line.failed;
	pmu_strbuf_free(&line);
}

static void put_cell(struct pmu_strbuf *out, const struct pmu_diff_measure *measure, double value)
{
	struct pmu_cell cell;

	pmu_diff_number(&cell, measure, value);
	pmu_strbuf_addf(out, " %s%s |", cell.number, cell.unit);
}

static void put_percent(struct pmu_strbuf *out, const struct pmu_diff_value *value, double change)
{
	char text[32] = "";

	if (!isnan(change))
		pmu_diff_percent(value, change, text, sizeof(text));
	pmu_strbuf_addf(out, " %s", text[0] ? text : "-");
}

static void put_markdown_line(struct pmu_strbuf *out, const struct pmu_diff_row *row,
			      const struct pmu_diff_measure *measure,
			      const struct pmu_diff_value *value)
{
	pmu_strbuf_add(out, "| ");
	pmu_diff_plain(out, row->path[0] ? row->path : "the command");
	pmu_strbuf_add(out, " | ");
	pmu_diff_plain(out, measure->name);
	pmu_strbuf_add(out, " |");
	put_cell(out, measure, value->a.median);
	put_cell(out, measure, value->b.median);
	put_percent(out, value, value->change);
	pmu_strbuf_add(out, " |");
	put_percent(out, value, value->low);
	pmu_strbuf_add(out, " to");
	put_percent(out, value, value->high);
	pmu_strbuf_addf(out, " | %s |\n",
			measure->compared ? pmu_diff_verdict_name(value->verdict) : "");
}

/* A function's share, in points of a hundred, and how its time changed. */
static void put_markdown_function(struct pmu_strbuf *out, const struct pmu_diff_row *row,
				  const struct pmu_diff_function *function)
{
	pmu_strbuf_add(out, "| ");
	pmu_diff_plain(out, row->path[0] ? row->path : "the command");
	pmu_strbuf_add(out, " | share of ");
	pmu_diff_plain(out, function->name);
	pmu_strbuf_addf(out, " | %.1f%% | %.1f%% | %+.1f points | %+.1f to %+.1f | %s",
			100 * function->a, 100 * function->b, 100 * function->change,
			100 * function->low, 100 * function->high,
			pmu_diff_verdict_name(function->verdict));
	if (!isnan(function->time.change))
		pmu_strbuf_addf(out, ", %s", pmu_diff_pace_name(&function->time));
	pmu_strbuf_add(out, " |\n");
}

/* Return: whether there is to be a line: head and limit. */
static bool begin_markdown_line(struct pmu_strbuf *out, bool all, size_t *n)
{
	if (!(*n)++)
		pmu_strbuf_add(out, "\n| region | value | A | B | change | between | verdict |\n"
				    "|:--|:--|--:|--:|--:|:-:|:--|\n");
	return all || *n <= MARKDOWN_LINES;
}

static void put_markdown_group(struct pmu_strbuf *out, const struct pmu_diff_group *group, bool all,
			       size_t *n)
{
	for (unsigned int r = 0; r < group->n_rows; r++) {
		const struct pmu_diff_row *row = &group->row[r];

		for (unsigned int m = 0; m < group->n_measures; m++)
			if (pmu_diff_shown(group, row, m, all) && begin_markdown_line(out, all, n))
				put_markdown_line(out, row, &group->measure[m], &row->value[m]);
		for (size_t i = 0; i < pmu_diff_functions_shown(row, all); i++)
			if (begin_markdown_line(out, all, n))
				put_markdown_function(out, row, &row->function[i]);
	}
}

int pmu_diff_write_markdown(struct pmu_strbuf *out, const struct pmu_diff *diff,
			    const struct pmu_text_options *options)
{
	bool all = options->all;
	size_t n = 0;

	pmu_strbuf_add(out, "### ");
	pmu_diff_summary(diff, out);
	pmu_strbuf_addf(out, "\n\nA: %zu runs of ", diff->a->n_runs);
	pmu_diff_plain(out, diff->a->text[PMU_SERIES_COMMAND]);
	pmu_strbuf_addf(out, "  \nB: %zu runs of ", diff->b->n_runs);
	pmu_diff_plain(out, diff->b->text[PMU_SERIES_COMMAND]);
	pmu_strbuf_add(out, diff->n_pairs ? ", in turns\n\n" : "\n\n");
	for (unsigned int i = 0; i < diff->n_notes; i++) {
		pmu_strbuf_add(out, "- ");
		pmu_diff_plain(out, diff->note[i]);
		pmu_strbuf_add(out, "\n");
	}
	for (unsigned int g = 0; g < diff->n_groups; g++)
		put_markdown_group(out, &diff->group[g], all, &n);
	if (!all && n > MARKDOWN_LINES)
		pmu_strbuf_addf(out, "\nand %zu lines more\n", n - MARKDOWN_LINES);
	return out->failed ? -ENOMEM : 0;
}
