/* SPDX-License-Identifier: BSD-3-Clause */
/* Which process it is, and whether it still runs: what /proc says. */
#include "base/process.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/once.h"
#include "base/sysfile.h"

/* The command's name may hold anything: field 3 follows the last ')'. */
int pmu_process_stat_parse(const char *text, struct pmu_process_stat *stat)
{
	const char *field = strrchr(text, ')');

	/* Numbers 4 to 8, 11, 13 to 19 and 21 say nothing here. */
	if (!field || sscanf(field + 1,
			     " %c %*s %*s %*s %*s %*s %" SCNu32 " %" SCNd64 " %*s %" SCNd64
			     " %*s %*s %*s %*s %*s %*s %*s %ld %*s %" SCNu64,
			     &stat->state, &stat->flags, &stat->minor_faults, &stat->major_faults,
			     &stat->n_threads, &stat->start_time) != 6)
		return -EINVAL;
	return 0;
}

static int stat_read(const char *path, struct pmu_process_stat *stat)
{
	char text[1024];
	long n = pmu_sysfile_read(path, text, sizeof(text));

	return n < 0 ? (int)n : pmu_process_stat_parse(text, stat);
}

int pmu_process_stat(int pid, struct pmu_process_stat *stat)
{
	char path[32];

	if (!pid)
		return stat_read("/proc/self/stat", stat);
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	return stat_read(path, stat);
}

int pmu_process_stat_thread(int tid, struct pmu_process_stat *stat)
{
	char path[48];

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	return stat_read(path, stat);
}

static bool take_number(const char **at, uint64_t *number)
{
	char *end;

	*number = strtoull(*at, &end, 10);
	if (end == *at)
		return false;
	*at = end;
	return true;
}

int pmu_process_sched(const char *path, struct pmu_process_sched *sched)
{
	char text[128];
	const char *at = text;
	long n = pmu_sysfile_read(path, text, sizeof(text));

	if (n < 0)
		return (int)n;
	/* asked each time that a thread has waited: no sscanf() */
	return take_number(&at, &sched->ran_ns) && take_number(&at, &sched->queued_ns) &&
			       take_number(&at, &sched->times)
		       ? 0
		       : -EINVAL;
}

/* A zombie with other threads that still run is alive. */
bool pmu_process_has_ended(const struct pmu_process_stat *stat)
{
	return (stat->state == 'Z' && stat->n_threads <= 1) || stat->state == 'X';
}

/* It never changes: children of a process that has read it need not read it again. */
static void read_boot_id(char *id, size_t size)
{
	static char known[40];
	static struct pmu_once once;

	if (pmu_once_is_kept(&once)) {
		snprintf(id, size, "%s", known);
		return;
	}
	if (pmu_sysfile_read("/proc/sys/kernel/random/boot_id", id, size) < 0)
		id[0] = '\0';
	else if (pmu_once_take(&once)) {
		snprintf(known, sizeof(known), "%s", id);
		pmu_once_keep(&once);
	}
}

/*
 * A process stays in its namespace.  A child may have the number of its parent, but in another
 * namespace, and then it sees no parent.
 */
static uint64_t own_namespace(void)
{
	static uint64_t known;
	static int whose;
	bool sees_parent = getppid() != 0;
	struct stat ns;

	if (sees_parent && __atomic_load_n(&whose, __ATOMIC_ACQUIRE) == getpid())
		return __atomic_load_n(&known, __ATOMIC_RELAXED);
	if (stat("/proc/self/ns/pid", &ns))
		return 0;
	if (sees_parent) {
		__atomic_store_n(&known, ns.st_ino, __ATOMIC_RELAXED);
		__atomic_store_n(&whose, getpid(), __ATOMIC_RELEASE);
	}
	return ns.st_ino;
}

void pmu_process_self(struct pmu_process *process)
{
	struct pmu_process_stat self;

	memset(process, 0, sizeof(*process));
	process->pid = getpid();
	if (!pmu_process_stat(0, &self))
		process->start_time = self.start_time;
	process->pid_ns = own_namespace();
	read_boot_id(process->boot_id, sizeof(process->boot_id));
}

enum pmu_boot pmu_process_boot(const char *boot_id)
{
	char own[40];

	read_boot_id(own, sizeof(own));
	if (!boot_id[0] || !own[0])
		return PMU_BOOT_UNKNOWN;
	return strncmp(boot_id, own, sizeof(own)) ? PMU_BOOT_ANOTHER : PMU_BOOT_THIS;
}

/* --- processes of a container, seen from outside of it --- */

bool pmu_process_is_numbered(int pid, int32_t inside)
{
	static const char field[] = "\nNSpid:";
	char path[40], text[4096], *line, *last;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (pmu_sysfile_read(path, text, sizeof(text)) < 0)
		return false;
	line = strstr(text, field);
	if (!line)
		return false;
	line[1 + strcspn(line + 1, "\n")] = '\0';
	last = strrchr(line, '\t');
	return last && strtol(last, NULL, 10) == inside;
}

static bool is_in_namespace(int pid, uint64_t pid_ns)
{
	char path[40];
	struct stat ns;

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", pid);
	return !stat(path, &ns) && ns.st_ino == pid_ns;
}

static bool is_that(int pid, const struct pmu_process *process)
{
	struct pmu_process_stat stat;

	return is_in_namespace(pid, process->pid_ns) &&
	       pmu_process_is_numbered(pid, process->pid) && !pmu_process_stat(pid, &stat) &&
	       stat.start_time == process->start_time && !pmu_process_has_ended(&stat);
}

/* /proc shows what runs in namespaces below our own. */
static bool is_seen(const struct pmu_process *process)
{
	DIR *dir = opendir("/proc");
	struct dirent *file;
	bool seen = false;

	while (dir && !seen && (file = readdir(dir)))
		seen = isdigit((unsigned char)file->d_name[0]) &&
		       is_that(atoi(file->d_name), process);
	if (dir)
		closedir(dir);
	return seen;
}

/* --- whether it runs --- */

static bool is_of_other_namespace(const struct pmu_process *process)
{
	uint64_t pid_ns = own_namespace();

	return process->pid_ns && pid_ns && process->pid_ns != pid_ns;
}

enum pmu_liveness pmu_process_liveness_here(const struct pmu_process *process)
{
	struct pmu_process_stat stat;

	if (process->pid <= 0 || pmu_process_boot(process->boot_id) == PMU_BOOT_ANOTHER)
		return PMU_PROCESS_FOREIGN;
	if (is_of_other_namespace(process))
		return PMU_PROCESS_FOREIGN;
	if (kill(process->pid, 0) && errno == ESRCH)
		return PMU_PROCESS_DEAD;
	if (pmu_process_stat(process->pid, &stat))
		return PMU_PROCESS_ALIVE; /* it exists and /proc hides it */
	if (process->start_time && stat.start_time != process->start_time)
		return PMU_PROCESS_DEAD; /* the pid's next owner */
	return pmu_process_has_ended(&stat) ? PMU_PROCESS_DEAD : PMU_PROCESS_ALIVE;
}

enum pmu_liveness pmu_process_liveness(const struct pmu_process *process)
{
	enum pmu_liveness liveness = pmu_process_liveness_here(process);

	/* one that is not seen may be hidden, or gone */
	if (liveness == PMU_PROCESS_FOREIGN && process->pid > 0 &&
	    pmu_process_boot(process->boot_id) != PMU_BOOT_ANOTHER && is_seen(process))
		return PMU_PROCESS_ALIVE;
	return liveness;
}
