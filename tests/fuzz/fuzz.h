/* SPDX-License-Identifier: BSD-3-Clause */
/* What every fuzz target defines: libFuzzer calls it, or standalone.c. */
#ifndef PMU_TESTS_FUZZ_H
#define PMU_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Feeds @size bytes to the parser; returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
