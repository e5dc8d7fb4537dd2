/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Functions that stand in for another library's and go on to it: both get the call, and what its
 * function returns is the program's.
 */
#ifndef PMU_PRELOAD_BOTH_H
#define PMU_PRELOAD_BOTH_H

#include <stdbool.h>

#include "bindings/annotations/aside.h"
#include "bindings/preload/inside.h"
#include "bindings/preload/preload.h"

#pragma GCC visibility push(hidden)

/** A function of the other library. */
struct preload_other {
	const char *name;
	void *function;
	/* what preload_other_loads was, and one, when it was not found */
	unsigned long none;
};

/** preload_other_loads - calls of dlopen(): what was not found may be there now. */
extern unsigned long preload_other_loads;

/**
 * preload_other_in - the other library's function that the calling thread is in; NULL: in none
 *
 * What that calls of its own public functions is no second region: TAU's Tau_start() calls
 * Tau_pure_start().
 */
extern __thread const void *preload_other_in;

/**
 * preload_other_find() - look for it
 * @caller: code that calls it: of an object which dlopen() has brought the library may be its own
 * Return: NULL where there is none
 */
void *preload_other_find(struct preload_other *other, const void *caller);

static inline void *preload_other(struct preload_other *other, const void *caller)
{
	void *function = __atomic_load_n(&other->function, __ATOMIC_RELAXED);

	return likely(function) ? function : preload_other_find(other, caller);
}

/** preload_mine() - is the call the program's own, and are such calls regions? */
static inline bool preload_mine(enum preload_part part)
{
	return !preload_other_in && preload_on(part);
}

static inline const void *preload_other_enter(const void *function)
{
	const void *around = preload_other_in;

	preload_other_in = function;
	return around;
}

/**
 * PRELOAD_HAND_ON() - the other library's function, in the one that stands in for it
 * @function: ours, declared
 * The statement's value is what it returns; @without where it is not there.
 */
#define PRELOAD_HAND_ON(function, without, ...)                                         \
	({                                                                              \
		static struct preload_other other_ = { #function, NULL, 0 };            \
		__typeof__(&(function)) next_ = (__typeof__(&(function)))preload_other( \
			&other_, ASIDE_CALLER());                                       \
		__typeof__(function(__VA_ARGS__)) result_ = (without);                  \
		const void *around_;                                                    \
                                                                                        \
		if (next_) {                                                            \
			around_ = preload_other_enter((const void *)next_);             \
			next_ = (__typeof__(next_))aside.hand_on((void *)next_);        \
			result_ = next_(__VA_ARGS__);                                   \
			preload_other_in = around_;                                     \
		}                                                                       \
		result_;                                                                \
	})

/** PRELOAD_HAND_ON_VOID() - the same where nothing is returned; the value is whether it was there */
#define PRELOAD_HAND_ON_VOID(function, ...)                                             \
	({                                                                              \
		static struct preload_other other_ = { #function, NULL, 0 };            \
		__typeof__(&(function)) next_ = (__typeof__(&(function)))preload_other( \
			&other_, ASIDE_CALLER());                                       \
		const void *around_;                                                    \
                                                                                        \
		if (next_) {                                                            \
			around_ = preload_other_enter((const void *)next_);             \
			next_ = (__typeof__(next_))aside.hand_on((void *)next_);        \
			next_(__VA_ARGS__);                                             \
			preload_other_in = around_;                                     \
		}                                                                       \
		next_ != NULL;                                                          \
	})

#pragma GCC visibility pop

#endif
