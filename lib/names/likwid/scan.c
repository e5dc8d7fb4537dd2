/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of a group of LIKWID's. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "names/likwid/parts.h"

int pmu_likwid_wrong(const struct pmu_likwid_scan *scan, unsigned int line, const char *fmt, ...)
{
	char what[PMU_ERROR_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	return pmu_fail(EINVAL, "%s:%u: %s", scan->origin, line, what);
}

/* A keyword begins the line; what follows it does not count but for SHORT. */
static const struct {
	const char *word;
	enum pmu_likwid_section section;
} keywords[] = {
	{ "SHORT", PMU_LIKWID_SHORT },       { "REQUIRE_NOHT", PMU_LIKWID_NO_HT },
	{ "EVENTSET", PMU_LIKWID_EVENTSET }, { "METRICS", PMU_LIKWID_METRICS },
	{ "LONG", PMU_LIKWID_LONG },         { "LUA", PMU_LIKWID_NONE },
};

static bool begins_keyword(struct pmu_likwid_span line, const char *word)
{
	return line.len >= strlen(word) && !memcmp(line.at, word, strlen(word));
}

/* LIKWID takes tabs away at the ends of words, but only a blank separates them. */
static struct pmu_likwid_span trim_tabs(struct pmu_likwid_span text)
{
	while (text.len && (text.at[0] == ' ' || text.at[0] == '\t'))
		text.at++, text.len--;
	while (text.len && (text.at[text.len - 1] == ' ' || text.at[text.len - 1] == '\t' ||
			    text.at[text.len - 1] == '\r'))
		text.len--;
	return text;
}

static int check_likwid_text(const struct pmu_likwid_scan *scan, struct pmu_likwid_span text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.at[i] < ' ' || text.at[i] == 0x7f)
			return pmu_likwid_wrong(scan, scan->number,
						"a control character, %02XH, at column %zu",
						(unsigned char)text.at[i], i + 1);
	return 0;
}

/* "COUNTER EVENT": exactly two words; else it is an error. */
static int read_likwid_event(const struct pmu_likwid_scan *scan, struct pmu_likwid_span text,
			     struct pmu_likwid_line *line)
{
	const char *blank = memchr(text.at, ' ', text.len);
	struct pmu_likwid_span rest;

	if (!blank)
		return pmu_likwid_wrong(scan, scan->number,
					"\"%.*s\" is not COUNTER EVENT: a word is missing",
					PMU_LIKWID_SHOW(text));
	line->first = (struct pmu_likwid_span){ text.at, (size_t)(blank - text.at) };
	rest = (struct pmu_likwid_span){ blank, text.len - line->first.len };
	line->last = trim_tabs(rest);
	if (memchr(line->last.at, ' ', line->last.len))
		return pmu_likwid_wrong(scan, scan->number,
					"\"%.*s\" is not COUNTER EVENT: a word too many",
					PMU_LIKWID_SHOW(text));
	return 0;
}

/* The last word is the formula, what stands before it the name. */
static int read_likwid_metric(const struct pmu_likwid_scan *scan, struct pmu_likwid_span text,
			      struct pmu_likwid_line *line)
{
	size_t from = text.len;

	while (from && text.at[from - 1] != ' ')
		from--;
	line->last = (struct pmu_likwid_span){ text.at + from, text.len - from };
	line->first = trim_tabs((struct pmu_likwid_span){ text.at, from });
	if (!line->first.len)
		return pmu_likwid_wrong(scan, scan->number,
					"\"%.*s\" is not NAME FORMULA: a word is missing",
					PMU_LIKWID_SHOW(text));
	return 0;
}

/* 1: a keyword, in @line with its text; 0: one that begins a section; -ENOENT: it is none */
static int read_keyword(struct pmu_likwid_scan *scan, struct pmu_likwid_span text,
			struct pmu_likwid_line *line)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(keywords); i++) {
		enum pmu_likwid_section section = keywords[i].section;

		if (!begins_keyword(text, keywords[i].word))
			continue;
		if (scan->seen >> section & 1 && section != PMU_LIKWID_NONE)
			return pmu_likwid_wrong(scan, scan->number, "%s stands there twice",
						keywords[i].word);
		scan->seen |= 1u << section;
		scan->section = section;
		if (section != PMU_LIKWID_SHORT && section != PMU_LIKWID_NO_HT)
			return 0;
		/* of one line */
		scan->section = PMU_LIKWID_NONE;
		line->section = section;
		text.at += strlen(keywords[i].word);
		text.len -= strlen(keywords[i].word);
		line->first = line->last = trim_tabs(text);
		return 1;
	}
	return -ENOENT;
}

/* 1: @line is filled in; 0: the line has nothing to return; or a negative errno */
static int read_likwid_line(struct pmu_likwid_scan *scan, struct pmu_likwid_span raw,
			    struct pmu_likwid_line *line)
{
	struct pmu_likwid_span text = trim_tabs(raw);
	int rc;

	if (raw.len && raw.at[0] == '#')
		return 0;
	if (!text.len) {
		scan->section = PMU_LIKWID_NONE;
		return 0;
	}
	rc = check_likwid_text(scan, text);
	if (!rc)
		rc = read_keyword(scan, raw, line);
	if (rc != -ENOENT)
		return rc;
	line->section = scan->section;
	if (scan->section == PMU_LIKWID_EVENTSET)
		rc = read_likwid_event(scan, text, line);
	else if (scan->section == PMU_LIKWID_METRICS)
		rc = read_likwid_metric(scan, text, line);
	else
		return pmu_likwid_wrong(scan, scan->number,
					"this stands in no section: SHORT, EVENTSET, METRICS or "
					"LONG begins one, a blank line ends it");
	return rc ? rc : 1;
}

int pmu_likwid_scan_line(struct pmu_likwid_scan *scan, struct pmu_likwid_line *line)
{
	int rc = 0;

	/* LONG is for people, up to the end of the file */
	while (!rc && scan->at < scan->len && scan->section != PMU_LIKWID_LONG) {
		struct pmu_likwid_span raw = { scan->text + scan->at, scan->len - scan->at };
		const char *end = memchr(raw.at, '\n', raw.len);

		if (end)
			raw.len = (size_t)(end - raw.at);
		scan->at += raw.len + (end != NULL);
		scan->number++;
		if (raw.len > PMU_LIKWID_LINE_MAX)
			return pmu_likwid_wrong(scan, scan->number, "a line of more than %d bytes",
						PMU_LIKWID_LINE_MAX);
		memset(line, 0, sizeof(*line));
		rc = read_likwid_line(scan, raw, line);
	}
	return rc;
}
