/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of too many calls a page has. */
#include "bindings/command/page/calls.h"
#include "bindings/command/page/timeline.h"
#include "unit/part.h"

#define MANY (PMU_PAGE_SLICES + PMU_PAGE_SLICES / 4)

/* Each with four bytes of counts: its number. */
static struct pmu_page_calls make(size_t n, uint64_t (*length_of)(uint64_t i))
{
	struct pmu_page_calls calls = { .call = calloc(n, sizeof(*calls.call)), .n = n };

	for (uint32_t i = 0; i < n; i++) {
		calls.call[i] = (struct pmu_page_call){ .begin = i,
							.length = length_of(i),
							.kind = PMU_PAGE_COUNTS,
							.counts_len = sizeof(i),
							.counts_at = calls.counts.len };
		pmu_strbuf_add_n(&calls.counts, (const char *)&i, sizeof(i));
	}
	return calls;
}

static void drop(struct pmu_page_calls *calls)
{
	free(calls->call);
	pmu_strbuf_free(&calls->counts);
}

static bool counts_are_theirs(const struct pmu_page_calls *calls)
{
	for (size_t i = 0; i < calls->n; i++)
		if (memcmp(calls->counts.text + calls->call[i].counts_at,
			   &(uint32_t){ (uint32_t)calls->call[i].begin }, sizeof(uint32_t)))
			return false;
	return true;
}

static uint64_t shortest(const struct pmu_page_calls *calls)
{
	uint64_t length = UINT64_MAX;

	for (size_t i = 0; i < calls->n; i++)
		length = calls->call[i].length < length ? calls->call[i].length : length;
	return length;
}

static uint64_t mixed(uint64_t i)
{
	return i * UINT64_C(0x9e3779b97f4a7c15) >> (i % 60);
}

static uint64_t alike(uint64_t i)
{
	(void)i;
	return 100;
}

static uint64_t none(uint64_t i)
{
	(void)i;
	return 0;
}

static void the_longest_stay(void)
{
	struct pmu_page_calls calls = make(MANY, mixed);

	pmu_page_keep_longest(&calls);
	is_u64(calls.n, PMU_PAGE_SLICES, "as many as a page can have");
	is_u64(calls.not_shown, MANY - PMU_PAGE_SLICES, "the others are counted");
	/* lengths are told apart to a 64th */
	ok(calls.not_shown_ns <= shortest(&calls) + shortest(&calls) / 64,
	   "none of them is longer than what stays");
	ok(calls.bound <= shortest(&calls), "what is kept is no shorter than the bound");
	ok(counts_are_theirs(&calls), "counts go with their calls");
	drop(&calls);
}

static void of_those_alike_the_first_stay(void)
{
	struct pmu_page_calls calls = make(MANY, alike);

	pmu_page_keep_longest(&calls);
	is_u64(calls.n, PMU_PAGE_SLICES, "all alike: as many as a page can have");
	is_u64(calls.call[calls.n - 1].begin, PMU_PAGE_SLICES - 1, "the first ones");
	drop(&calls);
	calls = make(MANY, none);
	pmu_page_keep_longest(&calls);
	is_u64(calls.n, PMU_PAGE_SLICES, "also of no length");
	drop(&calls);
}

static void few_all_stay(void)
{
	struct pmu_page_calls calls = make(1000, mixed);

	pmu_page_keep_longest(&calls);
	pmu_page_limit_counts(&calls);
	is_u64(calls.n, 1000, "few: all stay");
	is_u64(calls.not_shown + calls.without_counts, 0, "and their counts");
	drop(&calls);
	calls = make(1000, none);
	pmu_page_keep_longest(&calls);
	pmu_page_limit_counts(&calls);
	is_u64(calls.n - calls.without_counts, 1000, "also of no length");
	drop(&calls);
}

static void counts_of_the_longest(void)
{
	struct pmu_page_calls calls = make(MANY, mixed);
	uint64_t with = 0, least = UINT64_MAX;

	pmu_page_limit_counts(&calls);
	for (size_t i = 0; i < calls.n; i++) {
		if (!(calls.call[i].kind & PMU_PAGE_COUNTS))
			continue;
		with++;
		least = calls.call[i].length < least ? calls.call[i].length : least;
	}
	is_u64(with + calls.without_counts, MANY, "with and without counts are all");
	is_u64(with, 4500000 / 4, "as many have counts as there is room for");
	ok(calls.without_counts_ns <= least + least / 64, "the longest");
	drop(&calls);
}

UNIT_PART(longest)
{
	the_longest_stay();
	of_those_alike_the_first_stay();
	few_all_stay();
	counts_of_the_longest();
	return done_testing();
}
