/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of CPUs, large enough for any kernel, and a thread's affinity straight from it. */
#ifndef PMU_MACHINE_MASK_H
#define PMU_MACHINE_MASK_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/** CPUs are numbered below this: the largest NR_CPUS that Linux can be built with (x86
 * MAXSMP). */
#define PMU_MASK_CPUS      8192
#define PMU_MASK_WORD_BITS (CHAR_BIT * sizeof(unsigned long))

/** Bit i of word j is CPU j * PMU_MASK_WORD_BITS + i, as in cpu_set_t. */
struct pmu_mask {
	unsigned long word[PMU_MASK_CPUS / PMU_MASK_WORD_BITS];
};

/** CPU numbers outside 0 .. PMU_MASK_CPUS - 1 are in no mask, and setting them does
 * nothing. */
bool pmu_mask_has(const struct pmu_mask *mask, int cpu);
void pmu_mask_set(struct pmu_mask *mask, int cpu);
void pmu_mask_clear(struct pmu_mask *mask, int cpu);
unsigned int pmu_mask_count(const struct pmu_mask *mask);
bool pmu_mask_equal(const struct pmu_mask *a, const struct pmu_mask *b);

/** pmu_mask_next() - the first CPU of the mask that is @from or above; -1 after the last.
 */
int pmu_mask_next(const struct pmu_mask *mask, int from);

/** pmu_mask_single() - the CPU of a mask that has just one, else -1. */
int pmu_mask_single(const struct pmu_mask *mask);

/** pmu_mask_format() - "0,1" or "0-3,8"; "..." where @size ends it. */
void pmu_mask_format(const struct pmu_mask *mask, char *text, size_t size);

/**
 * pmu_mask_parse() - "0-3,8", as the kernel writes lists of CPUs; "" is none
 * Return: 0; -EINVAL for anything else, also numbers of PMU_MASK_CPUS and above.
 */
int pmu_mask_parse(const char *text, struct pmu_mask *mask);

/**
 * pmu_mask_of_thread() - where the kernel lets a thread run
 * @tid: 0 for the calling thread
 *
 * The kernel's answer: sched_getaffinity() is ours and tells threads we pinned another
 * one. Context: async-signal-safe.  Return: 0 or a negative errno.
 */
int pmu_mask_of_thread(int tid, struct pmu_mask *mask);

/**
 * pmu_mask_allowed() - where the calling thread may run as the program knows it: also where we have
 * pinned the thread
 * Return: 0 or a negative errno.
 */
int pmu_mask_allowed(struct pmu_mask *mask);

/** pmu_mask_apply() - bind the calling thread.  Async-signal-safe.  Return: 0 or a
 * negative errno. */
int pmu_mask_apply(const struct pmu_mask *mask);

#endif
