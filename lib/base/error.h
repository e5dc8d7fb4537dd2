/* SPDX-License-Identifier: BSD-3-Clause */
/* The calling thread's last error, as one sentence. */
#ifndef PMU_BASE_ERROR_H
#define PMU_BASE_ERROR_H

#include "base/compiler.h"

/** Longest sentence, with its terminator; longer ones end in "...". */
#define PMU_ERROR_MAX 512

/**
 * pmu_fail() - remember why something failed
 * @code: errno value, positive or negative; 0 counts as EIO
 * @fmt: one sentence without a full stop: what was tried, on what, why not, what would help
 *
 * Context: any thread; no malloc; keeps errno.  A thread's first may take a page of memory; without
 * one, it is lost.
 * Return: the negative errno.
 */
int pmu_fail(int code, const char *fmt, ...) PMU_PRINTF(2, 3);

/** pmu_error_text() - the calling thread's last sentence, "" before any. */
const char *pmu_error_text(void);

/** pmu_error_name() - a few words for an errno, as the library's calls mean it; either sign */
const char *pmu_error_name(int code);

/** pmu_error_clear() - forget it. */
void pmu_error_clear(void);

#endif
