/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instructions that read counters, and that the kernel may refuse at any moment.
 *
 * An administrator can forbid RDPMC (x86: /sys/bus/event_source/devices/cpu/rdpmc) or mrs (arm64:
 * kernel.perf_user_access) while a program uses it; a thread may be moved to a core that lacks the
 * counter.  The next such instruction raises SIGSEGV or SIGILL, by default the end of the program.
 * A handler goes on behind those of this library.
 */
#ifndef PMU_COUNTERS_REFUSABLE_H
#define PMU_COUNTERS_REFUSABLE_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__) || defined(__i386__)
/** pmu_rdpmc() - Intel SDM vol. 2B, RDPMC; an undefined value where it is refused. */
static inline __attribute__((always_inline)) uint64_t pmu_rdpmc(uint32_t which)
{
	return __builtin_ia32_rdpmc((int)which);
}
#endif

/**
 * pmu_refusable_guard() - from now on a refused instruction does no harm
 *
 * Once per process.  What else raises these signals goes where it went before.  A program that sets
 * handlers of its own afterwards replaces ours.
 */
void pmu_refusable_guard(void);

/**
 * pmu_refusable_watch() - what to call on this thread when it is refused one, from the handler
 * @refused: the same on every thread; NULL: nothing
 * @arg: not NULL
 */
void pmu_refusable_watch(void (*refused)(void *arg), void *arg);

/** pmu_refusable_was() - has any thread been refused one? */
bool pmu_refusable_was(void);

#endif
