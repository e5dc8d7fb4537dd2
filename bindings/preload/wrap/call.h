/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that are wrapped, and what is done when they are called. */
#ifndef PMU_PRELOAD_WRAP_CALL_H
#define PMU_PRELOAD_WRAP_CALL_H

#include <stdbool.h>
#include <stdint.h>

/** wrap_call_start() - before the first function is wrapped */
void wrap_call_start(void);

/**
 * wrap_call_add() - what is to be called in place of a function
 * @target: the function
 * @name: the region's; copied, cut at PMU_NAME_MAX bytes
 *
 * Context: takes preload_lock(); no malloc().
 * Return: the stub's address, the same one for the same arguments; 0: there are no more.
 */
uintptr_t wrap_call_add(uintptr_t target, const char *name);

/** wrap_call_max() - how many there are */
unsigned int wrap_call_max(void);

/** wrap_calls_are_open() - is the calling thread in a wrapped function, as far as is known? */
bool wrap_calls_are_open(void);

/**
 * wrap_calls_jump() - before the calling thread goes back to a frame further out: the regions it
 * leaves end now
 */
void wrap_calls_jump(uintptr_t stack_pointer);

/** wrap_call_is_stub() - has the function been wrapped already? */
bool wrap_call_is_stub(uintptr_t address);

#endif
