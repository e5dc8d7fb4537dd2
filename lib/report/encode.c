/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of any origin as valid UTF-8, and numbers whatever the program's locale. */
#include "report/encode.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is allowed behind a lead byte: Unicode 15, table 3-7. */
static const struct {
	unsigned char lead_low, lead_high;
	unsigned char second_low, second_high;
	unsigned char len;
} utf8_forms[] = {
	{ 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
	{ 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 },
	{ 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
};

size_t pmu_utf8_next(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;

	if (s[0] < 0x80)
		return s[0] != 0;
	for (size_t i = 0; i < PMU_ARRAY_LEN(utf8_forms); i++) {
		if (s[0] < utf8_forms[i].lead_low || s[0] > utf8_forms[i].lead_high)
			continue;
		if (s[1] < utf8_forms[i].second_low || s[1] > utf8_forms[i].second_high)
			return 0;
		for (size_t k = 2; k < utf8_forms[i].len; k++)
			if ((s[k] & 0xc0) != 0x80)
				return 0;
		return utf8_forms[i].len;
	}
	return 0;
}

size_t pmu_utf8_width(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* @text starts with what an escaped byte looks like */
static bool looks_escaped(const char *text)
{
	return text[0] == '\\' && text[1] == 'x' && hex_digit(text[2]) >= 0 &&
	       hex_digit(text[3]) >= 0;
}

/*
 * What cannot be seen, moves a terminal's cursor, or turns the text around it: Unicode 15, categories Cc, Zl, Zp
 * and of Cf what is for directions or has no width.
 */
static const struct {
	uint32_t first, last;
} hidden[] = {
	{ 0x00, 0x1f },     { 0x7f, 0x9f },     { 0x61c, 0x61c },   { 0x200b, 0x200f },
	{ 0x2028, 0x202e }, { 0x2060, 0x2069 }, { 0xfeff, 0xfeff },
};

/* Of @len bytes that pmu_utf8_next() has found. */
static uint32_t code_of(const char *text, size_t len)
{
	static const unsigned char lead_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t code = (unsigned char)text[0] & lead_bits[len];

	for (size_t i = 1; i < len; i++)
		code = code << 6 | ((unsigned char)text[i] & 0x3f);
	return code;
}

static bool is_hidden(const char *text, size_t len)
{
	uint32_t code = code_of(text, len);

	for (size_t i = 0; i < PMU_ARRAY_LEN(hidden); i++)
		if (code >= hidden[i].first && code <= hidden[i].last)
			return true;
	return false;
}

struct style {
	const char *backslash; /* how this format writes one */
	const char *named;     /* control characters that have a letter */
	bool json;             /* quotes, backslashes and control characters as JSON asks */
	bool visible;          /* hidden characters as their bytes */
	bool line, cell;       /* no command of a CI's; no formula */
};

static const struct style style_plain = { .backslash = "\\", .named = "" };
static const struct style style_line = {
	.backslash = "\\", .named = "\n\t", .visible = true, .line = true
};
static const struct style style_cell = {
	.backslash = "\\", .named = "", .visible = true, .cell = true
};
static const struct style style_json = { .backslash = "\\\\", .named = "\n\t", .json = true };

/* What is blank in Unicode: White_Space of PropList.txt, but for what is hidden above. */
static bool is_blank_text(const char *text, size_t len)
{
	uint32_t code = code_of(text, len);

	return code == ' ' || code == 0xa0 || code == 0x1680 ||
	       (code >= 0x2000 && code <= 0x200a) || code == 0x202f || code == 0x205f ||
	       code == 0x3000;
}

/*
 * A character at the beginning that would make something else of what follows: a spreadsheet takes a cell for a
 * formula (OWASP, "CSV Injection"), GitHub's runner a line for a command ("::error::"), behind blanks too.
 * NULL: none
 */
static const char *find_trigger(const struct style *style, const char *text)
{
	size_t len;

	if (style->cell)
		return *text && strchr("=+-@", *text) ? text : NULL;
	while (style->line && (len = pmu_utf8_next(text)) && is_blank_text(text, len))
		text += len;
	return style->line && !strncmp(text, "::", 2) ? text : NULL;
}

/* Commands of Azure's and of GitHub's older runners, anywhere in a line. */
static bool is_command(const char *text)
{
	return text[0] == '#' && (!strncmp(text, "##[", 3) || !strncmp(text, "##vso[", 6));
}

static const char *as_bytes(const struct style *style, const char *text, size_t len, char *buf)
{
	char *to = buf;

	for (size_t i = 0; i < len; i++)
		to += sprintf(to, "%sx%02x", style->backslash, (unsigned char)text[i]);
	return buf;
}

/* \\xNN of each byte of a character. */
#define BYTES_MAX (4 * 5 + 1)

/* What stands for the character (@len 0: an invalid byte) at @text; NULL: itself. */
static const char *substitute(const struct style *style, const char *text, size_t len, char *buf)
{
	unsigned char c = (unsigned char)text[0];

	if (!len || looks_escaped(text) || (style->line && is_command(text)))
		return as_bytes(style, text, 1, buf);
	if (style->json && (c == '"' || c == '\\'))
		return c == '"' ? "\\\"" : "\\\\";
	if (style->json ? c >= 0x20 : !style->visible || !is_hidden(text, len))
		return NULL;
	if (strchr(style->named, c))
		return c == '\n' ? "\\n" : "\\t";
	if (!style->json)
		return as_bytes(style, text, len, buf);
	sprintf(buf, "\\u%04x", c);
	return buf;
}

/* Runs of characters that stand for themselves are appended in one piece. */
static void encode_styled(struct pmu_strbuf *out, const char *text, const struct style *style)
{
	const char *run = text, *trigger = text ? find_trigger(style, text) : NULL;
	char buf[BYTES_MAX];

	while (text && *text) {
		size_t len = pmu_utf8_next(text);
		const char *instead = text == trigger ? as_bytes(style, text, 1, buf)
						      : substitute(style, text, len, buf);

		len = len ? len : 1;
		if (instead) {
			pmu_strbuf_add_n(out, run, (size_t)(text - run));
			pmu_strbuf_add(out, instead);
			run = text + len;
		}
		text += len;
	}
	if (text)
		pmu_strbuf_add_n(out, run, (size_t)(text - run));
}

void pmu_encode_plain(struct pmu_strbuf *out, const char *text)
{
	encode_styled(out, text, &style_plain);
}

void pmu_encode_line(struct pmu_strbuf *out, const char *text)
{
	encode_styled(out, text, &style_line);
}

bool pmu_begins_command(const char *text)
{
	return find_trigger(&style_line, text) != NULL;
}

void pmu_encode_json(struct pmu_strbuf *out, const char *text)
{
	pmu_strbuf_add_n(out, "\"", 1);
	encode_styled(out, text, &style_json);
	pmu_strbuf_add_n(out, "\"", 1);
}

void pmu_encode_csv(struct pmu_strbuf *out, const char *text)
{
	struct pmu_strbuf plain = { 0 };
	const char *from, *quote;

	if (!text || !text[strcspn(text, "\",")]) {
		encode_styled(out, text, &style_cell);
		return;
	}
	encode_styled(&plain, text, &style_cell);
	pmu_strbuf_add_n(out, "\"", 1);
	from = pmu_strbuf_text(&plain);
	while ((quote = strchr(from, '"'))) {
		pmu_strbuf_add_n(out, from, (size_t)(quote + 1 - from));
		pmu_strbuf_add_n(out, "\"", 1);
		from = quote + 1;
	}
	pmu_strbuf_add(out, from);
	pmu_strbuf_add_n(out, "\"", 1);
	out->failed |= plain.failed;
	pmu_strbuf_free(&plain);
}

int pmu_encode_double(struct pmu_strbuf *out, double value)
{
	char text[64];
	size_t n = 0;

	if (!isfinite(value))
		return -1;
	for (int digits = DBL_DIG; digits <= DBL_DECIMAL_DIG; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	/* the locale's decimal point, of one byte or several, becomes '.' */
	for (const char *from = text; *from; from++) {
		if (strchr("0123456789+-e", *from))
			text[n++] = *from;
		else if (!n || text[n - 1] != '.')
			text[n++] = '.';
	}
	pmu_strbuf_add_n(out, text, n);
	return 0;
}

void pmu_encode_u64(struct pmu_strbuf *out, uint64_t value)
{
	char text[20];
	size_t at = sizeof(text);

	do {
		text[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	pmu_strbuf_add_n(out, text + at, sizeof(text) - at);
}

size_t pmu_decode(char *text)
{
	char *to = text;

	for (const char *from = text; *from;) {
		int byte = looks_escaped(from) ? hex_digit(from[2]) * 16 + hex_digit(from[3]) : 0;

		/* \x00 is nothing that was ever written */
		*to++ = byte ? (char)byte : *from;
		from += byte ? 4 : 1;
	}
	*to = '\0';
	return (size_t)(to - text);
}
