/* SPDX-License-Identifier: BSD-3-Clause */
/* The one event of the contenders that use the kernel's interface without a library. */
#ifndef BENCH_PERF_EVENT_H
#define BENCH_PERF_EVENT_H

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "worker.h"

/**
 * perf_event() - opens it for the calling thread
 * @read_format: what read(2) gives beside the count
 *
 * At user level only: that needs no privileges.
 *
 * Return: a file descriptor, or -1 and @why.
 */
static inline int perf_event(enum what what, uint64_t read_format, char why[WHY_LEN])
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = what == INSTRUCTIONS ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE,
		.config = what == INSTRUCTIONS ? PERF_COUNT_HW_INSTRUCTIONS
					       : PERF_COUNT_SW_PAGE_FAULTS,
		.pinned = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = read_format,
	};
	int fd;

	if (what == TIME) {
		because(why, "perf has no event that is a time alone");
		return -1;
	}
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		because(why, "perf_event_open of %s: %s",
			what == INSTRUCTIONS ? "instructions" : "page-faults", strerror(errno));
	return fd;
}

#endif
