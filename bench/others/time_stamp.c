/* SPDX-License-Identifier: BSD-3-Clause */
/* Two plain time stamps: the least that a region with a time can take. */
#include <stdint.h>

#include "bench/common/numbers.h"
#include "worker.h"

static _Thread_local volatile uint64_t sink;

static bool start(enum what what, char why[WHY_LEN])
{
	return what == TIME || because(why, "a time stamp counts nothing");
}

static void one(size_t n_pairs)
{
	for (size_t i = 0; i < n_pairs; i++) {
		uint64_t before = time_stamp();

		sink = time_stamp() - before;
	}
}

const struct contender contender = { .start = start, .one = one };
