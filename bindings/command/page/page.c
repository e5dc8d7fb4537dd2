/* SPDX-License-Identifier: BSD-3-Clause */
/* The page around its data. */
#include "bindings/command/page/page.h"

#include <errno.h>
#include <string.h>

static void put_page_lines(struct pmu_strbuf *out, const char *const *line)
{
	while (*line)
		pmu_strbuf_add(out, *line++);
}

void pmu_page_begin(struct pmu_strbuf *out)
{
	put_page_lines(out, pmu_page_before);
}

/*
 * What a character has to become that HTML reads as something else, or older scripts as the end of a
 * line: the same character, as JSON can also write it.  They stand in strings alone.  Return: its
 * bytes; 0: it may stay.
 */
static size_t escape(const char *at, const char **instead)
{
	switch (*at) {
	case '<':
		*instead = "\\u003c";
		return 1;
	case '>':
		*instead = "\\u003e";
		return 1;
	case '&':
		*instead = "\\u0026";
		return 1;
	case '\xe2':
		if (strncmp(at, "\xe2\x80\xa8", 3) != 0 && strncmp(at, "\xe2\x80\xa9", 3) != 0)
			return 0;
		*instead = at[2] == '\xa8' ? "\\u2028" : "\\u2029";
		return 3;
	default:
		return 0;
	}
}

static void put_escaped(struct pmu_strbuf *out, const char *text)
{
	const char *run = text, *instead, *at = text;

	while (*at) {
		size_t n = escape(at, &instead);

		if (n) {
			pmu_strbuf_add_n(out, run, (size_t)(at - run));
			pmu_strbuf_add(out, instead);
			run = at + n;
		}
		at += n ? n : 1;
	}
	pmu_strbuf_add_n(out, run, (size_t)(at - run));
}

void pmu_page_data(struct pmu_strbuf *out, const char *id, const struct pmu_strbuf *json)
{
	pmu_strbuf_addf(out, "<script type=\"application/json\" id=\"data-%s\">", id);
	put_escaped(out, pmu_strbuf_text(json));
	pmu_strbuf_add(out, "</script>\n");
	out->failed |= json->failed;
}

void pmu_page_end(struct pmu_strbuf *out)
{
	put_page_lines(out, pmu_page_after);
}

int pmu_page_write(struct pmu_strbuf *out, const char *id, const struct pmu_strbuf *json)
{
	pmu_page_begin(out);
	pmu_page_data(out, id, json);
	pmu_page_end(out);
	return out->failed ? -ENOMEM : 0;
}
