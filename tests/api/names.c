/* SPDX-License-Identifier: BSD-3-Clause */
/* N pairs of begin and end over many names, for counting what each costs. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pmu.h"

#define MOST 10000
#define ROOM 16

#define TEN(text)                                                                                 \
	text "0", text "1", text "2", text "3", text "4", text "5", text "6", text "7", text "8", \
		text "9"
#define HUNDRED(text)                                                                             \
	TEN(text "0"), TEN(text "1"), TEN(text "2"), TEN(text "3"), TEN(text "4"), TEN(text "5"), \
		TEN(text "6"), TEN(text "7"), TEN(text "8"), TEN(text "9")
#define THOUSAND(text)                                                                      \
	HUNDRED(text "0"), HUNDRED(text "1"), HUNDRED(text "2"), HUNDRED(text "3"),         \
		HUNDRED(text "4"), HUNDRED(text "5"), HUNDRED(text "6"), HUNDRED(text "7"), \
		HUNDRED(text "8"), HUNDRED(text "9")

static const char *const literal[MOST] = {
	THOUSAND("region 0"), THOUSAND("region 1"), THOUSAND("region 2"), THOUSAND("region 3"),
	THOUSAND("region 4"), THOUSAND("region 5"), THOUSAND("region 6"), THOUSAND("region 7"),
	THOUSAND("region 8"), THOUSAND("region 9"),
};

/* Of built names, each in a buffer of its own. */
static char built[MOST][ROOM];
static const char *name[MOST];

static int pair(const char *text)
{
	return pmu_region_begin(text) < 0 || pmu_region_end(text) < 0;
}

/* The same text at one address after another one. */
static int pair_in_buffer(const char *text)
{
	static char buffer[ROOM] __attribute__((aligned(ROOM)));

	memcpy(buffer, text, ROOM);
	return pair(buffer);
}

static size_t in_order(size_t last, size_t n)
{
	return last + 1 == n ? 0 : last + 1;
}

static size_t at_random(size_t last, size_t n)
{
	static uint64_t state = 1;

	(void)last;
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (size_t)(state >> 33) % n;
}

/* The function that is counted: valgrind gets its name. */
static __attribute__((noinline)) int steady(long n_pairs, size_t n, int (*call)(const char *),
					    size_t (*next)(size_t, size_t))
{
	size_t at = 0;

	for (long i = 0; i < n_pairs; i++, at = next(at, n))
		if (call(name[at]))
			return 1;
	return 0;
}

/* names PAIRS N [literal|built|buffer] [order|random]: after each name was begun a few times */
int main(int argc, char **argv)
{
	long n_pairs = argc > 1 ? atol(argv[1]) : 1000;
	size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	const char *kind = argc > 3 ? argv[3] : "literal";
	size_t (*next)(size_t, size_t) = argc > 4 && !strcmp(argv[4], "random") ? at_random
										: in_order;
	int (*call)(const char *) = strcmp(kind, "buffer") ? pair : pair_in_buffer;

	if (n < 1 || n > MOST)
		return 2;
	for (size_t i = 0; i < n; i++) {
		snprintf(built[i], ROOM, "%s", literal[i]);
		name[i] = strcmp(kind, "literal") ? built[i] : literal[i];
	}
	for (size_t i = 0; i < 3 * n; i++)
		if (call(name[i % n]))
			return 1;
	return steady(n_pairs, n, call, next);
}
