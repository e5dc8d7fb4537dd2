/* SPDX-License-Identifier: BSD-3-Clause */
/* scan: where in a text is the first newline?  As memchr() goes about it, 16 bytes at a time. */
#include "bench/kernels/kernels.h"

#define BLOCK 16         /* bytes a turn of the loop */
#define LEAST (64 << 10) /* bytes a pass, at least: a short text is gone through more than once */

/* The newline's distance from the end: in the last block, neither the first byte nor the last. */
#define FROM_END 5

static int prepare_scan(struct share *share)
{
	uint64_t seed = 1;
	char *text;

	/* whole lines: a loop that leaves out every other block does not come upon the newline */
	share->n = share->bytes < CACHE_LINE ? CACHE_LINE : share->bytes / CACHE_LINE * CACHE_LINE;
	share->data = text = share_memory(share, share->n, 0);
	if (!text)
		return -1;
	for (size_t i = 0; i < share->n; i++)
		text[i] = (char)('a' + (int)random_below(&seed, 26));
	text[share->n - FROM_END] = text[share->n - 1] = '\n'; /* the last is not the first */
	share->state = 0;
	return 0;
}

/*
 * The inner loop ends with at one block after the newline's, and in bits what says where in the
 * block it is; what is added up is both.  Both loops have one head, so that what aligns it is
 * passed once.
 */
#if defined(__x86_64__)
#define SCAN                                                                                                  \
	"movd %k[newline], %%xmm1\n\tpunpcklbw %%xmm1, %%xmm1\n\tpshuflw $0, %%xmm1, %%xmm1\n\t"              \
	"punpcklqdq %%xmm1, %%xmm1\n"                                                                         \
	".p2align 5\n1:\n\tmovdqa (%[at]), %%xmm0\n\tpcmpeqb %%xmm1, %%xmm0\n\tpmovmskb %%xmm0, %k[bits]\n\t" \
	"add $16, %[at]\n\ttest %k[bits], %k[bits]\n\tje 1b\n\t"                                              \
	"bsf %k[bits], %k[bits]\n\tadd %[at], %[sum]\n\tadd %[bits], %[sum]\n\tmov %[start], %[at]\n\t"       \
	"sub $1, %[left]\n\tjne 1b"
#else
/* There is no pmovmskb: four bits of each byte. */
#define SCAN                                                                                                 \
	"dup v1.16b, %w[newline]\n"                                                                          \
	".p2align 5\n1:\n\tldr q0, [%[at]], #16\n\tcmeq v0.16b, v0.16b, v1.16b\n\tshrn v0.8b, v0.8h, #4\n\t" \
	"fmov %[bits], d0\n\tcbz %[bits], 1b\n\t"                                                            \
	"rbit %[bits], %[bits]\n\tclz %[bits], %[bits]\n\tadd %[sum], %[sum], %[at]\n\t"                     \
	"add %[sum], %[sum], %[bits], lsr #2\n\tmov %[at], %[start]\n\tsubs %[left], %[left], #1\n\tb.ne 1b"
#endif

static void pass_scan(struct share *share)
{
	const char *start = share->data, *at = start;
	size_t sweeps = passes_over(share->n, LEAST), left = sweeps;
	uint64_t sum = 0, bits;

	__asm__ volatile(SCAN
			 : [at] "+&r"(at), [sum] "+&r"(sum), [left] "+&r"(left), [bits] "=&r"(bits)
			 : [start] "r"(start), [newline] "r"((int)'\n')
			 : BY_ARCH("xmm0", "v0"), BY_ARCH("xmm1", "v1"), "cc", "memory");
	share->state += sum - sweeps * ((uint64_t)(uintptr_t)start + BLOCK);
}

static void model_scan(const struct share *share, struct model *model)
{
	double sweeps = (double)passes_over(share->n, LEAST), n = (double)share->n * sweeps,
	       turns = n / BLOCK;

	*model = (struct model){
		.iterations = turns,
		.work = n,
		.instructions = turns * BY_ARCH(6, 5) + sweeps * BY_ARCH(6, 7),
		.branches = turns + sweeps,
		.loads = turns,
		.lines = n / CACHE_LINE,
	};
}

static bool check_scan(const struct share *share, uint64_t passes)
{
	const char *text = share->data;
	uint64_t place = 0;

	while (place < share->n && text[place] != '\n')
		place++;
	return place == share->n - FROM_END &&
	       share->state == place * passes_over(share->n, LEAST) * passes;
}

const struct kernel kernel_scan = {
	.name = "scan",
	.about = "the first newline of a text, 16 bytes at a time",
	.unit = "B",
	.bytes = 64 << 20,
	.prepare = prepare_scan,
	.pass = pass_scan,
	.model = model_scan,
	.check = check_scan,
};
