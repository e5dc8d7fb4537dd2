/* SPDX-License-Identifier: BSD-3-Clause */
/* Shows what `pmu list` found: for people, a line a name, and for programs. */
#include <string.h>

#include "base/compiler.h"
#include "bindings/command/command.h"
#include "bindings/command/list/list.h"
#include "report/json_put.h"

#define NAME_MOST   30 /* of columns; longer names push their line to the right */
#define ABOUT_LEAST 32 /* of columns behind such a name */
#define REST_INDENT 6  /* of what is said on lines of its own */

/* --- for people --- */

static size_t name_column(const struct pmu_list_section *section)
{
	size_t column = 0;

	for (size_t i = 0; i < section->n_rows; i++) {
		size_t len = strlen(section->row[i].name);

		if (len > column && len <= NAME_MOST)
			column = len;
	}
	return column;
}

static bool starts_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

/* As much of @text as there are columns, on one line. */
static void add_cut(struct pmu_strbuf *out, const char *text, size_t columns)
{
	size_t n = 0, len = 0, cut = 0;

	for (; text[len] && text[len] != '\n'; len++) {
		n += starts_character(text[len]);
		if (n > columns)
			break;
		/* room for the dots */
		if (starts_character(text[len]) && n + 3 > columns && !cut)
			cut = len;
	}
	if (!text[len]) {
		pmu_strbuf_add(out, text);
		return;
	}
	if (text[len] == '\n' && !cut)
		cut = len;
	while (cut && strchr(" ,;", text[cut - 1]))
		cut--;
	pmu_strbuf_add_n(out, text, cut);
	pmu_strbuf_add(out, "...");
}

/* All of it: why something cannot be had is not to be cut. */
static void add_rest(struct pmu_strbuf *out, size_t width, const char *text)
{
	pmu_strbuf_pad(out, out->len + REST_INDENT, ' ');
	pmu_command_wrap(out, REST_INDENT, width, text);
	pmu_strbuf_add(out, "\n");
}

static void add_list_line(struct pmu_strbuf *out, const struct pmu_list_row *row, size_t column,
			  size_t width)
{
	size_t start = out->len, used, len;
	struct pmu_strbuf about = { 0 }, cut = { 0 };

	pmu_strbuf_add(out, "  ");
	/* event files and groups may hold anything */
	pmu_encode_line(out, row->name);
	len = out->len - start - 2;
	used = (len > column ? len : column) + 4;
	if (row->unit[0])
		pmu_strbuf_addf(&about, "[%s] ", row->unit);
	pmu_strbuf_add(&about, row->about);
	if (about.len) {
		pmu_strbuf_pad(out, start + used, ' ');
		/* a name that takes the line leaves the next one for the rest */
		if (len > column && used + ABOUT_LEAST > width) {
			out->len = start + 2 + len;
			pmu_strbuf_add(out, "\n");
			pmu_strbuf_pad(out, out->len + column + 4, ' ');
			used = column + 4;
		}
		add_cut(&cut, pmu_strbuf_text(&about), width > used + 12 ? width - used : 12);
		pmu_encode_line(out, pmu_strbuf_text(&cut));
	}
	pmu_strbuf_add(out, "\n");
	pmu_strbuf_free(&about);
	pmu_strbuf_free(&cut);
	if (row->note[0] && !row->why[0])
		add_rest(out, width, row->note);
}

static size_t count_same_reason(const struct pmu_list_section *section, size_t n, const char *why)
{
	size_t same = 0;

	for (size_t i = 0; i < n; i++)
		same += !strcmp(section->row[i].why, why);
	return same;
}

static bool is_shared(const struct pmu_list_section *section, const char *why)
{
	return why[0] && count_same_reason(section, section->n_rows, why) > 1;
}

/* A reason that several rows share is said once, before them. */
static void add_shared(struct pmu_strbuf *out, const struct pmu_list_section *section,
		       const char *why, size_t column, size_t width)
{
	pmu_strbuf_add(out, "\n  unavailable: ");
	pmu_command_wrap(out, REST_INDENT, width, why);
	pmu_strbuf_add(out, "\n");
	for (size_t i = 0; i < section->n_rows; i++)
		if (!strcmp(section->row[i].why, why))
			add_list_line(out, &section->row[i], column, width);
}

static void add_list_section(struct pmu_strbuf *out, const struct pmu_list_section *section,
			     size_t width)
{
	size_t column = name_column(section);

	pmu_strbuf_addf(out, "%s\n", section->title);
	for (size_t i = 0; i < section->n_rows; i++) {
		const struct pmu_list_row *row = &section->row[i];

		if (is_shared(section, row->why))
			continue;
		add_list_line(out, row, column, width);
		if (row->why[0])
			add_rest(out, width, row->why);
	}
	for (size_t i = 0; i < section->n_rows; i++)
		if (is_shared(section, section->row[i].why) &&
		    !count_same_reason(section, i, section->row[i].why))
			add_shared(out, section, section->row[i].why, column, width);
}

void pmu_list_text(const struct pmu_list *list, size_t width, struct pmu_strbuf *out)
{
	const char *notes = pmu_strbuf_text(&list->notes);

	for (size_t i = 0; i < list->n_sections; i++) {
		pmu_strbuf_add(out, i ? "\n" : "");
		add_list_section(out, &list->section[i], width);
	}
	if (*notes)
		pmu_strbuf_addf(out, "%s%s", list->n_sections ? "\n" : "", notes);
}

/* --- for programs --- */

static void put_list_row(struct pmu_strbuf *out, const struct pmu_list_section *section,
			 const struct pmu_list_row *row)
{
	put_known_text(out, "{", "name", row->name);
	put_known_text(out, ", ", "about", row->about);
	put_known_text(out, ", ", "unit", row->unit);
	put_text(out, ", ", "from", section->from);
	put_known_text(out, ", ", "note", row->note);
	put_known_text(out, ", ", "why_not", row->why);
	pmu_strbuf_add(out, "}");
}

static void put_list_rows(struct pmu_strbuf *out, const struct pmu_list *list,
			  enum pmu_list_kind kind)
{
	bool first = true;

	pmu_strbuf_add(out, "[");
	for (size_t i = 0; i < list->n_sections; i++) {
		const struct pmu_list_section *section = &list->section[i];

		for (size_t r = 0; section->kind == kind && r < section->n_rows; r++) {
			next_line(out, first, "    ");
			put_list_row(out, section, &section->row[r]);
			first = false;
		}
	}
	end_list(out, first, "  ");
}

void pmu_list_json(const struct pmu_list *list, struct pmu_strbuf *out)
{
	static const char *const kinds[] = {
		[PMU_LIST_EVENTS] = "events", [PMU_LIST_GROUPS] = "groups", [PMU_LIST_PMUS] = "pmus"
	};

	put_known_text(out, "{\n  ", "cpu", list->cpu);
	put_lines(out, ",\n  ", "notes", pmu_strbuf_text(&list->notes));
	for (size_t i = 0; i < PMU_ARRAY_LEN(kinds); i++) {
		if (!list->wanted[i])
			continue;
		key(out, ",\n  ", kinds[i]);
		put_list_rows(out, list, (enum pmu_list_kind)i);
	}
	pmu_strbuf_add(out, "\n}\n");
}
