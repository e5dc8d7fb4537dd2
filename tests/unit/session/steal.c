/* SPDX-License-Identifier: BSD-3-Clause */
/* What a host took: read from /proc/stat, told where it is worth a word. */
#include "session/steal.h"

#include "unit/part.h"

static void reads_the_sum_of_all_processors(void)
{
	struct pmu_steal steal = pmu_steal_parse(
		"cpu  100 20 30 4000 5 6 7 89 90 1\ncpu0 1 2 3 4 5 6 7 8 9 10");

	is_u64(steal.stolen, 89, "stolen");
	is_u64(steal.all, 4257, "of so much, without the guests', which is a part of it");
	is_u64(pmu_steal_parse("cpu  1 2 3 4 5 6 7").all, 0, "a kernel that does not tell");
	is_u64(pmu_steal_parse("cpu0 1 2 3 4 5 6 7 8").all, 0, "of one processor alone");
	is_u64(pmu_steal_parse("").all, 0, "nothing");
}

static const char *words(uint64_t stolen, uint64_t all)
{
	const struct pmu_steal then = { 1000, 50000 },
			       now = { then.stolen + stolen, then.all + all };
	static char text[192];

	return pmu_steal_words(&then, &now, text, sizeof(text)) ? text : "";
}

static void says_what_is_worth_it(void)
{
	const struct pmu_steal unknown = { 0 }, now = { 500, 1000 };
	char text[8];

	ok(strstr(words(34, 1000), "took 3 % of"), "3.4 %%");
	ok(strstr(words(60, 10000), "took nearly 1 % of"), "0.6 %%");
	ok(!words(40, 10000)[0], "0.4 %% is nothing");
	ok(!words(9, 100)[0], "nor are less than 100 ms");
	ok(!words(0, 0)[0], "nor is no time at all");
	ok(!words((uint64_t)-5, 1000)[0], "one that runs backwards says nothing");
	ok(!pmu_steal_words(&unknown, &now, text, sizeof(text)) &&
		   !pmu_steal_words(&now, &unknown, text, sizeof(text)),
	   "nor does what is not known");
}

UNIT_PART(steal)
{
	reads_the_sum_of_all_processors();
	says_what_is_worth_it();
	return done_testing();
}
