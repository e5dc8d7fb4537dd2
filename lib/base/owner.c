/* SPDX-License-Identifier: BSD-3-Clause */
/* Users and owners without libc. */
#include "base/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>

#include "base/systemcall.h"

/* There the kernel's struct stat is libc's. */
#if (defined(__x86_64__) && defined(__LP64__)) || defined(__aarch64__)
#define KERNELS_STAT 1
#else
#define KERNELS_STAT 0
#endif

uid_t pmu_owner_self(void)
{
	return (uid_t)pmu_system_call2(SYS_geteuid, 0, 0);
}

int pmu_owner_stat(int fd, struct stat *st)
{
#if KERNELS_STAT
	return (int)pmu_system_call2(SYS_fstat, fd, (long)(uintptr_t)st);
#else
	return fstat(fd, st) ? -errno : 0;
#endif
}

bool pmu_owner_is_self(const char *path)
{
	struct stat st;
#if KERNELS_STAT
	long rc = pmu_system_call4(SYS_newfstatat, AT_FDCWD, (long)(uintptr_t)path,
				   (long)(uintptr_t)&st, 0);
#else
	long rc = stat(path, &st);
#endif
	return !rc && st.st_uid == pmu_owner_self();
}
