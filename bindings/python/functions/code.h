/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of a program's functions are regions: decided once for each code object. */
#ifndef PMU_PYTHON_CODE_H
#define PMU_PYTHON_CODE_H

#include "bindings/preload/functions/names.h"
#include "bindings/python/functions/api.h"

#pragma GCC visibility push(hidden)

/**
 * python_code_start() - from now on these patterns decide
 * @patterns: as PMU_FUNCTIONS; what none of those without '!' matches is not chosen; copied
 *
 * Context: the interpreter's lock, as all of these.  Return: 0 or a negative errno.
 */
int python_code_start(const char *patterns);

/**
 * python_code_name() - a function that has just begun, by its code object
 *
 * The innermost frame must be its own: its module is asked for its name.
 * Return: NULL where it is not chosen.
 */
struct preload_name *python_code_name(struct py *code);

/** python_code_known() - likewise, where it has been asked about; else NULL */
struct preload_name *python_code_known(struct py *code);

/** python_code_note() - say in the report that the patterns match nothing that was called */
void python_code_note(void);

#pragma GCC visibility pop

#endif
