/* SPDX-License-Identifier: BSD-3-Clause */
/* Settings that are words with commas or blanks between, each for some bits. */
#ifndef PMU_PRELOAD_WORDS_H
#define PMU_PRELOAD_WORDS_H

#include <stddef.h>
#include <string.h>

struct preload_word {
	const char *word;
	unsigned int bits;
};

/** preload_words() - the bits of all words of @text that are among @n; others are for `pmu run` to complain about */
static inline unsigned int preload_words(const char *text, const struct preload_word *words,
					 size_t n)
{
	unsigned int wanted = 0;

	for (;;) {
		size_t len = strcspn(text, ", ");

		for (size_t i = 0; i < n; i++)
			if (strlen(words[i].word) == len && !strncmp(text, words[i].word, len))
				wanted |= words[i].bits;
		if (!text[len])
			return wanted;
		text += len + 1;
	}
}

#endif
