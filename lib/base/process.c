/* SPDX-License-Identifier: BSD-3-Clause */
/* Whose a store is, and whether that process still runs. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sysfile.h"
#include "store/place.h"

/** What a line of /proc/PID/stat says (proc_pid_stat(5)). */
struct process_stat {
	char state;          /* field 3 */
	long n_threads;      /* field 20 */
	uint64_t start_time; /* field 22, clock ticks since boot */
};

/* The command's name may hold blanks and parentheses: field 3 follows the last ')'. */
static int stat_parse(const char *text, struct process_stat *process)
{
	const char *field = strrchr(text, ')');
	int n;

	if (!field || field[1] != ' ' || !field[2])
		return -EINVAL;
	process->state = field[2];
	field += 2;
	for (n = 3; n < 20 && field; n++) {
		field = strchr(field, ' ');
		field = field ? field + 1 : NULL;
	}
	if (!field ||
	    sscanf(field, "%ld %*s %" SCNu64, &process->n_threads, &process->start_time) != 2)
		return -EINVAL;
	return 0;
}

static int stat_read(const char *pid, struct process_stat *process)
{
	char path[64], text[1024];
	long n;

	snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	n = pmu_sysfile_read(path, text, sizeof(text));
	return n < 0 ? (int)n : stat_parse(text, process);
}

/* The same as long as any process lives: children of one that has read it need not. */
static void read_boot_id(char *id, size_t size)
{
	enum { UNKNOWN, BEING_READ, KNOWN };
	static char known[40];
	static int state;
	int was = UNKNOWN;

	if (__atomic_load_n(&state, __ATOMIC_ACQUIRE) == KNOWN) {
		snprintf(id, size, "%s", known);
		return;
	}
	if (pmu_sysfile_read("/proc/sys/kernel/random/boot_id", id, size) < 0)
		id[0] = '\0';
	else if (__atomic_compare_exchange_n(&state, &was, BEING_READ, false, __ATOMIC_RELAXED,
					     __ATOMIC_RELAXED)) {
		snprintf(known, sizeof(known), "%s", id);
		__atomic_store_n(&state, KNOWN, __ATOMIC_RELEASE);
	}
}

void pmu_store_owner_self(struct pmu_store_owner *owner)
{
	struct process_stat self;
	struct stat ns;

	memset(owner, 0, sizeof(*owner));
	owner->pid = getpid();
	if (!stat_read("self", &self))
		owner->start_time = self.start_time;
	if (!stat("/proc/self/ns/pid", &ns))
		owner->pid_ns = ns.st_ino;
	read_boot_id(owner->boot_id, sizeof(owner->boot_id));
}

/* Another pid namespace, another boot, perhaps another machine: the pid says nothing
 * here. */
static int is_foreign(const struct pmu_store_head *head, const struct pmu_store_owner *self)
{
	if (head->pid <= 0)
		return 1;
	if (head->pid_ns && self->pid_ns && head->pid_ns != self->pid_ns)
		return 1;
	return head->boot_id[0] && self->boot_id[0] &&
	       strncmp(head->boot_id, self->boot_id, sizeof(self->boot_id)) != 0;
}

enum pmu_store_fate pmu_store_fate(const struct pmu_store_head *head)
{
	struct pmu_store_owner self;
	struct process_stat process;
	char pid[16];

	pmu_store_owner_self(&self);
	if (is_foreign(head, &self))
		return PMU_STORE_FOREIGN;
	if (kill(head->pid, 0) && errno == ESRCH)
		return PMU_STORE_DEAD;
	snprintf(pid, sizeof(pid), "%d", head->pid);
	if (stat_read(pid, &process))
		return PMU_STORE_ALIVE; /* it exists and /proc hides it */
	if (head->start_time && process.start_time != head->start_time)
		return PMU_STORE_DEAD; /* the pid's next owner */
	/* A zombie whose other threads still run is alive. */
	if ((process.state == 'Z' && process.n_threads <= 1) || process.state == 'X')
		return PMU_STORE_DEAD;
	return PMU_STORE_ALIVE;
}
