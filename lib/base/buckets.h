/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buckets for numbers of any size: each power of two is cut into 2^bits of the same width.
 *
 * The first 2 * 2^bits numbers have a bucket each; a bucket further up is at most 1/2^bits of its
 * first number wide, so that its middle is off by at most half of that.
 */
#ifndef PMU_BASE_BUCKETS_H
#define PMU_BASE_BUCKETS_H

#include <stdint.h>

/** PMU_BUCKETS() - how many there are for numbers below 2^@top */
#define PMU_BUCKETS(bits, top) ((uint32_t)(((top) - (bits) + 1) << (bits)))

/**
 * pmu_bucket_of() - which one @value is in, from 0; without a branch: as much work for any value
 */
static inline uint32_t pmu_bucket_of(uint64_t value, unsigned int bits)
{
	unsigned int shift = 63u - bits - (unsigned int)__builtin_clzll(value | 1ull << bits);

	return (shift << bits) + (uint32_t)(value >> shift);
}

static inline unsigned int pmu_bucket_shift(uint32_t bucket, unsigned int bits)
{
	return bucket < 2u << bits ? 0 : (bucket >> bits) - 1;
}

/** pmu_bucket_start() - the least number in it; @bucket must be one that pmu_bucket_of() returns */
static inline uint64_t pmu_bucket_start(uint32_t bucket, unsigned int bits)
{
	unsigned int shift = pmu_bucket_shift(bucket, bits);

	return (uint64_t)(bucket - (shift << bits)) << shift;
}

/** pmu_bucket_middle() - the number in the middle of it, rounded down */
static inline uint64_t pmu_bucket_middle(uint32_t bucket, unsigned int bits)
{
	return pmu_bucket_start(bucket, bits) + ((1ull << pmu_bucket_shift(bucket, bits)) - 1) / 2;
}

#endif
