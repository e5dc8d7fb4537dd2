/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that is given back all at once, straight from the kernel: usable where malloc is not. */
#ifndef PMU_BASE_ARENA_H
#define PMU_BASE_ARENA_H

#include <stddef.h>

/** One thread's; all zero is an empty arena. */
struct pmu_arena {
	struct pmu_arena_block *block; /* newest first */
	size_t used;                   /* bytes taken from it */
};

/**
 * pmu_arena_alloc() - zeroed memory
 * @align: power of two, at most 4096
 *
 * Context: no lock, no malloc; async-signal-safe.
 * Return: NULL where the kernel has none.
 */
void *pmu_arena_alloc(struct pmu_arena *arena, size_t size, size_t align);

/**
 * pmu_arena_drop() - what was handed out there is not used any more: its whole pages take no memory
 * from now on
 */
void pmu_arena_drop(void *memory, size_t size);

/** pmu_arena_reset() - forget every allocation, keep the oldest block for the next ones. */
void pmu_arena_reset(struct pmu_arena *arena);

/** Where an arena stands. */
struct pmu_arena_mark {
	struct pmu_arena_block *block;
	size_t used;
};

/**
 * pmu_arena_mark(), pmu_arena_rewind() - forget what was handed out in between, but for whole
 * blocks.
 */
struct pmu_arena_mark pmu_arena_mark(const struct pmu_arena *arena);
void pmu_arena_rewind(struct pmu_arena *arena, struct pmu_arena_mark mark);

/** Memory is there or not in pieces of that size, on any machine. */
#define PMU_SMALLEST_PAGE 4096u

/** pmu_pages_alloc() - zeroed pages; NULL where the kernel has none. */
void *pmu_pages_alloc(size_t size);
void pmu_pages_free(void *pages, size_t size);

/**
 * pmu_roots_alloc(), pmu_roots_free() - the same for what points to memory of malloc's
 *
 * Else LeakSanitizer takes that memory for leaked, and makes the program's end a failure.
 */
void *pmu_roots_alloc(size_t size);
void pmu_roots_free(void *pages, size_t size);

#endif
