/* SPDX-License-Identifier: BSD-3-Clause */
/* Processors: where a measurement runs, and one that has work of its own meanwhile. */
#ifndef BENCH_BUSY_H
#define BENCH_BUSY_H

#include <stdbool.h>

/**
 * busy_pin() - the calling thread to the @nth processor that the process may use, if there is one
 */
void busy_pin(int nth);

/** busy_known() - "none", "integers", "memory" */
bool busy_known(const char *kind);

/**
 * busy_start() - a thread that spins, until the process ends, on the other hardware thread of the
 * calling thread's core; where there is none, on another processor
 * Return: false where there is no other.
 */
bool busy_start(const char *kind);

#endif
