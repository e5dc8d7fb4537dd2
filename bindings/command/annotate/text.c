/* SPDX-License-Identifier: BSD-3-Clause */
/* Listings as text: source, and below each line its instructions. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bindings/command/annotate/annotate.h"
#include "bindings/command/annotate/source.h"
#include "bindings/command/command.h"
#include "report/cell.h"
#include "report/encode.h"
#include "report/name.h"
#include "report/text/samples.h"
#include "report/text/terminal.h"

#define COLUMNS_DEFAULT 100u
#define TAB             4u
#define LABEL           8u
#define LEAST_NAME      16u

/* Columns: shares of lines come first; then those of instructions; then a line's number, and what it has. */
#define EACH         7u
#define SOURCE       22u
#define INSTRUCTIONS 26u

/* Where they begin, in columns: shares of lines come first, and at EACH those of instructions. */
#define EACH         7u
#define SOURCE       22u
#define INSTRUCTIONS 26u

/* What has such a part of the function's samples stands out. */
#define BRIGHT 0.1

/* Lines of source around one that has samples; instructions around one, and those that are shown all. */
#define LINES_AROUND        2u
#define INSTRUCTIONS_AROUND 1u
#define BARE_AROUND         4u /* without source */
#define FEW_INSTRUCTIONS    8u

struct text {
	struct pmu_strbuf *out;
	const struct pmu_model *model;
	struct pmu_annotate *annotate;
	const struct pmu_listing *listing;
	struct pmu_annotate_hot hot;
	unsigned int columns;
	bool color;
	struct pmu_strbuf line; /* the one that is made */
	uint64_t period_ns;
	bool has_instructions;
};

/* --- lines of text --- */

static void add_share(struct text *t, uint64_t n)
{
	struct pmu_cell share;
	char text[sizeof(share.number) + sizeof(share.unit)] = "";
	uint64_t all = t->listing->function->n_samples;

	if (n) {
		pmu_cell_share(&share, all ? (double)n / (double)all : 0);
		snprintf(text, sizeof(text), "%s%s", share.number, share.unit);
	}
	pmu_strbuf_addf(&t->line, " %6s", text);
}

/* Up to the width; what is longer ends in "...". */
static void cut_line(struct text *t)
{
	const char *at = t->line.failed ? "" : pmu_strbuf_text(&t->line);
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

static void end_line(struct text *t, bool is_bright)
{
	bool color = t->color && is_bright;

	cut_line(t);
	pmu_strbuf_add(t->out, color ? PMU_STYLE_HEAD : "");
	pmu_strbuf_add_n(t->out, pmu_strbuf_text(&t->line), t->line.len);
	pmu_strbuf_add(t->out, color ? PMU_STYLE_END "\n" : "\n");
	t->out->failed |= t->line.failed;
	t->line.len = 0;
	if (t->line.text)
		t->line.text[0] = '\0';
}

static bool is_bright(const struct text *t, uint64_t n)
{
	return (double)n >= BRIGHT * (double)t->listing->function->n_samples;
}

/* What is between two lines that are shown, with what was sampled there. */
static void put_fold(struct text *t, uint64_t n, bool of_instructions)
{
	pmu_strbuf_pad(&t->line, of_instructions ? EACH : 0, ' ');
	add_share(t, n);
	pmu_strbuf_pad(&t->line, of_instructions ? INSTRUCTIONS : SOURCE, ' ');
	pmu_strbuf_add(&t->line, "...");
	end_line(t, false);
}

/* Tabs by columns: what a terminal makes of them depends on where the line begins. */
static void add_source(struct text *t, const char *source)
{
	struct pmu_strbuf plain = { 0 };

	for (const char *c = source; *c; c++) {
		if (*c == '\t')
			pmu_strbuf_pad(&plain, plain.len + TAB - plain.len % TAB, ' ');
		else
			pmu_strbuf_add_n(&plain, c, 1);
	}
	pmu_encode_line(&t->line, pmu_strbuf_text(&plain));
	t->line.failed |= plain.failed;
	pmu_strbuf_free(&plain);
}

static void add_known(struct text *t, const char *text)
{
	struct pmu_strbuf plain = { 0 };

	pmu_encode_line(&plain, text);
	pmu_strbuf_add(&t->line, pmu_strbuf_text(&plain));
	t->line.failed |= plain.failed;
	pmu_strbuf_free(&plain);
}

/* What is left of the line but for @other columns. */
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

static void put_item(struct text *t, const char *label, const char *text)
{
	struct pmu_strbuf line = { 0 };

	pmu_encode_line(&line, text);
	pmu_command_item(t->out, LABEL, t->columns, label, pmu_strbuf_text(&line));
	t->out->failed |= line.failed;
	pmu_strbuf_free(&line);
}

/* --- instructions --- */

static void put_instruction(struct text *t, const struct pmu_listed_instruction *in)
{
	pmu_strbuf_pad(&t->line, EACH, ' ');
	add_share(t, in->n_samples);
	pmu_strbuf_pad(&t->line, INSTRUCTIONS, ' ');
	pmu_strbuf_addf(&t->line, "%" PRIx64 "  ", in->address);
	add_known(t, in->text);
	if (in->target[0]) {
		pmu_strbuf_add(&t->line, " <");
		add_name(t, in->target, 1);
		pmu_strbuf_add(&t->line, ">");
	}
	end_line(t, is_bright(t, in->n_samples));
}

static bool is_near_hot(const struct text *t, const struct pmu_listed_line *line, unsigned int i,
			unsigned int around)
{
	unsigned int first = i > around ? i - around : 0, last = i + around;

	if (line->n_instructions <= FEW_INSTRUCTIONS)
		return true;
	for (unsigned int k = first; k <= last && k < line->n_instructions; k++) {
		unsigned int at = t->listing->by_line[line->first + k];

		if (t->listing->instruction[at].n_samples >= t->hot.instruction)
			return true;
	}
	return false;
}

static void put_instructions(struct text *t, const struct pmu_listed_line *line,
			     unsigned int around)
{
	uint64_t folded = 0;
	bool in_fold = false;

	for (unsigned int i = 0; i < line->n_instructions; i++) {
		unsigned int at = t->listing->by_line[line->first + i];
		const struct pmu_listed_instruction *in = &t->listing->instruction[at];

		if (!is_near_hot(t, line, i, around)) {
			folded += in->n_samples;
			in_fold = true;
			continue;
		}
		if (in_fold)
			put_fold(t, folded, true);
		in_fold = false;
		folded = 0;
		put_instruction(t, in);
	}
	if (in_fold)
		put_fold(t, folded, true);
}

/* --- lines of source --- */

static void put_line(struct text *t, const struct pmu_listed_file *file, uint32_t number,
		     const struct pmu_listed_line *line)
{
	const char *source = pmu_source_line(file->source, number);
	uint64_t n = line ? line->n_samples : 0;

	add_share(t, n);
	if (number)
		pmu_strbuf_addf(&t->line, "       %6" PRIu32 "  ", number);
	else
		pmu_strbuf_add(&t->line, "            -  ");
	add_source(t, source ? source : "");
	end_line(t, is_bright(t, n));
	if (n >= t->hot.line)
		put_instructions(t, line, INSTRUCTIONS_AROUND);
}

/** A file, from above. */
struct walk {
	unsigned int i;  /* the next that is listed */
	uint32_t number; /* the last that is shown */
	uint64_t folded; /* samples since */
	bool has_any;
};

static void walk_to(struct text *t, const struct pmu_listed_file *file, struct walk *walk,
		    uint32_t first)
{
	while (walk->i < file->n_lines && file->line[walk->i].line < first)
		walk->folded += file->line[walk->i++].n_samples;
	if (walk->has_any || walk->folded)
		put_fold(t, walk->folded, false);
	walk->folded = 0;
	walk->number = first - 1;
}

/* All from the last one on. */
static void put_lines_to(struct text *t, const struct pmu_listed_file *file, struct walk *walk,
			 uint32_t last)
{
	while (walk->number < last) {
		const struct pmu_listed_line *line = NULL;

		walk->number++;
		if (walk->i < file->n_lines && file->line[walk->i].line == walk->number)
			line = &file->line[walk->i++];
		if (line || pmu_source_line(file->source, walk->number))
			put_line(t, file, walk->number, line);
	}
	walk->has_any = true;
}

static void put_file_lines(struct text *t, const struct pmu_listed_file *file)
{
	uint32_t around = file->source && file->source->text ? LINES_AROUND : 0;
	struct walk walk = { 0 };

	if (file->n_lines && !file->line[0].line) {
		if (file->line[0].n_samples >= t->hot.line)
			put_line(t, file, 0, &file->line[0]);
		else
			walk.folded = file->line[0].n_samples;
		walk.i++;
	}
	for (unsigned int i = walk.i; i < file->n_lines; i++) {
		uint32_t at = file->line[i].line,
			 last = at > UINT32_MAX - around ? at : at + around;
		uint32_t first = at > around ? at - around : 1;

		if (file->line[i].n_samples < t->hot.line)
			continue;
		/* a line alone is no longer than what says that it is left out */
		if (!walk.has_any || first > walk.number + 2)
			walk_to(t, file, &walk, first);
		put_lines_to(t, file, &walk, at);
		/* what is behind is shown by the next one, where that is near */
		put_lines_to(t, file, &walk, last);
	}
	while (walk.i < file->n_lines)
		walk.folded += file->line[walk.i++].n_samples;
	if (walk.folded)
		put_fold(t, walk.folded, false);
}

static const char *why_no_source(const struct pmu_listed_file *file)
{
	if (!file->source || file->source->text)
		return NULL;
	return file->source->error == ENOENT
		       ? "it is not here: lines have their numbers alone (--source-dir DIR says where "
			 "to look)"
		       : strerror(file->source->error);
}

static void put_file(struct text *t, const struct pmu_listed_file *file)
{
	const char *why = why_no_source(file);

	add_share(t, t->listing->n_files > 1 ? file->n_samples : 0);
	pmu_strbuf_pad(&t->line, SOURCE, ' ');
	add_known(t, file->name[0] ? file->name : "code without lines");
	end_line(t, false);
	if (why)
		put_item(t, "", why);
	if (file->is_newer)
		put_item(t, "",
			 "it was written after the program: lines may be others than those that "
			 "were compiled");
	put_file_lines(t, file);
}

/* --- functions --- */

static bool is_bare(const struct pmu_listing *listing)
{
	return listing->n_files == 1 && !listing->file[0].name[0];
}

static void put_bare(struct text *t)
{
	const struct pmu_listed_line *line = t->listing->file[0].line;

	put_instructions(t, line, BARE_AROUND);
}

static void put_columns(struct text *t)
{
	pmu_strbuf_add(&t->line, "  share");
	if (t->listing->n_instructions)
		pmu_strbuf_add(&t->line, "   each");
	pmu_strbuf_pad(&t->line, SOURCE - 8, ' ');
	pmu_strbuf_add(&t->line, is_bare(t->listing) ? "" : "  line");
	end_line(t, false);
}

static void put_files(struct text *t)
{
	uint64_t left = 0;
	unsigned int n_left = 0;

	for (unsigned int i = 0; i < t->listing->n_files; i++) {
		const struct pmu_listed_file *file = &t->listing->file[i];
		bool any = false;

		for (unsigned int k = 0; k < file->n_lines; k++)
			any |= file->line[k].n_samples >= t->hot.line;
		if (any) {
			put_file(t, file);
			continue;
		}
		left += file->n_samples;
		n_left++;
	}
	if (!n_left || !left)
		return;
	add_share(t, left);
	pmu_strbuf_pad(&t->line, SOURCE, ' ');
	pmu_strbuf_addf(&t->line, "in %u more file%s", n_left, n_left > 1 ? "s" : "");
	end_line(t, false);
}

static void put_function_head(struct text *t, const struct pmu_annotate_choice *choice)
{
	const struct pmu_model_function *function = choice->function;
	const struct pmu_model_samples *samples = choice->row->samples;
	struct pmu_cell share, number;

	struct pmu_strbuf tail = { 0 };

	pmu_cell_share(&share, (double)function->n_samples / (double)samples->n);
	pmu_cell_exact(&number, function->n_samples);
	pmu_strbuf_add(t->out, "\n");
	pmu_strbuf_add(&tail, function->object[0] ? "  " : "");
	pmu_encode_line(&tail, function->object);
	pmu_strbuf_addf(&tail, "  %s sample%s", number.number, function->n_samples == 1 ? "" : "s");
	pmu_strbuf_addf(&t->line, "  ~%s%s  ", share.number, share.unit);
	add_name(t, function->name, pmu_utf8_width(pmu_strbuf_text(&tail)));
	pmu_strbuf_add(&t->line, pmu_strbuf_text(&tail));
	t->line.failed |= tail.failed;
	pmu_strbuf_free(&tail);
	end_line(t, true);
}

static void put_doubts_of(struct text *t)
{
	const struct pmu_listing *listing = t->listing;
	uint64_t all = listing->function->n_samples;
	char text[128];

	if (listing->why[0])
		put_item(t, "", listing->why);
	if (listing->doubt[0])
		put_item(t, "", listing->doubt);
	if (all < PMU_SAMPLES_FEW)
		put_item(t, "", "so few samples say little of its lines");
	if (!listing->n_instructions || listing->n_samples >= all || listing->function->n_codes > 1)
		return;
	snprintf(text, sizeof(text), "%" PRIu64 " of its samples have no address among these",
		 all - listing->n_samples);
	put_item(t, "", text);
}

static int put_listing(struct text *t, const struct pmu_annotate_choice *choice, unsigned int nth)
{
	struct pmu_listing listing;
	int rc = pmu_annotate_list(t->annotate, choice->function, nth, &listing);
	struct pmu_model_block *scratch = NULL;

	if (!rc)
		rc = pmu_annotate_find_hot(&listing, &scratch, &t->hot);
	pmu_block_free(&scratch);
	if (rc)
		return rc;
	t->listing = &listing;
	t->has_instructions |= listing.n_instructions > 0;
	if (!nth)
		put_function_head(t, choice);
	put_doubts_of(t);
	if (is_bare(&listing) && listing.n_instructions) {
		put_item(t, "",
			 "no debugging information: without lines of source (cc -g has them)");
		put_columns(t);
		put_bare(t);
	} else if (listing.n_files) {
		put_columns(t);
		put_files(t);
	}
	return 0;
}

/* Those that have a part worth it. */
static int put_function(struct text *t, const struct pmu_annotate_choice *choice)
{
	const struct pmu_model_function *function = choice->function;
	int rc = put_listing(t, choice, 0);

	for (unsigned int i = 1; !rc && i < function->n_codes; i++) {
		uint64_t n = 0;

		for (unsigned int k = 0; k < function->code[i].n_addresses; k++)
			n += function->code[i].address[k].n_samples;
		if (n * 20 < function->n_samples)
			continue;
		pmu_strbuf_add(t->out, "\n");
		put_item(t, "", "another function of that name:");
		rc = put_listing(t, choice, i);
	}
	return rc;
}

/* --- all of it --- */

static void put_region(struct text *t, const struct pmu_annotate_choice *choice, bool several)
{
	const struct pmu_model_samples *samples = choice->row->samples;
	struct pmu_cell number;

	pmu_cell_exact(&number, samples->n);
	pmu_strbuf_add(t->out, "\n");
	pmu_strbuf_add(&t->line, "  in ");
	add_known(t, choice->row->path);
	if (several) {
		pmu_strbuf_add(&t->line, " (");
		add_known(t, choice->section->group);
		pmu_strbuf_add(&t->line, ")");
	}
	pmu_strbuf_addf(&t->line, ": %s samples of its own time", number.number);
	end_line(t, true);
	if (samples->period_ns > t->period_ns)
		t->period_ns = samples->period_ns;
}

static void put_legend(struct text *t)
{
	struct pmu_strbuf text = { 0 };

	pmu_strbuf_add(&text,
		       "estimated: shares of the region's samples, and below of the function's");
	pmu_text_add_period(&text, t->period_ns);
	pmu_strbuf_add(t->out, "\n");
	pmu_command_item(t->out, 5, t->columns, "~", pmu_strbuf_text(&text));
	if (t->has_instructions)
		pmu_command_item(
			t->out, 5, t->columns, "",
			"a sample is taken when an instruction has ended: the one that took "
			"the time is as a rule the one before, at times a few before");
	t->out->failed |= text.failed;
	pmu_strbuf_free(&text);
}

static void put_title(struct text *t)
{
	pmu_strbuf_add(&t->line, "pmu: ");
	add_known(t, t->model->program);
	pmu_strbuf_add(&t->line, ", annotated");
	end_line(t, true);
}

static int put_choices(struct text *t, const struct pmu_annotate_choice *choice, unsigned int n)
{
	int rc = 0;

	put_title(t);
	for (unsigned int i = 0; !rc && i < n; i++) {
		if (!i || choice[i - 1].row != choice[i].row)
			put_region(t, &choice[i], t->model->n_sections > 1);
		rc = put_function(t, &choice[i]);
	}
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
