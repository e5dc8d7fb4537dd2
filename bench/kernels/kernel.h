/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops of known behaviour.  Each file has one loop or a few of a kind, and beside them the model:
 * what a pass over the data does.  The loops are in assembly, so that a compiler has no part in
 * what they do, and the same for ever.
 */
#ifndef BENCH_KERNEL_H
#define BENCH_KERNEL_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__x86_64__) && defined(__LP64__)
#define BY_ARCH(x86_64, aarch64) x86_64
#elif defined(__aarch64__) && defined(__LP64__)
#define BY_ARCH(x86_64, aarch64) aarch64
#else
#error "bench/kernels has loops for x86-64 and arm64"
#endif

#define CACHE_LINE 64 /* bytes; of the processors that these loops are for */

/** What one thread works on. */
struct share {
	int thread, n_threads;
	size_t bytes;   /* its part of the working set: the kernel may take a little less */
	size_t used;    /* what it took: more, too, where that is its least */
	size_t n;       /* how large the kernel made it: elements, rows, ... */
	void *memory;   /* what prepare() allocated; given back by the suite */
	void *data;     /* the kernel's own, within memory */
	void *common;   /* of all shares, from kernel->common(); NULL without it */
	uint64_t state; /* the kernel's own, from pass to pass */
};

/**
 * struct model - what one pass does
 *
 * A number that cannot be known is NAN.  Instructions and branches are the loop's own, without the
 * few that lead to it.  All branches are conditional ones: those that valgrind counts, too.
 */
struct model {
	double iterations; /* what "per iteration" means: elements, accesses, inner steps */
	double work;       /* what the rate is of, in kernel->unit */
	double instructions;
	double branches;
	double mispredicted;  /* branches, by a predictor that learns what can be learnt */
	double loads, stores; /* instructions that access memory; one may do both */
	/* of CACHE_LINE bytes, that a pass fetches where the data is far larger than the cache */
	double lines;
	/* so that a part of them is in the cache still: as much as there is room for */
	bool at_random;
};

struct kernel {
	const char *name;
	const char *about; /* one line: what it shows */
	const char *unit;  /* of work: "B", "flop", or what is counted: "access" */
	size_t bytes;      /* of all shares, where no size is asked for */
	/**
	 * common() - memory that all shares work on, before there is any
	 * Return: for free(); NULL without memory.  NULL in place of the function: there is none.
	 */
	void *(*common)(size_t bytes, int n_threads);
	/**
	 * prepare() - allocate and fill, on the thread that will work on it: memory is placed
	 * near the thread that touches it first
	 * Return: 0, or -1 without memory.
	 */
	int (*prepare)(struct share *share);
	void (*pass)(struct share *share);
	void (*model)(const struct share *share, struct model *model);
	/** check() - Return: whether the data is what @passes passes of this share make of it. */
	bool (*check)(const struct share *share, uint64_t passes);
};

/** All of them, in the order in which they are run; ends with NULL. */
extern const struct kernel *const kernels[];

/**
 * share_memory() - a share's memory: on a page's border, untouched
 * @apart: bytes besides, between what it works on
 * Return: share->memory, or NULL.
 */
void *share_memory(struct share *share, size_t bytes, size_t apart);

/**
 * passes_over() - how often a pass goes over @n elements, so that it is of @least: what leads to a
 * loop vanishes then
 */
static inline size_t passes_over(size_t n, size_t least)
{
	return n < least ? (least + n - 1) / n : 1;
}

/**
 * row_pitch() - doubles from a row of a matrix to the next
 *
 * An odd number of lines, so that a column is in all sets of a cache.  A matrix of less than 64
 * rows is in the cache however it lies.
 */
static inline size_t row_pitch(size_t n)
{
	return n < 64 ? n : n | CACHE_LINE / sizeof(double);
}

/**
 * A sequence that looks random, the same in each run.  Source: Vigna, xorshift64*, doi
 * 10.1145/2845077.
 */
static inline uint64_t random_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(0x2545F4914F6CDD1D);
}

/** random_below() - 0 to @limit - 1; @limit is below 2^32. */
static inline uint32_t random_below(uint64_t *state, uint32_t limit)
{
	return (uint32_t)((random_next(state) >> 32) * limit >> 32);
}

#endif
