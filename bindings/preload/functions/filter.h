/* SPDX-License-Identifier: BSD-3-Clause */
/* Which instrumented functions are regions: PMU_FUNCTIONS and PMU_MIN_TIME. */
#ifndef PMU_PRELOAD_FILTER_H
#define PMU_PRELOAD_FILTER_H

#include <stdbool.h>
#include <stdint.h>

/**
 * preload_filter_wants() - is a function wanted?
 * @patterns: shell patterns with commas between, those after '!' leave out; NULL or "" wants all
 * @name: as preload_symbol() has it; a C++ function is also known without its parameters
 *
 * The last pattern that matches decides.  What none matches is wanted where the first one leaves
 * out.
 */
bool preload_filter_wants(const char *patterns, const char *name);

/**
 * preload_filter_asks_for() - likewise, but what none matches is not wanted: for programs that do
 * not choose by being compiled so
 */
bool preload_filter_asks_for(const char *patterns, const char *name);

/** preload_filter_asks() - is there a pattern that does not leave out? */
bool preload_filter_asks(const char *patterns);

/**
 * preload_filter_time() - "500ns", "1.5us", "10 ms", "2s", "0" in nanoseconds
 * @ns: result; untouched on error
 */
bool preload_filter_time(const char *text, uint64_t *ns);

#endif
