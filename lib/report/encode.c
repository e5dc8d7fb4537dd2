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

/* ASCII control characters, DEL, and U+0080 to U+009F */
static bool is_control(const char *text, size_t len)
{
	unsigned char c = (unsigned char)text[0];

	if (len == 2)
		return c == 0xc2 && (unsigned char)text[1] < 0xa0;
	return len == 1 && (c < 0x20 || c == 0x7f);
}

struct style {
	const char *backslash; /* how this format writes one */
	bool json;             /* quotes, backslashes and control characters as JSON asks */
	bool line;             /* control characters made visible */
};

static const struct style style_plain = { .backslash = "\\" };
static const struct style style_line = { .backslash = "\\", .line = true };
static const struct style style_json = { .backslash = "\\\\", .json = true };

/* What stands for the character (@len 0: an invalid byte) at @text; NULL: itself. */
static const char *substitute(const struct style *style, const char *text, size_t len, char *buf,
			      size_t size)
{
	unsigned char c = (unsigned char)text[0];

	if (!len || looks_escaped(text)) {
		snprintf(buf, size, "%sx%02x", style->backslash, c);
		return buf;
	}
	if (style->json && (c == '"' || c == '\\'))
		return c == '"' ? "\\\"" : "\\\\";
	if (!(style->json || style->line) || !is_control(text, len))
		return NULL;
	if (style->json && c >= 0x20)
		return NULL;
	if (c == '\n' || c == '\t')
		return c == '\n' ? "\\n" : "\\t";
	if (style->json)
		snprintf(buf, size, "\\u%04x", c);
	else if (len == 2)
		snprintf(buf, size, "\\x%02x\\x%02x", c, (unsigned char)text[1]);
	else
		snprintf(buf, size, "\\x%02x", c);
	return buf;
}

/* Runs of characters that stand for themselves are appended in one piece. */
static void encode(struct pmu_strbuf *out, const char *text, const struct style *style)
{
	const char *run = text;
	char buf[16];

	while (text && *text) {
		size_t len = pmu_utf8_next(text);
		const char *instead = substitute(style, text, len, buf, sizeof(buf));

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
	encode(out, text, &style_plain);
}

void pmu_encode_line(struct pmu_strbuf *out, const char *text)
{
	encode(out, text, &style_line);
}

void pmu_encode_json(struct pmu_strbuf *out, const char *text)
{
	pmu_strbuf_add_n(out, "\"", 1);
	encode(out, text, &style_json);
	pmu_strbuf_add_n(out, "\"", 1);
}

void pmu_encode_csv(struct pmu_strbuf *out, const char *text)
{
	struct pmu_strbuf plain = { 0 };
	const char *from, *quote;

	if (!text || !text[strcspn(text, "\",\r\n")]) {
		pmu_encode_plain(out, text);
		return;
	}
	pmu_encode_plain(&plain, text);
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
