/* SPDX-License-Identifier: BSD-3-Clause */
/* What else tells about the functions that a thread is in. */
#ifndef PMU_PRELOAD_FUNCTIONS_H
#define PMU_PRELOAD_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

/** preload_functions_are_open() - is the calling thread in any? */
bool preload_functions_are_open(void);

/**
 * preload_functions_jump() - longjmp() is about to leave the functions between here and there
 * @to: the stack pointer that setjmp() has seen in the function that is gone back to
 * @from: one of now
 */
void preload_functions_jump(uintptr_t to, uintptr_t from);

#endif
