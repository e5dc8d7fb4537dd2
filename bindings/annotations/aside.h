/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that stand in for another library's, of which no region counts anything: base/aside.h. */
#ifndef PMU_ANNOTATIONS_ASIDE_H
#define PMU_ANNOTATIONS_ASIDE_H

#include <stdint.h>

#include "base/aside.h"

#pragma GCC visibility push(hidden)

/** What libpmu has for them; until it is known they do what they do, and it is counted. */
extern struct pmu_aside_calls aside;

/** What libpmu's has for a name. */
#define ASIDE_SYMBOL "pmu_aside_1"

/** aside_know() - from now on it is libpmu's; NULL: of one that has none */
void aside_know(const struct pmu_aside_calls *calls);

/**
 * ASIDE() - a stand-in, declared before: its head
 * @parameters: as they stand in its declaration: in registers, with one floating-point number at most
 * ASIDE_WIDE() - the same
 * ASIDE_HERE() - the same, for a table of this library's own, which declares it, too
 * @words: of the parameters that are on the stack of x86-64, as structures of more than two words are
 */
#define ASIDE(type, name, parameters) ASIDE_WIDE(type, name, parameters, 0)
#define ASIDE_WIDE(type, name, parameters, words)           \
	PMU_STANDS_IN("", #name, "aside", #words);          \
	__attribute__((used)) type name##_aside parameters; \
	type name##_aside parameters
#define ASIDE_HERE(type, name, parameters, words)                 \
	type name parameters;                                     \
	PMU_STANDS_IN(".hidden	" #name, #name, "aside", #words); \
	__attribute__((used)) type name##_aside parameters;       \
	type name##_aside parameters

/* The frame of the way into the stand-in that this is expanded in, if that is how it was called: it has a frame pointer. */
static inline uintptr_t *aside_frame(void **frame, const void *back)
{
	return back == aside.back ? (uintptr_t *)frame[0] : (uintptr_t *)0;
}
#define ASIDE_FRAME() aside_frame(__builtin_frame_address(0), __builtin_return_address(0))

/** ASIDE_CALLER() - where the stand-in will return to */
#define ASIDE_CALLER()                                                    \
	({                                                                \
		const uintptr_t *frame_ = ASIDE_FRAME();                  \
                                                                          \
		frame_ ? (void *)frame_[1] : __builtin_return_address(0); \
	})

/** ASIDE_STACK() - its caller's stack pointer once it has returned */
#define ASIDE_STACK()                                                                \
	({                                                                           \
		uintptr_t *frame_ = ASIDE_FRAME();                                   \
                                                                                     \
		frame_ ? (uintptr_t)(frame_ + 2) : (uintptr_t)__builtin_dwarf_cfa(); \
	})

#pragma GCC visibility pop

#endif
