/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gather: loads all over the data, which do not wait for one another as those of chase do.  An
 * index says which element is next; each is used once.
 */
#include "bench/kernels/kernels.h"

#define TURN  8     /* elements a turn of the loop */
#define LEAST 16384 /* elements a pass, at least: small data is gone through more than once */

struct arrays {
	uint64_t *x;
	uint32_t *index;
};

static struct arrays arrays_of(const struct share *share)
{
	uint64_t *x = share->memory;

	return (struct arrays){ x, (uint32_t *)(x + share->n) };
}

/* Bits of it differ everywhere.  The factor: 2^64 by the golden ratio. */
static uint64_t element(size_t i)
{
	return (i + 1) * UINT64_C(0x9E3779B97F4A7C15);
}

static size_t n_elements(size_t bytes)
{
	size_t n = bytes / (sizeof(uint64_t) + sizeof(uint32_t));

	if (n > UINT32_MAX)
		n = UINT32_MAX;
	return n < TURN ? TURN : n / TURN * TURN;
}

static int prepare_gather(struct share *share)
{
	uint64_t seed = 1;
	struct arrays at;

	share->n = n_elements(share->bytes);
	if (!share_memory(share, share->n * (sizeof(*at.x) + sizeof(*at.index)), 0))
		return -1;
	at = arrays_of(share);
	for (size_t i = 0; i < share->n; i++) {
		at.x[i] = element(i);
		at.index[i] = (uint32_t)i;
	}
	for (size_t i = share->n - 1; i > 0; i--) { /* any order alike: Fisher and Yates */
		size_t other = random_below(&seed, (uint32_t)i + 1);
		uint32_t index = at.index[i];

		at.index[i] = at.index[other];
		at.index[other] = index;
	}
	share->state = 0;
	return 0;
}

/*
 * Elements are added and taken away in turn: the sum would be the same in any order else.  Both
 * loops have one head, so that what aligns it is passed once.
 */
static void pass_gather(struct share *share)
{
	struct arrays at = arrays_of(share);
	size_t left = passes_over(share->n, LEAST);
	uint64_t sum = share->state;

#if defined(__x86_64__)
	ptrdiff_t start = -(ptrdiff_t)(share->n * sizeof(*at.index)), i = start;
	size_t which;

#define ELEMENT(op, offset) \
	"mov " #offset "(%[end],%[i]), %k[which]\n\t" #op " (%[x],%[which],8), %[sum]\n\t"
	__asm__ volatile(
		".p2align 5\n1:\n\t" ELEMENT(add, 0) ELEMENT(sub, 4) ELEMENT(add, 8)
			ELEMENT(sub, 12) ELEMENT(add, 16) ELEMENT(sub, 20) ELEMENT(add, 24)
				ELEMENT(sub, 28) "add $32, %[i]\n\tjne 1b\n\t"
						 "mov %[start], %[i]\n\tsub $1, %[left]\n\tjne 1b"
		: [i] "+&r"(i), [left] "+&r"(left), [sum] "+&r"(sum), [which] "=&r"(which)
		: [x] "r"(at.x), [end] "r"(at.index + share->n), [start] "r"(start)
		: "cc", "memory");
#else
	const uint32_t *index = at.index;
	size_t i = share->n;
	uint64_t which, value;

#define ELEMENT(op)                                                                       \
	"ldr %w[which], [%[index]], #4\n\tldr %[value], [%[x], %[which], lsl #3]\n\t" #op \
	" %[sum], %[sum], %[value]\n\t"
#define ELEMENTS ELEMENT(add) ELEMENT(sub) ELEMENT(add) ELEMENT(sub)
	__asm__ volatile(
		".p2align 5\n1:\n\t" ELEMENTS ELEMENTS "subs %[i], %[i], #8\n\tb.ne 1b\n\t"
		"mov %[i], %[n]\n\tmov %[index], %[start]\n\tsubs %[left], %[left], #1\n\tb.ne 1b"
		: [i] "+&r"(i), [index] "+&r"(index), [left] "+&r"(left), [sum] "+&r"(sum),
		  [which] "=&r"(which), [value] "=&r"(value)
		: [x] "r"(at.x), [start] "r"(at.index), [n] "r"(share->n)
		: "cc", "memory");
#endif
	share->state = sum;
}

/* A line for each element, as each is somewhere else, and those of the index. */
static void model_gather(const struct share *share, struct model *model)
{
	double sweeps = (double)passes_over(share->n, LEAST), n = (double)share->n * sweeps,
	       turns = n / TURN;

	*model = (struct model){
		.iterations = n,
		.work = n,
		.instructions = turns * BY_ARCH(18, 26) + sweeps * BY_ARCH(3, 4),
		.branches = turns + sweeps,
		.loads = 2 * n,
		.lines = n + n * sizeof(uint32_t) / CACHE_LINE,
		.at_random = true,
	};
}

static bool check_gather(const struct share *share, uint64_t passes)
{
	struct arrays at = arrays_of(share);
	uint64_t sum = 0;

	for (size_t i = 0; i < share->n; i++) {
		if (at.x[i] != element(i))
			return false;
		sum += i % 2 ? -element(at.index[i]) : element(at.index[i]);
	}
	return share->state == sum * passes_over(share->n, LEAST) * passes;
}

const struct kernel kernel_gather = {
	.name = "gather",
	.about = "sum of x[index[i]]: random access, as much at a time as the processor can",
	.unit = "access",
	.bytes = 64 << 20,
	.prepare = prepare_gather,
	.pass = pass_gather,
	.model = model_gather,
	.check = check_gather,
};
