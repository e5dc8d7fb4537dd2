/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of text: labels, columns of numbers, as many tables as the width asks for. */
#include "report/text/table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/index.h"
#include "report/encode.h"
#include "report/name.h"
#include "report/text/terminal.h"

#define MARGIN      2u /* blanks before a line */
#define GAP         2u /* blanks between columns */
#define INDENT      2u /* blanks for each level of nesting */
#define MOST_LEVELS 50u
#define LEAST_WIDTH 60u
#define LEAST_LABEL 16u
#define LEAST_GOOD  20u /* labels shrink to this for the columns of the first kind */
#define LEAST_NAME  12u /* of a label, behind its indentation */
#define GOOD_LABEL  28u /* and to this for others to stand beside them */
#define SHORT_TITLE 10u /* not broken */
#define MOST_LINES  2u  /* of a title */

struct layout {
	struct pmu_strbuf *out;
	struct pmu_table *table;
	struct pmu_model_block **scratch;
	unsigned int width;
	unsigned int label_width;
	/* texts of labels so far, to keep different names different: open addressing */
	struct pmu_index seen; /* struct pmu_table_label by text */
};

static unsigned int max_of(unsigned int a, unsigned int b)
{
	return a > b ? a : b;
}

static unsigned int min_of(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

static unsigned int width_of(const char *text)
{
	size_t width = pmu_utf8_width(text);

	return width < 1000000 ? (unsigned int)width : 1000000;
}

static const char *skip_chars(const char *text, size_t n)
{
	for (; n && *text; n--) {
		size_t len = pmu_utf8_next(text);

		text += len ? len : 1;
	}
	return text;
}

static void blanks(struct pmu_strbuf *out, size_t n)
{
	pmu_strbuf_pad(out, out->len + n, ' ');
}

/* Titles. */

/* Length in bytes of the next word: up to a blank, or a sign, which belongs to it. */
static size_t word_len(const char *text)
{
	size_t len = strcspn(text, " -_.:");

	return text[len] && text[len] != ' ' ? len + 1 : len;
}

/* Bytes of @text that fill a line of @width characters, at least one word. */
static size_t title_line(const char *text, unsigned int width)
{
	size_t len = word_len(text);

	for (;;) {
		size_t next = len + strspn(text + len, " ");
		size_t end = next + word_len(text + next);

		if (end == len || pmu_utf8_width(text) - pmu_utf8_width(text + end) > width)
			return len;
		len = end;
	}
}

static unsigned int longest_word(const char *title)
{
	unsigned int longest = 1;

	while (*title) {
		size_t len = word_len(title);
		size_t width = pmu_utf8_width(title) - pmu_utf8_width(title + len);

		longest = max_of(longest, min_of((unsigned int)width, 1000));
		title += len + strspn(title + len, " ");
	}
	return longest;
}

/* The part of a title in line @line, which it has; its length in bytes in *len. */
static const char *title_part(const char *title, unsigned int width, unsigned int line, size_t *len)
{
	for (;; line--) {
		*len = title_line(title, width);
		if (!line)
			return title;
		title += *len;
		title += strspn(title, " ");
	}
}

static unsigned int count_lines(const char *title, unsigned int width)
{
	unsigned int n = 1;

	for (;; n++) {
		title += title_line(title, width);
		title += strspn(title, " ");
		if (!*title)
			return n;
	}
}

static void measure_column(const struct layout *l, struct pmu_table_column *column)
{
	unsigned int number = 0, unit = 0;

	for (unsigned int i = 0; i < l->table->n_rows; i++) {
		number = max_of(number, width_of(column->cell[i].number));
		unit = max_of(unit, width_of(column->cell[i].unit));
	}
	column->unit_width = unit;
	column->width = max_of(number + unit, longest_word(column->title));
	if (width_of(column->title) <= SHORT_TITLE)
		column->width = max_of(column->width, width_of(column->title));
	while (count_lines(column->title, column->width) > MOST_LINES)
		column->width++;
	column->n_lines = count_lines(column->title, column->width);
}

/* Labels. */

static bool has_text(const void *text, uintptr_t label)
{
	return !strcmp(((const struct pmu_table_label *)label)->text, text);
}

static uint32_t hash_of_text(const char *text)
{
	return pmu_hash_text(text, strlen(text));
}

/* Where a name's text stands among those seen; NULL: a different name has taken it. */
static struct pmu_index_place *find_seen(const struct layout *l, const char *name, const char *text)
{
	struct pmu_index_place *place = pmu_index_find(&l->seen, hash_of_text(text), has_text,
						       text);
	const struct pmu_table_label *label = (const void *)place->thing;

	return label && strcmp(label->name, name) != 0 ? NULL : place;
}

/* @head characters of a name, "..." or what @middle says, and its end. */
static const char *cut_at(const struct layout *l, const char *name, unsigned int width,
			  unsigned int head, const char *middle)
{
	unsigned int n_name = width_of(name);
	unsigned int tail = width - head - width_of(middle);
	const char *end = skip_chars(name, n_name - tail);
	size_t n_head = (size_t)(skip_chars(name, head) - name);
	size_t n_middle = strlen(middle), n_end = strlen(end);
	char *text = pmu_block_text(l->scratch, name, n_head + n_middle + n_end);

	if (text) {
		memcpy(text + n_head, middle, n_middle);
		memcpy(text + n_head + n_middle, end, n_end);
		text[n_head + n_middle + n_end] = '\0';
	}
	return text;
}

/* @text is short enough, and no other name's yet. */
static const char *take_shorter(const struct layout *l, const char *name,
				const struct pmu_strbuf *shorter, unsigned int width)
{
	const char *text = pmu_strbuf_text(shorter);

	if (shorter->failed || width_of(text) > width || !find_seen(l, name, text))
		return NULL;
	return pmu_block_text(l->scratch, text, strlen(text));
}

/* A function's name without what matters least; NULL: it does not fit, or looks like another. */
static const char *shorten(const struct layout *l, const char *name, unsigned int width)
{
	struct pmu_strbuf shorter = { 0 };
	const char *text = NULL;

	for (int how = 0; how < PMU_NAME_WAYS && !text; how++) {
		shorter.len = 0;
		pmu_name_shorten(&shorter, name, (enum pmu_name_shorter)how);
		text = take_shorter(l, name, &shorter, width);
	}
	pmu_strbuf_free(&shorter);
	return text;
}

/* Half of @whole from either end; where another name looks so, too, other shares; then a number */
static const char *cut(const struct layout *l, const char *name, const char *whole,
		       unsigned int width, unsigned int row)
{
	unsigned int room = width - 3, first = (room + 1) / 2;
	char middle[16];
	const char *text;

	for (unsigned int i = 0; i <= room; i++) {
		unsigned int off = (i + 1) / 2;
		bool tail = i & 1;

		if (off > (tail ? first : room - first))
			continue;
		text = cut_at(l, whole, width, tail ? first - off : first + off, "...");
		if (!text || find_seen(l, name, text))
			return text;
	}
	snprintf(middle, sizeof(middle), "..#%u..", row % 100000);
	if (width_of(middle) >= width)
		middle[0] = '\0';
	return cut_at(l, whole, width, (width - width_of(middle) + 1) / 2, middle);
}

/*
 * What is left of a name that is too long even so: of a function's without what stands around its
 * own.
 */
static const char *cut_own_name(const struct layout *l, const char *name, unsigned int width,
				unsigned int row)
{
	struct pmu_strbuf own = { 0 };
	const char *text = NULL, *whole;

	pmu_name_shorten(&own, name, PMU_NAME_BARE);
	whole = pmu_strbuf_text(&own);
	if (width_of(whole) <= width) { /* another has it, too */
		pmu_strbuf_addf(&own, " #%u", row % 100000);
		text = take_shorter(l, name, &own, width);
		whole = name;
	}
	if (!text)
		text = cut(l, name, whole, width, row);
	pmu_strbuf_free(&own);
	return text;
}

/* The natural width of all labels, if not so narrow that numbers crowd in on them. */
static unsigned int widest_label(const struct pmu_table *table)
{
	unsigned int widest = LEAST_LABEL;

	for (unsigned int i = 0; i < table->n_rows; i++)
		widest = max_of(widest, width_of(table->label[i].name) +
						INDENT * min_of(table->label[i].depth, 1000));
	return widest;
}

/* Levels of nesting that can be shown by indentation. */
static unsigned int most_levels(const struct layout *l)
{
	return min_of((l->label_width - LEAST_NAME) / INDENT, MOST_LEVELS);
}

/* What fits is indented, however deep it is. */
static bool is_too_deep(const struct layout *l, const struct pmu_table_label *label)
{
	if (label->depth <= most_levels(l))
		return false;
	return label->depth > MOST_LEVELS ||
	       INDENT * label->depth + width_of(label->name) > l->label_width;
}

static unsigned int put_indent(const struct layout *l, const struct pmu_table_label *label,
			       char *buf, size_t size)
{
	if (is_too_deep(l, label))
		return (unsigned int)snprintf(buf, size, "(%u) ", label->depth % 100000);
	return (unsigned int)snprintf(buf, size, "%*s", (int)(INDENT * label->depth), "");
}

/* Whole names first: what is cut must not look like one of them. */
static int make_label(struct layout *l, unsigned int row, bool whole)
{
	struct pmu_table_label *label = &l->table->label[row];
	struct pmu_index_place *seen;
	char indent[128];
	unsigned int room = l->label_width - put_indent(l, label, indent, sizeof(indent));
	bool fits = width_of(label->name) <= room;

	if (fits != whole)
		return 0;
	if (is_too_deep(l, label))
		l->table->too_deep = 1;
	label->text = fits ? label->name : shorten(l, label->name, room);
	if (!label->text)
		label->text = cut_own_name(l, label->name, room, row);
	if (!label->text)
		return -ENOMEM;
	seen = find_seen(l, label->name, label->text);
	if (seen && !seen->thing)
		pmu_index_take(&l->seen, seen, hash_of_text(label->text), (uintptr_t)label);
	return 0;
}

static int make_labels(struct layout *l)
{
	if (pmu_index_reserve(&l->seen, l->table->n_rows) < 0)
		return -ENOMEM;
	for (int pass = 0; pass < 2; pass++)
		for (unsigned int i = 0; i < l->table->n_rows; i++)
			if (make_label(l, i, pass == 0) < 0)
				return -ENOMEM;
	return 0;
}

/* Which columns stand together. */

static unsigned int mark_width(const struct pmu_table *table)
{
	unsigned int width = 0;

	for (unsigned int i = 0; table->mark && i < table->n_rows; i++)
		width = max_of(width, width_of(table->mark[i]));
	return width ? width + GAP : 0;
}

/* One past the columns of the kind that starts at @first, and their width. */
static unsigned int end_of_kind(const struct pmu_table *table, unsigned int first,
				unsigned int *width)
{
	unsigned int i = first;

	*width = 0;
	for (; i < table->n_columns; i++) {
		if (strcmp(table->column[i].kind, table->column[first].kind) != 0)
			break;
		*width += GAP + table->column[i].width;
	}
	return i;
}

/* Gives every column its table; @good: what labels need beside all but the first kind */
static void place_columns(struct layout *l, unsigned int widest, unsigned int good)
{
	struct pmu_table *table = l->table;
	unsigned int room = l->width - MARGIN - min_of(widest, LEAST_GOOD);
	unsigned int part = 0, taken = mark_width(table), kind_end = 0, kind_width = 0;
	unsigned int most = taken;

	for (unsigned int i = 0; i < table->n_columns; i++) {
		unsigned int need = GAP + table->column[i].width;

		if (i == kind_end) {
			if (i)
				room = l->width - MARGIN - min_of(widest, good);
			kind_end = end_of_kind(table, i, &kind_width);
			need = max_of(need, kind_width);
		}
		/* a kind of columns too wide for any table begins one of its own, too */
		if (i && taken && taken + need > room) {
			part++;
			taken = 0;
		}
		taken += GAP + table->column[i].width;
		table->column[i].part = part;
		most = max_of(most, taken);
	}
	l->label_width = most + MARGIN < l->width ? l->width - MARGIN - most : 0;
	l->label_width = max_of(LEAST_LABEL, min_of(widest, l->label_width));
}

/* Lines. */

static void end_line(struct pmu_strbuf *out)
{
	while (out->len && out->text[out->len - 1] == ' ')
		out->len--;
	pmu_strbuf_add(out, "\n");
}

/* Before the newline. */
static void end_style(struct pmu_strbuf *out)
{
	if (out->len)
		out->len--;
	pmu_strbuf_add(out, PMU_STYLE_END "\n");
}

static void put_left(struct pmu_strbuf *out, const char *text, unsigned int width)
{
	unsigned int n = width_of(text);

	pmu_strbuf_add(out, text);
	blanks(out, width > n ? width - n : 0);
}

/* Columns first to end - 1; the labels' heading stands in the last line. */
static void put_titles(const struct layout *l, unsigned int first, unsigned int end)
{
	const struct pmu_table_column *column = l->table->column;
	unsigned int n_lines = 1;

	for (unsigned int i = first; i < end; i++)
		n_lines = max_of(n_lines, column[i].n_lines);
	for (unsigned int line = 0; line < n_lines; line++) {
		pmu_strbuf_add(l->out, l->table->color ? PMU_STYLE_HEAD : "");
		blanks(l->out, MARGIN);
		put_left(l->out, line + 1 == n_lines ? column[first].kind : "", l->label_width);
		for (unsigned int i = first; i < end; i++) {
			unsigned int above = n_lines - column[i].n_lines;
			const char *part = "";
			size_t len = 0, chars;

			if (line >= above)
				part = title_part(column[i].title, column[i].width, line - above,
						  &len);
			chars = pmu_utf8_width(part) - pmu_utf8_width(part + len);
			blanks(l->out, GAP + column[i].width - chars);
			pmu_strbuf_add_n(l->out, part, len);
		}
		end_line(l->out);
		if (l->table->color)
			end_style(l->out);
	}
}

static void put_table_row(const struct layout *l, unsigned int row, unsigned int first,
			  unsigned int end)
{
	const struct pmu_table_label *label = &l->table->label[row];
	char indent[128];

	blanks(l->out, MARGIN);
	put_indent(l, label, indent, sizeof(indent));
	pmu_strbuf_add(l->out, indent);
	put_left(l->out, label->text, l->label_width - (unsigned int)strlen(indent));
	for (unsigned int i = first; i < end; i++) {
		const struct pmu_table_column *column = &l->table->column[i];
		const struct pmu_cell *cell = &column->cell[row];

		blanks(l->out, GAP + column->width - column->unit_width - width_of(cell->number));
		pmu_strbuf_add(l->out, cell->number);
		put_left(l->out, cell->unit, column->unit_width);
	}
	if (!first && l->table->mark && l->table->mark[row][0]) {
		blanks(l->out, GAP);
		pmu_strbuf_add(l->out, l->table->mark[row]);
	}
	end_line(l->out);
}

/* --- lines below a row --- */

#define LEAST_BELOW   16u                      /* of a name there */
#define NUMBER_BELOW  5u                       /* "12.3%" */
#define LEAST_OF      8u                       /* what a name is of is cut to it, or left out */
#define LARGEST_BELOW (2u + NUMBER_BELOW + 2u) /* "~ 12.3%  " */

/* Room behind the number, for the name and what it is of. */
static unsigned int room_below(const struct layout *l, unsigned int indent)
{
	unsigned int taken = MARGIN + indent + LARGEST_BELOW;

	return taken + LEAST_BELOW < l->width ? l->width - taken : LEAST_BELOW;
}

static unsigned int indent_below(const struct layout *l, const struct pmu_table_label *label,
				 const struct pmu_table_line *line)
{
	char indent[128];
	unsigned int around = put_indent(l, label, indent, sizeof(indent));

	return min_of(around, l->width / 2) + INDENT * line->depth;
}

/* What is cut shows that it is. */
static void put_fitted(struct pmu_strbuf *out, const char *name, unsigned int room)
{
	if (width_of(name) <= room)
		pmu_strbuf_add(out, name);
	else
		pmu_name_fit(out, name, room);
}

static void put_line_below(const struct layout *l, const struct pmu_table_label *label,
			   const struct pmu_table_line *line)
{
	unsigned int indent = indent_below(l, label, line), room = room_below(l, indent);
	unsigned int name = width_of(line->name), of = min_of(width_of(line->of), room / 3);

	if (of < LEAST_OF && of < width_of(line->of))
		of = 0;
	if (of)
		name = min_of(name, room - GAP - of);
	blanks(l->out, MARGIN + indent);
	pmu_strbuf_add(l->out, "~ ");
	blanks(l->out, NUMBER_BELOW - min_of(NUMBER_BELOW, width_of(line->number)));
	pmu_strbuf_add(l->out, line->number);
	blanks(l->out, GAP);
	put_fitted(l->out, line->name, min_of(name, room));
	if (of) {
		blanks(l->out, GAP);
		/* what the name leaves is its, too */
		put_fitted(l->out, line->of, max_of(of, room - GAP - min_of(name, room - GAP)));
	}
	end_line(l->out);
}

static void put_below(const struct layout *l, unsigned int row)
{
	const struct pmu_table_below *below = l->table->below ? &l->table->below[row] : NULL;

	for (unsigned int i = 0; below && i < below->n; i++)
		put_line_below(l, &l->table->label[row], &below->line[i]);
}

static bool is_blank(const struct layout *l, unsigned int row, unsigned int first, unsigned int end)
{
	for (unsigned int i = first; i < end; i++)
		if (l->table->column[i].cell[row].number[0])
			return false;
	return true;
}

/* Those that have something in these columns, and what stands around them. */
static bool *rows_of_part(const struct layout *l, unsigned int first, unsigned int end)
{
	bool *shown = pmu_block_array(l->scratch, l->table->n_rows, sizeof(*shown));
	unsigned int depth = 0;

	for (unsigned int i = l->table->n_rows; shown && i-- > 0;) {
		const struct pmu_table_label *label = &l->table->label[i];

		if (first && is_blank(l, i, first, end) && label->depth >= depth)
			continue;
		shown[i] = true;
		depth = label->depth;
	}
	return shown;
}

static int put_table_part(const struct layout *l, unsigned int first, unsigned int end)
{
	const bool *shown = rows_of_part(l, first, end);

	if (!shown)
		return -ENOMEM;
	if (first)
		pmu_strbuf_add(l->out, "\n");
	put_titles(l, first, end);
	for (unsigned int i = 0; i < l->table->n_rows; i++)
		if (shown[i]) {
			put_table_row(l, i, first, end);
			if (!first)
				put_below(l, i);
		}
	return 0;
}

int pmu_table_print(struct pmu_strbuf *out, struct pmu_table *table, unsigned int width,
		    struct pmu_model_block **scratch)
{
	struct layout l = {
		.out = out,
		.table = table,
		.scratch = scratch,
		.width = max_of(min_of(width, 10000), LEAST_WIDTH),
	};
	unsigned int widest, end;
	int rc;

	for (unsigned int i = 0; i < table->n_columns; i++)
		measure_column(&l, &table->column[i]);
	widest = widest_label(table);
	place_columns(&l, widest, GOOD_LABEL);
	/* where the first columns leave the labels less, others may have the rest */
	if (l.label_width < GOOD_LABEL)
		place_columns(&l, widest, l.label_width);
	rc = make_labels(&l);
	pmu_index_free(&l.seen);
	for (unsigned int first = 0; !rc && first < table->n_columns; first = end) {
		for (end = first + 1; end < table->n_columns; end++)
			if (table->column[end].part != table->column[first].part)
				break;
		rc = put_table_part(&l, first, end);
	}
	return rc;
}
