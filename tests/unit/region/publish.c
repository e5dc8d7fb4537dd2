/* SPDX-License-Identifier: BSD-3-Clause */
/* What one more call makes of a row's totals. */
#include "tap.h"

#include "region/publish.h"

/* Calls that took so long, one after the other; the bank that holds their sum. */
static struct pmu_store_bank after(const int64_t *ticks, int n)
{
	struct pmu_store_bank was = { 0 }, is = { 0 };

	for (int i = 0; i < n; i++) {
		pmu_bank_add_time(&was, &is, (uint64_t)ticks[i]);
		was = is;
	}
	return is;
}

static void is_bank(const struct pmu_store_bank *bank, uint64_t ticks, uint64_t least,
		    uint64_t most)
{
	is_u64(bank->ticks, ticks, "their sum");
	is_u64(bank->min, least + 1, "one more than the shortest");
	is_u64(bank->max, most, "the longest");
}

static void a_row_starts_without_a_shortest_call(void)
{
	static const int64_t one[] = { 7 }, several[] = { 26, 30, 25, 52 };
	struct pmu_store_bank bank = after(one, 1);

	is_u64(bank.calls, 1, "one call");
	is_bank(&bank, 7, 7, 7);
	bank = after(several, 4);
	is_u64(bank.calls, 4, "four calls");
	is_bank(&bank, 133, 25, 52);
	ok(bank.square >= 4905.0 && bank.square <= 4905.0, "the sum of their squares");
}

static void a_call_of_no_ticks_is_the_shortest(void)
{
	static const int64_t first[] = { 0, 26, 52 }, last[] = { 26, 52, 0 },
			     middle[] = { 26, 0, 52 }, only[] = { 0, 0 };
	struct pmu_store_bank bank = after(first, 3);

	is_bank(&bank, 78, 0, 52);
	bank = after(last, 3);
	is_bank(&bank, 78, 0, 52);
	bank = after(middle, 3);
	is_bank(&bank, 78, 0, 52);
	bank = after(only, 2);
	is_bank(&bank, 0, 0, 0);
}

static void stamps_that_passed_each_other_are_no_time(void)
{
	static const int64_t ticks[] = { 26, -3, 52 };
	struct pmu_store_bank bank = after(ticks, 3);

	is_u64(bank.calls, 3, "three calls");
	is_bank(&bank, 78, 0, 52);
	ok(bank.square >= 3380.0 && bank.square <= 3380.0, "nor a square");
}

static void a_call_may_take_years(void)
{
	static const int64_t ticks[] = { INT64_MAX, 1 };
	struct pmu_store_bank bank = after(ticks, 2);

	is_bank(&bank, (uint64_t)INT64_MAX + 1, 1, INT64_MAX);
}

int main(void)
{
	a_row_starts_without_a_shortest_call();
	a_call_of_no_ticks_is_the_shortest();
	stamps_that_passed_each_other_are_no_time();
	a_call_may_take_years();
	return done_testing();
}
