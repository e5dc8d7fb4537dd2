/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy, scale, add and triad: what memory moves.  After McCalpin's STREAM (1995): one array is
 * written from one or two others, front to back.  A byte is counted as it is in STREAM: what the
 * program loads and stores, not what a cache fetches before a store.
 */
#include "bench/kernels/kernels.h"

#include <string.h>

#define TURN   8     /* elements a turn of a loop: a cache line */
#define LEAST  16384 /* elements a pass, at least: small arrays are gone through more than once */
#define FACTOR 3.0
/* bytes between arrays beyond their size: no two of them at the same place of a page */
#define APART 1088

/*
 * All write the last, so that every pass reads the same.  share->state is how many there are; of
 * two, b is the last, too.
 */
struct arrays {
	double *a, *b, *to;
};

static struct arrays arrays_of(const struct share *share)
{
	size_t each = share->n * sizeof(double) + APART;
	char *memory = share->memory;

	return (struct arrays){ (double *)(void *)memory, (double *)(void *)(memory + each),
				(double *)(void *)(memory + (share->state - 1) * each) };
}

static int prepare(struct share *share, int n_arrays)
{
	struct arrays at;

	share->n = share->bytes / sizeof(double) / (size_t)n_arrays / TURN * TURN;
	if (share->n < TURN)
		share->n = TURN;
	if (!share_memory(share, (size_t)n_arrays * share->n * sizeof(double),
			  (size_t)n_arrays * APART))
		return -1;
	share->state = (uint64_t)n_arrays;
	at = arrays_of(share);
	for (size_t i = 0; i < share->n; i++) {
		at.a[i] = (double)(i + 1);
		at.to[i] = 0;
	}
	for (size_t i = 0; n_arrays > 2 && i < share->n; i++)
		at.b[i] = 0.5 * (double)i;
	return 0;
}

static int prepare_two(struct share *share)
{
	return prepare(share, 2);
}

static int prepare_three(struct share *share)
{
	return prepare(share, 3);
}

/* A line a turn; @i goes from -bytes to 0, so that it is counted and compared in one. */
#if defined(__x86_64__)
#define LOAD(array, r, at)  "movaps " #at "(%[" #array "],%[i]), %%xmm" #r "\n\t"
#define STORE(array, r, at) "movaps %%xmm" #r ", " #at "(%[" #array "],%[i])\n\t"
#define TIMES(r)            "mulpd %%xmm7, %%xmm" #r "\n\t"
#define PLUS(array, r, at)  "addpd " #at "(%[" #array "],%[i]), %%xmm" #r "\n\t"
#define LINE(step)          step(0, 0) step(1, 16) step(2, 32) step(3, 48)
#define LOOP(body)                                                                             \
	do {                                                                                   \
		ptrdiff_t start = -(ptrdiff_t)(share->n * sizeof(double)), i = start;          \
		size_t left = passes_over(share->n, LEAST);                                    \
		double factor = FACTOR;                                                        \
                                                                                               \
		__asm__ volatile(                                                              \
			"movsd %[factor], %%xmm7\n\tunpcklpd %%xmm7, %%xmm7\n"                 \
			".p2align 5\n1:\n\t" body "add $64, %[i]\n\tjne 1b\n\t"                \
			"mov %[start], %[i]\n\tsub $1, %[left]\n\tjne 1b"                      \
			: [i] "+&r"(i), [left] "+&r"(left)                                     \
			: [a] "r"(at.a + share->n), [b] "r"(at.b + share->n),                  \
			  [to] "r"(at.to + share->n), [start] "r"(start), [factor] "m"(factor) \
			: "xmm0", "xmm1", "xmm2", "xmm3", "xmm7", "cc", "memory");             \
	} while (0)
#define SWEEP_END    3 /* instructions */
#define COPY(r, at)  LOAD(a, r, at) STORE(to, r, at)
#define SCALE(r, at) LOAD(a, r, at) TIMES(r) STORE(to, r, at)
#define ADD(r, at)   LOAD(a, r, at) PLUS(b, r, at) STORE(to, r, at)
#define TRIAD(r, at) LOAD(a, r, at) TIMES(r) PLUS(b, r, at) STORE(to, r, at)
#else
#define LOAD(array, r)  "ldp q" #r "0, q" #r "1, [%[" #array "]], #32\n\t"
#define STORE(array, r) "stp q" #r "0, q" #r "1, [%[" #array "]], #32\n\t"
#define TIMES(r)        "fmul v" #r "0.2d, v" #r "0.2d, v7.2d\n\tfmul v" #r "1.2d, v" #r "1.2d, v7.2d\n\t"
#define PLUS(array, r)                                                                      \
	"ldp q" #r "2, q" #r "3, [%[" #array "]], #32\n\t"                                  \
	"fadd v" #r "0.2d, v" #r "0.2d, v" #r "2.2d\n\tfadd v" #r "1.2d, v" #r "1.2d, v" #r \
	"3.2d\n\t"
#define LINE(step) step(1) step(2)
#define LOOP(body)                                                                            \
	do {                                                                                  \
		size_t i = share->n, left = passes_over(share->n, LEAST);                     \
		double factor = FACTOR;                                                       \
                                                                                              \
		__asm__ volatile(                                                             \
			"dup v7.2d, %[factor].d[0]\n"                                         \
			".p2align 5\n1:\n\t" body "subs %[i], %[i], #8\n\tb.ne 1b\n\t"        \
			"mov %[i], %[n]\n\tsub %[a], %[a], %[n], lsl #3\n\t"                  \
			"sub %[b], %[b], %[n], lsl #3\n\tsub %[to], %[to], %[n], lsl #3\n\t"  \
			"subs %[left], %[left], #1\n\tb.ne 1b"                                \
			: [i] "+&r"(i), [left] "+&r"(left), [a] "+&r"(at.a), [b] "+&r"(at.b), \
			  [to] "+&r"(at.to)                                                   \
			: [n] "r"(share->n), [factor] "w"(factor)                             \
			: "v7", "v10", "v11", "v12", "v13", "v20", "v21", "v22", "v23", "cc", \
			  "memory");                                                          \
	} while (0)
#define SWEEP_END 6 /* instructions */
#define COPY(r)   LOAD(a, r) STORE(to, r)
#define SCALE(r)  LOAD(a, r) TIMES(r) STORE(to, r)
#define ADD(r)    LOAD(a, r) PLUS(b, r) STORE(to, r)
#define TRIAD(r)  LOAD(a, r) TIMES(r) PLUS(b, r) STORE(to, r)
#endif

static void pass_copy(struct share *share)
{
	struct arrays at = arrays_of(share);

	LOOP(LINE(COPY));
}

static void pass_scale(struct share *share)
{
	struct arrays at = arrays_of(share);

	LOOP(LINE(SCALE));
}

static void pass_add(struct share *share)
{
	struct arrays at = arrays_of(share);

	LOOP(LINE(ADD));
}

static void pass_triad(struct share *share)
{
	struct arrays at = arrays_of(share);

	LOOP(LINE(TRIAD));
}

/* --- the model --- */

/* @turn: instructions of a turn; @loads and @stores of it; @arrays that it reads */
static void model_turns(const struct share *share, int turn, int loads, int stores, int arrays,
			struct model *model)
{
	double sweeps = (double)passes_over(share->n, LEAST), n = sweeps * (double)share->n,
	       turns = n / TURN;

	*model = (struct model){
		.iterations = n,
		.work = n * sizeof(double) * (arrays + 1),
		.instructions = turns * turn + sweeps * SWEEP_END,
		.branches = turns + sweeps,
		.loads = turns * loads,
		.stores = turns * stores,
		.lines = turns * (arrays + 1), /* a line is fetched before it is written to, too */
	};
}

static void model_copy(const struct share *share, struct model *model)
{
	model_turns(share, BY_ARCH(10, 6), BY_ARCH(4, 2), BY_ARCH(4, 2), 1, model);
}

static void model_scale(const struct share *share, struct model *model)
{
	model_turns(share, BY_ARCH(14, 10), BY_ARCH(4, 2), BY_ARCH(4, 2), 1, model);
}

static void model_add(const struct share *share, struct model *model)
{
	model_turns(share, BY_ARCH(14, 12), BY_ARCH(8, 4), BY_ARCH(4, 2), 2, model);
}

static void model_triad(const struct share *share, struct model *model)
{
	model_turns(share, BY_ARCH(18, 16), BY_ARCH(8, 4), BY_ARCH(4, 2), 2, model);
}

/* --- the result: whole numbers and halves, which are exact --- */

static bool check(const struct share *share, double of_a, double of_b)
{
	struct arrays at = arrays_of(share);

	for (size_t i = 0; i < share->n; i++)
		if (at.to[i] != of_a * (double)(i + 1) + of_b * 0.5 * (double)i)
			return false;
	return true;
}

static bool check_copy(const struct share *share, uint64_t passes)
{
	return check(share, passes > 0, 0);
}

static bool check_scale(const struct share *share, uint64_t passes)
{
	return check(share, passes > 0 ? FACTOR : 0, 0);
}

static bool check_add(const struct share *share, uint64_t passes)
{
	return check(share, passes > 0, passes > 0);
}

static bool check_triad(const struct share *share, uint64_t passes)
{
	return check(share, passes > 0 ? FACTOR : 0, passes > 0);
}

const struct kernel kernel_copy = {
	.name = "copy",
	.about = "c = a: what memory moves",
	.unit = "B",
	.bytes = 256 << 20,
	.prepare = prepare_two,
	.pass = pass_copy,
	.model = model_copy,
	.check = check_copy,
};

const struct kernel kernel_scale = {
	.name = "scale",
	.about = "c = 3 a: and a multiplication",
	.unit = "B",
	.bytes = 256 << 20,
	.prepare = prepare_two,
	.pass = pass_scale,
	.model = model_scale,
	.check = check_scale,
};

const struct kernel kernel_add = {
	.name = "add",
	.about = "c = a + b: two arrays are read, one is written",
	.unit = "B",
	.bytes = 256 << 20,
	.prepare = prepare_three,
	.pass = pass_add,
	.model = model_add,
	.check = check_add,
};

const struct kernel kernel_triad = {
	.name = "triad",
	.about = "c = 3 a + b: the usual measure of memory bandwidth",
	.unit = "B",
	.bytes = 256 << 20,
	.prepare = prepare_three,
	.pass = pass_triad,
	.model = model_triad,
	.check = check_triad,
};
