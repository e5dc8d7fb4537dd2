/* SPDX-License-Identifier: BSD-3-Clause */
/* Opens, reads and closes groups of perf events. */
#include "counters/perf/group.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/systemcall.h"
#include "counters/perf/system.h"

#define VALUES_SIZE(n) (offsetof(struct pmu_perf_values, value) + 8 * (size_t)(n))

static inline long raw_read(int fd, void *buf, size_t size)
{
	return pmu_system_call4(SYS_read, fd, (long)(uintptr_t)buf, (long)size, 0);
}

/*
 * Pinned belongs to the leader: the group counts whenever its thread runs, or not at all.
 * The hypervisor is never ours to count.  What belongs to the socket has no levels, nor has a
 * PMU beside the cores' own: the kernel takes no exclusion there, PERF_PMU_CAP_NO_EXCLUDE.
 */
static void fill_attr(struct perf_event_attr *attr, const struct pmu_slot *slot, bool leader,
		      const struct pmu_perf_where *where)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = slot->type;
	attr->config = slot->config;
	attr->config1 = slot->config1;
	attr->config2 = slot->config2;
	attr->disabled = leader && !where->apart;
	attr->pinned = leader && !where->inherit;
	if (!pmu_slot_is_socket(slot) && !slot->pmu[0]) {
		attr->exclude_user = !slot->user;
		attr->exclude_kernel = !slot->kernel;
		attr->exclude_hv = 1;
	}
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (!where->inherit) {
		attr->read_format |= PERF_FORMAT_GROUP;
		return;
	}
	attr->inherit = 1;
#if defined(PERF_ATTR_SIZE_VER7)
	attr->inherit_thread = 1;
#endif
}

/*
 * A PMU beside the cores' that knows no levels: then none may be excluded, the hypervisor's
 * neither.
 */
static bool is_without_levels(const struct perf_event_attr *attr)
{
	return attr->type >= PERF_TYPE_MAX && !attr->exclude_user && !attr->exclude_kernel &&
	       attr->exclude_hv;
}

static int open_event(struct perf_event_attr *attr, const struct pmu_perf_where *where, int leader)
{
	int fd;

	do
		fd = pmu_perf_system->open(attr, where->pid, where->cpu, leader,
					   PERF_FLAG_FD_CLOEXEC |
						   (where->cgroup ? PERF_FLAG_PID_CGROUP : 0));
	while (fd < 0 && pmu_fd_more(-fd));
	return fd;
}

static int open_slot(const struct pmu_slot *slot, const struct pmu_perf_where *where, int leader)
{
	struct perf_event_attr attr;
	int fd;

#if !defined(PERF_ATTR_SIZE_VER7)
	/* <linux/perf_event.h> of Linux 5.12 or before: what child processes do would be in it */
	if (where->inherit)
		return -EINVAL;
#endif
	fill_attr(&attr, slot, leader < 0, where);
	if (slot->kind == PMU_SLOT_CORE)
		attr.config1 |= where->config1;
	fd = open_event(&attr, where, leader);
	if (fd == -EINVAL && is_without_levels(&attr)) {
		attr.exclude_hv = 0;
		fd = open_event(&attr, where, leader);
	}
	return fd >= 0 && where->limit ? pmu_fd_park(fd, where->limit) : fd;
}

/*
 * Where the soft limit is the hard one there are no numbers out of the program's way: of those that
 * are its own it keeps three in four.  A thread beyond that is not counted.
 */
#define SHARE 4

static uint32_t n_shared;

static bool may_take(struct pmu_perf_group *group, const struct pmu_fd_limit *limit)
{
	if (!limit || !limit->hard || limit->soft < limit->hard)
		return true;
	if (__atomic_add_fetch(&n_shared, 1, __ATOMIC_RELAXED) > limit->hard / SHARE) {
		__atomic_sub_fetch(&n_shared, 1, __ATOMIC_RELAXED);
		return false;
	}
	group->n_shared++;
	return true;
}

static int add_group_slot(struct pmu_perf_group *group, const struct pmu_plan *plan,
			  unsigned int slot, const struct pmu_perf_where *where)
{
	uint32_t n = group->n;
	int fd = !may_take(group, where->limit) ? -EMFILE
						: open_slot(&plan->slot[slot], where,
							    n && !where->apart ? group->fd[0] : -1);

	if (fd < 0)
		return fd;
	if (!n)
		group->owner = getpid();
	group->fd[n] = fd;
	group->slot[n] = (uint8_t)slot;
	/* a kernel without the request leaves 0: then every descriptor that refuses it is
	 * not ours */
	if (pmu_perf_system->control(fd, PERF_EVENT_IOC_ID, &group->id[n]) < 0)
		group->id[n] = 0;
	group->n++;
	return 0;
}

int pmu_perf_group_open(struct pmu_perf_group *group, const struct pmu_plan *plan,
			const struct pmu_perf_where *where, unsigned int *failed)
{
	int rc;

	memset(group, 0, sizeof(*group));
	for (unsigned int i = 0; i < plan->n_slots; i++) {
		if (plan->absent >> i & 1)
			continue;
		rc = add_group_slot(group, plan, i, where);
		if (rc) {
			*failed = i;
			pmu_perf_group_close(group);
			return rc;
		}
	}
	return 0;
}

static int group_ioctl(const struct pmu_perf_group *group, unsigned long request)
{
	if (!group->n)
		return 0;
	return pmu_perf_system->control(group->fd[0], request,
					(void *)(uintptr_t)PERF_IOC_FLAG_GROUP);
}

int pmu_perf_group_enable(const struct pmu_perf_group *group)
{
	return group_ioctl(group, PERF_EVENT_IOC_ENABLE);
}

int pmu_perf_group_disable(const struct pmu_perf_group *group)
{
	return group_ioctl(group, PERF_EVENT_IOC_DISABLE);
}

int pmu_perf_group_reset(const struct pmu_perf_group *group)
{
	return group_ioctl(group, PERF_EVENT_IOC_RESET);
}

static bool is_our_event(int fd, uint64_t id)
{
	uint64_t now;

	return pmu_perf_system->control(fd, PERF_EVENT_IOC_ID, &now) == 0 && now == id;
}

/* A copy in another process keeps the events, which would go on counting without a reader. */
static void stop_group(const struct pmu_perf_group *group)
{
	if (group->n && group->owner == getpid() && is_our_event(group->fd[0], group->id[0]))
		pmu_perf_group_disable(group);
}

void pmu_perf_group_close(struct pmu_perf_group *group)
{
	int saved = errno;

	stop_group(group);
	__atomic_sub_fetch(&n_shared, group->n_shared, __ATOMIC_RELAXED);
	group->n_shared = 0;
	while (group->n) {
		uint32_t last = --group->n;

		if (is_our_event(group->fd[last], group->id[last]))
			close(group->fd[last]);
	}
	errno = saved;
}

void pmu_perf_reader_init(struct pmu_perf_reader *reader, const struct pmu_perf_group *group,
			  const struct pmu_plan *plan)
{
	memset(reader, 0, sizeof(*reader));
	reader->all = pmu_plan_mask(plan);
	reader->missing = reader->all;
	reader->n = group->n;
	reader->fd = group->n ? group->fd[0] : -1;
	reader->id = group->id[0];
	for (uint32_t i = 0; i < group->n; i++) {
		reader->slot[i] = group->slot[i];
		reader->missing &= ~(1u << group->slot[i]);
	}
}

uint32_t pmu_perf_lost(struct pmu_perf_reader *reader, enum pmu_source_lost why)
{
	if (!reader->source.lost)
		__atomic_store_n(&reader->source.lost, why, __ATOMIC_RELAXED);
	return reader->all;
}

/* A pinned group that lost its counters reads as end of file, for good. */
static PMU_COLD uint32_t group_read_failed(struct pmu_perf_reader *self)
{
	bool ours = is_our_event(self->fd, self->id);

	return pmu_perf_lost(self, ours ? PMU_SOURCE_TAKEN : PMU_SOURCE_CLOSED);
}

PMU_HOT uint32_t pmu_perf_reader_read(void *thread, uint64_t *value)
{
	struct pmu_perf_reader *self = thread;
	struct pmu_perf_values got;
	uint32_t n = self->n;

	if (unlikely(self->source.lost))
		return self->all;
	if (unlikely(raw_read(self->fd, &got, sizeof(got)) != (long)VALUES_SIZE(n) || got.n != n ||
		     got.running_ns != got.enabled_ns))
		return group_read_failed(self);
	for (uint32_t i = 0; i < n; i++)
		value[self->slot[i]] = got.value[i];
	return self->missing;
}

enum pmu_source_lost pmu_perf_group_read(const struct pmu_perf_group *group,
					 struct pmu_perf_values *got)
{
	if (raw_read(group->fd[0], got, sizeof(*got)) == (long)VALUES_SIZE(group->n) &&
	    got->n == group->n)
		return PMU_SOURCE_HOLDS;
	return is_our_event(group->fd[0], group->id[0]) ? PMU_SOURCE_TAKEN : PMU_SOURCE_CLOSED;
}

/*
 * One by one: the kernel takes a thread that ends out of a group event after event, and in between
 * a read of all of them at once lacks what it counted.  The count of one event it moves to that of
 * the event it was inherited from under the lock that a read takes, too.
 * Source: kernel/events/core.c, perf_event_exit_event(), __perf_event_read_value().
 */
enum pmu_source_lost pmu_perf_group_add(const struct pmu_perf_group *group, uint64_t *sum)
{
	/* longer than what is there, so that a file of the program's gives another length */
	uint64_t got[sizeof(struct pmu_perf_values) / sizeof(uint64_t)];

	for (uint32_t i = 0; i < group->n; i++) {
		if (raw_read(group->fd[i], got, sizeof(got)) != 3 * sizeof(got[0]))
			return is_our_event(group->fd[i], group->id[i]) ? PMU_SOURCE_TAKEN
									: PMU_SOURCE_CLOSED;
		if (got[1] != got[2])
			return PMU_SOURCE_TAKEN;
		sum[group->slot[i]] += got[0];
	}
	return PMU_SOURCE_HOLDS;
}

uint32_t pmu_perf_reader_nothing(void *thread, uint64_t *value)
{
	const struct pmu_perf_reader *self = thread;

	(void)value;
	return self->missing;
}
