/* SPDX-License-Identifier: BSD-3-Clause */
/* What a check has found, as text, for a step's summary and as annotations. */
#include <stdio.h>
#include <string.h>

#include "bindings/command/check/judge.h"
#include "report/encode.h"

#define MAX_ANNOTATIONS 10u
#define MAX_ROWS        100u

static const char *plural_ending(size_t n)
{
	return n == 1 ? "" : "s";
}

/* --- a breach --- */

static void put_measured(struct pmu_strbuf *out, const struct pmu_diff_measure *measure,
			 double value)
{
	struct pmu_cell cell;

	pmu_diff_number(&cell, measure, value);
	pmu_strbuf_addf(out, "%s%s%s", value < 0 ? "-" : "", cell.number, cell.unit);
}

/* Of counts that repeat all digits; where runs differ those of both sides that are nearest. */
static void put_exact(struct pmu_strbuf *out, const char *sign, double value)
{
	struct pmu_cell cell;

	pmu_cell_exact(&cell, (uint64_t)value);
	pmu_strbuf_addf(out, "%s%s", sign, cell.number);
}

static void put_before(struct pmu_strbuf *out, const struct pmu_check_breach *breach)
{
	if (breach->is_exact)
		put_exact(out, "", breach->value->a.most);
	else
		put_measured(out, breach->measure, breach->value->a.median);
}

static void put_now(struct pmu_strbuf *out, const struct pmu_check_breach *breach)
{
	if (breach->is_exact)
		put_exact(out, "", breach->value->b.least);
	else
		put_measured(out, breach->measure, breach->value->b.median);
}

static void put_breach_change(struct pmu_strbuf *out, const struct pmu_check_breach *breach)
{
	char text[32] = "";

	if (breach->is_exact) {
		put_exact(out, "+", breach->value->b.least - breach->value->a.most);
		return;
	}
	pmu_diff_percent(breach->value, breach->value->change, text, sizeof(text));
	if (text[0])
		pmu_strbuf_add(out, text);
	else
		put_measured(out, breach->measure, breach->value->change);
}

/* "+0.5%", or what the baseline's runs differed by. */
static void put_limit(struct pmu_strbuf *out, const struct pmu_check *check,
		      const struct pmu_check_breach *breach)
{
	const struct pmu_diff_value *value = breach->value;

	if (breach->limit) {
		pmu_encode_line(out, breach->limit->value);
	} else if (breach->is_exact) {
		pmu_strbuf_add(out, value->a.least == value->a.most
					    ? "+0: they repeat"
					    : "+0 beyond the most of the baseline's runs");
	} else if (breach->allowed == 0) {
		pmu_strbuf_addf(out, "+0: the same in all %zu runs of the baseline", value->a.n);
	} else {
		char text[32];
		bool by_spread = breach->allowed == value->a.most - value->a.least;

		pmu_diff_percent(value, breach->allowed, text, sizeof(text));
		pmu_strbuf_addf(out, by_spread ? "%s as the baseline's %zu runs differ" : "%s",
				text, check->base->n_runs);
	}
	if (breach->noise_is_unknown)
		pmu_strbuf_add(out, "; too few runs to tell it from noise");
}

static void put_breach_path(struct pmu_strbuf *out, const struct pmu_diff_row *row)
{
	if (row->path[0])
		pmu_encode_line(out, row->path);
	else
		pmu_strbuf_add(out, "the command");
}

static void put_breach_values(struct pmu_strbuf *out, const struct pmu_check_breach *breach)
{
	put_before(out, breach);
	pmu_strbuf_add(out, " -> ");
	put_now(out, breach);
	pmu_strbuf_add(out, " (");
	put_breach_change(out, breach);
	pmu_strbuf_add(out, ")");
}

/* "solve: instructions 120 -> 132 (+10.00%), limit +0.5%" */
static void describe_breach(const struct pmu_check *check, const struct pmu_check_breach *breach,
			    struct pmu_strbuf *out)
{
	if (!breach->row) {
		pmu_strbuf_add(out, "limit ");
		pmu_encode_line(out, breach->limit->text);
		pmu_strbuf_add(out, " is for no value that the baseline has");
		return;
	}
	put_breach_path(out, breach->row);
	if (breach->kind == PMU_CHECK_GONE) {
		pmu_strbuf_addf(out, ": gone; it was in the baseline's %zu run%s",
				check->base->n_runs, plural_ending(check->base->n_runs));
		return;
	}
	pmu_strbuf_add(out, ": ");
	pmu_encode_line(out, breach->measure->name);
	if (breach->kind == PMU_CHECK_UNCHECKED) {
		pmu_strbuf_addf(out, " cannot be checked: %s",
				breach->measure->compared
					? "it was not counted now"
					: "it is not comparable with the baseline's");
		return;
	}
	pmu_strbuf_add(out, breach->value->is_own ? ", own, " : " ");
	put_breach_values(out, breach);
	pmu_strbuf_add(out, ", limit ");
	put_limit(out, check, breach);
}

/* "2 of 84 values are beyond their limits" */
static void add_check_summary(const struct pmu_check *check, struct pmu_strbuf *out)
{
	size_t n[3] = { 0 };

	for (size_t i = 0; i < check->n_breaches; i++)
		n[check->breach[i].kind]++;
	if (!check->n_breaches) {
		pmu_strbuf_addf(out, "%zu value%s %s within %s limits", check->n_checked,
				plural_ending(check->n_checked),
				check->n_checked == 1 ? "is" : "are",
				check->n_checked == 1 ? "its" : "their");
		return;
	}
	if (n[PMU_CHECK_BEYOND] || !n[PMU_CHECK_GONE])
		pmu_strbuf_addf(out, "%zu of %zu values %s beyond %s limit%s", n[PMU_CHECK_BEYOND],
				check->n_checked, n[PMU_CHECK_BEYOND] == 1 ? "is" : "are",
				n[PMU_CHECK_BEYOND] == 1 ? "its" : "their",
				plural_ending(n[PMU_CHECK_BEYOND]));
	if (n[PMU_CHECK_GONE])
		pmu_strbuf_addf(out, "%s%zu region%s gone", n[PMU_CHECK_BEYOND] ? ", " : "",
				n[PMU_CHECK_GONE], n[PMU_CHECK_GONE] == 1 ? " is" : "s are");
	if (n[PMU_CHECK_UNCHECKED])
		pmu_strbuf_addf(out, ", %zu could not be checked", n[PMU_CHECK_UNCHECKED]);
}

/* --- what else is to be said --- */

static void put_note(struct pmu_strbuf *out, const char *before, const char *text)
{
	pmu_strbuf_add(out, before);
	pmu_encode_line(out, text);
	pmu_strbuf_add(out, "\n");
}

static void put_exact_notes(const struct pmu_check *check, const char *before,
			    struct pmu_strbuf *out)
{
	char text[200];

	if (check->n_fewer) {
		snprintf(text, sizeof(text),
			 "%zu value%s less than in the baseline: --update takes that in",
			 check->n_fewer, check->n_fewer == 1 ? " is" : "s are");
		put_note(out, before, text);
	}
	if (check->n_varied) {
		snprintf(
			text, sizeof(text),
			"%zu value%s not the same in all runs: only more than in any of the baseline's "
			"is found there; pmu(7) says what makes branches vary",
			check->n_varied, check->n_varied == 1 ? " is" : "s are");
		put_note(out, before, text);
	}
}

static void put_notes(const struct pmu_check *check, const char *before, struct pmu_strbuf *out)
{
	char text[160];

	if (check->base->n_runs < 2 && !check->exact)
		put_note(
			out, before,
			"the baseline is one run, which has no spread: only what --limit says is checked");
	if (check->exact)
		put_exact_notes(check, before, out);
	if (!check->same_cpu)
		put_note(
			out, before,
			"the baseline is of another processor: without a limit of their own only calls, "
			"instructions and branches are checked");
	if (check->n_within_noise) {
		snprintf(text, sizeof(text), "%zu value%s beyond %s limit%s by what may be noise",
			 check->n_within_noise, check->n_within_noise == 1 ? " is" : "s are",
			 check->n_within_noise == 1 ? "its" : "their",
			 plural_ending(check->n_within_noise));
		put_note(out, before, text);
	}
	for (unsigned int i = 0; i < check->own.n_notes; i++)
		if (check->own.note[i])
			put_note(out, before, check->own.note[i]);
}

/* --- writers --- */

void pmu_check_write_text(const struct pmu_check *check, bool quiet, struct pmu_strbuf *out)
{
	if (quiet && !check->n_breaches)
		return;
	pmu_strbuf_add(out, "pmu: ");
	add_check_summary(check, out);
	pmu_strbuf_add(out, "\n");
	for (size_t i = 0; i < check->n_breaches; i++) {
		pmu_strbuf_add(out, "  ");
		describe_breach(check, &check->breach[i], out);
		pmu_strbuf_add(out, "\n");
	}
	if (!quiet)
		put_notes(check, "  note  ", out);
}

/* Of a table: "|" would end it. */
static void put_cells(struct pmu_strbuf *out, const struct pmu_check *check,
		      const struct pmu_check_breach *breach)
{
	const char *path = breach->row->path;
	struct pmu_strbuf text = { 0 };

	pmu_strbuf_add(out, "| ");
	pmu_diff_plain(out, path[0] ? path : "the command");
	pmu_strbuf_add(out, " | ");
	pmu_diff_plain(out, breach->measure->name);
	pmu_strbuf_add(out, " | ");
	put_before(out, breach);
	pmu_strbuf_add(out, " | ");
	put_now(out, breach);
	pmu_strbuf_add(out, " | ");
	put_breach_change(out, breach);
	pmu_strbuf_add(out, " | ");
	put_limit(&text, check, breach);
	pmu_diff_escape(out, pmu_strbuf_text(&text));
	pmu_strbuf_add(out, " |\n");
	out->failed |= text.failed;
	pmu_strbuf_free(&text);
}

static void put_table(struct pmu_strbuf *out, const struct pmu_check *check)
{
	size_t n = 0;

	for (size_t i = 0; i < check->n_breaches; i++) {
		if (check->breach[i].kind != PMU_CHECK_BEYOND)
			continue;
		if (!n++)
			pmu_strbuf_add(out, "| region | value | baseline | now | change | limit |\n"
					    "|:--|:--|--:|--:|--:|:--|\n");
		if (n <= MAX_ROWS)
			put_cells(out, check, &check->breach[i]);
	}
	if (n > MAX_ROWS)
		pmu_strbuf_addf(out, "\nand %zu more\n", n - MAX_ROWS);
	pmu_strbuf_add(out, n ? "\n" : "");
}

/* Of each line an item. */
static void put_items(struct pmu_strbuf *out, char *rest)
{
	char *line;

	while (rest && *rest && (line = strsep(&rest, "\n"))) {
		pmu_strbuf_add(out, "- ");
		pmu_diff_escape(out, line);
		pmu_strbuf_add(out, "\n");
	}
}

static void put_others(struct pmu_strbuf *out, const struct pmu_check *check)
{
	struct pmu_strbuf text = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < check->n_breaches && n < MAX_ROWS; i++) {
		if (check->breach[i].kind == PMU_CHECK_BEYOND)
			continue;
		n++;
		text.len = 0;
		describe_breach(check, &check->breach[i], &text);
		pmu_strbuf_add(out, "- ");
		pmu_diff_escape(out, pmu_strbuf_text(&text));
		pmu_strbuf_add(out, "\n");
	}
	text.len = 0;
	put_notes(check, "", &text);
	put_items(out, text.text);
	out->failed |= text.failed;
	pmu_strbuf_free(&text);
}

void pmu_check_write_markdown(const struct pmu_check *check, const struct pmu_diff *all,
			      struct pmu_strbuf *out)
{
	pmu_strbuf_addf(out, "### %s ", check->n_breaches ? "\xe2\x9d\x8c" : "\xe2\x9c\x85");
	pmu_diff_plain(out, check->base->text[PMU_SERIES_PROGRAM]);
	pmu_strbuf_add(out, ": ");
	add_check_summary(check, out);
	pmu_strbuf_add(out, "\n\n");
	put_table(out, check);
	put_others(out, check);
	pmu_strbuf_add(out, "\n<details><summary>All that differs from the baseline</summary>\n\n");
	pmu_diff_write_markdown(out, all, &(struct pmu_text_options){ .all = false });
	pmu_strbuf_add(out, "\n</details>\n\n");
}

/* GitHub's rules for messages of workflow commands. */
static void put_message(struct pmu_strbuf *out, const char *text)
{
	for (; *text; text++)
		if (strchr("%\r\n", *text))
			pmu_strbuf_addf(out, "%%%02X", (unsigned char)*text);
		else
			pmu_strbuf_add_n(out, text, 1);
}

void pmu_check_write_annotations(const struct pmu_check *check, struct pmu_strbuf *out)
{
	struct pmu_strbuf text = { 0 };

	for (size_t i = 0; i < check->n_breaches && i < MAX_ANNOTATIONS; i++) {
		text.len = 0;
		describe_breach(check, &check->breach[i], &text);
		if (i + 1 == MAX_ANNOTATIONS && check->n_breaches > MAX_ANNOTATIONS)
			pmu_strbuf_addf(&text, "; and %zu more",
					check->n_breaches - MAX_ANNOTATIONS);
		pmu_strbuf_add(out, "::error title=pmu check::");
		put_message(out, pmu_strbuf_text(&text));
		pmu_strbuf_add(out, "\n");
	}
	out->failed |= text.failed;
	pmu_strbuf_free(&text);
}
