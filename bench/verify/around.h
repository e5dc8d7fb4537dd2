/* SPDX-License-Identifier: BSD-3-Clause */
/* What a pass executes beside its loop: in no model, as it is the compiler's. */
#ifndef BENCH_AROUND_H
#define BENCH_AROUND_H

#include <stdbool.h>

#include "bench/kernels/kernel.h"

/**
 * Instructions between the calls of bracket_pass(), less those of the loop and those that are there
 * without a pass.
 */
struct around {
	bool known;
	int instructions;
	int branches;    /* of them, of all kinds */
	int conditional; /* branches */
	int indirect;    /* jumps and calls; no returns */
};

/**
 * around_find() - a pass in a process of its own, step by step but for the loop: no counter has a
 * part in it
 * @around: result; not known where processes cannot be traced here
 */
void around_find(const struct kernel *kernel, size_t bytes, struct around *around);

#endif
