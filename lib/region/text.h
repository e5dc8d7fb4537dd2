/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the cache knows a text in a buffer by: not its address, where another one may be at the next
 * call, but its first bytes.
 *
 * All of this takes as many instructions for any text: they are counted in the regions around,
 * before the counters are read.
 */
#ifndef PMU_REGION_TEXT_H
#define PMU_REGION_TEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/compiler.h"
#include "region/name.h"
#include "session/thread.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "a text's first byte is a word's lowest");

/* pmu_thread.text_limit, where nothing is in the way */
#define PMU_TEXT_LIMIT (PMU_SMALLEST_PAGE - PMU_NAME_SHORT + 1)

/** The first 16 bytes of a text, those behind its NUL as NULs. */
struct pmu_text {
	uint64_t word[2];
	bool is_long; /* no NUL is among them */
};

typedef uint64_t __attribute__((may_alias, aligned(1))) pmu_text_word;

/*
 * Bytes behind a text may belong to any other object.  clang goes by no_sanitize of the function that
 * these are inlined into: where it checks accesses, they are not inlined.
 */
#if PMU_SANITIZED
#define PMU_TEXT_INLINE                                                                 \
	__attribute__((noinline, unused, no_sanitize("address"), no_sanitize("thread"), \
		       no_sanitize("undefined")))
#else
#define PMU_TEXT_INLINE inline __attribute__((always_inline))
#endif

#if !defined(__SSE2__)

/* The highest bit of each byte that is NUL, the lowest such byte's at least, and maybe of some above it. */
static inline uint64_t pmu_text_nuls(uint64_t word)
{
	return (word - 0x0101010101010101u) & ~word & 0x8080808080808080u;
}

/* All up to the lowest bit that is set; without one: all. */
static inline uint64_t pmu_text_up_to(uint64_t nuls)
{
	return nuls ^ (nuls - 1);
}

static PMU_TEXT_INLINE struct pmu_text pmu_text_at(const char *at)
{
	const pmu_text_word *word = (const pmu_text_word *)(const void *)at;
	uint64_t nuls[2] = { pmu_text_nuls(word[0]), pmu_text_nuls(word[1]) };

	return (struct pmu_text){
		.word = { word[0] & pmu_text_up_to(nuls[0]),
			  word[1] & pmu_text_up_to(nuls[1]) & -(uint64_t)!nuls[0] },
		.is_long = !(nuls[0] | nuls[1]),
	};
}

#else

static PMU_TEXT_INLINE struct pmu_text pmu_text_at(const char *at)
{
	static const uint8_t kept[32] = { 255, 255, 255, 255, 255, 255, 255, 255,
					  255, 255, 255, 255, 255, 255, 255, 255 };
	__m128i bytes = _mm_loadu_si128((const void *)at);
	uint32_t nuls = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_setzero_si128()));
	int len = __builtin_ctz(nuls | 1u << PMU_NAME_SHORT);

	bytes = _mm_and_si128(bytes, _mm_loadu_si128((const void *)(kept + PMU_NAME_SHORT - len)));
	return (struct pmu_text){
		.word = { (uint64_t)_mm_cvtsi128_si64(bytes),
			  (uint64_t)_mm_cvtsi128_si64(_mm_unpackhi_epi64(bytes, bytes)) },
		.is_long = !nuls,
	};
}

#endif

/**
 * pmu_text_take() - of a text that ends with a NUL
 * @text: of one that may lie across the end of a page, and of none at all, nothing is taken; nor
 *	under a tool that looks whether each byte may be read
 */
static PMU_TEXT_INLINE struct pmu_text pmu_text_take(const struct pmu_thread *self,
						     const char *text)
{
	static const char nothing[PMU_NAME_SHORT];
	uintptr_t at = (uintptr_t)text;
	uintptr_t no = -(uintptr_t)(((at & (PMU_SMALLEST_PAGE - 1)) >= self->text_limit) |
				    (at < PMU_SMALLEST_PAGE));

	return pmu_text_at((const char *)(at ^ ((at ^ (uintptr_t)nothing) & no)));
}

/** pmu_text_is_none() - nothing was taken */
static inline bool pmu_text_is_none(const struct pmu_text *taken)
{
	return !taken->word[0];
}

/**
 * pmu_text_taken_key() - of a text of which that was taken
 *
 * Long ones often begin alike: their address goes into it, too.
 */
static inline const char *pmu_text_taken_key(const struct pmu_text *taken, const char *text)
{
	uint64_t key = taken->word[0] * 0x9fb21c651e98df25u ^ taken->word[1] * 0xbf58476d1ce4e5b9u;

	key ^= key >> 32;
	key ^= (uint64_t)(uintptr_t)text & -(uint64_t)taken->is_long;
	/* as of a text with a length, no address that anything can have */
	return (const char *)(uintptr_t)(key | UINT64_C(1) << 63);
}

/** pmu_text_is() - is a text, which is not long and of which that was taken, the name? */
static inline bool pmu_text_is(const struct pmu_text *taken, const struct pmu_name *name)
{
	const pmu_text_word *want = (const pmu_text_word *)(const void *)name->text;

	return !((taken->word[0] ^ want[0]) | (taken->word[1] ^ want[1]));
}

#endif
