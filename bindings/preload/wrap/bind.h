/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a slot that is not bound yet will lead. */
#ifndef PMU_PRELOAD_WRAP_BIND_H
#define PMU_PRELOAD_WRAP_BIND_H

#include <stdint.h>

#include "bindings/preload/wrap/candidates.h"

/**
 * wrap_bind() - the function that the loader would find at the first call
 *
 * Among all objects, then among what its own needs.  Not as with RTLD_DEEPBIND, and not among what
 * was loaded together with it by another one: such slots stay as they are.
 *
 * Context: takes the loader's locks; dlerror() may have a message afterwards.
 * Return: 0 where there is none.
 */
uintptr_t wrap_bind(const struct candidate *candidate);

#endif
