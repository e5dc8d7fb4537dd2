/* SPDX-License-Identifier: BSD-3-Clause */
/* What /proc says of the processes that are attached to, and of their threads. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/process.h"
#include "base/sysfile.h"
#include "bindings/command/attach/attach.h"
#include "report/model/model.h"

/* Linux, include/linux/sched.h: PF_KTHREAD */
#define KERNEL_THREAD 0x00200000u

static long read_of(pid_t pid, pid_t tid, const char *file, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, tid, file);
	return pmu_sysfile_read(path, text, size);
}

static uint64_t queued_of(pid_t pid, pid_t tid)
{
	struct pmu_process_sched sched;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", pid, tid);
	return pmu_process_sched(path, &sched) ? PMU_NOT_KNOWN : sched.queued_ns;
}

static void read_switches_of(pid_t pid, pid_t tid, struct pmu_attach_usage *usage)
{
	char text[4096];
	const char *line;

	if (read_of(pid, tid, "status", text, sizeof(text)) < 0)
		return;
	line = strstr(text, "\nvoluntary_ctxt_switches:");
	if (!line ||
	    sscanf(line,
		   "\nvoluntary_ctxt_switches: %" SCNd64 "\nnonvoluntary_ctxt_switches: %" SCNd64,
		   &usage->voluntary_switches, &usage->involuntary_switches) != 2)
		usage->voluntary_switches = usage->involuntary_switches = -1;
}

struct pmu_attach_usage pmu_attach_usage(pid_t pid, pid_t tid)
{
	struct pmu_attach_usage usage = { queued_of(pid, tid), -1, -1, -1, -1 };
	struct pmu_process_stat stat;
	char text[1024];

	if (read_of(pid, tid, "stat", text, sizeof(text)) > 0 &&
	    !pmu_process_stat_parse(text, &stat)) {
		usage.minor_faults = stat.minor_faults;
		usage.major_faults = stat.major_faults;
	}
	read_switches_of(pid, tid, &usage);
	return usage;
}

void pmu_attach_name(pid_t pid, pid_t tid, char *name, size_t size)
{
	if (read_of(pid, tid, "comm", name, size) < 0)
		name[0] = '\0';
}

bool pmu_attach_is_kernel(pid_t pid)
{
	struct pmu_process_stat stat;

	return !pmu_process_stat(pid, &stat) && stat.flags & KERNEL_THREAD;
}

void pmu_attach_command(pid_t pid, char *text, size_t size)
{
	char path[32];
	long n;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	n = pmu_sysfile_read(path, text, size);
	/* a longer line is cut where there is no more room */
	if (n == -EFBIG)
		n = (long)size - 1;
	if (n < 0)
		n = 0;
	for (long i = 0; i < n; i++)
		if (!text[i])
			text[i] = ' ';
	while (n > 0 && text[n - 1] == ' ')
		n--;
	text[n] = '\0';
}

int pmu_attach_root(pid_t pid)
{
	struct stat own, its;
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/root", pid);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (!stat("/", &own) && !fstat(fd, &its) &&
	    (own.st_dev != its.st_dev || own.st_ino != its.st_ino))
		return fd;
	close(fd);
	return -1;
}

static int by_tid_number(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

long pmu_attach_threads(pid_t pid, pid_t **tid)
{
	const struct dirent *entry;
	char path[32];
	size_t n = 0, room = 0;
	DIR *folder;
	int rc = 0;

	*tid = NULL;
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	folder = opendir(path);
	if (!folder)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!rc && (entry = readdir(folder))) {
		int number = atoi(entry->d_name);

		if (number <= 0)
			continue;
		if (n == room) {
			pid_t *grown = reallocarray(*tid, room = room ? 2 * room : 64,
						    sizeof(**tid));

			rc = grown ? 0 : -ENOMEM;
			*tid = grown ? grown : *tid;
		}
		if (!rc)
			(*tid)[n++] = number;
	}
	closedir(folder);
	if (n)
		qsort(*tid, n, sizeof(**tid), by_tid_number);
	return rc ? rc : (long)n;
}

/* --- what it is --- */

/* A number of /proc/PID/status; -1: it has none. */
static long status_number(const char *status, const char *name)
{
	const char *line = strstr(status, name);

	return line ? strtol(line + strlen(name), NULL, 10) : -1;
}

int pmu_attach_check(pid_t pid)
{
	char path[32], status[4096];
	struct pmu_process_stat stat;
	long group;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (pmu_sysfile_read(path, status, sizeof(status)) < 0 || pmu_process_stat(pid, &stat))
		return pmu_fail(ESRCH, "there is no process %d here", pid);
	group = status_number(status, "\nTgid:");
	if (group > 0 && group != pid)
		return pmu_fail(EINVAL, "%d is a thread of process %ld: pmu attach %ld", pid, group,
				group);
	if (pmu_process_has_ended(&stat))
		return pmu_fail(
			ESRCH,
			"process %d has ended; only its status is still there, for process %ld to ask for",
			pid, status_number(status, "\nPPid:"));
	if (stat.flags & KERNEL_THREAD)
		return pmu_fail(
			EINVAL,
			"%d is a thread of the kernel's: it is no program, and has no code of its own",
			pid);
	return 0;
}
