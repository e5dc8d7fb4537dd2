/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A kernel for the source perf: it remembers what was opened, and its counts are what a test says.
 */
#ifndef PMU_TESTS_PERF_FAKE_H
#define PMU_TESTS_PERF_FAKE_H

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "counters/perf/group.h"
#include "counters/perf/system.h"

#define FAKE_EVENTS 512

/* An event is a pipe of packets: its number is the pipe's, whatever becomes of the descriptor's. */
struct fake_event {
	struct perf_event_attr attr;
	pid_t pid;
	int cpu;
	unsigned long flags;
	uint64_t id, leader; /* the leader's is its own */
	int end;             /* to write to; -1 closed */
	unsigned int n;      /* of a leader: events of its group */
	bool enabled;
};

static struct fake_event fake_event[FAKE_EVENTS];
static unsigned int fake_n;
/* What perf_event_open says; NULL: it always opens. */
static int (*fake_refuse)(const struct fake_event *event, unsigned int place);

static uint64_t fake_id(int fd)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) ? st.st_ino : 0;
}

static struct fake_event *fake_find(uint64_t id)
{
	for (unsigned int i = fake_n; i-- > 0;)
		if (id && fake_event[i].id == id)
			return &fake_event[i];
	return NULL;
}

/* What the next read of a group gives; values of its events in their order. */
__attribute__((unused)) static void fake_give(struct fake_event *leader, uint64_t enabled,
					      uint64_t running, const uint64_t *value)
{
	struct pmu_perf_values packet = { .n = leader->n,
					  .enabled_ns = enabled,
					  .running_ns = running };
	size_t size = offsetof(struct pmu_perf_values, value) + 8 * leader->n;

	for (unsigned int i = 0; value && i < leader->n; i++)
		packet.value[i] = value[i];
	if (write(leader->end, &packet, size) != (ssize_t)size)
		abort();
}

static int fake_open(struct perf_event_attr *attr, pid_t pid, int cpu, int leader,
		     unsigned long flags)
{
	struct fake_event *event = &fake_event[fake_n % FAKE_EVENTS];
	struct fake_event *first = fake_find(fake_id(leader));
	int ends[2], rc;

	*event = (struct fake_event){
		.attr = *attr, .pid = pid, .cpu = cpu, .flags = flags, .n = 1, .end = -1
	};
	if (leader >= 0 && !first)
		return -EBADF;
	event->leader = first ? first->id : 0;
	rc = fake_refuse ? fake_refuse(event, first ? first->n : 0) : 0;
	if (rc)
		return rc;
	if (pipe2(ends, O_DIRECT | O_CLOEXEC | O_NONBLOCK))
		return -errno;
	event->end = ends[1];
	event->id = fake_id(ends[0]);
	if (first)
		first->n++;
	else
		event->leader = event->id;
	fake_n++;
	return ends[0];
}

/* A group that is enabled can be read once, as the code that opens it does. */
static int fake_control(int fd, unsigned long request, void *argument)
{
	struct fake_event *event = fake_find(fake_id(fd));

	if (!event)
		return fcntl(fd, F_GETFD) < 0 ? -EBADF : -ENOTTY;
	if (request == PERF_EVENT_IOC_ID)
		*(uint64_t *)argument = event->id;
	if (request == PERF_EVENT_IOC_ENABLE) {
		event->enabled = true;
		if (event->attr.read_format & PERF_FORMAT_GROUP)
			fake_give(event, 0, 0, NULL);
	}
	return 0;
}

static struct pmu_perf_system fake_system = { .modules = "/nonexistent",
					      .open = fake_open,
					      .control = fake_control };

/* Our ends of all pipes; what was opened is forgotten. */
__attribute__((unused)) static void fake_forget(void)
{
	while (fake_n)
		if (fake_event[--fake_n].end >= 0)
			close(fake_event[fake_n].end);
	fake_refuse = NULL;
}

/* Only those that are still open. */
__attribute__((unused)) static int fake_descriptors(void)
{
	int n = 0;

	for (int fd = 0; fd < 1 << 17; fd++) {
		struct fake_event *event = fake_find(fake_id(fd));

		n += event && event->end != fd;
	}
	return n;
}

#endif
