/* SPDX-License-Identifier: BSD-3-Clause */
/* Hashing of names and numbers. */
#ifndef PMU_BASE_HASH_H
#define PMU_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/** pmu_hash_text() - FNV-1a, 32 bits. */
static inline uint32_t pmu_hash_text(const char *text, size_t len)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	return hash;
}

/** pmu_hash_number() - Fibonacci hashing: all bits of the number are in each of the result's */
static inline uint32_t pmu_hash_number(uint64_t number)
{
	return (uint32_t)(number * 0x9e3779b97f4a7c15u >> 32);
}

#endif
