/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * matmul and matmul-blocked: C += A B of square matrices, the same operations in two orders.  The
 * one goes down a column of B for each element of C, a cache line for every eight bytes that it
 * uses; the other makes 2 by 8 elements of C at once in registers, from whole lines of a panel of B
 * that stays in the cache.
 */
#include "bench/kernels/kernels.h"

#define TILE_ROWS    2
#define TILE_COLUMNS 8 /* a cache line */
/* bytes between the matrices beyond their size: never at the same place of a page */
#define APART      1088
#define N_MATRICES 3
/*
 * Products of a pass, at least: small matrices are multiplied more than once, or what leads to the
 * loop would count.
 */
#define LEAST 16384

static size_t matrix_bytes(size_t n)
{
	return n * row_pitch(n) * sizeof(double);
}

struct matrices {
	double *a, *b, *c;
};

static struct matrices matrices_of(const struct share *share)
{
	size_t each = matrix_bytes(share->n) + APART;
	char *memory = share->memory;

	return (struct matrices){ (double *)(void *)memory, (double *)(void *)(memory + each),
				  (double *)(void *)(memory + 2 * each) };
}

/* How many times a pass multiplies. */
static size_t rounds(const struct share *share)
{
	return 1 + LEAST / (share->n * share->n * share->n);
}

static int prepare(struct share *share)
{
	size_t n = TILE_COLUMNS;
	struct matrices at;

	while (N_MATRICES * matrix_bytes(n + TILE_COLUMNS) <= share->bytes)
		n += TILE_COLUMNS;
	share->n = n;
	if (!share_memory(share, N_MATRICES * matrix_bytes(n), N_MATRICES * APART))
		return -1;
	at = matrices_of(share);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < row_pitch(n); j++) {
			at.a[i * row_pitch(n) + j] = (double)(i + j);
			at.b[i * row_pitch(n) + j] = (double)i - (double)j;
			at.c[i * row_pitch(n) + j] = 0;
		}
	return 0;
}

/* What the loops are told, in bytes but for n. */
struct sizes {
	size_t n;
	ptrdiff_t first; /* what a row begins at, counted from its end */
	ptrdiff_t row;   /* from a row to the next */
	ptrdiff_t all;   /* from the first row to behind the last */
	ptrdiff_t next;  /* from there to the first row, one element on */
	ptrdiff_t gap;   /* from a row's last element to the next row */
};

static struct sizes sizes_of(const struct share *share)
{
	ptrdiff_t width = (ptrdiff_t)(share->n * sizeof(double));
	ptrdiff_t row = (ptrdiff_t)(row_pitch(share->n) * sizeof(double)),
		  all = row * (ptrdiff_t)share->n;

	return (struct sizes){ .n = share->n,
			       .first = -width,
			       .row = row,
			       .all = all,
			       .next = (ptrdiff_t)sizeof(double) - all,
			       .gap = row - width };
}

/*
 * Loops within loops have one head: what an outer one does comes at its end, and goes back to the
 * same place.  k goes from first to 0, along a row of A and down B.
 */
/* clang-format off: a line holds what belongs together */
#define REGISTER(r) BY_ARCH("xmm" #r, "v" #r)

#if defined(__x86_64__)
#define REST      "rm" /* what is used least need not be in a register: there are few */
#define CLEAR_SUM "xorpd %%xmm1, %%xmm1\n\t"
#define DOWN_COLUMN                                                                     \
	".p2align 5\n1:\n\t"                                                            \
	"movsd (%[a],%[k]), %%xmm0\n\tmulsd (%[b]), %%xmm0\n\taddsd %%xmm0, %%xmm1\n\t" \
	"add %[row], %[b]\n\tadd $8, %[k]\n\tjne 1b\n\t"
#define NEXT_COLUMN                                                                     \
	"addsd (%[c]), %%xmm1\n\tmovsd %%xmm1, (%[c])\n\t" CLEAR_SUM "add $8, %[c]\n\t" \
	"add %[next], %[b]\n\tmov %[first], %[k]\n\tdec %[j]\n\tjne 1b\n\t"
#define NEXT_ROW                                                         \
	"add %[row], %[a]\n\tadd %[gap], %[c]\n\tadd %[first], %[b]\n\t" \
	"mov %[n], %[j]\n\tdec %[i]\n\tjne 1b\n\t"
#define NEXT_ROUND \
	"sub %[all], %[a]\n\tsub %[all], %[c]\n\tmov %[n], %[i]\n\tdec %[times]\n\tjne 1b\n\t"
#else
#define REST      "r"
#define CLEAR_SUM "movi v2.2d, #0\n\t"
#define DOWN_COLUMN                                                          \
	".p2align 5\n1:\n\t"                                                 \
	"ldr d0, [%[a], %[k]]\n\tldr d1, [%[b]]\n\tfmadd d2, d0, d1, d2\n\t" \
	"add %[b], %[b], %[row]\n\tadds %[k], %[k], #8\n\tb.ne 1b\n\t"
#define NEXT_COLUMN                                                             \
	"ldr d0, [%[c]]\n\tfadd d2, d2, d0\n\tstr d2, [%[c]], #8\n\t" CLEAR_SUM \
	"add %[b], %[b], %[next]\n\tmov %[k], %[first]\n\tsubs %[j], %[j], #1\n\tb.ne 1b\n\t"
#define NEXT_ROW                                                                           \
	"add %[a], %[a], %[row]\n\tadd %[c], %[c], %[gap]\n\tadd %[b], %[b], %[first]\n\t" \
	"mov %[j], %[n]\n\tsubs %[i], %[i], #1\n\tb.ne 1b\n\t"
#define NEXT_ROUND                                             \
	"sub %[a], %[a], %[all]\n\tsub %[c], %[c], %[all]\n\t" \
	"mov %[i], %[n]\n\tsubs %[times], %[times], #1\n\tb.ne 1b\n\t"
#endif

/* clang-format on */

static void pass_matmul(struct share *share)
{
	struct matrices at = matrices_of(share);
	struct sizes of = sizes_of(share);
	size_t i = of.n, j = of.n, times = rounds(share);
	double *a = at.a + of.n;
	ptrdiff_t k = of.first;

	__asm__ volatile(CLEAR_SUM DOWN_COLUMN NEXT_COLUMN NEXT_ROW NEXT_ROUND
			 : [i] "+&r"(i), [j] "+&r"(j), [k] "+&r"(k), [times] "+&r"(times),
			   [a] "+&r"(a), [b] "+&r"(at.b), [c] "+&r"(at.c)
			 : [row] "r"(of.row), [first] "r"(of.first), [next] "r"(of.next),
			   [gap] REST(of.gap), [n] REST(of.n), [all] REST(of.all)
			 : REGISTER(0), REGISTER(1), REGISTER(2), "cc", "memory");
}

/*
 * The sums of a tile are in registers 0 to 7, a line of B is in 8 to 11, an element of two rows of
 * A in 12 and 13.
 */
/* clang-format off */
#if defined(__x86_64__)
#define EACH(part)	   part(0, 8, 4, 0) part(1, 9, 5, 16) part(2, 10, 6, 32) part(3, 11, 7, 48)
#define CLEAR(r, b, s, at) "xorpd %%xmm" #r ", %%xmm" #r "\n\txorpd %%xmm" #s ", %%xmm" #s "\n\t"
#define LINE(r, b, s, at)  "movapd " #at "(%[b]), %%xmm" #b "\n\t"
#define STEP(r, b, s, at)                                                                         \
	"movapd %%xmm" #b ", %%xmm14\n\tmulpd %%xmm12, %%xmm14\n\taddpd %%xmm14, %%xmm" #r "\n\t" \
	"mulpd %%xmm13, %%xmm" #b "\n\taddpd %%xmm" #b ", %%xmm" #s "\n\t"
#define STORE(r, b, s, at)                                                                  \
	"addpd " #at "(%[c]), %%xmm" #r "\n\tmovapd %%xmm" #r ", " #at "(%[c])\n\t"         \
	"addpd " #at "(%[c],%[row]), %%xmm" #s "\n\tmovapd %%xmm" #s ", " #at "(%[c],%[row])\n\t"
#define DOWN_PANEL                                                                          \
	".p2align 5\n1:\n\t" EACH(LINE)                                                     \
	"movsd (%[a],%[k]), %%xmm12\n\tunpcklpd %%xmm12, %%xmm12\n\t"                       \
	"movsd (%[below],%[k]), %%xmm13\n\tunpcklpd %%xmm13, %%xmm13\n\t" EACH(STEP)        \
	"add %[row], %[b]\n\tadd $8, %[k]\n\tjne 1b\n\t"
#define NEXT_TILE                                                                                     \
	EACH(STORE) EACH(CLEAR) "add %[rows], %[a]\n\tadd %[rows], %[below]\n\tadd %[rows], %[c]\n\t" \
	"sub %[all], %[b]\n\tmov %[first], %[k]\n\tdec %[i]\n\tjne 1b\n\t"
#define NEXT_PANEL                                                                          \
	"sub %[all], %[a]\n\tsub %[all], %[below]\n\tsub %[all], %[c]\n\t"                  \
	"add $64, %[c]\n\tadd $64, %[b]\n\tmov %[half], %[i]\n\tdec %[j]\n\tjne 1b\n\t"
#define NEXT_PRODUCT                                                                        \
	"add %[first], %[c]\n\tadd %[first], %[b]\n\tmov %[eighth], %[j]\n\tdec %[times]\n\tjne 1b\n\t"
#else
#define EACH(part) part(0, 8, 4) part(1, 9, 5) part(2, 10, 6) part(3, 11, 7)
#define STORE(r, s, t, u)                                                                   \
	"ldp q8, q9, [%[c]]\n\tldp q10, q11, [%[c], #32]\n\t"                               \
	"fadd v" #r ".2d, v" #r ".2d, v8.2d\n\tfadd v" #s ".2d, v" #s ".2d, v9.2d\n\t"      \
	"fadd v" #t ".2d, v" #t ".2d, v10.2d\n\tfadd v" #u ".2d, v" #u ".2d, v11.2d\n\t"    \
	"stp q" #r ", q" #s ", [%[c]]\n\tstp q" #t ", q" #u ", [%[c], #32]\n\t"             \
	"add %[c], %[c], %[row]\n\t"
#define CLEAR(r, b, s) "movi v" #r ".2d, #0\n\tmovi v" #s ".2d, #0\n\t"
#define STEP(r, b, s)                                                                       \
	"fmla v" #r ".2d, v" #b ".2d, v12.d[0]\n\tfmla v" #s ".2d, v" #b ".2d, v13.d[0]\n\t"
#define DOWN_PANEL                                                                          \
	".p2align 5\n1:\n\t"                                                                \
	"ldp q8, q9, [%[b]]\n\tldp q10, q11, [%[b], #32]\n\tadd %[b], %[b], %[row]\n\t"     \
	"ldr d12, [%[a], %[k]]\n\tldr d13, [%[below], %[k]]\n\t" EACH(STEP)                 \
	"adds %[k], %[k], #8\n\tb.ne 1b\n\t"
#define NEXT_TILE                                                                                  \
	STORE(0, 1, 2, 3) STORE(4, 5, 6, 7) EACH(CLEAR)                                            \
	"add %[a], %[a], %[rows]\n\tadd %[below], %[below], %[rows]\n\tsub %[b], %[b], %[all]\n\t" \
	"mov %[k], %[first]\n\tsubs %[i], %[i], #1\n\tb.ne 1b\n\t"
#define NEXT_PANEL                                                                               \
	"sub %[a], %[a], %[all]\n\tsub %[below], %[below], %[all]\n\tsub %[c], %[c], %[all]\n\t" \
	"add %[c], %[c], #64\n\tadd %[b], %[b], #64\n\t"                                         \
	"mov %[i], %[half]\n\tsubs %[j], %[j], #1\n\tb.ne 1b\n\t"
#define NEXT_PRODUCT                                                                        \
	"add %[c], %[c], %[first]\n\tadd %[b], %[b], %[first]\n\t"                          \
	"mov %[j], %[eighth]\n\tsubs %[times], %[times], #1\n\tb.ne 1b\n\t"
#endif

/* clang-format on */

static void pass_matmul_blocked(struct share *share)
{
	struct matrices at = matrices_of(share);
	struct sizes of = sizes_of(share);
	size_t half = of.n / TILE_ROWS, eighth = of.n / TILE_COLUMNS;
	size_t i = half, j = eighth, times = rounds(share);
	double *a = at.a + of.n, *below = a + row_pitch(of.n);
	ptrdiff_t rows = TILE_ROWS * of.row, k = of.first;

	__asm__ volatile(EACH(CLEAR) DOWN_PANEL NEXT_TILE NEXT_PANEL NEXT_PRODUCT
			 : [i] "+&r"(i), [j] "+&r"(j), [k] "+&r"(k), [times] "+&r"(times),
			   [a] "+&r"(a), [below] "+&r"(below), [b] "+&r"(at.b), [c] "+&r"(at.c)
			 : [row] "r"(of.row), [rows] "r"(rows), [first] "r"(of.first),
			   [all] "r"(of.all), [half] REST(half), [eighth] REST(eighth)
			 : REGISTER(0), REGISTER(1), REGISTER(2), REGISTER(3), REGISTER(4),
			   REGISTER(5), REGISTER(6), REGISTER(7), REGISTER(8), REGISTER(9),
			   REGISTER(10), REGISTER(11), REGISTER(12), REGISTER(13), REGISTER(14),
			   "cc", "memory");
}

/* --- the model --- */

/*
 * Each level: what is within it, once per turn, and its own end.  The lines are of a cache in which
 * a panel of B fits, a line of each of n rows, and a matrix does not: B comes anew for each row of
 * C...
 */
static void model_matmul(const struct share *share, struct model *model)
{
	double n = (double)share->n, times = (double)rounds(share);
	double steps = times * n * n * n, columns = times * n * n, rows = times * n;

	*model = (struct model){
		.iterations = steps,
		.work = 2 * steps,
		.instructions = 6 * steps + 8 * columns + 6 * rows + 5 * times,
		.branches = steps + columns + rows + times,
		.loads = 2 * steps + columns,
		.stores = columns,
		.lines = (steps + 2 * columns) / TILE_COLUMNS,
	};
}

/*
 * ... and here A does for each panel.  A step is one of the loop: TILE_ROWS by TILE_COLUMNS
 * products.
 */
static void model_matmul_blocked(const struct share *share, struct model *model)
{
	double n = (double)share->n, times = (double)rounds(share);
	double panels = times * n / TILE_COLUMNS, tiles = panels * n / TILE_ROWS, steps = tiles * n;

	*model = (struct model){
		.iterations = steps * TILE_ROWS * TILE_COLUMNS,
		.work = 2 * steps * TILE_ROWS * TILE_COLUMNS,
		.instructions = BY_ARCH(31, 15) * steps + BY_ARCH(31, 32) * tiles + 8 * panels +
				5 * times,
		.branches = steps + tiles + panels + times,
		.loads = BY_ARCH(6, 4) * steps + BY_ARCH(8, 4) * tiles,
		.stores = BY_ARCH(8, 4) * tiles,
		.lines = panels * (n * n / TILE_COLUMNS + 2 * n),
	};
}

/*
 * --- the result: each time the sum over k of (i + k) (k - j); whole numbers, exact to 2^53, which
 * takes weeks ---
 */

static bool check(const struct share *share, uint64_t passes)
{
	struct matrices at = matrices_of(share);
	size_t n = share->n, pitch = row_pitch(n);
	int64_t times = (int64_t)(passes * rounds(share));
	int64_t all = (int64_t)n, sum = all * (all - 1) / 2,
		squares = (all - 1) * all * (2 * all - 1) / 6;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < pitch; j++) {
			int64_t row = (int64_t)i, column = (int64_t)j;
			int64_t want = squares + (row - column) * sum - all * row * column;

			if (at.c[i * pitch + j] != (j < n ? (double)(want * times) : 0))
				return false;
		}
	return true;
}

const struct kernel kernel_matmul = {
	.name = "matmul",
	.about = "C += A B, a row by a column: of each line of B that is loaded an eighth is used",
	.unit = "flop",
	.bytes = 3 << 19,
	.prepare = prepare,
	.pass = pass_matmul,
	.model = model_matmul,
	.check = check,
};

const struct kernel kernel_matmul_blocked = {
	.name = "matmul-blocked",
	.about = "C += A B, 16 elements at once in registers: the same flops by fewer loads",
	.unit = "flop",
	.bytes = 3 << 19,
	.prepare = prepare,
	.pass = pass_matmul_blocked,
	.model = model_matmul_blocked,
	.check = check,
};
