/* SPDX-License-Identifier: BSD-3-Clause */
/* What the trampolines of wrapped functions and the C behind them must agree on. */
#ifndef PMU_PRELOAD_TRAMPOLINE_H
#define PMU_PRELOAD_TRAMPOLINE_H

/** Functions that can be wrapped, and the bytes of code that each has. */
#define TRAMPOLINE_STUBS     1024
#define TRAMPOLINE_STUB_SIZE 16

/** Bytes of arguments on the stack that are passed on: 64 words, beside those in registers. */
#define TRAMPOLINE_ARGUMENTS 512

/* struct trampoline_call, and where it lies below the arguments on the stack */
#define TRAMPOLINE_CALL_TARGET   0
#define TRAMPOLINE_CALL_INDEX    8
#define TRAMPOLINE_CALL_READABLE 16
#define TRAMPOLINE_CALL_SIZE     32
#define TRAMPOLINE_CALL_BELOW    48

/* How wide vector registers are saved. */
#define TRAMPOLINE_SSE           0 /* there are no others */
#define TRAMPOLINE_AVX           1 /* where their upper halves are not zero */
#define TRAMPOLINE_AVX512        2 /* where the processor says that they are in use */
#define TRAMPOLINE_AVX512_ALWAYS 3 /* it cannot say so */

#ifndef __ASSEMBLER__
#include <stddef.h>
#include <stdint.h>

/** A call of a wrapped function, in the trampoline's frame. */
struct trampoline_call {
	const void *target; /* the function; set by trampoline_enter() */
	uint32_t index;     /* which of the stubs was called */
	uint32_t state;     /* of the C code alone */
	/*
	 * bytes of arguments on the stack, at most TRAMPOLINE_ARGUMENTS; set by trampoline_enter()
	 */
	uint32_t readable;
	uint32_t unused[3];
};
_Static_assert(offsetof(struct trampoline_call, target) == TRAMPOLINE_CALL_TARGET &&
		       offsetof(struct trampoline_call, index) == TRAMPOLINE_CALL_INDEX &&
		       offsetof(struct trampoline_call, readable) == TRAMPOLINE_CALL_READABLE &&
		       sizeof(struct trampoline_call) == TRAMPOLINE_CALL_SIZE,
	       "the trampolines know this");

extern const char trampoline_stubs[TRAMPOLINE_STUBS * TRAMPOLINE_STUB_SIZE];

/** x86: TRAMPOLINE_SSE and so on, for this processor; set before the first call. */
extern int trampoline_vectors;

/* Called by the trampolines. */
void trampoline_enter(struct trampoline_call *call);
void trampoline_leave(struct trampoline_call *call);
void trampoline_copy(void *to, const void *from, size_t n);

/**
 * trampoline_dlopen_by() - what a call of dlopen() is to go on to
 * @caller: where it will return
 */
void *trampoline_dlopen_by(const char *file, int mode, const void *caller);
#endif

#endif
