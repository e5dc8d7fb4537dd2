/* SPDX-License-Identifier: BSD-3-Clause */
/* Times, and what is made of them. */
#ifndef BENCH_NUMBERS_H
#define BENCH_NUMBERS_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

static inline double now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/**
 * time_stamp() - the least that tells the time: one instruction, without a fence, where there is
 * one
 */
static inline uint64_t time_stamp(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return (uint64_t)now_ns();
#endif
}

/** sort_numbers() - ascending; then median, least and most are [n / 2], [0] and [n - 1]
 * for an odd n. */
void sort_numbers(double *number, size_t n);

#endif
