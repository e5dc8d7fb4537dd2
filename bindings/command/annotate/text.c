/* SPDX-License-Identifier: BSD-3-Clause */
/* Listings as text: source, and below each line its instructions. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bindings/command/annotate/annotate.h"
#include "bindings/command/annotate/rows.h"
#include "bindings/command/command.h"
#include "report/cell.h"
#include "report/encode.h"
#include "report/name.h"
#include "report/text/samples.h"
#include "report/text/terminal.h"

#define COLUMNS_DEFAULT 100u
#define TAB             4u
#define REMARK          8u
#define LEGEND          5u
#define LEAST_NAME      16u

/* Columns: shares of lines come first; then those of instructions; then a line's number, and what it has. */
#define EACH         7u
#define NUMBER       14u
#define SOURCE       22u
#define INSTRUCTIONS 26u

/* What has such a part of the function's samples stands out. */
#define BRIGHT 0.1

struct text {
	struct pmu_strbuf *out;
	const struct pmu_model *model;
	struct pmu_annotate *annotate;
	const struct pmu_model_function *function;
	unsigned int columns;
	bool color, all, brief;
	struct pmu_strbuf line; /* the one that is made */
	struct pmu_sample_unit unit;
	bool is_mixed; /* samples of regions are of different events */
	bool has_instructions;
};

/* --- a line of text --- */

static void add_share(struct text *t, uint64_t n)
{
	uint64_t all = t->function->n_samples;
	struct pmu_cell share;
	char text[sizeof(share.number) + sizeof(share.unit)] = "";

	if (n) {
		pmu_cell_share(&share, all ? (double)n / (double)all : 0);
		snprintf(text, sizeof(text), "%s%s", share.number, share.unit);
	}
	pmu_strbuf_addf(&t->line, " %6s", text);
}

static void add_shown(struct text *t, const char *text)
{
	struct pmu_strbuf plain = { 0 };

	/* what would be a command at a line's beginning is none behind our columns */
	pmu_encode_line(&plain, text);
	pmu_strbuf_add(&t->line, pmu_strbuf_text(&plain));
	t->line.failed |= plain.failed;
	pmu_strbuf_free(&plain);
}

/* In what is left of the line but for @other columns. */
static void add_name(struct text *t, const char *name, size_t other)
{
	size_t used = pmu_utf8_width(pmu_strbuf_text(&t->line)) + other;
	struct pmu_strbuf plain = { 0 };

	pmu_encode_line(&plain, name);
	pmu_name_fit(&t->line, pmu_strbuf_text(&plain),
		     used + LEAST_NAME < t->columns ? (unsigned int)(t->columns - used)
						    : LEAST_NAME);
	t->line.failed |= plain.failed;
	pmu_strbuf_free(&plain);
}

/* Tabs by columns: what a terminal makes of them depends on where the line begins. */
static void add_source_text(struct text *t, const char *source)
{
	struct pmu_strbuf plain = { 0 };

	for (const char *c = source; *c; c++) {
		if (*c == '\t')
			pmu_strbuf_pad(&plain, plain.len + TAB - plain.len % TAB, ' ');
		else
			pmu_strbuf_add_n(&plain, c, 1);
	}
	add_shown(t, pmu_strbuf_text(&plain));
	t->line.failed |= plain.failed;
	pmu_strbuf_free(&plain);
}

/* What is longer than the width ends in "...". */
static void cut_line(struct text *t)
{
	const char *at = pmu_strbuf_text(&t->line);
	size_t column = 0, last = 0;

	for (const char *c = at; *c; column++) {
		size_t n = pmu_utf8_next(c);

		if (column + 3 <= t->columns)
			last = (size_t)(c - at);
		c += n ? n : 1;
	}
	if (column <= t->columns)
		return;
	t->line.len = last;
	t->line.text[last] = '\0';
	pmu_strbuf_add(&t->line, "...");
}

/* Of a share of the function's samples: it may stand out. */
static void end_line(struct text *t, bool is_bright)
{
	bool color = t->color && is_bright;

	cut_line(t);
	pmu_strbuf_add(t->out, color ? PMU_STYLE_HEAD : "");
	pmu_strbuf_add(t->out, pmu_strbuf_text(&t->line));
	pmu_strbuf_add(t->out, color ? PMU_STYLE_END "\n" : "\n");
	t->out->failed |= t->line.failed;
	t->line.len = 0;
	if (t->line.text)
		t->line.text[0] = '\0';
}

/* --- rows --- */

static void add_remark_row(struct text *t, const struct pmu_annotated *row)
{
	struct pmu_strbuf text = { 0 };

	pmu_encode_line(&text, row->text);
	pmu_command_item(t->out, REMARK, t->columns, "", pmu_strbuf_text(&text));
	t->out->failed |= text.failed;
	pmu_strbuf_free(&text);
}

/* Of a path that is longer than the line its end says more. */
static void add_file_row(struct text *t, const struct pmu_annotated *row)
{
	struct pmu_strbuf path = { 0 };
	const char *at;
	size_t width;

	pmu_encode_line(&path, row->text);
	at = pmu_strbuf_text(&path);
	width = pmu_utf8_width(at);
	add_share(t, row->n_samples);
	pmu_strbuf_pad(&t->line, SOURCE, ' ');
	if (SOURCE + width > t->columns) {
		pmu_strbuf_add(&t->line, "...");
		for (; SOURCE + 3 + width > t->columns; width--)
			at += pmu_utf8_next(at);
	}
	pmu_strbuf_add(&t->line, at);
	t->line.failed |= path.failed;
	pmu_strbuf_free(&path);
	end_line(t, false);
}

static void add_line_row(struct text *t, const struct pmu_annotated *row)
{
	add_share(t, row->n_samples);
	pmu_strbuf_pad(&t->line, NUMBER, ' ');
	if (row->number)
		pmu_strbuf_addf(&t->line, "%6" PRIu64, row->number);
	else
		pmu_strbuf_add(&t->line, "     -");
	if (row->text[0])
		pmu_strbuf_add(&t->line, "  ");
	add_source_text(t, row->text);
	end_line(t, (double)row->n_samples >= BRIGHT * (double)t->function->n_samples);
}

static void add_instruction_row(struct text *t, const struct pmu_annotated *row)
{
	pmu_strbuf_pad(&t->line, EACH, ' ');
	add_share(t, row->n_samples);
	pmu_strbuf_pad(&t->line, INSTRUCTIONS, ' ');
	pmu_strbuf_addf(&t->line, "%" PRIx64 "  ", row->number);
	add_shown(t, row->text);
	if (row->target[0]) {
		pmu_strbuf_add(&t->line, " <");
		add_name(t, row->target, 1);
		pmu_strbuf_add(&t->line, ">");
	}
	t->has_instructions = true;
	end_line(t, (double)row->n_samples >= BRIGHT * (double)t->function->n_samples);
}

static void add_fold_row(struct text *t, const struct pmu_annotated *row)
{
	bool is_inside = row->kind == PMU_ANNOTATED_FOLDED_IN;

	pmu_strbuf_pad(&t->line, is_inside ? EACH : 0, ' ');
	add_share(t, row->n_samples);
	pmu_strbuf_pad(&t->line, is_inside ? INSTRUCTIONS : SOURCE, ' ');
	pmu_strbuf_add(&t->line, "...");
	end_line(t, false);
}

static void add_others_row(struct text *t, const struct pmu_annotated *row)
{
	add_share(t, row->n_samples);
	pmu_strbuf_pad(&t->line, SOURCE, ' ');
	pmu_strbuf_addf(&t->line, "in %" PRIu64 " more file%s", row->number,
			row->number > 1 ? "s" : "");
	end_line(t, false);
}

static void (*const row_writers[])(struct text *t, const struct pmu_annotated *row) = {
	[PMU_ANNOTATED_REMARK] = add_remark_row, [PMU_ANNOTATED_FILE] = add_file_row,
	[PMU_ANNOTATED_LINE] = add_line_row,     [PMU_ANNOTATED_INSTRUCTION] = add_instruction_row,
	[PMU_ANNOTATED_FOLD] = add_fold_row,     [PMU_ANNOTATED_FOLDED_IN] = add_fold_row,
	[PMU_ANNOTATED_OTHERS] = add_others_row,
};

/* Behind what is said first. */
static void put_columns(struct text *t, const struct pmu_listing *listing)
{
	if (!listing->n_files)
		return;
	pmu_strbuf_add(&t->line, "  share");
	pmu_strbuf_add(&t->line, listing->n_instructions ? "   each" : "");
	if (listing->file[0].name[0]) {
		pmu_strbuf_pad(&t->line, NUMBER, ' ');
		pmu_strbuf_add(&t->line, "  line");
	}
	end_line(t, false);
}

static void put_rows(struct text *t, const struct pmu_listing *listing,
		     const struct pmu_annotated_rows *rows)
{
	unsigned int i = 0;

	for (; i < rows->n && rows->of[i].kind == PMU_ANNOTATED_REMARK; i++)
		add_remark_row(t, &rows->of[i]);
	put_columns(t, listing);
	for (; i < rows->n; i++)
		row_writers[rows->of[i].kind](t, &rows->of[i]);
}

/* --- functions --- */

static void put_function_head(struct text *t, const struct pmu_annotate_choice *choice)
{
	const struct pmu_model_function *function = choice->function;
	struct pmu_strbuf tail = { 0 };
	struct pmu_cell share, number;

	pmu_cell_share(&share, (double)function->n_samples / (double)choice->row->samples->n);
	pmu_cell_exact(&number, function->n_samples);
	pmu_strbuf_add(&tail, function->object[0] ? "  " : "");
	pmu_encode_line(&tail, function->object);
	pmu_strbuf_addf(&tail, "  %s sample%s", number.number, function->n_samples == 1 ? "" : "s");
	pmu_strbuf_add(t->out, "\n");
	pmu_strbuf_addf(&t->line, "  ~%s%s  ", share.number, share.unit);
	add_name(t, function->name, pmu_utf8_width(pmu_strbuf_text(&tail)));
	pmu_strbuf_add(&t->line, pmu_strbuf_text(&tail));
	t->line.failed |= tail.failed;
	pmu_strbuf_free(&tail);
	end_line(t, true);
}

static int put_listing(struct text *t, unsigned int nth)
{
	struct pmu_model_block *blocks = NULL;
	struct pmu_annotated_rows rows = { .blocks = &blocks, .all = t->all };
	struct pmu_listing listing;
	int rc = pmu_annotate_list(t->annotate, t->function, nth, &listing);

	if (!rc)
		rc = pmu_annotated_make(&rows, &listing);
	if (!rc)
		put_rows(t, &listing, &rows);
	pmu_block_free(&blocks);
	return rc;
}

static int put_annotated(struct text *t, const struct pmu_annotate_choice *choice)
{
	int rc;

	t->function = choice->function;
	put_function_head(t, choice);
	rc = put_listing(t, 0);
	for (unsigned int i = 1; !rc && i < t->function->n_codes; i++) {
		if (!pmu_annotate_is_worth(t->function, i) && !t->all)
			continue;
		pmu_strbuf_add(&t->line, "        another function of that name:");
		end_line(t, false);
		rc = put_listing(t, i);
	}
	return rc;
}

/* --- all of it --- */

static void put_region(struct text *t, const struct pmu_annotate_choice *choice)
{
	const struct pmu_model_samples *samples = choice->row->samples;
	struct pmu_cell number;

	pmu_cell_exact(&number, samples->n);
	pmu_strbuf_add(t->out, "\n");
	pmu_strbuf_add(&t->line, "  in ");
	add_shown(t, choice->row->path);
	if (t->model->n_sections > 1) {
		pmu_strbuf_add(&t->line, " (");
		add_shown(t, choice->section->group);
		pmu_strbuf_add(&t->line, ")");
	}
	pmu_strbuf_addf(&t->line, ": %s samples of its own ", number.number);
	add_shown(t, pmu_text_sampled_what(&samples->unit));
	end_line(t, true);
	t->is_mixed |= !pmu_sample_unit_add(&t->unit, &samples->unit);
}

static void put_legend(struct text *t)
{
	struct pmu_strbuf text = { 0 };

	pmu_strbuf_add(&text,
		       "estimated: shares of the region's samples, and below of the function's");
	if (!t->is_mixed)
		pmu_text_add_period(&text, &t->unit);
	pmu_strbuf_add(t->out, "\n");
	pmu_command_item(t->out, LEGEND, t->columns, "~", pmu_strbuf_text(&text));
	if (t->has_instructions && (t->is_mixed || !pmu_sample_is_precise(&t->unit)))
		pmu_command_item(
			t->out, LEGEND, t->columns, "",
			"a sample is taken when an instruction has ended: the one that took "
			"the time is as a rule the one before, at times a few before");
	t->out->failed |= text.failed;
	pmu_strbuf_free(&text);
}

static void put_annotated_title(struct text *t)
{
	pmu_strbuf_add(&t->line, "pmu: ");
	add_shown(t, t->model->program);
	pmu_strbuf_add(&t->line, ", annotated");
	end_line(t, true);
}

static int put_choices(struct text *t, const struct pmu_annotate_choice *choice, unsigned int n)
{
	int rc = 0;

	if (!t->brief)
		put_annotated_title(t);
	for (unsigned int i = 0; !rc && i < n; i++) {
		if (!i || choice[i - 1].row != choice[i].row)
			put_region(t, &choice[i]);
		rc = put_annotated(t, &choice[i]);
	}
	if (!t->brief)
		put_legend(t);
	return rc;
}

int pmu_annotate_text(struct pmu_strbuf *out, const struct pmu_model *model,
		      const struct pmu_annotate_request *request,
		      const struct pmu_text_options *options)
{
	struct text t = { .out = out,
			  .model = model,
			  .columns = options->columns ? options->columns : COLUMNS_DEFAULT,
			  .color = options->color,
			  .all = options->all,
			  .brief = options->brief,
			  .annotate = pmu_annotate_new(model, request->source_dir) };
	struct pmu_model_block *blocks = NULL;
	struct pmu_annotate_choice *choice = NULL;
	size_t start = out->len;
	unsigned int n = 0;
	int rc = t.annotate ? pmu_annotate_choose(model, request->of, &blocks, &choice, &n)
			    : -ENOMEM;

	if (!rc)
		rc = put_choices(&t, choice, n);
	if (!rc && t.color)
		pmu_style_apply(out, start);
	out->failed |= rc == -ENOMEM;
	pmu_strbuf_free(&t.line);
	pmu_block_free(&blocks);
	pmu_annotate_free(t.annotate);
	return rc;
}
