/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions too short to be regions: PMU_MIN_TIME. */
#ifndef PMU_PRELOAD_SHORT_H
#define PMU_PRELOAD_SHORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bindings/preload/functions/names.h"
#include "bindings/preload/inside.h"

enum { PRELOAD_KEPT = UINT32_MAX - 1, PRELOAD_LEFT_OUT = UINT32_MAX };

/** A thread's calls, by the number of the name, up to its judgement.  All zero: none. */
struct preload_calls {
	uint32_t *calls;
	size_t n;
	unsigned int n_left_out;
};

/** 0: no function is left out. */
extern uint64_t preload_min_time_ns;

/** preload_short_start() - once */
void preload_short_start(void);

/**
 * preload_short_count() - one more call has ended; after 1,000 the thread leaves the function out,
 * or keeps it for good
 */
void preload_short_count(struct preload_calls *self, struct preload_name *name);

static inline bool preload_is_left_out(const struct preload_calls *self,
				       const struct preload_name *name)
{
	return unlikely(self->n_left_out) && name->number < self->n &&
	       self->calls[name->number] == PRELOAD_LEFT_OUT;
}

/** preload_short_end() - the thread has ended */
void preload_short_end(struct preload_calls *self);

/** preload_short_note() - say in the report what was left out */
void preload_short_note(void);

#endif
