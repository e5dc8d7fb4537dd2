/* SPDX-License-Identifier: BSD-3-Clause */
/* What those who are sampled and who collects have in common: where they meet, the event. */
#include "store/samples.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
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

/* At the levels of the event; where the kernel's work is among them as far as it may be, time is all of it. */
static void fill_event(struct perf_event_attr *attr, const struct pmu_sample_event *event)
{
	const struct pmu_slot *slot = &event->slot;

	attr->type = slot->type;
	attr->config = slot->config;
	attr->config1 = slot->config1;
	attr->config2 = slot->config2;
	if (!slot->pmu[0]) {
		attr->exclude_user = !slot->user;
		attr->exclude_kernel = !slot->kernel;
	}
	if (slot->kind == PMU_SLOT_CORE)
		attr->precise_ip = event->unit.precise;
	/* for who collects, to see whether it had a counter */
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	/*
	 * By a clock of its own an event has each sample in the ring when it is taken.  Else Intel's processors write
	 * many of precise ones to memory that the kernel looks at later: in another region (large PEBS, which has no
	 * such times).
	 */
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC_RAW;
}

/* Linux, include/uapi/linux/perf_event.h; what comes without PERF_SAMPLE_ID is as short as it can be. */
void pmu_samples_fill(struct perf_event_attr *attr, const struct pmu_sample_event *event)
{
	*attr = (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(*attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = event->unit.period,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.exclude_hv = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
	};
	if (!pmu_sample_is_time(&event->unit))
		fill_event(attr, event);
}

/* Linux, arch/x86/events/core.c, x86_pmu_hw_config() and validate_event(): of more than there is, and of no event for it */
bool pmu_samples_less_precise(struct pmu_sample_event *event, int error)
{
	if (event->slot.kind != PMU_SLOT_CORE || !event->unit.precise ||
	    (error != EOPNOTSUPP && error != EINVAL && error != ENOENT && error != ENODEV))
		return false;
	event->unit.precise--;
	return true;
}

static int open_attr(struct perf_event_attr *attr, int32_t tid)
{
	return (int)syscall(SYS_perf_event_open, attr, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
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

int pmu_samples_open(int32_t tid, struct pmu_sample_event *event, bool callers)
{
	struct perf_event_attr attr;
	int fd;

	do {
		pmu_samples_fill(&attr, event);
		if (callers)
			pmu_samples_fill_callers(&attr);
		attr.context_switch = 1;
		fd = open_attr(&attr, tid);
	} while (fd < 0 && pmu_samples_less_precise(event, errno));
	if (fd >= 0 || !pmu_sample_is_time(&event->unit))
		return fd;
	attr.exclude_kernel = 1; /* as whoever has no right to more */
	return open_attr(&attr, tid);
}

unsigned int pmu_samples_pages(uint32_t number, bool late)
{
	if (late)
		return number < N_MEDIUM ? MEDIUM_PAGES : SMALL_PAGES;
	return number < N_LARGE ? LARGE_PAGES : number < N_MEDIUM ? MEDIUM_PAGES : SMALL_PAGES;
}
