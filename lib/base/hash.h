/* SPDX-License-Identifier: BSD-3-Clause */
/* Hashing of names. */
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

#endif
