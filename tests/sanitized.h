/* SPDX-License-Identifier: BSD-3-Clause */
/* Which sanitizers this is built with: gcc and clang say so each in its own way. */
#ifndef PMU_TESTS_SANITIZED_H
#define PMU_TESTS_SANITIZED_H

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TEST_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define TEST_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define TEST_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define TEST_TSAN 1
#endif
#ifndef TEST_ASAN
#define TEST_ASAN 0
#endif
#ifndef TEST_TSAN
#define TEST_TSAN 0
#endif
#define TEST_SANITIZED (TEST_ASAN || TEST_TSAN)

#endif
