/* SPDX-License-Identifier: BSD-3-Clause */
/* Text that grows, and the nearest word to a mistyped one. */
#include "base/strbuf.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE_FIRST 256

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

#define N_KINDS   52
#define EDITS_MAX 6 /* of long words */
#define WORD_MAX  64

/*
 * A letter whatever its case, in the C locale; a digit; one kind for all that joins words; the rest
 * in a few.
 */
static unsigned int kind_of_character(char c)
{
	if (c >= 'a' && c <= 'z')
		return (unsigned int)(c - 'a');
	if (c >= 'A' && c <= 'Z')
		return (unsigned int)(c - 'A');
	if (c >= '0' && c <= '9')
		return (unsigned int)(c - '0') + 26;
	return c == '.' || c == ':' || c == '-' || c == '_' ? 36 : 37 + (unsigned char)c % 15;
}

/* The length in the upper byte; which kinds of characters there are in the lower ones. */
uint64_t pmu_word_outline(const char *word)
{
	uint64_t outline = 0;
	size_t n = 0;

	for (; word[n] && n < PMU_CLOSEST_MAX; n++)
		outline |= UINT64_C(1) << kind_of_character(word[n]);
	return outline | (uint64_t)n << 56;
}

/* An edit changes the length by one, and takes away one kind of character and brings another. */
static bool may_be_near(uint64_t a, uint64_t b, unsigned int most)
{
	uint64_t kinds = (UINT64_C(1) << N_KINDS) - 1;
	unsigned int n_a = (unsigned int)(a >> 56), n_b = (unsigned int)(b >> 56);

	return n_a <= n_b + most && n_b <= n_a + most &&
	       (unsigned int)__builtin_popcountll(a & ~b & kinds) <= most &&
	       (unsigned int)__builtin_popcountll(b & ~a & kinds) <= most;
}

/*
 * Edits (insert, delete, replace, swap two neighbours) from the word, with the places of its
 * characters in @at, to a candidate: a column of the usual matrix is two words of bits, differences
 * of neighbours in it.
 *
 * Source: H. Hyyro, A Bit-Vector Algorithm for Computing Levenshtein and Damerau Edit Distances,
 * Nordic Journal of Computing 10 (2003).
 */
static unsigned int distance(const uint64_t at[N_KINDS], unsigned int n_word, const char *candidate)
{
	uint64_t more = UINT64_MAX, less = 0, same = 0, before = 0;
	unsigned int edits = n_word;

	for (; *candidate; candidate++) {
		uint64_t here = at[kind_of_character(*candidate)];
		uint64_t swapped = ((~same & here) << 1) & before, up, down;

		same = (((here & more) + more) ^ more) | here | less | swapped;
		up = less | ~(same | more);
		down = same & more;
		edits += (unsigned int)(up >> (n_word - 1) & 1);
		edits -= (unsigned int)(down >> (n_word - 1) & 1);
		up = up << 1 | 1;
		more = down << 1 | ~(same | up);
		less = up & same;
		before = here;
	}
	return edits;
}

void pmu_closest_start(struct pmu_closest *search, const char *word)
{
	_Static_assert(PMU_ARRAY_LEN(search->at) == N_KINDS, "places of each kind");
	uint64_t bit = 1;

	memset(search, 0, sizeof(*search));
	search->outline = pmu_word_outline(word);
	search->best = UINT32_MAX;
	search->word = word;
	if (search->outline >> 56 > WORD_MAX)
		search->skip = (unsigned int)(search->outline >> 56) - WORD_MAX;
	for (word += search->skip; *word && bit; word++, bit <<= 1)
		search->at[kind_of_character(*word)] |= bit;
}

void pmu_closest_look(struct pmu_closest *search, const char *candidate, uint64_t outline)
{
	unsigned int n = (unsigned int)(outline >> 56);
	unsigned int n_word = (unsigned int)(search->outline >> 56);
	/* a word of which nothing is left is no typing mistake */
	unsigned int most = n > 5 ? n / 3 : n > 1, edits;

	if (most > EDITS_MAX)
		most = EDITS_MAX;
	if (most >= search->best)
		most = search->best - 1;
	if (!search->best || !n_word || n_word >= PMU_CLOSEST_MAX || n >= PMU_CLOSEST_MAX ||
	    !may_be_near(search->outline, outline, most))
		return;
	for (unsigned int i = 0; i < search->skip; i++)
		if (kind_of_character(search->word[i]) != kind_of_character(candidate[i]))
			return;
	edits = distance(search->at, n_word - search->skip, candidate + search->skip);
	if (edits > most || edits >= n)
		return;
	search->best = edits;
	search->closest = candidate;
}

const char *pmu_closest(const char *word, const char *const *candidates)
{
	struct pmu_closest search;

	pmu_closest_start(&search, word);
	for (; *candidates; candidates++)
		pmu_closest_look(&search, *candidates, pmu_word_outline(*candidates));
	return search.closest;
}
