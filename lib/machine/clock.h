/* SPDX-License-Identifier: BSD-3-Clause */
/* Time stamps: the cheapest invariant clock of the machine. */
#ifndef PMU_MACHINE_CLOCK_H
#define PMU_MACHINE_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>

#include "base/compiler.h"
#include "base/systemcall.h"
#include "base/time.h"

/** Written into the store: values never change their meaning. */
enum pmu_clock_kind {
	PMU_CLOCK_MONOTONIC = 1, /* clock_gettime(CLOCK_MONOTONIC), nanoseconds */
	PMU_CLOCK_TSC = 2,       /* x86 time stamp counter, invariant */
	PMU_CLOCK_CNTVCT = 3,    /* arm64 virtual counter */
};

/** Two clocks at one moment; two such points give the rate. */
struct pmu_clock_point {
	uint64_t ticks;
	uint64_t mono_ns; /* CLOCK_MONOTONIC */
};

/**
 * pmu_clock_choose() - the clock to use here
 *
 * The time stamp counter where CPUID says it is invariant (Intel SDM vol. 3B, "Invariant TSC":
 * 8000_0007H EDX[8]) and the kernel has not struck it off its list of clock sources; the virtual
 * counter on arm64; else clock_gettime.
 */
enum pmu_clock_kind pmu_clock_choose(void);

/**
 * pmu_clock_forbidden() - is every clock a fault for the calling thread?
 *
 * Source: prctl(2), PR_SET_TSC; what libc reads without a system call is the time stamp counter,
 * too.
 */
bool pmu_clock_forbidden(void);

/** pmu_clock_name() - words for a report: "time stamp counter". */
const char *pmu_clock_name(enum pmu_clock_kind kind);

/**
 * pmu_clock_point_take() - both clocks, the ticks at most some tens of nanoseconds from the other.
 */
struct pmu_clock_point pmu_clock_point_take(enum pmu_clock_kind kind);

/**
 * pmu_clock_hz() - ticks per second from two points
 * @first, @last: of this kind of clock
 * Return: 0 where the points are the same or run backwards; 1e9 for PMU_CLOCK_MONOTONIC.
 */
double pmu_clock_hz(enum pmu_clock_kind kind, const struct pmu_clock_point *first,
		    const struct pmu_clock_point *last);

static inline uint64_t pmu_clock_mono_ns(void)
{
	return pmu_time_now_ns(CLOCK_MONOTONIC);
}

/**
 * pmu_clock_steady() - CLOCK_MONOTONIC in as many instructions of the program's each time
 *
 * The kernel is asked: libc's way there, in the vDSO, loops as often as the time of the moment
 * wants.
 */
static inline uint64_t pmu_clock_steady(void)
{
	struct timespec ts;

	pmu_system_call2(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&ts);
	return pmu_time_ns(ts);
}

/** pmu_clock_is_stamp() - pmu_clock_stamp() is this clock. */
static inline int pmu_clock_is_stamp(enum pmu_clock_kind kind)
{
#if defined(__x86_64__)
	return kind == PMU_CLOCK_TSC;
#elif defined(__aarch64__)
	return kind == PMU_CLOCK_CNTVCT;
#else
	(void)kind;
	return 0;
#endif
}

/** pmu_clock_stamp() - the time stamp that is one instruction, where this machine has one. */
static inline uint64_t pmu_clock_stamp(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return pmu_clock_mono_ns();
#endif
}

/**
 * pmu_clock_ticks() - now
 *
 * Without a fence: a region's work and its time stamp may overlap by the depth of the pipeline,
 * which costs nothing and shifts both ends alike.
 */
static inline uint64_t pmu_clock_ticks(enum pmu_clock_kind kind)
{
	if (likely(pmu_clock_is_stamp(kind)))
		return pmu_clock_stamp();
	return pmu_clock_mono_ns();
}

#endif
