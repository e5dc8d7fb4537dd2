/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares names by their letters and digits, whatever joins their words. */
#include "names/spelling.h"

#include <stddef.h>
#include <string.h>

#include "base/compiler.h"

/* The C locale's, whatever the program's is. */
static char lower_letter(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_joint(char c)
{
	return c == '.' || c == ':' || c == '_' || c == '-';
}

/*
 * Where Intel's event files, their editions, and libpfm4's tables write a word in two ways; and AMD's
 * of family 17H, which Linux has by the manual and LIKWID by the one before it.
 */
static const struct {
	const char *word, *as;
} respelled[] = {
	{ "demand", "dmnd" },
	{ "snoop", "snp" },
	{ "llc", "l3" },
	{ "offcore_response_0", "ocr" },
	{ "offcore_response", "ocr" },
	{ "retired_sse_avx_flops", "fpretsseavxops" },
};

/* A name, letter by letter. */
struct letters {
	const char *at, *put; /* what is next of the name; of a word in another spelling */
	bool inside;          /* of a word */
	bool respell;
	bool respellable; /* one of its words so far may be in the table */
};

/* How long the @word is at the front of a name, up to the word's end; 0: another stands there. */
static size_t front_word_length(const char *at, const char *word)
{
	size_t len = 0;

	for (; word[len]; len++)
		if (word[len] == '_' ? !is_joint(at[len]) : lower_letter(at[len]) != word[len])
			return 0;
	return !at[len] || is_joint(at[len]) ? len : 0;
}

static void start_word(struct letters *letters)
{
	letters->inside = true;
	/* the first letters of those in the table */
	if (!strchr("dDsSlLoOrR", *letters->at))
		return;
	letters->respellable = true;
	if (!letters->respell)
		return;
	for (size_t i = 0; i < PMU_ARRAY_LEN(respelled); i++) {
		size_t len = front_word_length(letters->at, respelled[i].word);

		if (!len)
			continue;
		letters->at += len;
		letters->put = respelled[i].as;
		return;
	}
}

/* NUL at its end. */
static char next_letter(struct letters *letters)
{
	for (;;) {
		if (letters->put && *letters->put)
			return *letters->put++;
		letters->put = NULL;
		if (is_joint(*letters->at)) {
			letters->at++;
			letters->inside = false;
		} else if (*letters->at && !letters->inside) {
			start_word(letters);
		} else {
			return *letters->at ? lower_letter(*letters->at++) : '\0';
		}
	}
}

static bool same_but_for_dots(const char *a, const char *b)
{
	for (; *a; a++, b++)
		if (lower_letter(*a) != lower_letter(*b) &&
		    !((*a == '.' && *b == ':') || (*a == ':' && *b == '.')))
			return false;
	return !*b;
}

/* Up to where they differ. */
static bool skip_same_letters(struct letters *a, struct letters *b)
{
	char c;

	do {
		c = next_letter(a);
		if (c != next_letter(b))
			return false;
	} while (c);
	return true;
}

enum pmu_spelling pmu_spelling_compare(const char *a, const char *b)
{
	struct letters of_a = { .at = a }, of_b = { .at = b };

	if (same_but_for_dots(a, b))
		return PMU_SPELLED_SAME;
	if (skip_same_letters(&of_a, &of_b))
		return PMU_SPELLED_JOINED;
	if (!of_a.respellable && !of_b.respellable)
		return PMU_SPELLED_OTHERWISE;
	of_a = (struct letters){ .at = a, .respell = true };
	of_b = (struct letters){ .at = b, .respell = true };
	return skip_same_letters(&of_a, &of_b) ? PMU_SPELLED_RESPELLED : PMU_SPELLED_OTHERWISE;
}

/* FNV-1a */
static uint32_t hash(const char *name, bool respell)
{
	struct letters letters = { .at = name, .respell = respell };
	uint32_t sum = 2166136261u;
	char c;

	while ((c = next_letter(&letters)))
		sum = (sum ^ (unsigned char)c) * 16777619u;
	return sum;
}

uint32_t pmu_spelling_hash(const char *name)
{
	return hash(name, false);
}

uint32_t pmu_spelling_hash_respelled(const char *name)
{
	return hash(name, true);
}

static bool begins_with(const char *text, const char *name, bool respell)
{
	struct letters of_text = { .at = text, .respell = respell };
	struct letters of_name = { .at = name, .respell = respell };
	char c;

	while ((c = next_letter(&of_name)))
		if (c != next_letter(&of_text))
			return c == 'p' && !next_letter(&of_name);
	return true;
}

bool pmu_spelling_may_be(const char *text, const char *name)
{
	return begins_with(text, name, false) || begins_with(text, name, true);
}
