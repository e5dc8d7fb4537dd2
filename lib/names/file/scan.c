/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Lines of a group's file.  Other readers of INI cut long lines, join indented ones and take ':'
 * for '=': what they would read as something else is refused.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "names/file/parts.h"

int pmu_group_scan_fail(const struct pmu_group_scan *scan, const char *fmt, ...)
{
	char what[PMU_ERROR_MAX];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	return pmu_fail(EINVAL, "%s:%u: %s", scan->origin, scan->number, what);
}

static bool is_blank_char(char c)
{
	return c == ' ' || c == '\t';
}

static struct pmu_group_span trim_span(const char *at, size_t len)
{
	while (len && is_blank_char(at[0]))
		at++, len--;
	while (len && is_blank_char(at[len - 1]))
		len--;
	return (struct pmu_group_span){ at, len };
}

/* A comment begins the line, or stands behind a blank. */
static size_t without_comment(const char *at, size_t len)
{
	if (len && at[0] == '#')
		return 0;
	for (size_t i = 0; i < len; i++)
		if (at[i] == ';' && (i == 0 || is_blank_char(at[i - 1])))
			return i;
	return len;
}

static int check_line_text(const struct pmu_group_scan *scan, const char *at, size_t len)
{
	if (len > PMU_GROUP_LINE_MAX)
		return pmu_group_scan_fail(scan, "a line of more than %d bytes",
					   PMU_GROUP_LINE_MAX);
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)at[i] < ' ' && at[i] != '\t')
			return pmu_group_scan_fail(scan,
						   "a control character, %02XH, at column %zu",
						   (unsigned char)at[i], i + 1);
	return 0;
}

static int read_section(const struct pmu_group_scan *scan, struct pmu_group_span text,
			struct pmu_group_line *line)
{
	if (text.at[text.len - 1] != ']' ||
	    memchr(text.at, ']', text.len) != text.at + text.len - 1)
		return pmu_group_scan_fail(
			scan, "a section is written [NAME], and nothing stands behind it");
	line->kind = PMU_GROUP_LINE_SECTION;
	line->key = trim_span(text.at + 1, text.len - 2);
	return 0;
}

static int read_key_line(const struct pmu_group_scan *scan, struct pmu_group_span text,
			 struct pmu_group_line *line)
{
	const char *equals = memchr(text.at, '=', text.len);
	size_t before = equals ? (size_t)(equals - text.at) : text.len;

	if (memchr(text.at, ':', before))
		return pmu_group_scan_fail(
			scan,
			"a ':' before the '=': write NAME = VALUE, without colons in the name");
	if (!equals)
		return pmu_group_scan_fail(scan, "neither [SECTION] nor NAME = VALUE");
	line->kind = PMU_GROUP_LINE_KEY;
	line->key = trim_span(text.at, before);
	line->value = trim_span(equals + 1, text.len - before - 1);
	if (!line->key.len)
		return pmu_group_scan_fail(scan, "nothing stands before the '='");
	if (line->key.len > PMU_GROUP_KEY_MAX)
		return pmu_group_scan_fail(scan, "a name of more than %d bytes", PMU_GROUP_KEY_MAX);
	if (!line->value.len)
		return pmu_group_scan_fail(scan, "nothing stands behind the '='");
	return 0;
}

static int read_group_line(const struct pmu_group_scan *scan, const char *at, size_t len,
			   struct pmu_group_line *line)
{
	struct pmu_group_span text;
	int rc = check_line_text(scan, at, len);

	memset(line, 0, sizeof(*line));
	if (rc)
		return rc;
	text = trim_span(at, without_comment(at, len));
	if (!text.len)
		return 0;
	if (is_blank_char(at[0]))
		return pmu_group_scan_fail(
			scan,
			"a line that begins with a blank: INI would join it to the one before");
	return text.at[0] == '[' ? read_section(scan, text, line) : read_key_line(scan, text, line);
}

int pmu_group_scan_line(struct pmu_group_scan *scan, struct pmu_group_line *line)
{
	static const char bom[] = "\xef\xbb\xbf";
	const char *at = scan->text + scan->at, *newline;
	size_t rest = scan->len - scan->at, len;
	int rc;

	if (scan->at == 0 && rest >= 3 && !memcmp(at, bom, 3))
		at += 3, rest -= 3;
	if (!rest)
		return 0;
	newline = memchr(at, '\n', rest);
	len = newline ? (size_t)(newline - at) : rest;
	scan->at = (size_t)(at - scan->text) + len + (newline ? 1 : 0);
	scan->number++;
	if (newline && len && at[len - 1] == '\r')
		len--;
	rc = read_group_line(scan, at, len, line);
	return rc ? rc : 1;
}
