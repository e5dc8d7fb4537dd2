/* SPDX-License-Identifier: BSD-3-Clause */
/* What is counted: all that the processor executes between two calls. */
#ifndef BENCH_BRACKET_H
#define BENCH_BRACKET_H

#include "bench/kernels/kernel.h"

/** The two calls: of the library, or marks for other means of counting. */
struct bracket {
	int (*begin)(const char *name);
	int (*end)(const char *name);
};

/**
 * Instructions, all in all and of them branches, between the calls where nothing is: the name, and
 * the call.
 */
#define BRACKET_INSTRUCTIONS 2
#define BRACKET_BRANCHES     1

/** bracket_pass() - one pass between the calls; the same instructions whatever the calls are */
void bracket_pass(const struct bracket *bracket, const char *name, const struct kernel *kernel,
		  struct share *share);

#endif
