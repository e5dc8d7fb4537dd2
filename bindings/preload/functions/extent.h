/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a thread's stack lies: addresses say what is above what on one stack only. */
#ifndef PMU_PRELOAD_EXTENT_H
#define PMU_PRELOAD_EXTENT_H

#include <stdbool.h>
#include <stdint.h>

/** All zero: not looked up yet. */
struct preload_extent {
	uintptr_t low, high;
};

/**
 * preload_extent_find() - of the calling thread's own stack, as the system made it.  Context: any,
 * also a signal handler.
 */
void preload_extent_find(struct preload_extent *stack);

/** preload_extent_has() - @stack: the calling thread's */
static inline bool preload_extent_has(struct preload_extent *stack, uintptr_t address)
{
	if (!stack->high)
		preload_extent_find(stack);
	return address - stack->low < stack->high - stack->low;
}

#endif
