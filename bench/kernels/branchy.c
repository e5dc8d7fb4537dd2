/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * branchy-sorted and branchy-random: the sum of the bytes of at least 128, with a branch for each
 * byte.  The same loop, the same bytes: in order the branch goes one way for half of the data and
 * then the other way; at random it cannot be predicted.
 */
#include "bench/kernels/kernels.h"

#define TURN  8   /* bytes a turn of the loop */
#define LIMIT 128 /* bytes from here on are added up */

/*
 * Every pass has the same bytes, and processors learn what comes again: 30,000 random branches in a
 * row, at most, in 2026.  With less data, mispredictions cannot be foretold.  Source: Lemire, "How
 * many branches can your CPU predict?", lemire.me/blog/2026/03/18.
 */
#define NOT_LEARNT (128 << 10)

/* How many there are of each value, in data of any order. */
static void count_values(const unsigned char *byte, size_t n, size_t count[256])
{
	for (int value = 0; value < 256; value++)
		count[value] = 0;
	for (size_t i = 0; i < n; i++)
		count[byte[i]]++;
}

static int prepare_random(struct share *share)
{
	uint64_t seed = 1;
	unsigned char *byte;

	share->n = share->bytes < TURN ? TURN : share->bytes / TURN * TURN;
	share->data = byte = share_memory(share, share->n, 0);
	if (!byte)
		return -1;
	for (size_t i = 0; i < share->n; i++)
		byte[i] = (unsigned char)random_below(&seed, 256);
	share->state = 0;
	return 0;
}

static int prepare_sorted(struct share *share)
{
	unsigned char *byte;
	size_t count[256];

	if (prepare_random(share) < 0)
		return -1;
	byte = share->data;
	count_values(byte, share->n, count);
	for (int value = 0; value < 256; value++)
		for (size_t i = 0; i < count[value]; i++)
			*byte++ = (unsigned char)value;
	return 0;
}

#if defined(__x86_64__)
#define BYTE(offset)      \
	"movzbl " #offset \
	"(%[end],%[i]), %k[value]\n\tcmp %[limit], %k[value]\n\tjb 2f\n\tadd %[value], %[sum]\n2:\n\t"
#define BYTES  BYTE(0) BYTE(1) BYTE(2) BYTE(3) BYTE(4) BYTE(5) BYTE(6) BYTE(7)
#define REPEAT "add $8, %[i]\n\tjne 1b"
#else
#define BYTE \
	"ldrb %w[value], [%[at]], #1\n\tcmp %w[value], %[limit]\n\tb.lo 2f\n\tadd %[sum], %[sum], %[value]\n2:\n\t"
#define BYTES  BYTE BYTE BYTE BYTE BYTE BYTE BYTE BYTE
#define REPEAT "adds %[i], %[i], #8\n\tb.ne 1b"
#endif

static void pass_branchy(struct share *share)
{
	unsigned char *at = share->data, *end = at + share->n;
	ptrdiff_t i = -(ptrdiff_t)share->n;
	uint64_t value, sum = share->state;

	__asm__ volatile(".p2align 5\n1:\n\t" BYTES REPEAT
			 : [i] "+&r"(i), [sum] "+&r"(sum), [value] "=&r"(value), [at] "+&r"(at)
			 : [end] "r"(end), [limit] "i"(LIMIT)
			 : "cc", "memory");
	share->state = sum;
}

/* @rarer: mispredicted of the branches that go the rarer way, and of as many others */
static void model_bytes(const struct share *share, double rarer, struct model *model)
{
	double n = (double)share->n, added = 0;
	size_t count[256];

	count_values(share->data, share->n, count);
	for (int value = LIMIT; value < 256; value++)
		added += (double)count[value];
	*model = (struct model){
		.iterations = n,
		.work = n,
		.instructions = 3 * n + added + n / TURN * 2,
		.branches = n + n / TURN,
		.mispredicted = rarer * fmin(added, n - added),
		.loads = n,
		.lines = n / CACHE_LINE,
	};
}

static void model_sorted(const struct share *share, struct model *model)
{
	model_bytes(share, 0, model);
}

static void model_random(const struct share *share, struct model *model)
{
	model_bytes(share, share->n < NOT_LEARNT ? NAN : 1, model);
}

static bool check_branchy(const struct share *share, uint64_t passes)
{
	uint64_t sum = 0;
	size_t count[256];

	count_values(share->data, share->n, count);
	for (uint64_t value = LIMIT; value < 256; value++)
		sum += value * count[value];
	return share->state == sum * passes;
}

const struct kernel kernel_branchy_sorted = {
	.name = "branchy-sorted",
	.about = "sum of the bytes above a limit, sorted: every branch is foreseen",
	.unit = "B",
	.bytes = 8 << 20,
	.prepare = prepare_sorted,
	.pass = pass_branchy,
	.model = model_sorted,
	.check = check_branchy,
};

const struct kernel kernel_branchy_random = {
	.name = "branchy-random",
	.about = "the same bytes in random order: half of the branches are mispredicted",
	.unit = "B",
	.bytes = 8 << 20,
	.prepare = prepare_random,
	.pass = pass_branchy,
	.model = model_random,
	.check = check_branchy,
};
