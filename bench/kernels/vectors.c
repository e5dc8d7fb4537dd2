/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * daxpy and dot: a multiplication and an addition for each pair of elements of two arrays, as in
 * level 1 of the BLAS. The one writes an array, the other only adds up.
 */
#include "bench/kernels/kernels.h"

#include <string.h>

#define TURN   8 /* elements a turn of a loop: a cache line */
#define FACTOR 3
/* bytes between the arrays beyond their size: never at the same place of a page */
#define APART 1088
/*
 * Elements of a pass, at least: small data is gone over more than once, or what leads to the loop
 * would count, too.
 */
#define LEAST 16384

struct arrays {
	double *x, *y;
};

static struct arrays arrays_of(const struct share *share)
{
	char *memory = share->memory;

	return (struct arrays){ (double *)(void *)memory,
				(double *)(void *)(memory + share->n * sizeof(double) + APART) };
}

/* How many times a pass goes over the arrays. */
static size_t rounds(const struct share *share)
{
	return 1 + LEAST / share->n;
}

/* 0 to 7, in no order that an element next to the right one has, too. */
static uint32_t x_of(size_t i)
{
	return (uint32_t)(i * UINT64_C(2654435761) >> 16) & 7;
}

static int prepare(struct share *share)
{
	share->n = share->bytes / sizeof(double) / 2 / TURN * TURN;
	if (share->n < TURN)
		share->n = TURN;
	share->state = 0;
	return share_memory(share, 2 * share->n * sizeof(double), APART) ? 0 : -1;
}

static int prepare_daxpy(struct share *share)
{
	struct arrays at;

	if (prepare(share))
		return -1;
	at = arrays_of(share);
	for (size_t i = 0; i < share->n; i++) {
		at.x[i] = x_of(i);
		at.y[i] = (double)i;
	}
	return 0;
}

/* The product of elements that belong together is less than that of others. */
static int prepare_dot(struct share *share)
{
	struct arrays at;

	if (prepare(share))
		return -1;
	at = arrays_of(share);
	for (size_t i = 0; i < share->n; i++) {
		at.x[i] = x_of(i);
		at.y[i] = 7 - x_of(i);
	}
	return 0;
}

/* A line a turn; at the end of the arrays, ROUND begins again. */
#if defined(__x86_64__)
#define DAXPY(r, at)                                 \
	"movaps " #at "(%[x],%[i]), %%xmm" #r "\n\t" \
	"mulpd %%xmm7, %%xmm" #r "\n\t"              \
	"addpd " #at "(%[y],%[i]), %%xmm" #r "\n\t"  \
	"movaps %%xmm" #r ", " #at "(%[y],%[i])\n\t"
#define DOT(r, at)                              \
	"movaps " #at "(%[x],%[i]), %%xmm7\n\t" \
	"mulpd " #at "(%[y],%[i]), %%xmm7\n\t"  \
	"addpd %%xmm7, %%xmm" #r "\n\t"
#define LINE(step)                                              \
	".p2align 5\n1:\n\t" step(0, 0) step(1, 16) step(2, 32) \
		step(3, 48) "add $64, %[i]\n\tjne 1b\n\t"
#define ROUND "mov %[first], %[i]\n\tdec %[times]\n\tjne 1b\n\t"
#else
#define DAXPY                                                        \
	"ldp q0, q1, [%[x]], #32\n\tldp q2, q3, [%[x]], #32\n\t"     \
	"ldp q4, q5, [%[y]]\n\tldp q6, q7, [%[y], #32]\n\t"          \
	"fmla v4.2d, v0.2d, v16.2d\n\tfmla v5.2d, v1.2d, v16.2d\n\t" \
	"fmla v6.2d, v2.2d, v16.2d\n\tfmla v7.2d, v3.2d, v16.2d\n\t" \
	"stp q4, q5, [%[y]], #32\n\tstp q6, q7, [%[y]], #32\n\t"
#define DOT                                                          \
	"ldp q4, q5, [%[x]], #32\n\tldp q6, q7, [%[x]], #32\n\t"     \
	"ldp q16, q17, [%[y]], #32\n\tldp q18, q19, [%[y]], #32\n\t" \
	"fmla v0.2d, v4.2d, v16.2d\n\tfmla v1.2d, v5.2d, v17.2d\n\t" \
	"fmla v2.2d, v6.2d, v18.2d\n\tfmla v3.2d, v7.2d, v19.2d\n\t"
#define LINE(step) ".p2align 5\n1:\n\t" step "adds %[i], %[i], #64\n\tb.ne 1b\n\t"
#define ROUND                                                                            \
	"mov %[i], %[first]\n\tadd %[x], %[x], %[first]\n\tadd %[y], %[y], %[first]\n\t" \
	"subs %[times], %[times], #1\n\tb.ne 1b\n\t"
#endif

#define DAXPY_TURN BY_ARCH(18, 12)
#define DOT_TURN   BY_ARCH(14, 10)
#define ROUND_END  BY_ARCH(3, 5)

static void pass_daxpy(struct share *share)
{
	struct arrays at = arrays_of(share);
	size_t times = rounds(share);
	ptrdiff_t first = -(ptrdiff_t)(share->n * sizeof(double)), i = first;
	double factor = FACTOR;

#if defined(__x86_64__)
	__asm__ volatile("movsd %[factor], %%xmm7\n\tunpcklpd %%xmm7, %%xmm7\n" LINE(DAXPY) ROUND
			 : [i] "+&r"(i), [times] "+&r"(times)
			 : [x] "r"(at.x + share->n), [y] "r"(at.y + share->n), [first] "r"(first),
			   [factor] "m"(factor)
			 : "xmm0", "xmm1", "xmm2", "xmm3", "xmm7", "cc", "memory");
#else
	__asm__ volatile("dup v16.2d, %[factor].d[0]\n" LINE(DAXPY) ROUND
			 : [i] "+&r"(i), [times] "+&r"(times), [x] "+&r"(at.x), [y] "+&r"(at.y)
			 : [first] "r"(first), [factor] "w"(factor)
			 : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "cc", "memory");
#endif
}

/* share->state: the sum of all passes, as the bits of a double */
static void pass_dot(struct share *share)
{
	struct arrays at = arrays_of(share);
	size_t times = rounds(share);
	ptrdiff_t first = -(ptrdiff_t)(share->n * sizeof(double)), i = first;
	double sum, part[2];

#if defined(__x86_64__)
	__asm__ volatile("xorpd %%xmm0, %%xmm0\n\txorpd %%xmm1, %%xmm1\n\t"
			 "xorpd %%xmm2, %%xmm2\n\txorpd %%xmm3, %%xmm3\n" LINE(DOT) ROUND
			 "addpd %%xmm1, %%xmm0\n\taddpd %%xmm3, %%xmm2\n\t"
			 "addpd %%xmm2, %%xmm0\n\tmovupd %%xmm0, %[part]"
			 : [i] "+&r"(i), [times] "+&r"(times), [part] "=m"(part)
			 : [x] "r"(at.x + share->n), [y] "r"(at.y + share->n), [first] "r"(first)
			 : "xmm0", "xmm1", "xmm2", "xmm3", "xmm7", "cc", "memory");
#else
	__asm__ volatile(
		"movi v0.2d, #0\n\tmovi v1.2d, #0\n\tmovi v2.2d, #0\n\tmovi v3.2d, #0\n" LINE(DOT)
			ROUND "fadd v0.2d, v0.2d, v1.2d\n\tfadd v2.2d, v2.2d, v3.2d\n\t"
			      "fadd v0.2d, v0.2d, v2.2d\n\tstr q0, %[part]"
		: [i] "+&r"(i), [times] "+&r"(times), [x] "+&r"(at.x), [y] "+&r"(at.y),
		  [part] "=Q"(part)
		: [first] "r"(first)
		: "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "cc",
		  "memory");
#endif
	memcpy(&sum, &share->state, sizeof(sum));
	sum += part[0] + part[1];
	memcpy(&share->state, &sum, sizeof(sum));
}

/* --- the model --- */

/* @turn: instructions of a turn; @loads and @stores of it */
static void model_turns(const struct share *share, int turn, int loads, int stores,
			struct model *model)
{
	double times = (double)rounds(share), turns = times * (double)share->n / TURN;

	*model = (struct model){
		.iterations = turns * TURN,
		.work = turns * TURN * 2,
		.instructions = turns * turn + times * ROUND_END,
		.branches = turns + times,
		.loads = turns * loads,
		.stores = turns * stores,
		.lines = turns * 2,
	};
}

static void model_daxpy(const struct share *share, struct model *model)
{
	model_turns(share, DAXPY_TURN, BY_ARCH(8, 4), BY_ARCH(4, 2), model);
}

static void model_dot(const struct share *share, struct model *model)
{
	model_turns(share, DOT_TURN, BY_ARCH(8, 4), 0, model);
}

/* --- the result: whole numbers, exact to 2^53, which takes days --- */

static bool check_daxpy(const struct share *share, uint64_t passes)
{
	struct arrays at = arrays_of(share);
	uint64_t added = FACTOR * passes * rounds(share);

	for (size_t i = 0; i < share->n; i++)
		if (at.x[i] != x_of(i) || at.y[i] != (double)(i + added * x_of(i)))
			return false;
	return true;
}

static bool check_dot(const struct share *share, uint64_t passes)
{
	uint64_t want = 0;
	double sum;

	for (size_t i = 0; i < share->n; i++)
		want += x_of(i) * (7 - x_of(i));
	memcpy(&sum, &share->state, sizeof(sum));
	return sum == (double)(want * rounds(share) * passes);
}

const struct kernel kernel_daxpy = {
	.name = "daxpy",
	.about = "y += 3 x: two flops for every two loads and a store",
	.unit = "flop",
	.bytes = 64 << 20,
	.prepare = prepare_daxpy,
	.pass = pass_daxpy,
	.model = model_daxpy,
	.check = check_daxpy,
};

const struct kernel kernel_dot = {
	.name = "dot",
	.about = "the sum of x y: two arrays are read, none is written",
	.unit = "flop",
	.bytes = 64 << 20,
	.prepare = prepare_dot,
	.pass = pass_dot,
	.model = model_dot,
	.check = check_dot,
};
