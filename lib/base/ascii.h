/* SPDX-License-Identifier: BSD-3-Clause */
/* Kinds of characters, whatever the program's locale. */
#ifndef PMU_BASE_ASCII_H
#define PMU_BASE_ASCII_H

#include <stdbool.h>

static inline bool pmu_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/** pmu_starts_word() - a letter or '_' */
static inline bool pmu_starts_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

#endif
