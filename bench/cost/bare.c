/* SPDX-License-Identifier: BSD-3-Clause */
/* Bare reads: time stamps, a perf group by read(2) or in user space, registers by pread(2). */
#include "bare.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/common/page_count.h"
#include "pmu.h"

/* --- time stamps --- */

static void read_clock(struct loop *loop, size_t n_pairs)
{
	for (size_t i = 0; i < n_pairs; i++) {
		uint64_t start = time_stamp();

		loop->sink = time_stamp() - start;
	}
}

static int open_clock(struct loop *loop, char *why, size_t size)
{
	(void)why;
	(void)size;
	loop->bare = read_clock;
	return 0;
}

/* --- a perf group by the kernel --- */

/* n, time enabled, time running, then the values: as read_format asks for it. */
static void read_group(struct loop *loop, size_t n_pairs)
{
	uint64_t before[3 + PMU_MAX_COUNTS], after[3 + PMU_MAX_COUNTS];

	for (size_t i = 0; i < n_pairs; i++) {
		if (read(loop->fd[0], before, sizeof(before)) < 0 ||
		    read(loop->fd[0], after, sizeof(after)) < 0)
			abort();
		loop->sink = after[3] - before[3];
	}
}

/* --- the same group in user space --- */

static void read_pages(struct loop *loop, size_t n_pairs)
{
	for (size_t i = 0; i < 2 * n_pairs; i++) {
		settle();
		for (int k = 0; k < loop->n_counts; k++)
			loop->sink = page_count(loop->page[k]);
	}
}

static void unmap_pages(struct loop *loop, int n)
{
	while (n-- > 0)
		munmap((void *)loop->page[n], (size_t)sysconf(_SC_PAGESIZE));
}

/* Can all of the group be read so? */
static bool map_pages(struct loop *loop)
{
	for (int i = 0; i < loop->n_counts; i++) {
		struct perf_event_mmap_page *page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE),
							 PROT_READ, MAP_SHARED, loop->fd[i], 0);

		if (page == MAP_FAILED) {
			unmap_pages(loop, i);
			return false;
		}
		loop->page[i] = page;
		if (!page->cap_user_rdpmc || !page->index) {
			unmap_pages(loop, i + 1);
			return false;
		}
	}
	return READS_COUNTERS;
}

/* --- opening a group --- */

static const struct event {
	const char *name;
	uint32_t type;
	uint64_t config;
	bool in_kernel; /* happens there: the library counts it there, too */
} events[] = {
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, false },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, false },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, false },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, false },
	{ "alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS, false },
	{ "emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS, false },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, true },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, false },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, false },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, false },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, false },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, false },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, false },
};

/*
 * The event at the beginning of @list, which then is what comes after it; NULL where it is none of
 * ours.
 */
static const struct event *next_event(const char **list)
{
	size_t len = strcspn(*list, ",");
	const char *name = *list;

	*list += len + (name[len] == ',');
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		if (strlen(events[i].name) == len && !strncmp(events[i].name, name, len))
			return &events[i];
	return NULL;
}

static const char *list_of_events(void)
{
	const char *list = getenv("PMU_EVENTS");

	return list ? list : "";
}

int bare_events(void)
{
	int n = 0;

	for (const char *list = list_of_events(); *list; n++)
		next_event(&list);
	return n;
}

bool bare_needs_counters(void)
{
	const char *list = list_of_events();
	const struct event *event = *list ? next_event(&list) : NULL;

	return event && event->type == PERF_TYPE_HARDWARE;
}

static int open_event(const struct event *event, int leader, uint64_t config1)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = event->type,
		.config = event->config,
		.config1 = config1,
		.pinned = leader < 0,
		.exclude_kernel = !event->in_kernel,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, leader, PERF_FLAG_FD_CLOEXEC);
}

/*
 * arm64: bit 1 of config1 asks for user access, bit 0 for 64 bits, which not every PMU has
 * (Documentation/arch/arm64/ perf.rst).  Elsewhere, and for what is not counted by the processor,
 * the last one is the only one.
 */
static int open_somehow(const struct event *event, int leader)
{
#if defined(__aarch64__)
	for (uint64_t config1 = 3; event->type == PERF_TYPE_HARDWARE && config1 >= 2; config1--) {
		int fd = open_event(event, leader, config1);

		if (fd >= 0)
			return fd;
	}
#endif
	return open_event(event, leader, 0);
}

static int open_group(struct loop *loop, char *why, size_t size)
{
	const char *list = list_of_events();

	for (loop->n_counts = 0; *list && loop->n_counts < MAX_COUNTS; loop->n_counts++) {
		const char *name = list;
		const struct event *event = next_event(&list);
		int fd = event ? open_somehow(event, loop->n_counts ? loop->fd[0] : -1)
			       : (errno = EINVAL, -1);

		if (fd < 0) {
			snprintf(why, size, "no bare read of %.*s: %s", (int)strcspn(name, ","),
				 name, strerror(errno));
			return -1;
		}
		loop->fd[loop->n_counts] = fd;
	}
	if (!loop->n_counts) {
		snprintf(why, size, "no bare read: PMU_EVENTS names nothing");
		return -1;
	}
	loop->bare = bare_needs_counters() && map_pages(loop) ? read_pages : read_group;
	return 0;
}

/* --- registers --- */

/*
 * Each processor of each maker has it, and the kernel's file takes as long for it as for a counter.
 */
#define IA32_TIME_STAMP_COUNTER 0x10

static void read_registers(struct loop *loop, size_t n_pairs)
{
	uint64_t value;

	for (size_t i = 0; i < 2 * n_pairs; i++) {
		for (int k = 0; k < loop->n_counts; k++) {
			if (pread(loop->fd[0], &value, sizeof(value), IA32_TIME_STAMP_COUNTER) !=
			    sizeof(value))
				abort();
			loop->sink = value;
		}
	}
}

static int open_registers(struct loop *loop, char *why, size_t size)
{
	const char *pattern = getenv("PMU_MSR_DEVICE"), *at;
	char path[4096];

	if (!pattern || !(at = strstr(pattern, "%d")))
		at = strstr(pattern = "/dev/cpu/%d/msr", "%d");
	snprintf(path, sizeof(path), "%.*s%d%s", (int)(at - pattern), pattern, sched_getcpu(),
		 at + 2);
	loop->fd[0] = open(path, O_RDONLY | O_CLOEXEC);
	if (loop->fd[0] < 0) {
		snprintf(why, size, "no bare read of %.100s: %s", path, strerror(errno));
		return -1;
	}
	loop->n_counts = bare_events();
	loop->bare = read_registers;
	return 0;
}

const struct bare *bare_find(const char *name)
{
	static const struct bare ways[] = { { "clock", open_clock },
					    { "group", open_group },
					    { "msr", open_registers } };

	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(ways[i].name, name))
			return &ways[i];
	return NULL;
}
