/* SPDX-License-Identifier: BSD-3-Clause */
/* What those who are sampled and who collects have in common: where they meet, the event. */
#include "store/samples.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/sysfile.h"

/*
 * Pages of a ring, a power of 2.  What a user may lock is 516 KiB a processor as a rule
 * (kernel.perf_event_mlock_kb): a program of a few threads has room for a busy machine, one of many for all.
 */
#define N_LARGE      8u
#define LARGE_PAGES  16u
#define N_MEDIUM     24u
#define MEDIUM_PAGES 4u
#define SMALL_PAGES  2u

void pmu_samples_address(struct sockaddr_un *address, const char *folder, int folder_fd)
{
	const size_t room = sizeof(address->sun_path);

	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if ((size_t)snprintf(address->sun_path, room, "%s/" PMU_SAMPLES_SOCKET, folder) >= room)
		snprintf(address->sun_path, room, "/proc/self/fd/%d/" PMU_SAMPLES_SOCKET,
			 folder_fd);
}

/* Linux, include/uapi/linux/perf_event.h; what comes without PERF_SAMPLE_ID is as short as it can be. */
void pmu_samples_fill(struct perf_event_attr *attr, uint64_t period_ns)
{
	*attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(*attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = period_ns,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.exclude_hv = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
	};
}

void pmu_samples_fill_callers(struct perf_event_attr *attr)
{
	uint64_t most = 0;

	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	attr->exclude_callchain_kernel = 1;
	/* the kernel refuses more than that; before Linux 4.8 it chooses by itself */
	if (!pmu_sysfile_u64("/proc/sys/kernel/perf_event_max_stack", &most) && most)
		attr->sample_max_stack = most < PMU_SAMPLES_FRAMES ? (uint16_t)most
								   : PMU_SAMPLES_FRAMES;
}

int pmu_samples_open(int32_t tid, uint64_t period_ns, bool callers)
{
	struct perf_event_attr attr;
	int fd;

	pmu_samples_fill(&attr, period_ns);
	if (callers)
		pmu_samples_fill_callers(&attr);
	attr.context_switch = 1;
	fd = (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		return fd;
	attr.exclude_kernel = 1; /* as whoever has no right to more */
	return (int)syscall(SYS_perf_event_open, &attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

unsigned int pmu_samples_pages(uint32_t number, bool late)
{
	if (late)
		return number < N_MEDIUM ? MEDIUM_PAGES : SMALL_PAGES;
	return number < N_LARGE ? LARGE_PAGES : number < N_MEDIUM ? MEDIUM_PAGES : SMALL_PAGES;
}
