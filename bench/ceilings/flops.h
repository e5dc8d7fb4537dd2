/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loops of nothing but multiplications and additions, in registers: what a processor computes at
 * most.  They are in assembly, so that no compiler leaves any of it out, and what they add up tells
 * how many were done.
 */
#ifndef BENCH_CEILINGS_FLOPS_H
#define BENCH_CEILINGS_FLOPS_H

#include <stdbool.h>
#include <stdint.h>

/* A turn adds this much to each element of each sum; times so many turns it is exact in a float. */
#define FLOPS_STEP      1.5
#define FLOPS_MAX_TURNS (1 << 20)

struct flops_kernel {
	const char *precision;  /* "double", "single" */
	int vector_bits;        /* 0: one element at a time */
	bool fused;             /* a multiplication and an addition are one instruction */
	int n_sums;             /* that do not wait for each other, a multiply-add a turn each */
	int lanes;              /* elements of a sum */
	int instructions;       /* of a turn, its end included */
	bool (*is_there)(void); /* does this processor have the instructions? */
	/**
	 * run() - @turns turns, from sums of zero
	 * Return: all elements of all sums together.
	 */
	double (*run)(uint64_t turns);
};

/**
 * All of them: by precision, by ascending width; where a width is there twice, the later one is
 * better.  Ends with a NULL precision.
 */
extern const struct flops_kernel flops_kernels[];

/** flops_best() - is it of its precision and width the best that this processor has? */
bool flops_best(const struct flops_kernel *kernel);

/** flops_of_turn() - floating point operations */
static inline double flops_of_turn(const struct flops_kernel *kernel)
{
	return 2.0 * kernel->n_sums * kernel->lanes;
}

/** flops_right() - @sum is what run(@turns) has to return: no operation less, and none more */
static inline bool flops_right(const struct flops_kernel *kernel, uint64_t turns, double sum)
{
	return sum == FLOPS_STEP * (double)turns * kernel->n_sums * kernel->lanes;
}

#endif
