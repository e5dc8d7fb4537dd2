/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names of regions, and how a caller's text is compared with one.
 *
 * What that takes is counted in the regions around the call, and taken out again: so it must be as
 * much work each time. It depends on the length alone, where libc's functions take other ways by
 * address; and it is one function's work, so that it can be measured by doing it once more.
 */
#ifndef PMU_REGION_NAME_H
#define PMU_REGION_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/arena.h"

struct pmu_node;

/** Stands for the length of a name that ends with a NUL. */
#define PMU_NAME_TERMINATED SIZE_MAX

/** A name the thread has used; it can be open on one node only (re-entry does not make
 * another). */
struct pmu_name {
	struct pmu_node *open;  /* the node that is open under this name, or NULL */
	struct pmu_node *nodes; /* every node of this name, by pmu_node.same_name */
	uint32_t hash;
	uint32_t len;
	/* how pmu_name_matches_short() compares it, by pmu_name_make_short() */
	union {
		struct {
			uint32_t bytes; /* bit i: byte i of the text with its NUL counts */
			uint32_t limit; /* places in a page from which it may be read */
		};
		uint64_t last_word; /* the bytes that count of the word with the NUL */
	};
	char text[] __attribute__((aligned(16))); /* padded with NULs */
};
#define PMU_NAME_SHORT 16 /* bytes with the NUL */

/**
 * pmu_name_is() - is this text the name?
 * @len: how many bytes it has, or PMU_NAME_TERMINATED
 *
 * Return: false: it is not; or it ends with a NUL and may lie across the end of a page, so that
 * this cannot tell.
 */
bool pmu_name_is(const struct pmu_name *name, const char *text, size_t len);

/**
 * pmu_name_matches_short() - a text of up to 15 bytes is this name
 *
 * All at once, without looking for the end of the text: what may be read in one piece is in one
 * page, and bytes behind the NUL do not count.  Calls nothing, so that the hot path can stay
 * without a frame.
 * Return: false: it is not, or this cannot tell.
 */
#if defined(__SSE2__)

static inline void pmu_name_make_short(struct pmu_name *name, bool bytewise)
{
	bool is_short = name->len < PMU_NAME_SHORT && !bytewise;

	name->bytes = (UINT32_C(2) << (name->len & (PMU_NAME_SHORT - 1))) - 1;
	name->limit = is_short ? PMU_SMALLEST_PAGE - PMU_NAME_SHORT + 1 : 0;
}

static inline __attribute__((no_sanitize("address"), no_sanitize("thread"))) bool
pmu_name_matches_short(const struct pmu_name *name, const char *text)
{
	__m128i same;

	if (((uintptr_t)text & (PMU_SMALLEST_PAGE - 1)) >= name->limit)
		return false;
	same = _mm_cmpeq_epi8(_mm_loadu_si128((const void *)text),
			      *(const __m128i *)(const void *)name->text);
	return !(~(uint32_t)_mm_movemask_epi8(same) & name->bytes);
}

/** pmu_name_is_text() - pmu_name_is() of a text that ends with a NUL, without a call where it is short */
static inline bool pmu_name_is_text(const struct pmu_name *name, const char *text)
{
	return name->len < PMU_NAME_SHORT ? pmu_name_matches_short(name, text)
					  : pmu_name_is(name, text, PMU_NAME_TERMINATED);
}

#else

static inline bool pmu_name_is_text(const struct pmu_name *name, const char *text)
{
	return pmu_name_is(name, text, PMU_NAME_TERMINATED);
}

/* The words of a caller's text may be of any type, and reach past its NUL. */
typedef uint64_t __attribute__((may_alias)) pmu_word;

static inline void pmu_name_make_short(struct pmu_name *name, bool bytewise)
{
	(void)bytewise; /* a word with a byte that may be read is no trouble */
	/* The first len % 8 + 1 bytes in memory order. */
	memset(&name->last_word, 0xff, name->len % 8 + 1);
}

/* By words: one on its natural boundary lies in one page, also where tags guard each 16 bytes. */
static inline __attribute__((no_sanitize("address"), no_sanitize("thread"))) bool
pmu_name_matches_short(const struct pmu_name *name, const char *text)
{
	const pmu_word *is = (const pmu_word *)(const void *)text;
	const pmu_word *want = (const pmu_word *)(const void *)name->text;

	if (((uintptr_t)text & 7) || name->len >= PMU_NAME_SHORT)
		return false;
	if (name->len < 8)
		return !((*is ^ *want) & name->last_word);
	return is[0] == want[0] && !((is[1] ^ want[1]) & name->last_word);
}

#endif

#endif
