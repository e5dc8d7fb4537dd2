/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands in front of an annotation's text: words of PMU_PREFIX and --prefix. */
#ifndef PMU_ANNOTATIONS_PREFIX_H
#define PMU_ANNOTATIONS_PREFIX_H

#include "bindings/preload/words.h"

enum annotation_prefix {
	ANNOTATION_TOOL = 1 << 0,
	ANNOTATION_DOMAIN = 1 << 1,
	ANNOTATION_CATEGORY = 1 << 2,
};

/** X(word, parts) for each word. */
#define ANNOTATION_PREFIX_WORDS(X)         \
	X("tool", ANNOTATION_TOOL)         \
	X("domain", ANNOTATION_DOMAIN)     \
	X("category", ANNOTATION_CATEGORY) \
	X("none", 0)

/** annotation_prefix() - what a value of PMU_PREFIX names; NULL or "": the domain */
static inline unsigned int annotation_prefix(const char *text)
{
#define ANNOTATION_WORD(word, parts) { word, parts },
	static const struct preload_word words[] = { ANNOTATION_PREFIX_WORDS(ANNOTATION_WORD) };
#undef ANNOTATION_WORD

	return text && *text ? preload_words(text, words, sizeof(words) / sizeof(words[0]))
			     : (unsigned int)ANNOTATION_DOMAIN;
}

#endif
