/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of regions as lines of text, as wide as there is room. */
#include "bindings/command/top/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/cell.h"
#include "report/encode.h"
#include "report/name.h"

#define GAP        2u
#define LEAST_NAME 16u
#define GOOD_NAME  20u
/* From so much on a number gets a unit. */
#define MANY 1e5

/* Where there is room, and where there is little. */
static const char *const over_titles[PMU_TOP_OVERS][2] = {
	[PMU_TOP_OVER_LAST] = { "last interval", "last" },
	[PMU_TOP_OVER_START] = { "since start", "start" },
	[PMU_TOP_OVER_NOW] = { "now", "now" },
};

/* --- which columns --- */

/** A column that is always of use; values come in between. */
struct usual {
	struct pmu_top_field field;
	enum pmu_top_over over;
	const char *title;
	unsigned int width;
	unsigned int rank;    /* that with the lowest gets room first */
	unsigned int ordinal; /* from the left in its part */
};

/* Values of both parts have ranks 20, 21, ... in pairs. */
#define RANK_FIRST_VALUE 4u
#define RANK_VALUES      20u
#define ORDINAL_VALUES   10u
static const struct usual usuals[] = {
	{ { .what = PMU_TOP_CALLS }, PMU_TOP_OVER_LAST, "calls/s", 8, 1, 0 },
	{ { .what = PMU_TOP_SHARE }, PMU_TOP_OVER_LAST, "% time", 6, 0, 1 },
	{ { .what = PMU_TOP_SELF }, PMU_TOP_OVER_LAST, "self", 6, 7, 2 },
	{ { .what = PMU_TOP_MEAN }, PMU_TOP_OVER_LAST, "a call", 8, 9, 3 },
	{ { .what = PMU_TOP_SHARE, .start = true }, PMU_TOP_OVER_START, "% time", 6, 3, 1 },
	{ { .what = PMU_TOP_SELF, .start = true }, PMU_TOP_OVER_START, "self", 6, 10, 2 },
	{ { .what = PMU_TOP_CALLS, .start = true }, PMU_TOP_OVER_START, "calls", 8, 8, 0 },
	{ { .what = PMU_TOP_MEAN, .start = true }, PMU_TOP_OVER_START, "a call", 8, 11, 3 },
	{ { .what = PMU_TOP_THREADS }, PMU_TOP_OVER_NOW, "thr", 5, 6, 0 },
	{ { .what = PMU_TOP_OPEN }, PMU_TOP_OVER_NOW, "open", 7, 2, 1 },
};

/** One that may be shown. */
struct candidate {
	struct pmu_top_column column;
	unsigned int rank, ordinal;
};

static bool has_value(const struct pmu_top_program *program, unsigned int value)
{
	for (unsigned int i = 0; i < program->n_rows; i++)
		if (!isnan(program->row[i].start.value[value]))
			return true;
	return false;
}

static bool is_known_value(const struct pmu_top_value *values, unsigned int n,
			   const struct pmu_top_value *value)
{
	for (unsigned int i = 0; i < n; i++)
		if (values[i].is_count == value->is_count && !strcmp(values[i].name, value->name) &&
		    !strcmp(values[i].unit, value->unit))
			return true;
	return false;
}

/* What no region of any program has, gets no column. */
static unsigned int find_values(const struct pmu_top_program *const *program, size_t n,
				struct pmu_top_value *value)
{
	unsigned int n_values = 0;

	for (int counts = 0; counts < 2; counts++)
		for (size_t i = 0; i < n; i++)
			for (unsigned int v = 0; v < program[i]->n_values; v++)
				if (program[i]->value[v].is_count == counts &&
				    n_values < PMU_TOP_VALUES &&
				    !is_known_value(value, n_values, &program[i]->value[v]) &&
				    has_value(program[i], v))
					value[n_values++] = program[i]->value[v];
	return n_values;
}

/* "L2 miss rate", cut to its room; percent stands behind each number. */
static void set_title(struct pmu_top_column *column, const struct pmu_top_value *value, bool start)
{
	const bool percent = !strcmp(value->unit, "%");
	struct pmu_strbuf title = { 0 }, fit = { 0 };

	pmu_encode_line(&title, value->name);
	if (value->is_count && !start)
		pmu_strbuf_add(&title, "/s");
	else if (value->unit[0] && !percent && !value->is_count) {
		pmu_strbuf_add(&title, " ");
		pmu_encode_line(&title, value->unit);
	}
	pmu_name_fit(&fit, pmu_strbuf_text(&title), 14);
	if (pmu_utf8_width(pmu_strbuf_text(&fit)) > 14 || fit.len >= sizeof(column->title))
		snprintf(column->title, sizeof(column->title), "?");
	else
		snprintf(column->title, sizeof(column->title), "%s", pmu_strbuf_text(&fit));
	column->width = (unsigned int)pmu_utf8_width(column->title);
	if (column->width < 7)
		column->width = 7;
	pmu_strbuf_free(&title);
	pmu_strbuf_free(&fit);
}

static void add_candidate(struct candidate *candidate, const struct pmu_top_value *value,
			  unsigned int nth, bool start)
{
	*candidate = (struct candidate){
		.column = { .field = { .what = PMU_TOP_VALUE, .start = start, .value = *value },
			    .over = start ? PMU_TOP_OVER_START : PMU_TOP_OVER_LAST },
		.rank = nth ? RANK_VALUES + 2 * nth + start : RANK_FIRST_VALUE,
		.ordinal = ORDINAL_VALUES + nth,
	};
	set_title(&candidate->column, value, start);
	/* the first one since the start comes with it, where there is room */
	if (!nth && start)
		candidate->rank = 5;
}

/* The width that it takes; one of another part needs more distance. */
static unsigned int width_with(const struct candidate *candidate, const bool *shown, unsigned int n)
{
	bool over[PMU_TOP_OVERS] = { false };
	unsigned int width = 0;

	for (unsigned int i = 0; i < n; i++) {
		if (!shown[i])
			continue;
		width += candidate[i].column.width + 1;
		if (!over[candidate[i].column.over])
			width += GAP;
		over[candidate[i].column.over] = true;
	}
	return width;
}

static void choose_columns(const struct candidate *candidate, unsigned int n, unsigned int room,
			   bool *shown)
{
	for (unsigned int done = 0; done < n; done++) {
		unsigned int next = n;

		for (unsigned int i = 0; i < n; i++)
			if (!shown[i] && (next == n || candidate[i].rank < candidate[next].rank))
				next = i;
		shown[next] = true;
		if (width_with(candidate, shown, n) <= room)
			continue;
		shown[next] = false;
		return;
	}
}

static void place_columns(struct pmu_top_layout *layout, const struct candidate *candidate,
			  const bool *shown, unsigned int n)
{
	unsigned int at = layout->width - width_with(candidate, shown, n);

	layout->name_width = at;
	layout->n_columns = 0;
	for (int over = 0; over < PMU_TOP_OVERS; over++) {
		bool any = false;

		for (unsigned int ordinal = 0; ordinal < ORDINAL_VALUES + PMU_TOP_VALUES; ordinal++)
			for (unsigned int i = 0; i < n; i++) {
				struct pmu_top_column *column = &layout->column[layout->n_columns];

				if (!shown[i] || candidate[i].ordinal != ordinal ||
				    (int)candidate[i].column.over != over)
					continue;
				at += any ? 1 : 1 + GAP;
				any = true;
				*column = candidate[i].column;
				column->at = at;
				at += column->width;
				layout->n_columns++;
			}
	}
}

/* The longest name there is, with its indentation: more room than that is the numbers'. */
static unsigned int room_for_names(const struct pmu_top_program *const *program, size_t n)
{
	size_t most = GOOD_NAME;

	for (size_t i = 0; i < n; i++)
		for (unsigned int r = 0; r < program[i]->n_rows; r++) {
			const struct pmu_top_row *row = &program[i]->row[r];
			size_t width = 2 + 2 * (size_t)row->depth + strlen(row->name);

			if (width > most)
				most = width;
		}
	return most > 2 * GOOD_NAME ? 2 * GOOD_NAME : (unsigned int)most;
}

void pmu_top_layout(struct pmu_top_layout *layout, const struct pmu_top_program *const *program,
		    size_t n, unsigned int width, unsigned int first_value)
{
	struct candidate candidate[PMU_TOP_COLUMNS + 2];
	bool shown[PMU_TOP_COLUMNS + 2] = { false };
	struct pmu_top_value value[PMU_TOP_VALUES];
	unsigned int n_candidates = 0, names = room_for_names(program, n);

	layout->width = width < PMU_TOP_LEAST_WIDTH ? PMU_TOP_LEAST_WIDTH : width;
	layout->n_programs = n;
	layout->n_values = find_values(program, n, value);
	layout->first_value = first_value < layout->n_values ? first_value
			      : layout->n_values             ? layout->n_values - 1
							     : 0;
	for (unsigned int i = 0; i < PMU_ARRAY_LEN(usuals); i++) {
		candidate[n_candidates] = (struct candidate){
			.column = { .field = usuals[i].field,
				    .over = usuals[i].over,
				    .width = usuals[i].width },
			.rank = usuals[i].rank,
			.ordinal = usuals[i].ordinal,
		};
		snprintf(candidate[n_candidates++].column.title, sizeof(layout->column[0].title),
			 "%s", usuals[i].title);
	}
	for (unsigned int i = layout->first_value;
	     i < layout->n_values && n_candidates + 2 <= PMU_TOP_COLUMNS; i++)
		for (int start = 0; start < 2; start++)
			add_candidate(&candidate[n_candidates++], &value[i],
				      i - layout->first_value, start);
	if (layout->width < names + LEAST_NAME)
		names = LEAST_NAME;
	if (names > layout->width / 2 && names > GOOD_NAME)
		names = GOOD_NAME;
	choose_columns(candidate, n_candidates, layout->width - names, shown);
	place_columns(layout, candidate, shown, n_candidates);
}

/* --- lines --- */

/* At most @width characters, as a name or a path is shortened. */
static void put_fit(struct pmu_strbuf *out, const char *text, unsigned int width, bool path)
{
	struct pmu_strbuf plain = { 0 }, fit = { 0 };

	pmu_encode_line(&plain, text);
	if (path)
		pmu_path_fit(&fit, pmu_strbuf_text(&plain), width < 8 ? 8 : width);
	else
		pmu_name_fit(&fit, pmu_strbuf_text(&plain), width < 8 ? 8 : width);
	pmu_strbuf_add(out, pmu_strbuf_text(&fit));
	out->failed |= plain.failed | fit.failed;
	pmu_strbuf_free(&plain);
	pmu_strbuf_free(&fit);
}

/* Blanks up to column @to of the line that begins at byte @start. */
static void pad(struct pmu_strbuf *out, size_t start, size_t to)
{
	size_t width = pmu_utf8_width(pmu_strbuf_text(out) + (out->len ? start : 0));

	if (width < to)
		pmu_strbuf_pad(out, out->len + to - width, ' ');
}

static void put_right(struct pmu_strbuf *out, size_t start, const struct pmu_top_column *column,
		      const char *text)
{
	size_t width = pmu_utf8_width(text);

	if (!width)
		return;
	pad(out, start, column->at + (width < column->width ? column->width - width : 0));
	if (width <= column->width)
		pmu_strbuf_add(out, text);
}

void pmu_top_put_titles(struct pmu_strbuf *out, const struct pmu_top_layout *layout)
{
	size_t start = out->len;

	pmu_strbuf_add(out, "region");
	for (unsigned int i = 0; i < layout->n_columns; i++)
		put_right(out, start, &layout->column[i], layout->column[i].title);
}

/* Each in the middle of its columns, between lines: "-- since start --". */
void pmu_top_put_overs(struct pmu_strbuf *out, const struct pmu_top_layout *layout)
{
	size_t start = out->len;

	for (unsigned int i = 0, next; i < layout->n_columns; i = next) {
		const struct pmu_top_column *column = &layout->column[i];
		const char *title = over_titles[column->over][0];
		size_t width, len;

		for (next = i + 1; next < layout->n_columns; next++)
			if (layout->column[next].over != column->over)
				break;
		width = layout->column[next - 1].at + layout->column[next - 1].width - column->at;
		if (width < strlen(title))
			title = over_titles[column->over][1];
		len = strlen(title);
		if (width < len + 4) {
			pad(out, start, column->at + (width > len ? (width - len) / 2 : 0));
			pmu_strbuf_add(out, title);
			continue;
		}
		pad(out, start, column->at);
		pmu_strbuf_pad(out, out->len + (width - len - 2) / 2, '-');
		pmu_strbuf_addf(out, " %s ", title);
		pmu_strbuf_pad(out, out->len + (width - len - 1) / 2, '-');
	}
}

void pmu_top_put_length(struct pmu_strbuf *out, double ns)
{
	const bool known = ns >= 0 && ns < 1e19;
	const uint64_t seconds = known ? (uint64_t)(ns * 1e-9) : 0;
	const unsigned int s = (unsigned int)(seconds % 60), m = (unsigned int)(seconds / 60 % 60);

	if (!known)
		pmu_strbuf_add(out, "?");
	else if (seconds < 100)
		pmu_strbuf_addf(out, "%.1f s", ns * 1e-9);
	else if (seconds < 3600)
		pmu_strbuf_addf(out, "%u:%02u", m, s);
	else
		pmu_strbuf_addf(out, "%llu:%02u:%02u", (unsigned long long)(seconds / 3600), m, s);
}

/* For how long it has been open: within a twentieth, at most, or at least. */
static void put_open(struct pmu_strbuf *out, const struct pmu_top_row *row)
{
	if (!row->n_in)
		return;
	if (row->in_most_ns - row->in_ns <= 0.05 * row->in_most_ns) {
		pmu_top_put_length(out, row->in_ns);
	} else if (!(row->in_ns > 0)) {
		pmu_strbuf_add(out, "<");
		pmu_top_put_length(out, row->in_most_ns);
	} else {
		pmu_strbuf_add(out, ">");
		pmu_top_put_length(out, row->in_ns);
	}
}

static void cell_of(struct pmu_cell *cell, const struct pmu_top_field *field, double number)
{
	const struct pmu_top_value *value = &field->value;
	const bool percent = field->what == PMU_TOP_VALUE && !strcmp(value->unit, "%");

	switch (field->what) {
	case PMU_TOP_SHARE:
	case PMU_TOP_SELF:
		pmu_cell_share(cell, number);
		return;
	case PMU_TOP_MEAN:
		pmu_cell_time(cell, number);
		return;
	default:
		break;
	}
	if (number == 0)
		pmu_cell_text(cell, "0");
	else if (value->is_count && !strcmp(value->unit, "ns"))
		pmu_cell_time(cell, number);
	else if (((field->start && field->what == PMU_TOP_CALLS) || value->is_count) &&
		 number < 1e18)
		pmu_cell_count(cell, (uint64_t)number, number >= MANY ? UINT64_MAX : 0);
	else
		pmu_cell_value(cell, number, number >= MANY ? INFINITY : 0);
	if (percent && !cell->unit[0])
		strcpy(cell->unit, "%");
}

static bool is_about(const struct pmu_top_row *row, const struct pmu_top_field *field)
{
	const struct pmu_top_span *span = field->start ? &row->start : &row->last;

	return (field->what == PMU_TOP_SHARE || field->what == PMU_TOP_SELF) && span->is_about;
}

static void put_column_number(struct pmu_strbuf *out, const struct pmu_top_program *program,
			      const struct pmu_top_row *row, const struct pmu_top_column *column)
{
	double number = pmu_top_number(program, row, &column->field);
	struct pmu_cell cell;

	if (column->field.what == PMU_TOP_OPEN) {
		put_open(out, row);
	} else if (column->field.what == PMU_TOP_THREADS) {
		pmu_strbuf_addf(out, "%u/%u", row->n_in, row->n_threads);
	} else if (!isnan(number)) {
		cell_of(&cell, &column->field, number);
		pmu_strbuf_addf(out, "%s%s%s", is_about(row, &column->field) ? "~" : "",
				cell.number, cell.unit);
		/* no room for the blank before its unit */
		if (pmu_utf8_width(pmu_strbuf_text(out)) > column->width && cell.unit[0] == ' ') {
			out->text[out->len = 0] = '\0';
			pmu_strbuf_addf(out, "%s%s", cell.number, cell.unit + 1);
		}
	}
}

static void put_region_name_cell(struct pmu_strbuf *out, const struct pmu_top_layout *layout,
				 const struct pmu_top_line *line, bool tree)
{
	const struct pmu_top_row *row = &line->program->row[line->row];
	const unsigned int deepest = layout->name_width / 2;
	unsigned int indent = 2 + 2 * (tree ? (unsigned int)row->depth : 0);
	size_t start = out->len;
	struct pmu_strbuf number = { 0 };

	if (indent > deepest)
		indent = deepest;
	pmu_strbuf_pad(out, start + indent, ' ');
	if (!tree && layout->n_programs > 1) {
		put_fit(out, line->program->program, LEAST_NAME / 2, false);
		pmu_strbuf_add(out, ": ");
		indent = (unsigned int)pmu_utf8_width(pmu_strbuf_text(out) + start);
	}
	put_fit(out, tree ? row->name : row->path, layout->name_width - indent, !tree);
	for (unsigned int i = 0; i < layout->n_columns; i++) {
		put_column_number(&number, line->program, row, &layout->column[i]);
		put_right(out, start, &layout->column[i], pmu_strbuf_text(&number));
		pmu_strbuf_free(&number);
		number = (struct pmu_strbuf){ 0 };
	}
	out->failed |= number.failed;
}

/* "~ 53.9%  multiply  libfoo.so": a share of what the region was sampled in, in no column. */
static void put_function_name(struct pmu_strbuf *out, const struct pmu_top_layout *layout,
			      const struct pmu_top_line *line, bool tree)
{
	const struct pmu_top_row *row = &line->program->row[line->row];
	const struct pmu_top_samples *of = pmu_top_shown_samples(line->program, row);
	const unsigned int deepest = layout->name_width / 2;
	unsigned int indent = 4 + 2 * (tree ? (unsigned int)row->depth : 0);
	struct pmu_strbuf name = { 0 };
	struct pmu_cell share;
	char text[sizeof(share.number) + sizeof(share.unit)];

	pmu_cell_share(&share, (double)line->function->n_samples / (double)of->n);
	snprintf(text, sizeof(text), "%s%s", share.number, share.unit);
	if (indent > deepest)
		indent = deepest;
	pmu_strbuf_pad(out, out->len + indent, ' ');
	pmu_strbuf_addf(out, "~ %5s  ", text);
	pmu_strbuf_add(&name, line->function->name);
	if (line->function->object[0])
		pmu_strbuf_addf(&name, "  %s", line->function->object);
	put_fit(out, pmu_strbuf_text(&name), layout->width - indent - 9, false);
	out->failed |= name.failed;
	pmu_strbuf_free(&name);
}

static const char *const state_words[] = {
	[PMU_TOP_RUNS] = "running",
	[PMU_TOP_ENDED] = "ended after",
	[PMU_TOP_DIED] = "killed after",
};

static void put_program_line(struct pmu_strbuf *out, const struct pmu_top_layout *layout,
			     const struct pmu_top_program *program)
{
	struct pmu_strbuf rest = { 0 };
	size_t start = out->len;
	unsigned int width;

	pmu_strbuf_addf(&rest, "  pid %lld  %s ", (long long)program->pid,
			state_words[program->state]);
	pmu_top_put_length(&rest, program->running_ns);
	pmu_strbuf_addf(&rest, "  %u thread%s", program->n_threads,
			program->n_threads == 1 ? "" : "s");
	if (program->groups[0]) {
		pmu_strbuf_add(&rest, "  ");
		pmu_encode_line(&rest, program->source);
		pmu_strbuf_add(&rest, ": ");
		pmu_encode_line(&rest, program->groups);
	}
	if (program->remark[0])
		pmu_strbuf_addf(&rest, "  (%s)", program->remark);
	width = (unsigned int)pmu_utf8_width(pmu_strbuf_text(&rest));
	put_fit(out, program->program[0] ? program->program : "(unknown)",
		layout->width > width + LEAST_NAME ? layout->width - width : LEAST_NAME, false);
	pmu_strbuf_add(out, pmu_strbuf_text(&rest));
	out->failed |= rest.failed;
	pmu_strbuf_free(&rest);
	/* cut between two characters */
	while (!out->failed && pmu_utf8_width(out->text + start) > layout->width) {
		while (out->len > start && ((unsigned char)out->text[out->len - 1] & 0xc0) == 0x80)
			out->len--;
		out->text[--out->len] = '\0';
	}
}

void pmu_top_put_line(struct pmu_strbuf *out, const struct pmu_top_layout *layout,
		      const struct pmu_top_line *line, bool tree)
{
	if (line->row < 0)
		put_program_line(out, layout, line->program);
	else if (line->function)
		put_function_name(out, layout, line, tree);
	else
		put_region_name_cell(out, layout, line, tree);
}
