/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * histogram and histogram-shared: how often is each value among random bytes?  Each thread has
 * counters of its own, on lines of its own in the one, on lines that it shares with others in the
 * other: nothing is shared but the lines, and they go to and fro between the processors.
 */
#include "bench/kernels/kernels.h"

#include <stdlib.h>

#define VALUES 256
#define TURN   8     /* items a turn of the loop */
#define LEAST  16384 /* items a pass, at least: small data is gone through more than once */

#define PER_LINE (CACHE_LINE / sizeof(uint64_t))
#define OWN      (VALUES * sizeof(uint64_t)) /* bytes of a thread's counters */

/* A line for each value, in it a counter of each of so many threads. */
struct group {
	uint64_t count[VALUES][PER_LINE];
};

_Static_assert(sizeof(((struct group *)NULL)->count[0]) == 64, "the loop multiplies by 64");

static int fill(struct share *share, size_t before)
{
	uint64_t seed = (uint64_t)share->thread + 1;
	unsigned char *item;

	share->n = share->bytes < 2 * OWN ? OWN : (share->bytes - OWN) / TURN * TURN;
	if (!share_memory(share, before + share->n, 0))
		return -1;
	share->data = item = (unsigned char *)share->memory + before;
	for (size_t i = 0; i < share->n; i++)
		item[i] = (unsigned char)random_below(&seed, VALUES);
	return 0;
}

/* --- counters one after the other, before the items --- */

static int prepare_own(struct share *share)
{
	uint64_t *count;

	if (fill(share, OWN) < 0)
		return -1;
	count = share->memory;
	for (int i = 0; i < VALUES; i++)
		count[i] = 0;
	return 0;
}

/* --- counters among those of others --- */

static void *groups(size_t bytes, int n_threads)
{
	size_t n = ((size_t)n_threads + PER_LINE - 1) / PER_LINE;
	void *memory;

	(void)bytes;
	return posix_memalign(&memory, CACHE_LINE, n * sizeof(struct group)) ? NULL : memory;
}

/* The counter of value 0. */
static uint64_t *first_of(const struct share *share)
{
	struct group *group = share->common;
	size_t thread = (size_t)share->thread;

	return &group[thread / PER_LINE].count[0][thread % PER_LINE];
}

static int prepare_shared(struct share *share)
{
	if (fill(share, 0) < 0)
		return -1;
	for (size_t i = 0; i < VALUES; i++)
		first_of(share)[i * PER_LINE] = 0;
	return 0;
}

/* --- the loops, with one head, so that what aligns it is passed once --- */

#if defined(__x86_64__)
#define ITEM(add, offset) "movzbl " #offset "(%[end],%[i]), %k[value]\n\t" add
#define ITEMS(add)   \
	ITEM(add, 0) \
	ITEM(add, 1) ITEM(add, 2) ITEM(add, 3) ITEM(add, 4) ITEM(add, 5) ITEM(add, 6) ITEM(add, 7)
#define ADD_AT_8  "incq (%[count],%[value],8)\n\t"
#define ADD_AT_64 "shl $6, %k[value]\n\tincq (%[count],%[value])\n\t"
#define REPEAT    "add $8, %[i]\n\tjne 1b\n\tmov %[start], %[i]\n\tsub $1, %[left]\n\tjne 1b"
#else
#define ITEM(add)  "ldrb %w[value], [%[item]], #1\n\t" add
#define ITEMS(add) ITEM(add) ITEM(add) ITEM(add) ITEM(add) ITEM(add) ITEM(add) ITEM(add) ITEM(add)
#define ADD_ONE(place) \
	"ldr %[times], " place "\n\tadd %[times], %[times], #1\n\tstr %[times], " place "\n\t"
#define ADD_AT_8  ADD_ONE("[%[count], %[value], lsl #3]")
#define ADD_AT_64 "add %[value], %[count], %[value], lsl #6\n\t" ADD_ONE("[%[value]]")
#define REPEAT                               \
	"adds %[i], %[i], #8\n\tb.ne 1b\n\t" \
	"mov %[i], %[start]\n\tadd %[item], %[item], %[start]\n\tsubs %[left], %[left], #1\n\tb.ne 1b"
#endif

#define LOOP(first, add)                                                                   \
	do {                                                                               \
		const char *item = share->data, *end = item + share->n;                    \
		ptrdiff_t start = -(ptrdiff_t)share->n, i = start;                         \
		uint64_t value, times = 0;                                                 \
		size_t left = passes_over(share->n, LEAST);                                \
                                                                                           \
		__asm__ volatile(".p2align 5\n1:\n\t" ITEMS(add) REPEAT                    \
				 : [i] "+&r"(i), [left] "+&r"(left), [value] "=&r"(value), \
				   [item] "+&r"(item), [times] "+&r"(times)                \
				 : [end] "r"(end), [count] "r"(first), [start] "r"(start)  \
				 : "cc", "memory");                                        \
	} while (0)

static void pass_own(struct share *share)
{
	LOOP(share->memory, ADD_AT_8);
}

static void pass_shared(struct share *share)
{
	LOOP(first_of(share), ADD_AT_64);
}

/* --- the models --- */

/* @item: instructions of one */
static void model_items(const struct share *share, int item, struct model *model)
{
	double sweeps = (double)passes_over(share->n, LEAST), n = (double)share->n * sweeps,
	       turns = n / TURN;

	*model = (struct model){
		.iterations = n,
		.work = n,
		.instructions = n * item + turns * 2 + sweeps * BY_ARCH(3, 4),
		.branches = turns + sweeps,
		.loads = 2 * n,
		.stores = n,
		.lines = n / CACHE_LINE,
	};
}

static void model_own(const struct share *share, struct model *model)
{
	model_items(share, BY_ARCH(2, 4), model);
}

static void model_shared(const struct share *share, struct model *model)
{
	model_items(share, BY_ARCH(3, 5), model);
	if (share->n_threads > 1)
		/* how often others take a counter's line away is theirs to tell */
		model->lines = NAN;
}

/* --- the result --- */

/* @step: counters from one value's to the next */
static bool check(const struct share *share, const uint64_t *count, size_t step, uint64_t passes)
{
	const unsigned char *item = share->data;
	uint64_t expected[VALUES] = { 0 };

	for (size_t i = 0; i < share->n; i++)
		expected[item[i]]++;
	for (size_t i = 0; i < VALUES; i++)
		if (count[i * step] != expected[i] * passes_over(share->n, LEAST) * passes)
			return false;
	return true;
}

static bool check_own(const struct share *share, uint64_t passes)
{
	return check(share, share->memory, 1, passes);
}

static bool check_shared(const struct share *share, uint64_t passes)
{
	return check(share, first_of(share), PER_LINE, passes);
}

const struct kernel kernel_histogram = {
	.name = "histogram",
	.about = "counts of random bytes, each thread's on lines of its own",
	.unit = "item",
	.bytes = 16 << 20,
	.prepare = prepare_own,
	.pass = pass_own,
	.model = model_own,
	.check = check_own,
};

const struct kernel kernel_histogram_shared = {
	.name = "histogram-shared",
	.about = "the same, each line with counters of eight threads: false sharing",
	.unit = "item",
	.bytes = 16 << 20,
	.common = groups,
	.prepare = prepare_shared,
	.pass = pass_shared,
	.model = model_shared,
	.check = check_shared,
};
