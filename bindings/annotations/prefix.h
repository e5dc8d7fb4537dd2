/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands in front of an annotation's text: words of PMU_PREFIX and --prefix. */
#ifndef PMU_ANNOTATIONS_PREFIX_H
#define PMU_ANNOTATIONS_PREFIX_H

#include <stddef.h>
#include <string.h>

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

/**
 * annotation_prefix() - what a value of PMU_PREFIX names; NULL or "": the domain
 *
 * Words that are not known are for `pmu run` to complain about.
 */
static inline unsigned int annotation_prefix(const char *text)
{
#define ANNOTATION_WORD(word, parts) { word, parts },
	static const struct {
		const char *word;
		unsigned int parts;
	} words[] = { ANNOTATION_PREFIX_WORDS(ANNOTATION_WORD) };
#undef ANNOTATION_WORD
	unsigned int wanted = 0;

	if (!text || !*text)
		return ANNOTATION_DOMAIN;
	for (;;) {
		size_t len = strcspn(text, ", ");

		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if (strlen(words[i].word) == len && !strncmp(text, words[i].word, len))
				wanted |= words[i].parts;
		if (!text[len])
			return wanted;
		text += len + 1;
	}
}

#endif
