/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that wait, as regions named after what they wait for and who has called. */
#ifndef PMU_PRELOAD_LOCKS_WAITS_H
#define PMU_PRELOAD_LOCKS_WAITS_H

#include <stdint.h>

/**
 * wait_call() - what is to be called so that a call is a region
 * @what: of the name: "wait (mutex) solve" for "mutex"; a literal
 * @function: that waits
 * @from: where its caller goes on
 *
 * It ends however the call is left: also by cancellation, and by longjmp() from a signal's handler.
 *
 * Context: takes locks, allocates where that caller is new.
 * Return: @function itself where the call can be no region.
 */
uintptr_t wait_call(const char *what, uintptr_t function, const void *from);

#endif
