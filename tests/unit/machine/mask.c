/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of CPUs. */
#include "machine/mask.h"

#include <errno.h>

#include "unit/part.h"

static struct pmu_mask mask_of(const int *cpu, size_t n)
{
	struct pmu_mask mask = { { 0 } };

	for (size_t i = 0; i < n; i++)
		pmu_mask_set(&mask, cpu[i]);
	return mask;
}

#define MASK(...) \
	mask_of((const int[]){ __VA_ARGS__ }, sizeof((int[]){ __VA_ARGS__ }) / sizeof(int))

static void holds_every_number(void)
{
	struct pmu_mask mask = MASK(0, 63, 64, 1023, 1024, PMU_MASK_CPUS - 1);

	is_u64(pmu_mask_count(&mask), 6, "six CPUs");
	ok(pmu_mask_has(&mask, 1024) && !pmu_mask_has(&mask, 1025), "1024 is one of them");
	is_int(pmu_mask_next(&mask, 0), 0, "first");
	is_int(pmu_mask_next(&mask, 1), 63, "end of a word");
	is_int(pmu_mask_next(&mask, 64), 64, "start of a word");
	is_int(pmu_mask_next(&mask, 1025), PMU_MASK_CPUS - 1, "the last");
	is_int(pmu_mask_next(&mask, PMU_MASK_CPUS), -1, "none after it");
	pmu_mask_clear(&mask, 63);
	is_int(pmu_mask_next(&mask, 1), 64, "cleared");
}

static void ignores_impossible_numbers(void)
{
	struct pmu_mask mask = { { 0 } };

	pmu_mask_set(&mask, -1);
	pmu_mask_set(&mask, PMU_MASK_CPUS);
	pmu_mask_clear(&mask, -1);
	is_u64(pmu_mask_count(&mask), 0, "nothing was set");
	ok(!pmu_mask_has(&mask, -1) && !pmu_mask_has(&mask, PMU_MASK_CPUS), "nor found");
}

static void finds_the_only_one(void)
{
	struct pmu_mask none = { { 0 } }, one = MASK(700), two = MASK(700, 701);

	is_int(pmu_mask_single(&one), 700, "one");
	is_int(pmu_mask_single(&two), -1, "two");
	is_int(pmu_mask_single(&none), -1, "none");
}

static void writes_lists(void)
{
	struct pmu_mask none = { { 0 } }, mixed = MASK(0, 1, 3, 4, 5, 9), pair = MASK(0, 1);
	struct pmu_mask every_other = { { 0 } };
	char text[128], small[12];

	pmu_mask_format(&none, text, sizeof(text));
	is_str(text, "", "nothing");
	pmu_mask_format(&pair, text, sizeof(text));
	is_str(text, "0,1", "two neighbours");
	pmu_mask_format(&mixed, text, sizeof(text));
	is_str(text, "0,1,3-5,9", "ranges");
	for (int cpu = 0; cpu < PMU_MASK_CPUS; cpu += 2)
		pmu_mask_set(&every_other, cpu);
	pmu_mask_format(&every_other, small, sizeof(small));
	is_str(small, "0,2,4,6,...", "cut at an item");
	pmu_mask_format(&pair, small, 1);
	is_str(small, "", "no room at all");
}

static void asks_the_kernel(void)
{
	struct pmu_mask mask;

	errno = 4711;
	is_int(pmu_mask_of_thread(0, &mask), 0, "this thread's mask");
	ok(pmu_mask_count(&mask) >= 1, "has a CPU");
	is_int(pmu_mask_apply(&mask), 0, "and can be set again");
	is_int(pmu_mask_of_thread(0x7ffffff0, &mask), -ESRCH, "a thread that is not there");
	memset(&mask, 0, sizeof(mask));
	is_int(pmu_mask_apply(&mask), -EINVAL, "no CPU is not enough");
	is_int(errno, 4711, "errno is left alone");
}

static void reads_what_it_writes(void)
{
	static const char *const wrong[] = { "x",  "1,",  ",1",   "3-1",          "1-",
					     "-1", "1 2", "8192", "0-99999999999" };
	struct pmu_mask want = MASK(0, 1, 3, 4, 5, 9, 8191), mask;

	is_int(pmu_mask_parse("0,1,3-5,9,8191", &mask), 0, "a list of CPUs");
	ok(pmu_mask_equal(&mask, &want), "  all of them");
	is_int(pmu_mask_parse("", &mask), 0, "an empty list");
	is_u64(pmu_mask_count(&mask), 0, "  has none");
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		is_int(pmu_mask_parse(wrong[i], &mask), -EINVAL, wrong[i]);
}

UNIT_PART(mask)
{
	holds_every_number();
	ignores_impossible_numbers();
	finds_the_only_one();
	writes_lists();
	asks_the_kernel();
	reads_what_it_writes();
	return done_testing();
}
