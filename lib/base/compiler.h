/* SPDX-License-Identifier: BSD-3-Clause */
/* What we ask of the compiler, in one place. */
#ifndef PMU_BASE_COMPILER_H
#define PMU_BASE_COMPILER_H

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* A function of include/pmu.h: exported, and listed in lib/libpmu.map. */
#define PMU_API __attribute__((visibility("default")))
/* Exported without a symbol version: stands in for a function of libc. */
#define PMU_INTERPOSE __attribute__((visibility("default")))

#define PMU_HOT               __attribute__((hot))
#define PMU_COLD              __attribute__((cold, noinline))
#define PMU_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))

#define PMU_ARRAY_LEN(a)    (sizeof(a) / sizeof((a)[0]))
#define PMU_ALIGN_UP(x, to) (((x) + (to)-1) / (to) * (to))

/* Only the compiler is held back: orders a thread's accesses against its own signal handlers. */
#define pmu_compiler_barrier() __atomic_signal_fence(__ATOMIC_SEQ_CST)

#if defined(__SANITIZE_THREAD__)
#define PMU_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PMU_TSAN 1
#endif
#endif
#ifndef PMU_TSAN
#define PMU_TSAN 0
#endif

/*
 * Relaxed accesses of a whole aligned word, for the hot path: for an atomic one gcc computes the
 * address apart on arm64, an instruction that an ordinary access does not need.
 */
#if PMU_TSAN
#define pmu_load_relaxed(from)       __atomic_load_n(from, __ATOMIC_RELAXED)
#define pmu_store_relaxed(to, value) __atomic_store_n(to, value, __ATOMIC_RELAXED)
#else
#define pmu_load_relaxed(from)       (*(const volatile __typeof__(*(from)) *)(from))
#define pmu_store_relaxed(to, value) (*(volatile __typeof__(*(to)) *)(to) = (value))
#endif

#if PMU_TSAN || defined(__SANITIZE_ADDRESS__)
#define PMU_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PMU_SANITIZED 1
#endif
#endif
#ifndef PMU_SANITIZED
#define PMU_SANITIZED 0
#endif

#endif
