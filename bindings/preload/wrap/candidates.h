/* SPDX-License-Identifier: BSD-3-Clause */
/* Slots of functions that PMU_WRAP may mean, in memory without malloc(). */
#ifndef PMU_PRELOAD_CANDIDATES_H
#define PMU_PRELOAD_CANDIDATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct candidate {
	uintptr_t *slot;
	uintptr_t value;     /* what it holds */
	uintptr_t target;    /* where that leads; 0: not bound yet */
	const char *name;    /* the linker's */
	const char *version; /* NULL: none asked for */
	const char *object;  /* path of the object that has the slot; NULL where it is bound */
	char *demangled;     /* for free(); NULL: the same */
	bool is_call;        /* a slot that is only called */
	bool is_taken;       /* its value is used otherwise */
	const struct wrap_stand_in *stand_in; /* NULL: PMU_WRAP may mean it */
};

/** All zero is an empty one. */
struct candidates {
	struct candidate *at;
	size_t n, room;
	struct candidates_text {
		struct candidates_text *before;
		size_t used;
	} * text;
};

/**
 * candidates_add() - one more
 * @candidate: its texts are copied: they belong to an object that may go
 *
 * Context: no lock, no malloc().
 * Return: false without memory.
 */
bool candidates_add(struct candidates *all, const struct candidate *candidate);

/** candidates_free() - calls free(): not under a lock */
void candidates_free(struct candidates *all);

#endif
