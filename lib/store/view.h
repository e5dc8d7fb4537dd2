/* SPDX-License-Identifier: BSD-3-Clause */
/* A store in memory: what its writer, or a process that mapped the file, hands to the reader. */
#ifndef PMU_STORE_VIEW_H
#define PMU_STORE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A piece of a store in memory: the live session maps it in several. */
struct pmu_store_piece {
	const void *base; /* aligned to 8 bytes */
	uint64_t offset;  /* of base in the file; pieces are in order, the first at 0 */
	uint64_t size;
	bool rings; /* it has nothing else */
};

/** A store as a reader sees it. */
struct pmu_store_view {
	const struct pmu_store_piece *piece;
	size_t n_pieces;
};

#endif
