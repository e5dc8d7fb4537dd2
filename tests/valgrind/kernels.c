/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Work of different character, each piece a function that is a region, too: callgrind can be asked
 * for the same by the function's name.
 *
 *   kernels [ROUNDS]
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "pmu.h"

#define N_NUMBERS 3000
#define N_PLACES  (1u << 19) /* 4 MiB, more than the caches that are simulated in the test */
#define N_STEPS   20000

static uint32_t numbers[N_NUMBERS], sorted[N_NUMBERS];
static uint64_t places[N_PLACES];
static double values[1000];

static uint32_t random_number(void)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33);
}

static bool is_less(uint32_t a, uint32_t b)
{
	return a < b;
}

/*
 * Unpredictable branches, and an indirect call for each comparison.  Nothing of libc's: how many
 * instructions that takes depends on addresses, which differ where a library is preloaded.
 */
static inline void sort(void)
{
	bool (*volatile less)(uint32_t, uint32_t) = is_less;

	for (int i = 0; i < N_NUMBERS; i++)
		sorted[i] = numbers[i] ^ 1; /* a copy would be memcpy() */
	for (int gap = N_NUMBERS; gap > 1;) {
		gap = gap * 10 / 13;
		for (int i = 0; i + gap < N_NUMBERS; i++) {
			uint32_t here = sorted[i];

			if (less(sorted[i + gap], here)) {
				sorted[i] = sorted[i + gap];
				sorted[i + gap] = here;
			}
		}
	}
}

/* Memory in no order. */
static inline void spread(void)
{
	uint32_t at = 1;

	for (int i = 0; i < N_STEPS; i++) {
		places[at] += (uint64_t)i;
		at = (at * 1664525u + 1013904223u + (uint32_t)places[at]) % N_PLACES;
	}
}

/* Arithmetic, all of it in the cache. */
static inline void sum(void)
{
	for (int step = 1; step < 20; step++)
		for (int i = 0; i < 1000; i++)
			values[i] = values[i] * 0.5 + (double)i / step;
}

/* The names that callgrind knows them by. */
#define KERNEL(name, work)                                       \
	void name(void);                                         \
	__attribute__((noinline, noclone, used)) void name(void) \
	{                                                        \
		work;                                            \
	}                                                        \
	_Static_assert(1, "")

KERNEL(kernel_sort, sort());
KERNEL(kernel_spread, spread());
KERNEL(kernel_sum, sum());
KERNEL(kernel_all, {
	sum();
	sort();
	spread();
});

/* The region has one instruction more than the function: the call. */
#define MEASURE(kernel)                            \
	do {                                       \
		pmu_region_begin(#kernel);         \
		__asm__ volatile("" ::: "memory"); \
		kernel();                          \
		__asm__ volatile("" ::: "memory"); \
		pmu_region_end(#kernel);           \
		__asm__ volatile("" ::: "memory"); \
	} while (0)

/*
 * The first time that a region is entered, the library does more, and what was in the cache is not
 * there any more: it is done before.
 */
static const char *const names[] = { "kernel_sort", "kernel_spread", "kernel_sum", "kernel_all" };

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;

	for (int i = 0; i < N_NUMBERS; i++)
		numbers[i] = random_number();
	for (int i = 0; i < 4; i++) {
		pmu_region_begin(names[i]);
		pmu_region_end(names[i]);
	}
	sum();
	sort();
	spread();
	while (rounds-- > 0) {
		MEASURE(kernel_sort);
		MEASURE(kernel_spread);
		MEASURE(kernel_sum);
		MEASURE(kernel_all);
	}
	return 0;
}
