/* SPDX-License-Identifier: BSD-3-Clause */
/* The functions that an object takes from others. */
#ifndef PMU_PRELOAD_IMPORTS_H
#define PMU_PRELOAD_IMPORTS_H

#include <stdbool.h>

/**
 * preload_imports() - does an object call a function of another one?
 * @code: an address in the object
 * @name: the function's
 * Context: takes the loader's lock.
 */
bool preload_imports(const void *code, const char *name);

/**
 * preload_import_instead() - from now on the object calls @function in its place
 * Return: false where it does not call it, or that cannot be written.
 */
bool preload_import_instead(const void *code, const char *name, void *function);

#endif
