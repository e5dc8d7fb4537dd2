/* SPDX-License-Identifier: BSD-3-Clause */
/* What the source perf asks of the kernel. */
#ifndef PMU_COUNTERS_PERF_SYSTEM_H
#define PMU_COUNTERS_PERF_SYSTEM_H

#include <linux/perf_event.h>
#include <sys/types.h>

/** Calls and folders; a test puts others in their place before anything is opened. */
struct pmu_perf_system {
	const char *devices; /* the kernel's PMUs */
	const char *modules; /* what is loaded: a folder for each module */
	const char *cpus;    /* its processors: a folder "cpu0" for each */
	/* perf_event_open(2), ioctl(2) of its descriptors: 0 or more, or a negative errno */
	int (*open)(struct perf_event_attr *attr, pid_t pid, int cpu, int leader,
		    unsigned long flags);
	int (*control)(int fd, unsigned long request, void *argument);
	/*
	 * The threads of this process: how many, with @tid allocated, ascending; or a negative
	 * errno: -EAGAIN where one has begun or ended meanwhile, -ESRCH where the numbers in /proc
	 * are not those of this process
	 */
	int (*threads)(pid_t **tid);
};

extern const struct pmu_perf_system *pmu_perf_system;

#endif
