/* SPDX-License-Identifier: BSD-3-Clause */
/* Text that grows, and what it does when it cannot; nearest words. */
#include "base/strbuf.h"

#include "unit/part.h"

static void empty_is_empty_text(void)
{
	struct pmu_strbuf buf = { 0 };

	is_str(pmu_strbuf_text(&buf), "", "all zero");
	pmu_strbuf_add(&buf, "");
	is_str(pmu_strbuf_text(&buf), "", "nothing added");
	pmu_strbuf_free(&buf);
}

static void appends_in_order(void)
{
	struct pmu_strbuf buf = { 0 };

	pmu_strbuf_add(&buf, "ab");
	pmu_strbuf_add_n(&buf, "cdef", 2);
	pmu_strbuf_addf(&buf, "%d-%s", 12, "x");
	is_str(pmu_strbuf_text(&buf), "abcd12-x", "add, add_n, addf");
	is_u64(buf.len, 8, "length");
	pmu_strbuf_free(&buf);
	is_u64(buf.len + buf.size, 0, "free leaves an empty one");
	is_str(pmu_strbuf_text(&buf), "", "that can be read");
	pmu_strbuf_add(&buf, "again");
	is_str(pmu_strbuf_text(&buf), "again", "and used again");
	pmu_strbuf_free(&buf);
}

static void keeps_bytes_that_are_nul(void)
{
	struct pmu_strbuf buf = { 0 };

	pmu_strbuf_add_n(&buf, "a\0b", 3);
	is_u64(buf.len, 3, "counted");
	ok(!memcmp(buf.text, "a\0b", 4), "kept, with a terminator behind");
	pmu_strbuf_free(&buf);
}

static void grows_over_every_boundary(void)
{
	struct pmu_strbuf one = { 0 }, all = { 0 };
	bool same = true;

	for (int i = 0; i < 3000; i++) {
		char c = (char)('a' + i % 26);

		pmu_strbuf_add_n(&one, &c, 1);
		pmu_strbuf_addf(&all, "%c", c);
		same = same && one.len == (size_t)i + 1 && one.text[i] == c && !one.text[i + 1];
	}
	ok(same, "byte by byte");
	is_str(pmu_strbuf_text(&all), pmu_strbuf_text(&one), "the same through addf");

	pmu_strbuf_addf(&all, "%5000d", 7);
	is_u64(all.len, 8000, "addf of more than the room that was there");
	is_str(pmu_strbuf_text(&all) + 7998, " 7", "to its end");
	pmu_strbuf_free(&one);
	pmu_strbuf_free(&all);
}

static void pads_up_to_a_column(void)
{
	struct pmu_strbuf buf = { 0 };

	pmu_strbuf_pad(&buf, 2, '.');
	pmu_strbuf_add(&buf, "ab");
	pmu_strbuf_pad(&buf, 6, ' ');
	pmu_strbuf_pad(&buf, 3, 'x');
	pmu_strbuf_pad(&buf, 6, 'x');
	is_str(pmu_strbuf_text(&buf), "..ab  ", "never shorter");
	pmu_strbuf_pad(&buf, 1000, '-');
	is_u64(strlen(pmu_strbuf_text(&buf)), 1000, "over a boundary");
	pmu_strbuf_free(&buf);
}

static void failure_sticks(void)
{
	struct pmu_strbuf buf = { 0 };

	pmu_strbuf_add(&buf, "before");
	pmu_strbuf_pad(&buf, SIZE_MAX, ' ');
	ok(buf.failed, "more than there can be fails");
	is_str(pmu_strbuf_text(&buf), "", "half a text is none");
	pmu_strbuf_add(&buf, "after");
	pmu_strbuf_addf(&buf, "%d", 1);
	pmu_strbuf_pad(&buf, 100, ' ');
	is_u64(buf.len, 6, "nothing is appended any more");
	pmu_strbuf_free(&buf);
	ok(!buf.failed, "free clears it");
}

static void finds_the_word_that_was_meant(void)
{
	static const char *const words[] = { "instructions", "cycles", "branches",
					     "cache-misses", "auto",   "perf",
					     "clock",        "a",      NULL };

	is_str(pmu_closest("instuctions", words), "instructions", "a letter left out");
	is_str(pmu_closest("cylces", words), "cycles", "two letters swapped");
	is_str(pmu_closest("CYCLES", words), "cycles", "case");
	is_str(pmu_closest("brannches", words), "branches", "a letter too many");
	is_str(pmu_closest("cache_misses", words), "cache-misses", "a letter replaced");
	is_str(pmu_closest("pref", words), "perf",
	       "one swap is one edit, and one is always allowed");
	is_str(pmu_closest("clock", words), "clock", "the word itself");
	is_str(pmu_closest("instrctons", words), "instructions", "two letters left out");
	is_str(pmu_closest("xperfx", words), NULL, "two edits are too many for a short word");
	is_str(pmu_closest("cache", words), NULL, "a beginning is not a slip");
	is_str(pmu_closest("b", words), NULL, "a word of which nothing is left");
	is_str(pmu_closest("", words), NULL, "no word");
	is_str(pmu_closest("cycles", words + 8), NULL, "no candidates");
}

static void takes_the_first_of_equals(void)
{
	static const char *const words[] = { "group-b", "group-c", "group-a", NULL };

	is_str(pmu_closest("group-x", words), "group-b", "first of those equally far");
	is_str(pmu_closest("group-a", words), "group-a", "a closer one further on");
}

static void long_words_are_nobodys_slip(void)
{
	char word[4096], fits[128];
	const char *const words[] = { word, fits, NULL };

	memset(word, 'w', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	memset(fits, 'w', sizeof(fits) - 1);
	fits[sizeof(fits) - 1] = '\0';
	is_str(pmu_closest(word, words), NULL, "a long word");
	ok(pmu_closest(fits + 1, words) == fits, "a long candidate is passed over");
}

UNIT_PART(strbuf)
{
	empty_is_empty_text();
	appends_in_order();
	keeps_bytes_that_are_nul();
	grows_over_every_boundary();
	pads_up_to_a_column();
	failure_sticks();
	finds_the_word_that_was_meant();
	takes_the_first_of_equals();
	long_words_are_nobodys_slip();
	return done_testing();
}
