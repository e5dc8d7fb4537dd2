/* SPDX-License-Identifier: BSD-3-Clause */
/* An index finds what was put into it, whatever the hashes are. */
#include <errno.h>

#include "unit/part.h"

#include "base/index.h"

static bool is_number(const void *wanted, uintptr_t thing)
{
	return *(const uintptr_t *)wanted == thing;
}

static struct pmu_index_place *find(const struct pmu_index *index, uintptr_t number,
				    uint32_t (*hash)(uintptr_t number))
{
	return pmu_index_find(index, hash(number), is_number, &number);
}

static uint32_t all_alike(uintptr_t number)
{
	return number ? 7 : 0;
}

static uint32_t last_place(uintptr_t number)
{
	return UINT32_MAX - (uint32_t)(number & 1);
}

static uint32_t spread(uintptr_t number)
{
	return (uint32_t)number * 2654435761u;
}

/*
 * How many of 1 to @n are found, after all of them have been put in; none of those that were not.
 */
static unsigned int found(uintptr_t n, uint32_t (*hash)(uintptr_t number))
{
	struct pmu_index index = { 0 };
	unsigned int there = 0;

	for (uintptr_t i = 1; i <= n; i++) {
		if (pmu_index_reserve(&index, 1) < 0)
			return 0;
		pmu_index_take(&index, find(&index, i, hash), hash(i), i);
	}
	for (uintptr_t i = 1; i <= n; i++)
		there += find(&index, i, hash)->thing == i;
	for (uintptr_t i = n + 1; i <= 2 * n; i++)
		there += find(&index, i, hash)->thing != 0;
	is_u64(index.n, n, "  so many are in it");
	ok(3 * index.n_places >= 4 * n, "  and it is at most three quarters full");
	pmu_index_free(&index);
	is_u64(index.n_places, 0, "  then it is empty");
	return there;
}

static void what_was_put_in_is_found(void)
{
	is_u64(found(1, spread), 1, "one");
	is_u64(found(128, spread), 128, "as many as there is room for at first");
	is_u64(found(129, spread), 129, "one more");
	is_u64(found(5000, spread), 5000, "many");
}

static void hashes_may_be_the_same(void)
{
	is_u64(found(300, all_alike), 300, "all of them");
	is_u64(found(300, last_place), 300, "and go round the end");
}

static void room_for_many_is_made_at_once(void)
{
	struct pmu_index index = { 0 };

	is_int(pmu_index_reserve(&index, 10000), 0, "there is room");
	is_u64(index.n_places, 16384, "a power of two, a third more at least");
	is_int(pmu_index_reserve(&index, 5000), 0, "for fewer");
	is_u64(index.n_places, 16384, "it stays as it is");
	is_int(pmu_index_reserve(&index, SIZE_MAX / 64), -ENOMEM, "more than there is");
	is_u64(index.n_places, 16384, "leaves it as it was");
	pmu_index_free(&index);
}

UNIT_PART(index)
{
	what_was_put_in_is_found();
	hashes_may_be_the_same();
	room_for_many_is_made_at_once();
	return done_testing();
}
