/* SPDX-License-Identifier: BSD-3-Clause */
/* Text that grows: what the writers print into before anything reaches a file. */
#ifndef PMU_BASE_STRBUF_H
#define PMU_BASE_STRBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

/**
 * All zero is an empty buffer.  After a failed allocation @failed is set and appending does
 * nothing.
 */
struct pmu_strbuf {
	char *text; /* NUL-terminated once anything was appended */
	size_t len;
	size_t size;
	int failed;
};

void pmu_strbuf_free(struct pmu_strbuf *buf);
void pmu_strbuf_add(struct pmu_strbuf *buf, const char *text);
void pmu_strbuf_add_n(struct pmu_strbuf *buf, const char *text, size_t len);
void pmu_strbuf_addf(struct pmu_strbuf *buf, const char *fmt, ...) PMU_PRINTF(2, 3);
/** pmu_strbuf_pad() - append @c until the buffer is @len bytes long. */
void pmu_strbuf_pad(struct pmu_strbuf *buf, size_t len, char c);
/** pmu_strbuf_text() - the text so far, "" for an empty or failed buffer. */
const char *pmu_strbuf_text(const struct pmu_strbuf *buf);

/**
 * pmu_closest() - the candidate that looks most like a mistyped word
 * @word: what was written
 * @candidates: NULL-terminated
 *
 * Case and what joins words (. : - _) do not count.  Return: a candidate at most a third of its
 * length (at least 1, at most 6) edits away, or NULL.
 */
const char *pmu_closest(const char *word, const char *const *candidates);

/** Longer words and candidates are never compared: they are no typing mistakes. */
#define PMU_CLOSEST_MAX 128

/** The same, candidate by candidate. */
struct pmu_closest {
	const char *closest; /* so far; NULL none */
	unsigned int best;
	unsigned int skip; /* so much of a long word has to be as it is */
	const char *word;  /* stays where it is */
	uint64_t outline;
	uint64_t at[52]; /* by kind of character, where it is in the rest */
};
void pmu_closest_start(struct pmu_closest *search, const char *word);
/** @outline: pmu_word_outline() of the candidate, which tells most of the far ones already */
void pmu_closest_look(struct pmu_closest *search, const char *candidate, uint64_t outline);
uint64_t pmu_word_outline(const char *word);

/** pmu_outline_within() - can a word be a part of another, whatever joins words in either? */
static inline bool pmu_outline_within(uint64_t part, uint64_t whole)
{
	uint64_t letters = (UINT64_C(1) << 36) - 1;

	return !(part & ~whole & letters);
}

#endif
