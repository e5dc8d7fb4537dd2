/* SPDX-License-Identifier: BSD-3-Clause */
/* What is known of an address is so as long as nothing else has come there. */
#ifndef PMU_PRELOAD_SEEN_H
#define PMU_PRELOAD_SEEN_H

#include <stdbool.h>

#include "bindings/preload/inside.h"

/** What was at an address when it was looked at. */
struct preload_seen {
	const void *object;   /* of symbols.h; NULL: it could not be told */
	unsigned int unloads; /* preload_unloads before that */
};

/**
 * How often an object may have been unloaded: what is known from before is to be looked at again.
 */
extern unsigned int preload_unloads;

/**
 * preload_seen_now() - before anything is looked at: what is unloaded meanwhile makes us look again
 * Return: with no object yet.
 */
static inline struct preload_seen preload_seen_now(void)
{
	/* pairs with the release behind a dlclose() */
	return (struct preload_seen){ .unloads = __atomic_load_n(&preload_unloads,
								 __ATOMIC_ACQUIRE) };
}

/** preload_is_current() - nothing was unloaded since it was looked at */
static inline bool preload_is_current(const struct preload_seen *seen)
{
	return likely(__atomic_load_n(&seen->unloads, __ATOMIC_RELAXED) ==
		      __atomic_load_n(&preload_unloads, __ATOMIC_RELAXED));
}

/**
 * preload_seen_again() - something was unloaded: is the same object there still?  Then it is current.
 * @address: NULL: whatever was unloaded, it is
 */
bool preload_seen_again(struct preload_seen *seen, const void *address);

#endif
