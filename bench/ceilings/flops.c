/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/ceilings/flops.h"

#include <stddef.h>
#include <string.h>

#include "bench/kernels/kernel.h"
#ifdef __aarch64__
#include "bench/ceilings/sve.h"
#endif

#define VECTOR 64 /* bytes of the widest */

/* A turn adds their product. */
static const double three_double[] __attribute__((aligned(VECTOR))) = { 3, 3, 3, 3, 3, 3, 3, 3 };
static const double half_double[]
	__attribute__((aligned(VECTOR))) = { .5, .5, .5, .5, .5, .5, .5, .5 };
static const float three_float[]
	__attribute__((aligned(VECTOR))) = { 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3 };
static const float half_float[]
	__attribute__((aligned(VECTOR))) = { .5, .5, .5, .5, .5, .5, .5, .5,
					     .5, .5, .5, .5, .5, .5, .5, .5 };

/* Whole multiples of a half, far below 2^53: exact. */
static double add_double(const double *sum, size_t n)
{
	double all = 0;

	for (size_t i = 0; i < n; i++)
		all += sum[i];
	return all;
}

static double add_float(const float *sum, size_t n)
{
	double all = 0;

	for (size_t i = 0; i < n; i++)
		all += (double)sum[i];
	return all;
}

#if defined(__x86_64__)
/*
 * Twelve sums: two units that take four cycles for a multiply-add are busy with eight.  Registers
 * 13 and 14 have the factors, 15 the product where that is an instruction of its own.
 */
#define N_SUMS 12
#define EACH(step, op, reg)                                                                  \
	step(op, reg, 0) step(op, reg, 1) step(op, reg, 2) step(op, reg, 3) step(op, reg, 4) \
		step(op, reg, 5) step(op, reg, 6) step(op, reg, 7) step(op, reg, 8)          \
			step(op, reg, 9) step(op, reg, 10) step(op, reg, 11)
#define FUSED(op, reg, r) "vfmadd231" op " %%" reg "13, %%" reg "14, %%" reg #r "\n\t"
#define AVX(op, reg, r)                                        \
	"vmul" op " %%" reg "13, %%" reg "14, %%" reg "15\n\t" \
	"vadd" op " %%" reg "15, %%" reg #r ", %%" reg #r "\n\t"
#define SSE(op, reg, r)                                                                        \
	"movaps %%xmm13, %%xmm15\n\tmul" op " %%xmm14, %%xmm15\n\tadd" op " %%xmm15, %%xmm" #r \
	"\n\t"
/* instructions of a step, and of a turn's end */
#define FUSED_STEP 1
#define AVX_STEP   2
#define SSE_STEP   3
#define TURN_END   2

#define SSE_ZERO(op, reg, r)  "xorps %%xmm" #r ", %%xmm" #r "\n\t"
#define SSE_STORE(op, reg, r) "movups %%xmm" #r ", 16*" #r "(%[sum])\n\t"
/* all of a wider one, too */
#define AVX_ZERO(op, reg, r)  "vxorps %%xmm" #r ", %%xmm" #r ", %%xmm" #r "\n\t"
#define AVX_STORE(op, reg, r) "vmovups %%" reg #r ", %c[bytes]*" #r "(%[sum])\n\t"

/* @end: the upper halves are given back, or SSE would wait for them */
#define KERNEL(name, type, step, op, reg, size, isa, move, end)                                   \
	static double name(uint64_t turns)                                                        \
	{                                                                                         \
		type sum[N_SUMS * (size) / sizeof(type)];                                         \
                                                                                                  \
		__asm__ volatile(                                                                 \
			EACH(isa##_ZERO, op, reg) move                                            \
			" (%[three]), %%" reg "13\n\t" move " (%[half]), %%" reg                  \
			"14\n\t.p2align 5\n1:\n\t" EACH(                                          \
				step, op, reg) "dec %[turns]\n\tjne 1b\n\t" EACH(isa##_STORE, op, \
										 reg) end         \
			: [turns] "+&r"(turns)                                                    \
			: [three] "r"(three_##type), [half] "r"(half_##type), [sum] "r"(sum),     \
			  [bytes] "i"(size)                                                       \
			: "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", \
			  "xmm9", "xmm10", "xmm11", "xmm13", "xmm14", "xmm15", "cc", "memory");   \
		return add_##type(sum, N_SUMS * (size) / sizeof(type));                           \
	}

#define SSE_KERNEL(name, type, op) KERNEL(name, type, SSE, op, "xmm", 16, SSE, "movups", "")
#define AVX_KERNEL(name, type, step, op, reg, size) \
	KERNEL(name, type, step, op, reg, size, AVX, "vmovups", "vzeroupper")

SSE_KERNEL(sse_sd, double, "sd")
SSE_KERNEL(sse_ss, float, "ss")
SSE_KERNEL(sse_pd, double, "pd")
SSE_KERNEL(sse_ps, float, "ps")
AVX_KERNEL(avx_pd, double, AVX, "pd", "ymm", 32)
AVX_KERNEL(avx_ps, float, AVX, "ps", "ymm", 32)
AVX_KERNEL(fma_sd, double, FUSED, "sd", "xmm", 16)
AVX_KERNEL(fma_ss, float, FUSED, "ss", "xmm", 16)
AVX_KERNEL(fma_pd, double, FUSED, "pd", "xmm", 16)
AVX_KERNEL(fma_ps, float, FUSED, "ps", "xmm", 16)
AVX_KERNEL(fma_pd256, double, FUSED, "pd", "ymm", 32)
AVX_KERNEL(fma_ps256, float, FUSED, "ps", "ymm", 32)
AVX_KERNEL(fma_pd512, double, FUSED, "pd", "zmm", 64)
AVX_KERNEL(fma_ps512, float, FUSED, "ps", "zmm", 64)

/* The system has to keep the registers, too; these ask for that. */
static bool always(void)
{
	return true;
}

static bool has_avx(void)
{
	return __builtin_cpu_supports("avx");
}

static bool has_fma(void)
{
	return __builtin_cpu_supports("avx") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f");
}

#define ROW(name, precision, bits, lanes, step, is_there)                                         \
	{                                                                                         \
		precision, bits, step##_STEP == 1, N_SUMS, lanes, N_SUMS *step##_STEP + TURN_END, \
			is_there, name                                                            \
	}

const struct flops_kernel flops_kernels[] = {
	ROW(sse_sd, "double", 0, 1, SSE, always),
	ROW(fma_sd, "double", 0, 1, FUSED, has_fma),
	ROW(sse_pd, "double", 128, 2, SSE, always),
	ROW(fma_pd, "double", 128, 2, FUSED, has_fma),
	ROW(avx_pd, "double", 256, 4, AVX, has_avx),
	ROW(fma_pd256, "double", 256, 4, FUSED, has_fma),
	ROW(fma_pd512, "double", 512, 8, FUSED, has_avx512),
	ROW(sse_ss, "single", 0, 1, SSE, always),
	ROW(fma_ss, "single", 0, 1, FUSED, has_fma),
	ROW(sse_ps, "single", 128, 4, SSE, always),
	ROW(fma_ps, "single", 128, 4, FUSED, has_fma),
	ROW(avx_ps, "single", 256, 8, AVX, has_avx),
	ROW(fma_ps256, "single", 256, 8, FUSED, has_fma),
	ROW(fma_ps512, "single", 512, 16, FUSED, has_avx512),
	{ .precision = NULL },
};
#else
/* Twenty-four sums: four units that take four cycles are busy with sixteen. */
#define N_SUMS 24
#define EACH(step, type)                                                                           \
	step(type, 0) step(type, 1) step(type, 2) step(type, 3) step(type, 4) step(type, 5)        \
		step(type, 6) step(type, 7) step(type, 8) step(type, 9) step(type, 10)             \
			step(type, 11) step(type, 12) step(type, 13) step(type, 14) step(type, 15) \
				step(type, 16) step(type, 17) step(type, 18) step(type, 19)        \
					step(type, 20) step(type, 21) step(type, 22)               \
						step(type, 23)
#define SCALAR(type, r)    "fmadd " type #r ", " type "30, " type "31, " type #r "\n\t"
#define NEON(type, r)      "fmla v" #r "." type ", v30." type ", v31." type "\n\t"
#define SVE(type, r)       "fmla z" #r "." type ", p0/m, z30." type ", z31." type "\n\t"
/* of a longer one, all */
#define ZERO(type, r)      "movi v" #r ".2d, #0\n\t"
#define STORE(type, r)     "str q" #r ", [%[sum], #16*" #r "]\n\t"
#define SVE_STORE(type, r) "str z" #r ", [%[sum], #" #r ", mul vl]\n\t"
#define TURN_END           2

#define LOAD "ldr q30, [%[three]]\n\tldr q31, [%[half]]\n\t"
#define SVE_LOAD \
	".arch_extension sve\n\tptrue p0.b\n\tldr z30, [%[three]]\n\tldr z31, [%[half]]\n\t"

#define KERNEL(name, type, size, step, op, load, store)                                            \
	static double name(uint64_t turns)                                                         \
	{                                                                                          \
		type sum[N_SUMS * (size) / sizeof(type)];                                          \
                                                                                                   \
		__asm__ volatile(                                                                  \
			EACH(ZERO, op) load ".p2align 5\n1:\n\t" EACH(                             \
				step, op) "subs %[turns], %[turns], #1\n\tb.ne 1b\n\t" EACH(store, \
											    op)    \
			: [turns] "+&r"(turns)                                                     \
			: [three] "r"(three_##type), [half] "r"(half_##type), [sum] "r"(sum)       \
			: "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10",       \
			  "v11", "v12", "v13", "v14", "v15", "v16", "v17", "v18", "v19", "v20",    \
			  "v21", "v22", "v23", "v30", "v31", "p0", "cc", "memory");                \
		return add_##type(sum, N_SUMS * (size) / sizeof(type));                            \
	}

KERNEL(fmadd_d, double, 16, SCALAR, "d", LOAD, STORE)
KERNEL(fmadd_s, float, 16, SCALAR, "s", LOAD, STORE)
KERNEL(fmla_2d, double, 16, NEON, "2d", LOAD, STORE)
KERNEL(fmla_4s, float, 16, NEON, "4s", LOAD, STORE)
KERNEL(sve_d256, double, 32, SVE, "d", SVE_LOAD, SVE_STORE)
KERNEL(sve_s256, float, 32, SVE, "s", SVE_LOAD, SVE_STORE)
KERNEL(sve_d512, double, 64, SVE, "d", SVE_LOAD, SVE_STORE)
KERNEL(sve_s512, float, 64, SVE, "s", SVE_LOAD, SVE_STORE)

static bool always(void)
{
	return true;
}

#define ROW(name, precision, bits, lanes, is_there)                                     \
	{                                                                               \
		precision, bits, true, N_SUMS, lanes, N_SUMS + TURN_END, is_there, name \
	}

const struct flops_kernel flops_kernels[] = {
	ROW(fmadd_d, "double", 0, 1, always),
	ROW(fmla_2d, "double", 128, 2, always),
	ROW(sve_d256, "double", 256, 4, has_sve256),
	ROW(sve_d512, "double", 512, 8, has_sve512),
	ROW(fmadd_s, "single", 0, 1, always),
	ROW(fmla_4s, "single", 128, 4, always),
	ROW(sve_s256, "single", 256, 8, has_sve256),
	ROW(sve_s512, "single", 512, 16, has_sve512),
	{ .precision = NULL },
};
#endif

bool flops_best(const struct flops_kernel *kernel)
{
	const struct flops_kernel *next = kernel + 1;

	if (!kernel->is_there())
		return false;
	return !next->precision || strcmp(next->precision, kernel->precision) != 0 ||
	       next->vector_bits != kernel->vector_bits || !next->is_there();
}
