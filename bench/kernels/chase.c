/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chase: how long a load takes.  Each line of the data holds the address of the next one to load,
 * so that no load starts before the one before it has ended; a random cycle through all lines
 * leaves a prefetcher nothing to foresee.
 */
#include "bench/kernels/kernels.h"

#define TURN  8     /* loads a turn of the loop */
#define LEAST 16384 /* loads a pass: what surrounds the loop vanishes beside them */

struct line {
	struct line *next;
	char rest[CACHE_LINE - sizeof(struct line *)];
};

static size_t loads_of(const struct share *share)
{
	return share->n < LEAST ? LEAST : (share->n + TURN - 1) / TURN * TURN;
}

static bool is_prime(size_t n)
{
	for (size_t i = 2; i <= n / i; i++)
		if (n % i == 0)
			return false;
	return true;
}

/*
 * A prime number of lines: a pass never ends where it began, and no number of passes does below
 * that of the lines. So a pass that did too little or too much shows in where the walk is.
 */
static size_t n_lines(size_t bytes)
{
	size_t n = bytes / sizeof(struct line);

	if (n > UINT32_MAX)
		n = UINT32_MAX;
	if (n < 3)
		n = 3;
	while (!is_prime(n))
		n--;
	return n;
}

/* One cycle, any of them alike.  Source: Sattolo, doi 10.1016/0020-0190(86)90073-6. */
static void link_lines(struct line *line, size_t n)
{
	uint64_t seed = 1;

	for (size_t i = 0; i < n; i++)
		line[i].next = &line[i];
	for (size_t i = n - 1; i > 0; i--) {
		size_t other = random_below(&seed, (uint32_t)i);
		struct line *next = line[i].next;

		line[i].next = line[other].next;
		line[other].next = next;
	}
}

static int prepare_chase(struct share *share)
{
	share->n = n_lines(share->bytes);
	share->data = share_memory(share, share->n * sizeof(struct line), 0);
	if (!share->data)
		return -1;
	link_lines(share->data, share->n);
	share->state = (uintptr_t)share->data;
	return 0;
}

#define STEP  BY_ARCH("mov (%[at]), %[at]\n\t", "ldr %[at], [%[at]]\n\t")
#define STEP4 STEP STEP STEP STEP

static void pass_chase(struct share *share)
{
	size_t left = loads_of(share);

	__asm__ volatile(
		".p2align 5\n1:\n\t" STEP4 STEP4 BY_ARCH("sub $8, %[left]\n\tjne 1b",
							 "subs %[left], %[left], #8\n\tb.ne 1b")
		: [at] "+&r"(share->state), [left] "+&r"(left)
		:
		: "cc", "memory");
}

/*
 * The same order in each pass: of data a little larger than a cache, each line has left it before
 * it is needed again.
 */
static void model_chase(const struct share *share, struct model *model)
{
	double loads = (double)loads_of(share);

	*model = (struct model){
		.iterations = loads,
		.work = loads,
		.instructions = loads / TURN * (TURN + 2),
		.branches = loads / TURN,
		.loads = loads,
		.lines = loads,
	};
}

/* Is there still one cycle through all lines, and the walk where so many loads lead? */
static bool check_chase(const struct share *share, uint64_t passes)
{
	const struct line *first = share->data, *at = first;
	uint64_t n = share->n, place = (passes % n) * (loads_of(share) % n) % n;
	bool right = false;

	for (uint64_t i = 0; i < n; i++) {
		if (i > 0 && at == first)
			return false;
		if (i == place)
			right = share->state == (uintptr_t)at;
		at = at->next;
	}
	return right && at == first;
}

const struct kernel kernel_chase = {
	.name = "chase",
	.about = "each load waits for the one before: latency of caches and memory",
	.unit = "access",
	.bytes = 64 << 20,
	.prepare = prepare_chase,
	.pass = pass_chase,
	.model = model_chase,
	.check = check_chase,
};
