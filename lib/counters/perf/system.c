/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel's own calls and folders. */
#include "counters/perf/system.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/process.h"

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

static int by_tid(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

/* Return: how many there are in the folder, at most @room of them in @tid; negative errno. */
static long list_threads(pid_t *tid, long room)
{
	DIR *folder = opendir("/proc/self/task");
	const struct dirent *entry;
	long n = 0;

	if (!folder)
		return -errno;
	while ((entry = readdir(folder))) {
		int number = atoi(entry->d_name);

		if (number > 0 && n++ < room)
			tid[n - 1] = number;
	}
	closedir(folder);
	return n;
}

static bool has_tid(const pid_t *tid, int n, pid_t number)
{
	return bsearch(&number, tid, (size_t)n, sizeof(number), by_tid) != NULL;
}

/* A folder is no snapshot: it was whole if there were as many threads before and after. */
static int call_threads(pid_t **tid)
{
	struct pmu_process_stat before, after;
	int saved = errno, rc;
	long n;

	*tid = NULL;
	rc = pmu_process_stat(0, &before);
	if (rc)
		return rc;
	if (before.n_threads < 1)
		return -EAGAIN;
	*tid = malloc((size_t)before.n_threads * sizeof(**tid));
	if (!*tid)
		return -ENOMEM;
	n = list_threads(*tid, before.n_threads);
	rc = n < 0 ? (int)n : pmu_process_stat(0, &after);
	errno = saved;
	if (rc < 0)
		return rc;
	if (n != before.n_threads || n != after.n_threads)
		return -EAGAIN;
	qsort(*tid, (size_t)n, sizeof(**tid), by_tid);
	return has_tid(*tid, (int)n, getpid()) && has_tid(*tid, (int)n, (pid_t)syscall(SYS_gettid))
		       ? (int)n
		       : -ESRCH;
}

static const struct pmu_perf_system kernel = {
	.devices = "/sys/bus/event_source/devices",
	.modules = "/sys/module",
	.cpus = "/sys/devices/system/cpu",
	.open = call_open,
	.control = call_control,
	.threads = call_threads,
};

const struct pmu_perf_system *pmu_perf_system = &kernel;
