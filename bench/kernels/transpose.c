/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * transpose and transpose-blocked: B is A with rows and columns exchanged.  The one reads along a
 * row and writes down a column, another cache line and, in a large matrix, another page for each
 * element; the other goes down eight columns of A and along eight rows of B at once, so that whole
 * lines are read, and written one after the other.
 */
#include "bench/kernels/kernels.h"

#define PANEL 8 /* columns: a cache line */
#define PAIR  2 /* rows of a turn: what a register holds of a column */
/* bytes between the matrices beyond their size: never at the same place of a page */
#define APART 1088
/*
 * Elements of a pass, at least: small matrices are transposed more than once, or what leads to the
 * loop would count.
 */
#define LEAST 16384

static size_t matrix_bytes(size_t n)
{
	return n * row_pitch(n) * sizeof(double);
}

struct matrices {
	double *a, *b;
};

static struct matrices matrices_of(const struct share *share)
{
	char *memory = share->memory;

	return (struct matrices){ (double *)(void *)memory,
				  (double *)(void *)(memory + matrix_bytes(share->n) + APART) };
}

/* How many times a pass transposes. */
static size_t rounds(const struct share *share)
{
	return 1 + LEAST / (share->n * share->n);
}

/* Every place has a number of its own. */
static int prepare(struct share *share)
{
	size_t n = PANEL;
	struct matrices at;

	while (2 * matrix_bytes(n + PANEL) <= share->bytes)
		n += PANEL;
	share->n = n;
	if (!share_memory(share, 2 * matrix_bytes(n), APART))
		return -1;
	at = matrices_of(share);
	for (size_t i = 0; i < n * row_pitch(n); i++) {
		at.a[i] = (double)(i + 1);
		at.b[i] = 0;
	}
	return 0;
}

/* What the loops are told; all but n in bytes. */
struct sizes {
	size_t n;
	ptrdiff_t width; /* of a row's elements */
	ptrdiff_t row;   /* from a row to the next */
	ptrdiff_t all;   /* from the first row to behind the last */
};

static struct sizes sizes_of(const struct share *share)
{
	ptrdiff_t row = (ptrdiff_t)(row_pitch(share->n) * sizeof(double));

	return (struct sizes){ .n = share->n,
			       .width = (ptrdiff_t)(share->n * sizeof(double)),
			       .row = row,
			       .all = row * (ptrdiff_t)share->n };
}

/*
 * Loops within loops have one head: what an outer one does comes at its end, and goes back to the
 * same place.  Of the first, k goes from first to 0 along a row of A.
 */
#if defined(__x86_64__)
#define REST "rm" /* what is used least need not be in a register: there are few */
#define ALONG_ROW                                               \
	".p2align 5\n1:\n\t"                                    \
	"movsd (%[a],%[k]), %%xmm0\n\tmovsd %%xmm0, (%[b])\n\t" \
	"add %[row], %[b]\n\tadd $8, %[k]\n\tjne 1b\n\t"
#define NEXT_ROW \
	"add %[row], %[a]\n\tadd %[next], %[b]\n\tmov %[first], %[k]\n\tdec %[i]\n\tjne 1b\n\t"
#define AGAIN \
	"sub %[all], %[a]\n\tadd %[first], %[b]\n\tmov %[n], %[i]\n\tdec %[times]\n\tjne 1b\n\t"
#else
#define REST "r"
#define ALONG_ROW                                    \
	".p2align 5\n1:\n\t"                         \
	"ldr d0, [%[a], %[k]]\n\tstr d0, [%[b]]\n\t" \
	"add %[b], %[b], %[row]\n\tadds %[k], %[k], #8\n\tb.ne 1b\n\t"
#define NEXT_ROW                                                \
	"add %[a], %[a], %[row]\n\tadd %[b], %[b], %[next]\n\t" \
	"mov %[k], %[first]\n\tsubs %[i], %[i], #1\n\tb.ne 1b\n\t"
#define AGAIN                                                    \
	"sub %[a], %[a], %[all]\n\tadd %[b], %[b], %[first]\n\t" \
	"mov %[i], %[n]\n\tsubs %[times], %[times], #1\n\tb.ne 1b\n\t"
#endif

static void pass_transpose(struct share *share)
{
	struct matrices at = matrices_of(share);
	struct sizes of = sizes_of(share);
	size_t i = of.n, times = rounds(share);
	double *a = at.a + of.n;
	ptrdiff_t first = -of.width, k = first;
	ptrdiff_t next = (ptrdiff_t)sizeof(double) - of.all; /* the top of the next column */

	__asm__ volatile(
		ALONG_ROW NEXT_ROW AGAIN
		: [i] "+&r"(i), [k] "+&r"(k), [times] "+&r"(times), [a] "+&r"(a), [b] "+&r"(at.b)
		: [row] "r"(of.row), [first] "r"(first), [next] "r"(next), [n] REST(of.n),
		  [all] REST(of.all)
		: BY_ARCH("xmm0", "v0"), "cc", "memory");
}

/* A turn: a line of each of two rows becomes two elements of each of eight. */
#if defined(__x86_64__)
#define PAIRS(at, first, second)                                                          \
	"movapd " #at "(%[a]), %%xmm0\n\tmovapd " #at "(%[a],%[row]), %%xmm1\n\t"         \
	"movapd %%xmm0, %%xmm2\n\tunpcklpd %%xmm1, %%xmm0\n\tunpckhpd %%xmm1, %%xmm2\n\t" \
	"movapd %%xmm0, " first "\n\tmovapd %%xmm2, " second "\n\t"
#define DOWN_PANEL                                                                              \
	".p2align 5\n1:\n\t" PAIRS(0, "(%[b])", "(%[b],%[row])") PAIRS(                         \
		16, "(%[b],%[row],2)", "(%[b],%[row3])") PAIRS(32, "(%[b4])", "(%[b4],%[row])") \
		PAIRS(48, "(%[b4],%[row],2)",                                                   \
		      "(%[b4],%[row3])") "lea (%[a],%[row],2), %[a]\n\tadd $16, %[b]\n\tadd $16, %[b4]\n\tdec %[i]\n\tjne 1b\n\t"
#define NEXT_PANEL                                                         \
	"add %[next], %[a]\n\tadd %[down], %[b]\n\tadd %[down], %[b4]\n\t" \
	"mov %[half], %[i]\n\tdec %[j]\n\tjne 1b\n\t"
#define NEXT_ROUND                                                        \
	"sub %[width], %[a]\n\tsub %[all], %[b]\n\tsub %[all], %[b4]\n\t" \
	"mov %[eighth], %[j]\n\tdec %[times]\n\tjne 1b\n\t"
#else
#define DOWN_PANEL                                                                   \
	".p2align 5\n1:\n\t"                                                         \
	"ld1 {v0.2d-v3.2d}, [%[a]], %[row]\n\tld1 {v4.2d-v7.2d}, [%[a]], %[row]\n\t" \
	"zip1 v16.2d, v0.2d, v4.2d\n\tzip2 v17.2d, v0.2d, v4.2d\n\t"                 \
	"zip1 v18.2d, v1.2d, v5.2d\n\tzip2 v19.2d, v1.2d, v5.2d\n\t"                 \
	"zip1 v20.2d, v2.2d, v6.2d\n\tzip2 v21.2d, v2.2d, v6.2d\n\t"                 \
	"zip1 v22.2d, v3.2d, v7.2d\n\tzip2 v23.2d, v3.2d, v7.2d\n\t"                 \
	"st1 {v16.2d}, [%[b]], %[row]\n\tst1 {v17.2d}, [%[b]], %[row]\n\t"           \
	"st1 {v18.2d}, [%[b]], %[row]\n\tst1 {v19.2d}, [%[b]], %[row]\n\t"           \
	"st1 {v20.2d}, [%[b]], %[row]\n\tst1 {v21.2d}, [%[b]], %[row]\n\t"           \
	"st1 {v22.2d}, [%[b]], %[row]\n\tst1 {v23.2d}, [%[b]], %[row]\n\t"           \
	"add %[b], %[b], %[right]\n\tsubs %[i], %[i], #1\n\tb.ne 1b\n\t"
#define NEXT_PANEL                                               \
	"add %[a], %[a], %[next]\n\tadd %[b], %[b], %[down]\n\t" \
	"mov %[i], %[half]\n\tsubs %[j], %[j], #1\n\tb.ne 1b\n\t"
#define NEXT_ROUND                                               \
	"sub %[a], %[a], %[width]\n\tsub %[b], %[b], %[all]\n\t" \
	"mov %[j], %[eighth]\n\tsubs %[times], %[times], #1\n\tb.ne 1b\n\t"
#endif

#define PANEL_TURN BY_ARCH(33, 21)
#define PANEL_END  BY_ARCH(6, 5)
#define ROUND_END  BY_ARCH(6, 5)

static void pass_transpose_blocked(struct share *share)
{
	struct matrices at = matrices_of(share);
	struct sizes of = sizes_of(share);
	size_t half = of.n / PAIR, eighth = of.n / PANEL;
	size_t i = half, j = eighth, times = rounds(share);
	ptrdiff_t next = CACHE_LINE - of.all, down = PANEL * of.row - of.width;

#if defined(__x86_64__)
	double *b4 = at.b + 4 * row_pitch(of.n);

	__asm__ volatile(DOWN_PANEL NEXT_PANEL NEXT_ROUND
			 : [i] "+&r"(i), [j] "+&r"(j), [times] "+&r"(times), [a] "+&r"(at.a),
			   [b] "+&r"(at.b), [b4] "+&r"(b4)
			 : [row] "r"(of.row), [row3] "r"(3 * of.row), [next] "r"(next),
			   [down] "r"(down), [half] "r"(half), [width] REST(of.width),
			   [all] REST(of.all), [eighth] REST(eighth)
			 : "xmm0", "xmm1", "xmm2", "cc", "memory");
#else
	ptrdiff_t right = PAIR * (ptrdiff_t)sizeof(double) - PANEL * of.row;

	__asm__ volatile(
		DOWN_PANEL NEXT_PANEL NEXT_ROUND
		: [i] "+&r"(i), [j] "+&r"(j), [times] "+&r"(times), [a] "+&r"(at.a), [b] "+&r"(at.b)
		: [row] "r"(of.row), [right] "r"(right), [next] "r"(next), [down] "r"(down),
		  [width] "r"(of.width), [all] "r"(of.all), [half] "r"(half), [eighth] "r"(eighth)
		: "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20",
		  "v21", "v22", "v23", "cc", "memory");
#endif
}

/* --- the model --- */

/*
 * The lines are of a cache that holds one of each row: those written to down a column are there for
 * the next seven.
 */
static void model_transpose(const struct share *share, struct model *model)
{
	double n = (double)share->n, times = (double)rounds(share), rows = times * n,
	       each = rows * n;

	*model = (struct model){
		.iterations = each,
		.work = 2 * sizeof(double) * each,
		.instructions = 5 * each + 5 * rows + 5 * times,
		.branches = each + rows + times,
		.loads = each,
		.stores = each,
		.lines = 2 * each / PANEL,
	};
}

static void model_transpose_blocked(const struct share *share, struct model *model)
{
	double n = (double)share->n, times = (double)rounds(share);
	double panels = times * n / PANEL, turns = panels * n / PAIR, each = times * n * n;

	*model = (struct model){
		.iterations = each,
		.work = 2 * sizeof(double) * each,
		.instructions = PANEL_TURN * turns + PANEL_END * panels + ROUND_END * times,
		.branches = turns + panels + times,
		.loads = BY_ARCH(8, 2) * turns,
		.stores = 8 * turns,
		.lines = 2 * each / PANEL,
	};
}

/* --- the result --- */

static bool check(const struct share *share, uint64_t passes)
{
	struct matrices at = matrices_of(share);
	size_t n = share->n, pitch = row_pitch(n);

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < pitch; j++)
			if (at.b[i * pitch + j] !=
				    (passes && j < n ? (double)(j * pitch + i + 1) : 0) ||
			    at.a[i * pitch + j] != (double)(i * pitch + j + 1))
				return false;
	return true;
}

const struct kernel kernel_transpose = {
	.name = "transpose",
	.about =
		"B = A with rows and columns exchanged, by rows: a line is written to eight bytes at a time",
	.unit = "B",
	.bytes = 64 << 20,
	.prepare = prepare,
	.pass = pass_transpose,
	.model = model_transpose,
	.check = check,
};

const struct kernel kernel_transpose_blocked = {
	.name = "transpose-blocked",
	.about = "the same by panels of eight columns: whole lines are read and written",
	.unit = "B",
	.bytes = 64 << 20,
	.prepare = prepare,
	.pass = pass_transpose_blocked,
	.model = model_transpose_blocked,
	.check = check,
};
