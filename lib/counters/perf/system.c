/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's own calls and folders. */
#include "counters/perf/system.h"

#include <errno.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int call_open(struct perf_event_attr *attr, pid_t pid, int cpu, int leader,
		     unsigned long flags)
{
	int saved = errno;
	int rc = (int)syscall(SYS_perf_event_open, attr, pid, cpu, leader, flags);

	rc = rc < 0 ? -errno : rc;
	errno = saved;
	return rc;
}

static int call_control(int fd, unsigned long request, void *argument)
{
	int saved = errno;
	int rc = ioctl(fd, request, argument);

	rc = rc < 0 ? -errno : rc;
	errno = saved;
	return rc;
}

static const struct pmu_perf_system kernel = {
	.devices = "/sys/bus/event_source/devices",
	.modules = "/sys/module",
	.cpus = "/sys/devices/system/cpu",
	.open = call_open,
	.control = call_control,
};

const struct pmu_perf_system *pmu_perf_system = &kernel;
