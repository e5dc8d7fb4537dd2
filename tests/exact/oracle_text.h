/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of the oracle: memory that is there or ends it, paths, and how a CSV report writes them. */
#ifndef PMU_TESTS_EXACT_ORACLE_TEXT_H
#define PMU_TESTS_EXACT_ORACLE_TEXT_H

#include <stddef.h>
#include <stdio.h>

/** fail() - the oracle itself cannot go on: a sentence on standard error, and status 125 */
__attribute__((format(printf, 1, 2), noreturn)) void fail(const char *format, ...);

/** text_alloc(), text_grow() - zeroed memory; never NULL */
void *text_alloc(size_t size);
void *text_grow(void *memory, size_t size);

char *text_copy(const char *text);

/** text_path() - a name behind a path; '/' and '\\' in it have a '\\' before them */
char *text_path(const char *path, const char *name);

/** text_put() - a path as the column "path" of a CSV report has it, but for CSV's own quotes */
void text_put(FILE *out, const char *path);

#endif
