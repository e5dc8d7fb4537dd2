/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * divide: how long a division of 64-bit numbers takes.  Each one's divisor comes from the one
 * before; there is no data.
 */
#include "bench/kernels/kernels.h"

#define DIVISIONS 8192 /* a pass */
#define TURN      8    /* divisions a turn of the loop */

/*
 * x = DIVIDEND / x ^ MIXED: from 2^31 to 2^32 - 1 there is no way out, and without what is mixed in
 * x would come back after two steps.
 */
#define FIRST    UINT64_C(3141592653)
#define DIVIDEND UINT64_C(0x7FFFFFFFFFFFFFFF)
#define MIXED    UINT64_C(0x2545F491)

static int prepare_divide(struct share *share)
{
	share->n = DIVISIONS;
	share->state = 0;
	return 0;
}

#if defined(__x86_64__)
#define DIVIDE                                                       \
	"mov %[dividend], %%rax\n\txor %%edx, %%edx\n\tdiv %[x]\n\t" \
	"xor %[mixed], %%rax\n\tmov %%rax, %[x]\n\t"
#define REPEAT  "sub $8, %[left]\n\tjne 1b"
#define CHANGED "rax", "rdx", "cc"
#else
#define DIVIDE  "udiv %[x], %[dividend], %[x]\n\teor %[x], %[x], %[mixed]\n\t"
#define REPEAT  "subs %[left], %[left], #8\n\tb.ne 1b"
#define CHANGED "cc"
#endif
#define DIVIDE4 DIVIDE DIVIDE DIVIDE DIVIDE

static void pass_divide(struct share *share)
{
	uint64_t x = FIRST;
	size_t left = share->n;

	__asm__ volatile(".p2align 5\n1:\n\t" DIVIDE4 DIVIDE4 REPEAT
			 : [x] "+&r"(x), [left] "+&r"(left)
			 : [dividend] "r"(DIVIDEND), [mixed] "r"(MIXED)
			 : CHANGED);
	share->state += x;
}

static void model_divide(const struct share *share, struct model *model)
{
	double n = (double)share->n;

	*model = (struct model){
		.iterations = n,
		.work = n,
		.instructions = n * BY_ARCH(5, 2) + n / TURN * 2,
		.branches = n / TURN,
	};
}

static bool check_divide(const struct share *share, uint64_t passes)
{
	uint64_t x = FIRST;

	for (int i = 0; i < DIVISIONS; i++)
		x = DIVIDEND / x ^ MIXED;
	return share->state == x * passes;
}

const struct kernel kernel_divide = {
	.name = "divide",
	.about = "each division waits for the one before: latency of the divider",
	.unit = "division",
	.bytes = 4 << 10,
	.prepare = prepare_divide,
	.pass = pass_divide,
	.model = model_divide,
	.check = check_divide,
};
