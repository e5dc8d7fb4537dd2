/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * binary-search: random keys in a sorted array, with a branch at each step.  Where the key is, is
 * as likely on the one side as on the other, so that half of these branches are mispredicted; and
 * the next load is not known before.
 */
#include "bench/kernels/kernels.h"

/*
 * A pass: no fewer, as each has the same keys, and processors learn what comes again: 30,000 random
 * branches in a row, at most, in 2026.  Source: Lemire, "How many branches can your CPU predict?",
 * lemire.me/blog/2026/03/18.
 */
#define SEARCHES  16384
#define FIRST_KEY UINT64_C(0x853C49E6748FEA9B)
/* by the one before.  Source: the factor of Knuth's MMIX */
#define NEXT_KEY    UINT64_C(6364136223846793005)
#define LEAST_STEPS 3

/*
 * The array has 2^steps numbers, evenly over all that there are: the number at i is the key's first
 * bits, if i is its place.
 */
static unsigned int steps_of(const struct share *share)
{
	return (unsigned int)__builtin_ctzll(share->n);
}

static uint64_t number_at(const struct share *share, size_t i)
{
	return (uint64_t)i << (64 - steps_of(share));
}

static int prepare_search(struct share *share)
{
	size_t n = share->bytes / sizeof(uint64_t);
	uint64_t *number;

	share->n = (size_t)1 << LEAST_STEPS;
	while (share->n <= n / 2)
		share->n *= 2;
	share->data = number = share_memory(share, share->n * sizeof(*number), 0);
	if (!number)
		return -1;
	for (size_t i = 0; i < share->n; i++)
		number[i] = number_at(share, i);
	share->state = 0;
	return 0;
}

/*
 * A step: is the key in the upper half?  Then go there; halve.  In the end base is at the last
 * number that is not above the key; what is added up is its address.
 */
#if defined(__x86_64__)
#define STEP                                                                                   \
	"cmp %[key], (%[base],%[half],8)\n\tja 2f\n\tlea (%[base],%[half],8), %[base]\n2:\n\t" \
	"shr %[half]\n\tjne 1b\n\t"
#define NEXT                                                                         \
	"add %[base], %[sum]\n\timul %[factor], %[key]\n\tmov %[array], %[base]\n\t" \
	"mov %[middle], %[half]\n\tsub $1, %[left]\n\tjne 1b"
#else
#define STEP                                                                                \
	"ldr %[number], [%[base], %[half], lsl #3]\n\tcmp %[number], %[key]\n\tb.hi 2f\n\t" \
	"add %[base], %[base], %[half], lsl #3\n2:\n\tlsr %[half], %[half], #1\n\tcbnz %[half], 1b\n\t"
#define NEXT                                                                                        \
	"add %[sum], %[sum], %[base]\n\tmul %[key], %[key], %[factor]\n\tmov %[base], %[array]\n\t" \
	"mov %[half], %[middle]\n\tsubs %[left], %[left], #1\n\tb.ne 1b"
#endif

static void pass_search(struct share *share)
{
	uint64_t *array = share->data, key = FIRST_KEY, sum = 0, number = 0;
	size_t base = (uintptr_t)array, half = share->n / 2, left = SEARCHES;

	__asm__ volatile(".p2align 5\n1:\n\t" STEP NEXT
			 : [key] "+&r"(key), [sum] "+&r"(sum), [base] "+&r"(base),
			   [half] "+&r"(half), [left] "+&r"(left), [number] "+&r"(number)
			 : [array] "r"(array), [middle] "r"(share->n / 2), [factor] "r"(NEXT_KEY)
			 : "cc", "memory");
	share->state += (sum - SEARCHES * (uint64_t)(uintptr_t)array) / sizeof(*array);
}

/*
 * What a pass finds, without a search: the sum of the places, and how often it goes to the upper
 * half.
 */
static void find_all(const struct share *share, uint64_t *sum, uint64_t *ups)
{
	uint64_t key = FIRST_KEY;

	*sum = *ups = 0;
	for (int i = 0; i < SEARCHES; i++, key *= NEXT_KEY) {
		uint64_t place = key >> (64 - steps_of(share));

		*sum += place;
		*ups += (uint64_t)__builtin_popcountll(place);
	}
}

static void model_search(const struct share *share, struct model *model)
{
	double steps = (double)SEARCHES * steps_of(share);
	uint64_t sum, ups;

	find_all(share, &sum, &ups);
	/*
	 * The loop's end is at the same step each time: that can be learnt, though some processors
	 * do not.
	 */
	*model = (struct model){
		.iterations = SEARCHES,
		.work = SEARCHES,
		.instructions = steps * BY_ARCH(4, 5) + (double)ups + SEARCHES * 6.0,
		.branches = steps * 2 + SEARCHES,
		.mispredicted = steps / 2,
		.loads = steps,
		/* the first steps find theirs in a cache: how many, is a matter of its size */
		.lines = NAN,
	};
}

static bool check_search(const struct share *share, uint64_t passes)
{
	const uint64_t *number = share->data;
	uint64_t sum, ups;

	find_all(share, &sum, &ups);
	for (size_t i = 0; i < share->n; i++)
		if (number[i] != number_at(share, i))
			return false;
	return share->state == sum * passes;
}

const struct kernel kernel_search = {
	.name = "binary-search",
	.about = "random keys in a sorted array: branches that cannot be predicted",
	.unit = "search",
	.bytes = 4 << 20,
	.prepare = prepare_search,
	.pass = pass_search,
	.model = model_search,
	.check = check_search,
};
