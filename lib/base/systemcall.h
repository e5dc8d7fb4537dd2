/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * System calls without libc: its functions may be interposed, are points of cancellation, set
 * errno, and take other ways once a program has threads.  None of that belongs into a measured
 * program's regions.
 */
#ifndef PMU_BASE_SYSTEMCALL_H
#define PMU_BASE_SYSTEMCALL_H

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

/**
 * pmu_system_call4() - by its number.  Return: the kernel's: a negative errno where it failed.
 * Keeps errno.
 */
static inline long pmu_system_call4(long number, long a, long b, long c, long d)
{
#if defined(__x86_64__) && defined(__LP64__)
	register long r10 __asm__("r10") = d;
	long rc;

	__asm__ volatile("syscall"
			 : "=a"(rc)
			 : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return rc;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
#else
	int saved = errno;
	long rc = syscall(number, a, b, c, d);

	if (rc < 0)
		rc = -errno;
	errno = saved;
	return rc;
#endif
}

static inline long pmu_system_call2(long number, long a, long b)
{
	return pmu_system_call4(number, a, b, 0, 0);
}

#endif
