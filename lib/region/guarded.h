/* SPDX-License-Identifier: BSD-3-Clause */
/* The reentrancy guard around calls that stay on the fast path. */
#ifndef PMU_REGION_GUARDED_H
#define PMU_REGION_GUARDED_H

#include "session/thread.h"

/*
 * The reentrancy guard is odd while its thread is inside the library. It is incremented and
 * decremented in memory, not set: where a fork in between has wiped it, it must not become valid
 * again on the way out of the call. On x86-64 that is one instruction, which no signal can
 * interrupt; on arm64 without LSE a loop that starts over after an interrupt. (A cmpxchg is no
 * shorter, and a third slower where calls follow each other closely, as at the ends of nested
 * regions.)
 */
static inline void guard_add(const struct pmu_thread *self, uint32_t *guard, uint32_t n)
{
	(void)self;
#if defined(__x86_64__)
	__asm__ volatile("addl %1, %0" : "+m"(*guard) : "ri"(n) : "cc");
#elif defined(__aarch64__)
	uint32_t value, failed;

	if (likely(self->guard_in_one)) {
		__asm__ volatile(".arch_extension lse\n	stadd	%w1, %0" : "+Q"(*guard) : "r"(n));
		return;
	}
	__asm__ volatile("1:	ldxr	%w0, %2\n"
			 "	add	%w0, %w0, %w3\n"
			 "	stxr	%w1, %w0, %2\n"
			 "	cbnz	%w1, 1b"
			 : "=&r"(value), "=&r"(failed), "+Q"(*guard)
			 : "r"(n));
#else
	__atomic_fetch_add(guard, n, __ATOMIC_RELAXED);
#endif
}

/* Load and compare in one instruction. */
static inline bool guard_is(const uint32_t *guard, uint32_t value)
{
#if defined(__x86_64__)
	bool same;

	__asm__ volatile("cmpl %2, %1" : "=@cce"(same) : "m"(*guard), "r"(value));
	return same;
#else
	return pmu_load_relaxed(guard) == value;
#endif
}

/** guard_leave() - the call is over */
static inline void guard_leave(const struct pmu_thread *self, uint32_t *guard)
{
	pmu_compiler_barrier();
	guard_add(self, guard, -1u);
}

/*
 * Entered first, checked after: between a check and a change a signal handler might fork a child
 * that returns here. Where the guard then is not @epoch it is no valid value at all: epochs lie
 * further apart than the number of signal handlers that can be nested.
 */
static inline bool guard_enter(const struct pmu_thread *self, uint32_t *guard, int32_t epoch)
{
	guard_add(self, guard, 1);
	pmu_compiler_barrier();
	if (likely(guard_is(guard, (uint32_t)epoch)))
		return true;
	guard_leave(self, guard);
	return false;
}

#endif
