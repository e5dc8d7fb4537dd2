/* SPDX-License-Identifier: BSD-3-Clause */
/* Text that grows, and the nearest word to a mistyped one. */
#include "base/strbuf.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_FIRST   256
#define CLOSEST_MAX  128 /* longer candidates are nobody's slip of the hand */
#define CLOSEST_NONE 1000

void pmu_strbuf_free(struct pmu_strbuf *buf)
{
	free(buf->text);
	*buf = (struct pmu_strbuf){ 0 };
}

/* Room for @more bytes and a terminator. */
static bool reserve(struct pmu_strbuf *buf, size_t more)
{
	size_t size = buf->size ? buf->size : SIZE_FIRST;
	char *text;

	if (buf->failed)
		return false;
	if (more >= (size_t)PTRDIFF_MAX - buf->len)
		goto fail;
	if (buf->len + more < buf->size)
		return true;
	while (size <= buf->len + more)
		size *= 2;
	text = realloc(buf->text, size);
	if (!text)
		goto fail;
	buf->text = text;
	buf->size = size;
	return true;
fail:
	buf->failed = 1;
	return false;
}

void pmu_strbuf_add_n(struct pmu_strbuf *buf, const char *text, size_t len)
{
	if (!reserve(buf, len))
		return;
	if (len)
		memcpy(buf->text + buf->len, text, len);
	buf->len += len;
	buf->text[buf->len] = '\0';
}

void pmu_strbuf_add(struct pmu_strbuf *buf, const char *text)
{
	pmu_strbuf_add_n(buf, text, strlen(text));
}

void pmu_strbuf_addf(struct pmu_strbuf *buf, const char *fmt, ...)
{
	va_list args;
	int len;

	if (!reserve(buf, 0))
		return;
	va_start(args, fmt);
	len = vsnprintf(buf->text + buf->len, buf->size - buf->len, fmt, args);
	va_end(args);
	if (len < 0) {
		buf->text[buf->len] = '\0';
		buf->failed = 1;
		return;
	}
	if ((size_t)len >= buf->size - buf->len) {
		buf->text[buf->len] = '\0';
		if (!reserve(buf, (size_t)len))
			return;
		va_start(args, fmt);
		vsnprintf(buf->text + buf->len, buf->size - buf->len, fmt, args);
		va_end(args);
	}
	buf->len += (size_t)len;
}

void pmu_strbuf_pad(struct pmu_strbuf *buf, size_t len, char c)
{
	if (len <= buf->len || !reserve(buf, len - buf->len))
		return;
	memset(buf->text + buf->len, c, len - buf->len);
	buf->len = len;
	buf->text[len] = '\0';
}

const char *pmu_strbuf_text(const struct pmu_strbuf *buf)
{
	return buf->text && !buf->failed ? buf->text : "";
}

/* The C locale's, whatever the program's is. */
static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/*
 * Edits (insert, delete, replace, swap two neighbours) from @a to @b, both shorter than
 * CLOSEST_MAX: three rows of the usual matrix.
 */
static unsigned int distance(const char *a, size_t n_a, const char *b, size_t n_b)
{
	unsigned int rows[3][CLOSEST_MAX];
	unsigned int *before = rows[0], *above = rows[1], *row = rows[2], *reuse;

	for (size_t j = 0; j <= n_b; j++)
		above[j] = before[j] = (unsigned int)j;
	for (size_t i = 1; i <= n_a; i++) {
		row[0] = (unsigned int)i;
		for (size_t j = 1; j <= n_b; j++) {
			bool same = lower(a[i - 1]) == lower(b[j - 1]);

			row[j] = least(above[j - 1] + !same, least(above[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
			    lower(a[i - 2]) == lower(b[j - 1]))
				row[j] = least(row[j], before[j - 2] + 1);
		}
		reuse = before;
		before = above;
		above = row;
		row = reuse;
	}
	return above[n_b];
}

const char *pmu_closest(const char *word, const char *const *candidates)
{
	size_t n_word = strnlen(word, CLOSEST_MAX);
	unsigned int best = CLOSEST_NONE;
	const char *closest = NULL;

	if (n_word == CLOSEST_MAX)
		return NULL;
	for (; *candidates; candidates++) {
		size_t n = strnlen(*candidates, CLOSEST_MAX);
		unsigned int edits;

		if (n == CLOSEST_MAX)
			continue;
		edits = distance(word, n_word, *candidates, n);
		/* a word of which nothing is left is no slip */
		if (edits < best && edits < n && (edits <= 1 || edits <= n / 3)) {
			best = edits;
			closest = *candidates;
		}
	}
	return closest;
}
