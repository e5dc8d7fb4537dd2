/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/ceilings/streams.h"

#include <string.h>

#include "bench/kernels/kernel.h"
#ifdef __aarch64__
#include "bench/ceilings/sve.h"
#endif

#define FACTOR 3
#define PERIOD \
	1021 /* of what is in the arrays, in elements: a prime, so that no line is another's */

static const double factors[] __attribute__((aligned(64))) = { FACTOR, FACTOR, FACTOR, FACTOR,
							       FACTOR, FACTOR, FACTOR, FACTOR };

/* Eight vectors a turn. */
#define EACH(step, reg, size)                                                       \
	step(reg, size, 0) step(reg, size, 1) step(reg, size, 2) step(reg, size, 3) \
		step(reg, size, 4) step(reg, size, 5) step(reg, size, 6) step(reg, size, 7)

#if defined(__x86_64__)
#define AT(array, size, r) " " #size "*" #r "(%[" array "],%[i])"

#define SSE_READ(reg, size, r)  "movaps" AT("a", size, r) ", %%xmm" #r "\n\t"
#define SSE_WRITE(reg, size, r) "movaps %%xmm" #r "," AT("to", size, r) "\n\t"
#define SSE_COPY(reg, size, r)  SSE_READ(reg, size, r) SSE_WRITE(reg, size, r)
#define SSE_TRIAD(reg, size, r)                                                     \
	"movaps" AT("b", size, r) ", %%xmm" #r "\n\tmulpd %%xmm15, %%xmm" #r "\n\t" \
				  "addpd" AT("a", size, r) ", %%xmm" #r             \
							   "\n\t" SSE_WRITE(reg, size, r)

#define AVX_READ(reg, size, r)  "vmovaps" AT("a", size, r) ", %%" reg #r "\n\t"
#define AVX_WRITE(reg, size, r) "vmovaps %%" reg #r "," AT("to", size, r) "\n\t"
#define AVX_COPY(reg, size, r)  AVX_READ(reg, size, r) AVX_WRITE(reg, size, r)
#define AVX_TRIAD(reg, size, r)                                                         \
	"vmulpd" AT("b", size, r) ", %%" reg "15, %%" reg #r "\n\t"                     \
				  "vaddpd" AT("a", size, r) ", %%" reg #r ", %%" reg #r \
							    "\n\t" AVX_WRITE(reg, size, r)

/* @end: the upper halves are given back, or SSE would wait for them */
#define LOOP(name, step, move, reg, size, end)                                                     \
	static void name(const struct streams *at, size_t from, size_t length, size_t times)       \
	{                                                                                          \
		ptrdiff_t first = -(ptrdiff_t)length, i = first;                                   \
		size_t past = from + length;                                                       \
                                                                                                   \
		__asm__ volatile(                                                                  \
			move " (%[factor]), %%" reg "15\n\t.p2align 5\n1:\n\t" EACH(               \
				step, reg,                                                         \
				size) "add $8*" #size ", %[i]\n\tjne 1b\n\t"                       \
				      "mov %[first], %[i]\n\tdec %[times]\n\tjne 1b\n\t" end       \
			: [i] "+&r"(i), [times] "+&r"(times)                                       \
			: [a] "r"(at->a + past), [b] "r"(at->b + past), [to] "r"(at->to + past),   \
			  [first] "r"(first), [factor] "r"(factors)                                \
			: "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm15", \
			  "cc", "memory");                                                         \
	}

LOOP(read_sse, SSE_READ, "movaps", "xmm", 16, "")
LOOP(copy_sse, SSE_COPY, "movaps", "xmm", 16, "")
LOOP(triad_sse, SSE_TRIAD, "movaps", "xmm", 16, "")
LOOP(read_avx, AVX_READ, "vmovaps", "ymm", 32, "vzeroupper")
LOOP(copy_avx, AVX_COPY, "vmovaps", "ymm", 32, "vzeroupper")
LOOP(triad_avx, AVX_TRIAD, "vmovaps", "ymm", 32, "vzeroupper")
LOOP(read_avx512, AVX_READ, "vmovaps", "zmm", 64, "vzeroupper")
LOOP(copy_avx512, AVX_COPY, "vmovaps", "zmm", 64, "vzeroupper")
LOOP(triad_avx512, AVX_TRIAD, "vmovaps", "zmm", 64, "vzeroupper")

/* The system has to keep the registers, too; these ask for that. */
static bool has_avx(void)
{
	return __builtin_cpu_supports("avx");
}

static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f");
}
#else
#define AT(array, size, r) "[%[" array "], #" #size "*" #r "]\n\t"
#define READ(reg, size, r) "ldr q" #r ", " AT("a", size, r)
#define COPY(reg, size, r) READ(reg, size, r) "str q" #r ", " AT("to", size, r)
#define TRIAD(reg, size, r)                                                \
	READ(reg, size, r)                                                 \
	"ldr q16, " AT("b", size, r) "fmla v" #r ".2d, v16.2d, v17.2d\n\t" \
				     "str q" #r ", " AT("to", size, r)

#define SVE_AT(array, r)       "[%[" array "], #" #r ", mul vl]\n\t"
#define SVE_READ(reg, size, r) "ldr z" #r ", " SVE_AT("a", r)
#define SVE_COPY(reg, size, r) SVE_READ(reg, size, r) "str z" #r ", " SVE_AT("to", r)
#define SVE_TRIAD(reg, size, r)                                             \
	SVE_READ(reg, size, r)                                              \
	"ldr z16, " SVE_AT("b", r) "fmla z" #r ".d, p0/m, z16.d, z17.d\n\t" \
				   "str z" #r ", " SVE_AT("to", r)

#define LOAD     "ldr q17, [%[factor]]\n\t"
#define SVE_LOAD ".arch_extension sve\n\tptrue p0.b\n\tldr z17, [%[factor]]\n\t"

/* @turn: bytes of an array */
#define LOOP(name, step, load, turn)                                                               \
	static void name(const struct streams *at, size_t from, size_t length, size_t times)       \
	{                                                                                          \
		char *a = at->a + from, *b = at->b + from, *to = at->to + from;                    \
		size_t left = length;                                                              \
                                                                                                   \
		__asm__ volatile(                                                                  \
			load ".p2align 5\n1:\n\t" EACH(                                            \
				step, "",                                                          \
				16) "add %[a], %[a], #" #turn "\n\tadd %[b], %[b], #" #turn "\n\t" \
				    "add %[to], %[to], #" #turn "\n\t"                             \
				    "subs %[left], %[left], #" #turn "\n\t"                        \
				    "b.ne 1b\n\tsub %[a], %[a], %[length]\n\t"                     \
				    "sub %[b], %[b], %[length]\n\tsub %[to], %[to], %[length]\n\t" \
				    "mov %[left], %[length]\n\tsubs %[times], %[times], #1\n\t"    \
				    "b.ne 1b\n\t"                                                  \
			: [a] "+&r"(a), [b] "+&r"(b), [to] "+&r"(to), [left] "+&r"(left),          \
			  [times] "+&r"(times)                                                     \
			: [length] "r"(length), [factor] "r"(factors)                              \
			: "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "p0",      \
			  "cc", "memory");                                                         \
	}

LOOP(read_neon, READ, LOAD, 128)
LOOP(copy_neon, COPY, LOAD, 128)
LOOP(triad_neon, TRIAD, LOAD, 128)
LOOP(read_sve256, SVE_READ, SVE_LOAD, 256)
LOOP(copy_sve256, SVE_COPY, SVE_LOAD, 256)
LOOP(triad_sve256, SVE_TRIAD, SVE_LOAD, 256)
LOOP(read_sve512, SVE_READ, SVE_LOAD, 512)
LOOP(copy_sve512, SVE_COPY, SVE_LOAD, 512)
LOOP(triad_sve512, SVE_TRIAD, SVE_LOAD, 512)
#endif

static bool always(void)
{
	return true;
}

const struct stream_kernel stream_kernels[] = {
#if defined(__x86_64__)
	{ "read", 1, 128, always, read_sse },
	{ "read", 1, 256, has_avx, read_avx },
	{ "read", 1, 512, has_avx512, read_avx512 },
	{ "copy", 2, 128, always, copy_sse },
	{ "copy", 2, 256, has_avx, copy_avx },
	{ "copy", 2, 512, has_avx512, copy_avx512 },
	{ "triad", 3, 128, always, triad_sse },
	{ "triad", 3, 256, has_avx, triad_avx },
	{ "triad", 3, 512, has_avx512, triad_avx512 },
#else
	{ "read", 1, 128, always, read_neon },
	{ "read", 1, 256, has_sve256, read_sve256 },
	{ "read", 1, 512, has_sve512, read_sve512 },
	{ "copy", 2, 128, always, copy_neon },
	{ "copy", 2, 256, has_sve256, copy_sve256 },
	{ "copy", 2, 512, has_sve512, copy_sve512 },
	{ "triad", 3, 128, always, triad_neon },
	{ "triad", 3, 256, has_sve256, triad_sve256 },
	{ "triad", 3, 512, has_sve512, triad_sve512 },
#endif
	{ .kind = NULL },
};

bool streams_best(const struct stream_kernel *kernel)
{
	if (!kernel->is_there())
		return false;
	for (const struct stream_kernel *next = kernel + 1;
	     next->kind && !strcmp(next->kind, kernel->kind); next++)
		if (next->is_there())
			return false;
	return true;
}

/* --- what is in the arrays: whole numbers, of which sums and products are exact --- */

static double in_a(size_t i)
{
	return (double)(i % PERIOD);
}

static double in_b(size_t i)
{
	return (double)(PERIOD - i % PERIOD);
}

static double *element(char *array, size_t i)
{
	return (double *)(void *)array + i;
}

void streams_fill(const struct streams *at)
{
	/* where there are fewer arrays, some are the same */
	for (size_t i = 0; i < at->bytes / sizeof(double); i++) {
		*element(at->to, i) = -1;
		*element(at->b, i) = in_b(i);
		*element(at->a, i) = in_a(i);
	}
}

bool streams_right(const struct stream_kernel *kernel, const struct streams *at, size_t from,
		   size_t length)
{
	size_t first = from / sizeof(double), n = length / sizeof(double);

	if (kernel->arrays == 1)
		return true;
	for (size_t i = first; i < first + n; i++)
		if (*element(at->to, i) != in_a(i) + (kernel->arrays == 3 ? FACTOR * in_b(i) : 0))
			return false;
	return true;
}
