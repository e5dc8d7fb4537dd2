/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A counter that perf set up, read in user space: the least that a count by the processor can take.
 */
#ifndef BENCH_PAGE_COUNT_H
#define BENCH_PAGE_COUNT_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <stdlib.h>

#if defined(__x86_64__)
#define READS_COUNTERS 1

static inline uint64_t counter(uint32_t number)
{
	return __builtin_ia32_rdpmc((int)number);
}

/* What is before it is counted, what is after it is not. */
static inline void settle(void)
{
}

#elif defined(__aarch64__)
#define READS_COUNTERS 1

#define COUNTER(n)                                                            \
	case n:                                                               \
		__asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value)); \
		break
#define COUNTERS(tens)    \
	COUNTER(tens##0); \
	COUNTER(tens##1); \
	COUNTER(tens##2); \
	COUNTER(tens##3); \
	COUNTER(tens##4); \
	COUNTER(tens##5); \
	COUNTER(tens##6); \
	COUNTER(tens##7); \
	COUNTER(tens##8); \
	COUNTER(tens##9)

/* Which counter it is is part of the instruction. */
static inline uint64_t counter(uint32_t number)
{
	uint64_t value;

	switch (number) {
		COUNTERS();
		COUNTERS(1);
		COUNTERS(2);
		COUNTER(30);
	default:
		__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(value));
	}
	return value;
}

static inline void settle(void)
{
	__asm__ volatile("isb" ::: "memory");
}

#else
#define READS_COUNTERS 0

static inline uint64_t counter(uint32_t number)
{
	return number;
}

static inline void settle(void)
{
}
#endif

/* As the comment on struct perf_event_mmap_page in linux/perf_event.h has it. */
static inline uint64_t page_count(const volatile struct perf_event_mmap_page *page)
{
	uint32_t lock, index;
	uint64_t count;

	do {
		lock = page->lock;
		__asm__ volatile("" ::: "memory");
		index = page->index;
		count = (uint64_t)page->offset;
		if (index) {
			unsigned int unused = 64u - page->pmc_width;

			count += (uint64_t)((int64_t)(counter(index - 1) << unused) >> unused);
		}
		__asm__ volatile("" ::: "memory");
	} while (page->lock != lock);
	if (!index)
		abort(); /* it is pinned: it lost its counter */
	return count;
}

#endif
