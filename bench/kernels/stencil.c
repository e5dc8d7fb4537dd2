/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * jacobi: every point of a plane becomes the mean of its four neighbours, from one grid into
 * another and back the next time: the Jacobi iteration for Laplace's equation.  Three rows of the
 * one are read at once, one of the other is written.
 */
#include "bench/kernels/kernels.h"

#define PAIR    2 /* points of a turn */
#define TO_LINE 8 /* elements of a cache line */
/* columns; two lines, so that with the border rows are an odd number of lines apart */
#define STEP       16
#define LEAST_ROWS 1
/* bytes between the grids beyond their size: never at the same place of a page */
#define APART 1088
/*
 * Points of a pass, at least: small grids are gone over more than once, or what leads to the loop
 * would count, too.
 */
#define LEAST 16384

/*
 * share->n columns.  The first line of a row has only the border, at its end, so that the first
 * point begins a line; the border of the other side is the first element of the next row.  A row of
 * border is before the first and behind the last.
 */
struct grid {
	size_t rows, columns, pitch; /* pitch: elements from a row to the next */
	double *points[2];
};

static size_t rows_of(size_t bytes, size_t columns)
{
	size_t rows = bytes / sizeof(double) / 2 / (columns + TO_LINE);

	return rows > LEAST_ROWS + 2 ? rows - 2 : LEAST_ROWS;
}

static size_t grid_elements(size_t rows, size_t columns)
{
	return (rows + 2) * (columns + TO_LINE);
}

static struct grid grid_of(const struct share *share)
{
	size_t rows = rows_of(share->bytes, share->n);
	char *memory = share->memory;

	return (struct grid){ rows,
			      share->n,
			      share->n + TO_LINE,
			      { (double *)(void *)memory,
				(double *)(void *)(memory +
						   grid_elements(rows, share->n) * sizeof(double) +
						   APART) } };
}

/* How many times a pass goes over the grid. */
static size_t rounds(const struct grid *grid)
{
	return 1 + LEAST / (grid->rows * grid->columns);
}

/*
 * What the grids begin with, 1 to 256.  Their borders differ for ever, so that there is no end to
 * which the iteration comes: a loop that only copies is found out after any number of steps.
 */
static double start_of(int which, size_t i)
{
	return 1 + (double)((uint32_t)((i + 1) *
				       (which ? UINT64_C(2654435761) : UINT64_C(2246822519))) >>
			    24);
}

/* share->state: the steps so far; the grid of that number, modulo 2, is the newest */
static int prepare(struct share *share)
{
	size_t columns = STEP, each;
	struct grid grid;

	/* about as many rows as columns */
	while (2 * sizeof(double) * grid_elements(columns + STEP, columns + STEP) <= share->bytes)
		columns += STEP;
	share->n = columns;
	share->state = 0;
	each = grid_elements(rows_of(share->bytes, columns), columns);
	if (!share_memory(share, 2 * each * sizeof(double), APART))
		return -1;
	grid = grid_of(share);
	for (size_t i = 0; i < each; i++)
		for (int which = 0; which < 2; which++)
			grid.points[which][i] = start_of(which, i);
	return 0;
}

/*
 * A turn: two points.  i goes from first to 0, from the left to the right; north and south are the
 * rows beside.
 */
#if defined(__x86_64__)
#define ALONG_ROW                                                                                    \
	"movsd %[quarter], %%xmm7\n\tunpcklpd %%xmm7, %%xmm7\n"                                      \
	".p2align 5\n1:\n\t"                                                                         \
	"movupd -8(%[at],%[i]), %%xmm0\n\tmovupd 8(%[at],%[i]), %%xmm1\n\taddpd %%xmm1, %%xmm0\n\t"  \
	"addpd (%[north],%[i]), %%xmm0\n\taddpd (%[south],%[i]), %%xmm0\n\tmulpd %%xmm7, %%xmm0\n\t" \
	"movapd %%xmm0, (%[to],%[i])\n\tadd $16, %[i]\n\tjne 1b\n\t"
#define NEXT_ROW                                                                                     \
	"add %[row], %[at]\n\tadd %[row], %[north]\n\tadd %[row], %[south]\n\tadd %[row], %[to]\n\t" \
	"mov %[first], %[i]\n\tdec %[left]\n\tjne 1b\n\t"
#define NEXT_ROUND                                                                        \
	"xchg %[at], %[to]\n\tsub %[all], %[at]\n\tsub %[all], %[to]\n\t"                 \
	"mov %[at], %[north]\n\tsub %[row], %[north]\n\tlea (%[at],%[row]), %[south]\n\t" \
	"mov %[rows], %[left]\n\tdec %[times]\n\tjne 1b\n\t"
#else
#define ALONG_ROW                                                                              \
	"dup v7.2d, %[quarter].d[0]\n"                                                         \
	".p2align 5\n1:\n\t"                                                                   \
	"ldr q0, [%[west], %[i]]\n\tldr q1, [%[east], %[i]]\n\t"                               \
	"ldr q2, [%[north], %[i]]\n\tldr q3, [%[south], %[i]]\n\tfadd v0.2d, v0.2d, v1.2d\n\t" \
	"fadd v0.2d, v0.2d, v2.2d\n\tfadd v0.2d, v0.2d, v3.2d\n\tfmul v0.2d, v0.2d, v7.2d\n\t" \
	"str q0, [%[to], %[i]]\n\tadds %[i], %[i], #16\n\tb.ne 1b\n\t"
#define NEXT_ROW                                                               \
	"add %[west], %[west], %[row]\n\tadd %[east], %[east], %[row]\n\t"     \
	"add %[north], %[north], %[row]\n\tadd %[south], %[south], %[row]\n\t" \
	"add %[to], %[to], %[row]\n\tmov %[i], %[first]\n\tsubs %[left], %[left], #1\n\tb.ne 1b\n\t"
#define NEXT_ROUND                                                                            \
	"sub %[north], %[west], %[all]\n\tsub %[to], %[to], %[all]\n\t"                       \
	"sub %[west], %[to], #8\n\tadd %[east], %[to], #8\n\tadd %[south], %[to], %[row]\n\t" \
	"add %[to], %[north], #8\n\tsub %[north], %[south], %[row], lsl #1\n\t"               \
	"mov %[left], %[rows]\n\tsubs %[times], %[times], #1\n\tb.ne 1b\n\t"
#endif

#define PAIR_TURN BY_ARCH(9, 11)
#define ROW_END   BY_ARCH(7, 8)
#define ROUND_END BY_ARCH(9, 10)

static void pass_jacobi(struct share *share)
{
	struct grid grid = grid_of(share);
	size_t times = rounds(&grid), left = grid.rows;
	/* behind the last point of the first row */
	size_t end = grid.pitch + TO_LINE + grid.columns;
	double *at = grid.points[share->state & 1] + end,
	       *to = grid.points[~share->state & 1] + end;
	double *north = at - grid.pitch, *south = at + grid.pitch, quarter = 0.25;
	ptrdiff_t row = (ptrdiff_t)(grid.pitch * sizeof(double)), all = row * (ptrdiff_t)grid.rows;
	ptrdiff_t first = -(ptrdiff_t)(grid.columns * sizeof(double)), i = first;

	share->state += times;
#if defined(__x86_64__)
	__asm__ volatile(ALONG_ROW NEXT_ROW NEXT_ROUND
			 : [i] "+&r"(i), [left] "+&r"(left), [times] "+&r"(times), [at] "+&r"(at),
			   [north] "+&r"(north), [south] "+&r"(south), [to] "+&r"(to)
			 : [row] "r"(row), [first] "r"(first), [all] "r"(all),
			   [rows] "r"(grid.rows), [quarter] "m"(quarter)
			 : "xmm0", "xmm1", "xmm7", "cc", "memory");
#else
	double *west = at - 1, *east = at + 1;

	__asm__ volatile(
		ALONG_ROW NEXT_ROW NEXT_ROUND
		: [i] "+&r"(i), [left] "+&r"(left), [times] "+&r"(times), [west] "+&r"(west),
		  [east] "+&r"(east), [north] "+&r"(north), [south] "+&r"(south), [to] "+&r"(to)
		: [row] "r"(row), [first] "r"(first), [all] "r"(all), [rows] "r"(grid.rows),
		  [quarter] "w"(quarter)
		: "v0", "v1", "v2", "v3", "v7", "cc", "memory");
#endif
}

/*
 * A cache that holds a few rows reads each line of the one grid once, and what it writes of the
 * other.
 */
static void model_jacobi(const struct share *share, struct model *model)
{
	struct grid grid = grid_of(share);
	double times = (double)rounds(&grid), rows = times * (double)grid.rows;
	double points = rows * (double)grid.columns;

	*model = (struct model){
		.iterations = points,
		.work = points,
		.instructions = PAIR_TURN * points / PAIR + ROW_END * rows + ROUND_END * times,
		.branches = points / PAIR + rows + times,
		.loads = 4 * points / PAIR,
		.stores = points / PAIR,
		.lines = (2 * points + 2 * times * (double)grid.columns) / TO_LINE + rows,
	};
}

/*
 * --- the result: the last step done again, in the same order of additions; and nothing else
 * written to ---
 */

static double mean(const double *at, size_t pitch)
{
	return (at[-1] + at[1] + *(at - pitch) + at[pitch]) * 0.25;
}

static bool check(const struct share *share, uint64_t passes)
{
	struct grid grid = grid_of(share);
	const double *newest = grid.points[share->state & 1],
		     *before = grid.points[~share->state & 1];
	int which = share->state & 1;

	if (share->state != passes * rounds(&grid))
		return false;
	for (size_t i = 0; i < grid_elements(grid.rows, grid.columns); i++) {
		size_t row = i / grid.pitch, column = i % grid.pitch;
		bool inside = row > 0 && row <= grid.rows && column >= TO_LINE;

		if (newest[i] !=
		    (inside && share->state ? mean(before + i, grid.pitch) : start_of(which, i)))
			return false;
		if ((!inside || share->state < 2) && before[i] != start_of(!which, i))
			return false;
	}
	return true;
}

const struct kernel kernel_jacobi = {
	.name = "jacobi",
	.about =
		"each point of a grid is the mean of its neighbours: three rows are read, one is written",
	.unit = "update",
	.bytes = 64 << 20,
	.prepare = prepare,
	.pass = pass_jacobi,
	.model = model_jacobi,
	.check = check,
};
