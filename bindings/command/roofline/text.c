/* SPDX-License-Identifier: BSD-3-Clause */
/* The roofline as a table: a line for each region, and a sentence on the one that matters most. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bindings/command/command.h"
#include "bindings/command/roofline/parts.h"
#include "report/encode.h"
#include "report/text/table.h"
#include "report/text/terminal.h"

#define COLUMNS_DEFAULT 100u
#define INDENT          12u

struct text {
	struct pmu_strbuf *out;
	const struct pmu_roofline *roofline;
	const struct pmu_text_options *options;
	const char *why; /* there are no ceilings */
	unsigned int columns;
	struct pmu_model_block *blocks;
	bool *shown; /* [n_rows] */
	bool failed;
};

/* --- the head --- */

static void roofline_item(struct text *t, const char *label, const char *text)
{
	struct pmu_strbuf line = { 0 };

	pmu_encode_line(&line, text);
	pmu_command_item(t->out, INDENT, t->columns, label, pmu_strbuf_text(&line));
	t->failed |= line.failed;
	pmu_strbuf_free(&line);
}

static void roofline_title(struct text *t)
{
	const struct pmu_model *model = t->roofline->model;

	pmu_strbuf_add(t->out, t->options->color ? PMU_STYLE_HEAD "pmu: " : "pmu: ");
	pmu_encode_line(t->out, model->program);
	pmu_strbuf_add(t->out, " under its roofline");
	pmu_strbuf_add(t->out, t->options->color ? PMU_STYLE_END "\n" : "\n");
	if (model->command[0])
		roofline_item(t, "command", model->command);
	roofline_item(t, "machine", model->machine[0] ? model->machine : "unknown");
}

static void add_rate(struct pmu_strbuf *out, double rate)
{
	struct pmu_cell cell;

	pmu_cell_value(&cell, rate / 1e9, 0);
	pmu_strbuf_add(out, cell.number);
}

static void add_peaks(const struct text *t, unsigned int threads, struct pmu_strbuf *out)
{
	static const char *const precisions[] = {
		[PMU_DOUBLE] = "double", [PMU_SINGLE] = "single"
	};
	const struct pmu_ceilings *ceilings = t->roofline->ceilings;
	const struct pmu_ceilings_level *memory = pmu_ceilings_memory(ceilings);
	bool any = false;

	for (enum pmu_precision p = 0; p < PMU_N_PRECISIONS; p++) {
		const struct pmu_ceilings_flops *peak = pmu_ceilings_peak(ceilings, p);

		if (!peak)
			continue;
		pmu_strbuf_add(out, any ? ", " : "");
		add_rate(out, pmu_ceilings_of(ceilings, &peak->rate, threads));
		pmu_strbuf_addf(out, "%s in %s%s", any ? "" : " GFLOP/s", precisions[p],
				any ? "" : " precision");
		any = true;
	}
	if (!memory)
		return;
	pmu_strbuf_add(out, any ? ", " : "");
	add_rate(out, pmu_ceilings_of(ceilings, &memory->rate, threads));
	pmu_strbuf_add(out, " GB/s from memory");
}

static void ceilings(struct text *t)
{
	const struct pmu_ceilings *ceilings = t->roofline->ceilings;
	unsigned int threads = pmu_roofline_threads(t->roofline);
	struct pmu_strbuf line = { 0 };
	char day[32] = "";
	time_t unix_s;
	struct tm tm;

	if (!ceilings) {
		roofline_item(t, "ceilings", t->why);
		return;
	}
	unix_s = (time_t)ceilings->unix_s;
	if (localtime_r(&unix_s, &tm))
		strftime(day, sizeof(day), "%Y-%m-%d", &tm);
	pmu_strbuf_addf(&line, "%u thread%s: ", threads, threads > 1 ? "s" : "");
	add_peaks(t, threads, &line);
	pmu_strbuf_addf(&line, "; measured %s", day);
	if (ceilings->disturbed)
		pmu_strbuf_addf(&line, ", %u of them beside other work, which makes them too low",
				ceilings->disturbed);
	roofline_item(t, "ceilings", pmu_strbuf_text(&line));
	if (strcmp(ceilings->cpu, t->roofline->model->cpu) != 0) {
		line.len = 0;
		pmu_strbuf_addf(&line, "they are of another processor (%s, the report's is %s)",
				ceilings->cpu, t->roofline->model->cpu);
		roofline_item(t, "", pmu_strbuf_text(&line));
	}
	t->failed |= line.failed;
	pmu_strbuf_free(&line);
}

static const char *const ways[] = {
	[PMU_BYTES_MEMORY] = "what memory controllers moved meanwhile, also for other programs",
	[PMU_BYTES_MISSES] =
		"64 for each miss of the last cache by a region's own threads: without "
		"what is only prefetched or written back, so there are more, and the "
		"intensity is less",
	[PMU_BYTES_FILLS] =
		"64 for each line that the first cache got from memory for a region's "
		"own threads: without what was prefetched into another or written back, "
		"so there are more, and the intensity is less",
};

static void roofline_how(struct text *t)
{
	const struct pmu_roofline *roofline = t->roofline;
	const char *label = "bytes";

	for (int by = PMU_BYTES_MEMORY; by < PMU_N_BYTES; by++)
		if (roofline->has_bytes[by]) {
			roofline_item(t, label, ways[by]);
			label = "";
		}
	if (roofline->has_any_flop)
		roofline_item(
			t, "FLOP",
			"of any precision, which this processor does not tell apart; they are compared "
			"with what it does in double precision");
	else if (roofline->has_flop[PMU_DOUBLE] != roofline->has_flop[PMU_SINGLE])
		roofline_item(
			t, "FLOP",
			roofline->has_flop[PMU_DOUBLE]
				? "in double precision alone: those in single were not counted"
				: "in single precision alone: those in double were not counted");
}

/* --- the table --- */

static void put_number_cell(struct pmu_cell *cell, double value, double largest)
{
	if (isfinite(value))
		pmu_cell_value(cell, value, largest);
	else
		pmu_cell_none(cell);
}

static void put_threads(struct pmu_cell *cell, const struct pmu_roofline_row *row, double largest)
{
	(void)largest;
	pmu_cell_exact(cell, row->threads);
}

static void put_time(struct pmu_cell *cell, const struct pmu_roofline_row *row, double largest)
{
	(void)largest;
	pmu_cell_time(cell, (double)row->time_ns);
}

static void put_flop(struct pmu_cell *cell, const struct pmu_roofline_row *row, double largest)
{
	put_number_cell(cell, row->flops, largest);
}

static void put_bytes(struct pmu_cell *cell, const struct pmu_roofline_row *row, double largest)
{
	put_number_cell(cell, row->bytes, largest);
}

static void put_intensity(struct pmu_cell *cell, const struct pmu_roofline_row *row, double largest)
{
	(void)largest;
	put_number_cell(cell, row->intensity, 0);
}

static void put_flop_rate(struct pmu_cell *cell, const struct pmu_roofline_row *row, double largest)
{
	(void)largest;
	put_number_cell(cell, row->flop_rate / 1e9, 0);
}

static void put_byte_rate(struct pmu_cell *cell, const struct pmu_roofline_row *row, double largest)
{
	(void)largest;
	put_number_cell(cell, row->byte_rate / 1e9, 0);
}

static void put_bound(struct pmu_cell *cell, const struct pmu_roofline_row *row, double largest)
{
	(void)largest;
	if (row->bound == PMU_BOUND_UNKNOWN)
		pmu_cell_none(cell);
	else
		pmu_cell_text(cell, row->bound == PMU_BOUND_MEMORY ? "memory" : "compute");
}

static void put_reached(struct pmu_cell *cell, const struct pmu_roofline_row *row, double largest)
{
	(void)largest;
	pmu_cell_share(cell, row->reached);
}

/* What a column needs to be there at all. */
enum need { ONE_THREAD, THREADS, FLOP, BYTES, BOTH, CEILINGS };

static const struct {
	const char *title;
	enum need need;
	void (*put)(struct pmu_cell *cell, const struct pmu_roofline_row *row, double largest);
} columns[] = {
	{ "threads", THREADS, put_threads },  { "time", ONE_THREAD, put_time },
	{ "FLOP a call", FLOP, put_flop },    { "bytes a call", BYTES, put_bytes },
	{ "FLOP/byte", BOTH, put_intensity }, { "GFLOP/s", FLOP, put_flop_rate },
	{ "GB/s", BYTES, put_byte_rate },     { "bound by", CEILINGS, put_bound },
	{ "reached", CEILINGS, put_reached },
};

static bool has_flops(const struct pmu_roofline *roofline)
{
	return roofline->has_flop[PMU_DOUBLE] || roofline->has_flop[PMU_SINGLE] ||
	       roofline->has_any_flop;
}

static bool has_any_bytes(const struct pmu_roofline *roofline)
{
	return roofline->has_bytes[PMU_BYTES_MEMORY] || roofline->has_bytes[PMU_BYTES_MISSES] ||
	       roofline->has_bytes[PMU_BYTES_FILLS];
}

static bool is_needed(const struct pmu_roofline *roofline, enum need need)
{
	const bool there[] = {
		[ONE_THREAD] = pmu_roofline_threads(roofline) == 1, /* no room beside them */
		[THREADS] = pmu_roofline_threads(roofline) > 1,
		[FLOP] = has_flops(roofline),
		[BYTES] = has_any_bytes(roofline),
		[BOTH] = has_flops(roofline) && has_any_bytes(roofline),
		[CEILINGS] = has_flops(roofline) && has_any_bytes(roofline) && roofline->ceilings,
	};

	return there[need];
}

static double largest_of(const struct pmu_roofline *roofline, bool bytes)
{
	double largest = 0;

	for (unsigned int i = 0; i < roofline->n_rows; i++) {
		double value = bytes ? roofline->row[i].bytes : roofline->row[i].flops;

		if (isfinite(value) && value > largest)
			largest = value;
	}
	return largest;
}

static const char *roofline_label(struct text *t, const char *name)
{
	struct pmu_strbuf text = { 0 };
	const char *kept;

	pmu_encode_line(&text, name);
	kept = text.failed ? NULL : pmu_block_text(&t->blocks, pmu_strbuf_text(&text), text.len);
	pmu_strbuf_free(&text);
	return kept;
}

static bool fill_labels(struct text *t, struct pmu_table *table)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < t->roofline->n_rows; i++) {
		const struct pmu_roofline_row *row = &t->roofline->row[i];

		if (!t->shown[i])
			continue;
		table->label[n].depth = row->depth > 0 ? (unsigned int)row->depth : 0;
		table->label[n].name = roofline_label(t, row->name);
		if (!table->label[n++].name)
			return false;
	}
	return true;
}

static bool fill_column(struct text *t, struct pmu_table *table, size_t c)
{
	struct pmu_table_column *column = &table->column[table->n_columns++];
	double largest = largest_of(t->roofline, columns[c].need == BYTES);
	unsigned int n = 0;

	column->title = columns[c].title;
	column->kind = "region";
	column->cell = pmu_block_array(&t->blocks, table->n_rows + 1, sizeof(struct pmu_cell));
	if (!column->cell)
		return false;
	for (unsigned int i = 0; i < t->roofline->n_rows; i++)
		if (t->shown[i])
			columns[c].put(&column->cell[n++], &t->roofline->row[i], largest);
	return true;
}

static bool make_roofline_table(struct text *t, struct pmu_table *table)
{
	for (unsigned int i = 0; i < t->roofline->n_rows; i++)
		table->n_rows += t->shown[i];
	table->color = t->options->color;
	table->label = pmu_block_array(&t->blocks, table->n_rows + 1, sizeof(*table->label));
	table->column = pmu_block_array(&t->blocks, PMU_ARRAY_LEN(columns), sizeof(*table->column));
	if (!table->label || !table->column || !fill_labels(t, table))
		return false;
	for (size_t c = 0; c < PMU_ARRAY_LEN(columns); c++)
		if (is_needed(t->roofline, columns[c].need) && !fill_column(t, table, c))
			return false;
	return true;
}

static void print_table(struct text *t)
{
	unsigned int n_left = pmu_roofline_choose(t->roofline, t->options, t->shown);
	struct pmu_table table = { .n_rows = 0 };

	if (!make_roofline_table(t, &table)) {
		t->failed = true;
		return;
	}
	if (!table.n_rows)
		return;
	pmu_strbuf_add(t->out, "\n");
	t->failed |= pmu_table_print(t->out, &table, t->columns, &t->blocks) != 0;
	if (n_left)
		pmu_strbuf_addf(t->out, "  and %u more regions; --all shows all of them\n", n_left);
}

/* --- the end --- */

static void sentence(struct text *t, const char *text)
{
	pmu_strbuf_add(t->out, "\n  ");
	pmu_command_wrap(t->out, 2, t->columns, text);
	pmu_strbuf_add(t->out, "\n");
}

/* On the region that has the most time of its own. */
static void judge_main_region(struct text *t)
{
	const struct pmu_roofline_row *row = pmu_roofline_main(t->roofline, t->shown);
	struct pmu_strbuf line = { 0 };
	struct pmu_cell share;
	bool memory;

	if (!row)
		return;
	memory = row->bound == PMU_BOUND_MEMORY;
	pmu_encode_line(&line, row->name);
	pmu_strbuf_addf(&line, " has the most time of its own: bound by %s, it %s ",
			memory ? "memory" : "compute", memory ? "moves" : "computes");
	add_rate(&line, memory ? row->byte_rate : row->flop_rate);
	pmu_strbuf_add(&line, " of the ");
	add_rate(&line, memory ? row->bandwidth : row->peak);
	pmu_strbuf_addf(&line, " %s that %u thread%s can, ", memory ? "GB/s" : "GFLOP/s",
			row->threads, row->threads > 1 ? "s" : "");
	pmu_cell_share(&share, row->reached);
	pmu_strbuf_addf(&line, "%s%s.", share.number, share.unit);
	sentence(t, pmu_strbuf_text(&line));
	t->failed |= line.failed;
	pmu_strbuf_free(&line);
}

static void explain(struct text *t)
{
	struct pmu_strbuf line = { 0 };

	if (!has_flops(t->roofline)) {
		pmu_roofline_why_no_flop(t->roofline, &line);
		roofline_item(t, "no FLOP", pmu_strbuf_text(&line));
		line.len = 0;
	}
	if (!has_any_bytes(t->roofline)) {
		pmu_roofline_why_no_bytes(t->roofline, &line);
		roofline_item(t, "no bytes", pmu_strbuf_text(&line));
	}
	t->failed |= line.failed;
	pmu_strbuf_free(&line);
}

static void roofline_legend(struct text *t)
{
	if (is_needed(t->roofline, CEILINGS))
		pmu_strbuf_add(t->out,
			       "\n  reached  of what its threads do at most, in arithmetic or from "
			       "memory, whichever bounds it;\n"
			       "           a region has what is nested in it\n");
}

int pmu_roofline_write_text(struct pmu_strbuf *out, const struct pmu_roofline *roofline,
			    const char *why, const struct pmu_text_options *options)
{
	struct text t = {
		.out = out,
		.roofline = roofline,
		.options = options,
		.why = why,
		.columns = options->columns ? options->columns : COLUMNS_DEFAULT,
		.shown = calloc((size_t)roofline->n_rows + 1, sizeof(*t.shown)),
	};
	size_t start = out->len;

	if (!t.shown)
		return -ENOMEM;
	if (!options->brief) {
		roofline_title(&t);
		ceilings(&t);
		roofline_how(&t);
		explain(&t);
	}
	if (has_flops(roofline) || has_any_bytes(roofline))
		print_table(&t);
	else if (options->brief)
		explain(&t);
	if (!options->brief) {
		roofline_legend(&t);
		judge_main_region(&t);
	}
	if (options->color)
		pmu_style_apply(out, start);
	free(t.shown);
	pmu_block_free(&t.blocks);
	return t.failed || out->failed ? -ENOMEM : 0;
}
