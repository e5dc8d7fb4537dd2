/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The instrumented functions that have been called so far: found by their address without a lock.
 */
#ifndef PMU_PRELOAD_KNOWN_H
#define PMU_PRELOAD_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bindings/preload/functions/names.h"
#include "bindings/preload/inside.h"
#include "bindings/preload/symbols/seen.h"

/** Stays for good; what comes to the same address after it has another. */
struct preload_function {
	const char *text;      /* of its name, always at the same address; NULL: it is no region */
	uintptr_t start, size; /* where its code lies; size 0: not known */
	struct preload_name *name;
	struct preload_seen seen;
};

struct preload_slot {
	const void *code; /* NULL: free; written last */
	struct preload_function *function;
};

/** At most half of the slots are taken. */
struct preload_table {
	unsigned int shift; /* 64 - log2 of the number of slots */
	size_t mask;        /* the number less one */
	struct preload_slot slot[];
};

extern struct preload_table *preload_table;

static inline size_t preload_slot_of(const struct preload_table *table, const void *code)
{
	/* Fibonacci hashing: 2^64 / golden ratio; the high bits are the mixed ones */
	return (size_t)(((uint64_t)(uintptr_t)code * 0x9e3779b97f4a7c15u) >> table->shift);
}

/** preload_known() - a function as it was known last, or NULL */
static inline struct preload_function *preload_known(const void *code)
{
	/* acquire: pair with the releases in known.c */
	struct preload_table *table = __atomic_load_n(&preload_table, __ATOMIC_ACQUIRE);

	if (unlikely(!table))
		return NULL;
	for (size_t i = preload_slot_of(table, code);; i = (i + 1) & table->mask) {
		const void *found = __atomic_load_n(&table->slot[i].code, __ATOMIC_ACQUIRE);

		if (likely(found == code))
			return __atomic_load_n(&table->slot[i].function, __ATOMIC_ACQUIRE);
		if (!found)
			return NULL;
	}
}

/**
 * preload_get_to_know() - find out about a function, or about what has come to its address
 * Context: as preload_symbol().  Return: NULL without memory, or in a handler that interrupted the
 * like.
 */
struct preload_function *preload_get_to_know(const void *code);

/** preload_patterns() - PMU_FUNCTIONS as it was at the first function, NULL where there is none */
const char *preload_patterns(void);

#endif
