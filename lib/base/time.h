/* SPDX-License-Identifier: BSD-3-Clause */
/* Times as one number. */
#ifndef PMU_BASE_TIME_H
#define PMU_BASE_TIME_H

#include <stdint.h>
#include <time.h>

/** pmu_time_ns() - nanoseconds */
static inline uint64_t pmu_time_ns(struct timespec ts)
{
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/** pmu_time_now_ns() - what a clock of clock_gettime() says now */
static inline uint64_t pmu_time_now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return pmu_time_ns(ts);
}

#endif
