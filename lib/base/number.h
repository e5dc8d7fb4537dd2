/* SPDX-License-Identifier: BSD-3-Clause */
/* What we need of arithmetic that is in libm: without it a program's start loads a library less. */
#ifndef PMU_BASE_NUMBER_H
#define PMU_BASE_NUMBER_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/** pmu_nearest() - the nearest whole number, of halves the larger; 0 <= @value < 2^63 */
static inline uint64_t pmu_nearest(double value)
{
	uint64_t below = (uint64_t)value;

	return below + (value - (double)below >= 0.5);
}

/** pmu_power_of_ten() - 10^@n, correctly rounded; infinity where there is none */
static inline double pmu_power_of_ten(unsigned int n)
{
	char text[16];

	/* without a decimal point, which is the locale's */
	snprintf(text, sizeof(text), "1e%u", n);
	return strtod(text, NULL);
}

#endif
